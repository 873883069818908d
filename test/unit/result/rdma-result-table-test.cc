/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-expect-error.h"
#include "rdma-flow-report.h"
#include "rdma-result-table.h"

#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A record with a value of each type.
struct TableSample
{
    uint64_t count{0};           //!< a whole number
    int32_t change{0};           //!< a whole number with a sign
    double factor{0};            //!< a number
    RdmaPs time{0};              //!< a time
    std::optional<RdmaPs> maybe; //!< a time that may be missing
    std::string text;            //!< text
};

RdmaResultTable<TableSample>
MakeSampleTable()
{
    return {"samples",
            {{"count", "frames", "a whole number", &TableSample::count},
             {"change", "", "a whole number with a sign", &TableSample::change},
             {"factor", "", "a number", &TableSample::factor},
             {"time_ns", "ns", "a time", &TableSample::time},
             {"maybe_ns", "ns", "a time that may be missing", &TableSample::maybe},
             {"text", "", "text", &TableSample::text}}};
}

std::vector<std::string>
SplitTableLine(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');)
    {
        fields.push_back(field);
    }
    return fields;
}

RdmaFlowResult
MakeTableFlow(uint64_t id)
{
    RdmaFlowResult result;
    result.flow = RdmaFlow{id, 1, 2, 3, 4791, RdmaFlow::ANY_NIC, 0, 1000, 5'001_ps};
    result.fct = 2'000_ps;
    result.cqe = 3'000_ps;
    result.ideal = 1'000_ps;
    result.status = "success";
    return result;
}

} // namespace

TEST(RdmaResultTable, HeaderRowAndObjectComeFromTheColumns)
{
    const auto table = MakeSampleTable();
    EXPECT_EQ(table.FormatHeader(), "count,change,factor,time_ns,maybe_ns,text\n");
    TableSample sample{18'446'744'073'709'551'615U, -7, 0.1, -1_ps, std::nullopt, "a,\"b\"\n"};
    std::string row = "before ";
    table.AppendRow(row, sample);
    EXPECT_EQ(row, "before 18446744073709551615,-7,0.1,-0.001,,\"a,\"\"b\"\"\n\"\n");
    EXPECT_EQ(table.FormatJson(sample),
              "{\n"
              "  \"count\": 18446744073709551615,\n"
              "  \"change\": -7,\n"
              "  \"factor\": 0.1,\n"
              "  \"time_ns\": -0.001,\n"
              "  \"maybe_ns\": null,\n"
              "  \"text\": \"a,\\\"b\\\"\\u000a\"\n"
              "}\n");
    sample.maybe = 2'500_ps;
    row.clear();
    table.AppendRow(row, sample);
    EXPECT_EQ(SplitTableLine(row)[4], "2.500");
}

TEST(RdmaResultTable, TypesAreThoseOfTheValues)
{
    const auto table = MakeSampleTable();
    std::vector<RdmaResultType> types;
    for (const auto& column : table.GetColumns())
    {
        types.push_back(column.GetInfo().type);
        EXPECT_EQ(column.GetInfo().isOptional, column.GetInfo().name == "maybe_ns");
        EXPECT_EQ(column.GetInfo().subject, RdmaResultSubject::NETWORK);
    }
    using T = RdmaResultType;
    EXPECT_EQ(types,
              (std::vector<T>{T::INTEGER, T::INTEGER, T::NUMBER, T::NUMBER, T::NUMBER, T::TEXT}));
}

TEST(RdmaResultTable, WrongColumns)
{
    const auto expect = [](const std::string& name,
                           const std::string& unit,
                           const std::string& meaning,
                           const std::string& problem) {
        ExpectError<std::invalid_argument>(
            [&] { RdmaResultColumn<TableSample>(name, unit, meaning, &TableSample::count); },
            {problem, "accepted"});
    };
    expect("", "", "a count", "column \"\"");
    expect("Count", "", "a count", "column \"Count\"");
    expect("2nd", "", "a count", "column \"2nd\"");
    expect("my count", "", "a count", "column \"my count\"");
    expect("count", "", "", "column count has no meaning");
    expect("count", "", "a\nb", "column count: \"a\nb\"");
    expect("count", "a\tb", "a count", "column count: \"a\tb\"");
    auto table = MakeSampleTable();
    ExpectError<std::invalid_argument>(
        [&] {
            table.Add({"factor", "", "another", &TableSample::count});
        },
        {"samples: there is a column factor", "accepted"});
}

TEST(RdmaResultTable, ValuesThatNoFileCanHold)
{
    auto table = MakeSampleTable();
    std::string row;
    TableSample sample;
    sample.factor = std::nan("");
    ExpectError<std::invalid_argument>([&] { table.AppendRow(row, sample); },
                                       {"samples: factor is not finite"});
    sample.factor = 1;
    table.Add({"ratio", "", "a ratio", [](const TableSample& s) {
                   return RdmaResultRatio{s.time, 3_ps};
               }});
    sample.time = 2_ps;
    row.clear();
    table.AppendRow(row, sample);
    EXPECT_EQ(SplitTableLine(row).back(), "0.666667\n");
    sample.time = -1_ps;
    ExpectError<std::invalid_argument>([&] { table.AppendRow(row, sample); },
                                       {"samples: ratio is -1 ps over 3 ps", "accepted"});
}

TEST(RdmaResultTable, RowsTakeNoMemory)
{
    const RdmaResultTables tables;
    const RdmaFlowResult result = MakeTableFlow(4);
    std::string row;
    tables.flows.AppendRow(row, result);
    row.clear();
    const uint64_t before = GetRdmaAllocationCount();
    tables.flows.AppendRow(row, result);
    EXPECT_EQ(GetRdmaAllocationCount(), before);
}

TEST(RdmaResultTables, OwnColumnsAreInAllOutputs)
{
    const std::vector<RdmaFlowResult> results{MakeTableFlow(4), MakeTableFlow(5)};
    const RdmaResultTables plain;
    RdmaResultTables tables;
    EXPECT_TRUE(tables.flows.GetOwnColumns().empty());
    tables.flows.Add({"half", "bytes", "half of the bytes", [](const RdmaFlowResult& result) {
                          return result.flow.bytes / 2;
                      }});
    tables.ports.Add({"twice", "packets", "all marks, twice", [](const RdmaPortResult& row) {
                          return 2 * row.ecnMarks;
                      }});
    tables.summary.Add({"note", "", "a text", [](const RdmaFabricSummary&) {
                            return std::optional<std::string>("own");
                        }});
    EXPECT_EQ(tables.flows.GetOwnColumns().size(), 1U);

    const std::string flows = FormatRdmaFlowsCsv(results, tables);
    EXPECT_EQ(flows,
              "id,src,dst,bytes,start_ns,fct_ns,cqe_ns,ideal_fct_ns,slowdown,"
              "retransmitted_packets,timeouts,status,half\n"
              "4,1,2,1000,5.001,2.000,3.000,1.000,2.000000,0,0,success,500\n"
              "5,1,2,1000,5.001,2.000,3.000,1.000,2.000000,0,0,success,500\n");
    RdmaPortResult port;
    port.ecnMarks = 21;
    EXPECT_EQ(FormatRdmaPortsCsv({port}, tables),
              RdmaResultTables().ports.FormatHeader().insert(
                  RdmaResultTables().ports.FormatHeader().size() - 1,
                  ",twice") +
                  "0,,0,,0,0,0,0,0,0,21,0,0,0,0,0.000,0,0,host,0,0,42\n");
    const std::string json = FormatRdmaSummaryJson(RdmaFabricSummary(), tables);
    EXPECT_NE(json.find("\"digest\": \"\",\n  \"note\": \"own\"\n}\n"), std::string::npos);

    // The digest is that of the file.
    EXPECT_EQ(MakeRdmaSummary(results, {}, tables).digest, GetRdmaDigest(results, tables));
    EXPECT_NE(GetRdmaDigest(results, tables), GetRdmaDigest(results));

    const std::string description = tables.Describe();
    for (const char* line :
         {"    {\"name\": \"half\", \"unit\": \"bytes\", \"type\": \"integer\", \"optional\": "
          "false, \"subject\": \"network\", \"meaning\": \"half of the bytes\"}\n",
          "    {\"name\": \"twice\", \"unit\": \"packets\", \"type\": \"integer\", \"optional\": "
          "false, \"subject\": \"network\", \"meaning\": \"all marks, twice\"}\n",
          "    {\"name\": \"note\", \"unit\": \"\", \"type\": \"text\", \"optional\": true, "
          "\"subject\": \"network\", \"meaning\": \"a text\"}\n"})
    {
        EXPECT_NE(description.find(line), std::string::npos) << description;
        EXPECT_EQ(plain.Describe().find(line), std::string::npos);
    }
}

TEST(RdmaResultTables, DescriptionHasAllColumns)
{
    const RdmaResultTables tables;
    const std::string description = tables.Describe();
    std::size_t at = 0;
    const auto expect = [&](const std::string& table, const std::string& header) {
        at = description.find("\"" + table + "\": [\n", at);
        for (const std::string& name : SplitTableLine(header))
        {
            at = description.find("{\"name\": \"" + name.substr(0, name.find('\n')) + "\"", at);
            EXPECT_NE(at, std::string::npos) << name;
        }
    };
    expect("flows", tables.flows.FormatHeader());
    expect("ports", tables.ports.FormatHeader());
    expect("summary", tables.summary.FormatHeader());
    expect("monitor", "time_ns,node,node_name,port,port_name,priority,tx_frames,queue_bytes");
    expect("pauseTree", "pause,parent,node_name,port_name,cause_bytes");
    expect("timeseries", "time_ns,node,node_name,qp,flow,rate_bps,acknowledged_packets");
    EXPECT_NE(description.find("\"cpu_s\", \"unit\": \"s\", \"type\": \"number\", \"optional\": "
                               "false, \"subject\": \"run\""),
              std::string::npos);
}

TEST(RdmaResultTables, SummaryHasTheTotals)
{
    RdmaFabricTotals totals;
    totals.drops = 1;
    totals.pauseFrames = 2;
    totals.ecnMarks = 3;
    totals.peakQueueBytes = 4;
    totals.packetHops = 5;
    const RdmaFabricSummary summary = MakeRdmaSummary({MakeTableFlow(0)}, totals);
    EXPECT_EQ(summary.flowsTotal, 1U);
    EXPECT_EQ(summary.drops, 1U);
    EXPECT_EQ(summary.pauseFrames, 2U);
    EXPECT_EQ(summary.ecnMarks, 3U);
    EXPECT_EQ(summary.peakQueueBytes, 4U);
    EXPECT_EQ(summary.packetHops, 5U);
}
