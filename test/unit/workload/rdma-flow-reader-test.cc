/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-flow-reader.h"
#include "rdma-flow-report.h"
#include "rdma-topology-builders.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Hosts 0 to 3 on switch 4.
std::vector<RdmaFlow>
Parse(const std::string& text)
{
    return ParseRdmaFlows(text, "f", MakeRdmaStar(4)).flows;
}

void
Expect(const std::string& text, const std::vector<std::string>& parts)
{
    ExpectError<RdmaFileError>([&] { Parse(text); }, parts);
}

} // namespace

TEST(RdmaFlowReader, Text)
{
    // Published traces have the blank after the number of flows.
    const auto flows = Parse("3 \n"
                             "0 1 3 100 710062 2.000000577\n"
                             "3 2 0 65535 1 2\n"
                             "2 0 7 0 1099511627777 0.000000000001\n"
                             "\n");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[0],
              (RdmaFlow{0, 0, 1, 3, 100, RdmaFlow::ANY_NIC, 0, 710062, 2'000'000'577'000_ps}));
    EXPECT_EQ(flows[1], (RdmaFlow{1, 3, 2, 0, 65535, RdmaFlow::ANY_NIC, 0, 1, 2_s}));
    EXPECT_EQ(flows[2], (RdmaFlow{2, 2, 0, 7, 0, RdmaFlow::ANY_NIC, 0, 1'099'511'627'777, 1_ps}));
}

TEST(RdmaFlowReader, NumbersOfOtherPrograms)
{
    testing::internal::CaptureStderr();
    const auto flows = Parse("3\n0 1 3.0 100 1e3 5e-06\n"
                             "0 1 3 100 1000.0 2.0000001000000003\n"
                             "1 0 3 1E+02 1.5e6 2.0000000000000004e+00\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: warning: f, line 3: 2 times rounded to whole picoseconds; the first is "
              "'2.0000001000000003'\n");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[0], (RdmaFlow{0, 0, 1, 3, 100, RdmaFlow::ANY_NIC, 0, 1000, 5_us}));
    EXPECT_EQ(flows[1],
              (RdmaFlow{1, 0, 1, 3, 100, RdmaFlow::ANY_NIC, 0, 1000, 2'000'000'100'000_ps}));
    EXPECT_EQ(flows[2], (RdmaFlow{2, 1, 0, 3, 100, RdmaFlow::ANY_NIC, 0, 1'500'000, 2_s}));
}

TEST(RdmaFlowReader, FilesWithoutFlowsSaySo)
{
    for (const char* text : {"0\n", "id,src,dst,bytes,start_ns\n"})
    {
        testing::internal::CaptureStderr();
        EXPECT_TRUE(Parse(text).empty());
        EXPECT_EQ(testing::internal::GetCapturedStderr(),
                  "rdma: warning: f: the file has no flow\n");
    }
}

TEST(RdmaFlowReader, FilesOfTheSimulatorOf2015AreNoticed)
{
    const std::string note = "rdma: note: f: no flow has more bytes than seconds before its start";
    const auto say = [](const std::string& text) {
        testing::internal::CaptureStderr();
        Parse(text);
        return testing::internal::GetCapturedStderr();
    };
    // source destination priority packets start end
    EXPECT_EQ(say("2\n0 1 3 5000 2 9\n2 1 3 60000 2 2.5\n").rfind(note, 0), 0u);
    // In a file of HPCC, flows of a byte at 2 s are unusual, and longer ones are not.
    EXPECT_EQ(say("2\n0 1 3 100 1 2\n2 1 3 100 1000 2.5\n"), "");
    EXPECT_EQ(say("1\n0 1 3 100 1 0\n"), "");
}

TEST(RdmaFlowReader, LinesAfterTheDeclaredFlowsAreLeftOutAndSaySo)
{
    // The public flow.txt of the HPCC simulator ends with more flows and with its own explanation.
    testing::internal::CaptureStderr();
    const auto flows = Parse("1\n0 1 3 100 1000 2\n1 0 3 100 1000 2\n\nFirst line: # of flows\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: warning: f, line 3: the first line of the file declares 1 flow, and 1 further "
              "line looks like a flow; 2 lines left out\n");
    ASSERT_EQ(flows.size(), 1U);
    EXPECT_EQ(flows[0].srcHost, 0U);
}

TEST(RdmaFlowReader, TextErrors)
{
    const std::string good = "0 1 3 100 1000 2\n";
    Expect("", {"f: number of flows: the file ends"});
    Expect("2 3\n", {"f:1: 2 fields"});
    Expect("x\n", {"f:1: number of flows: 'x'"});
    Expect("-1\n", {"f:1: number of flows: '-1' is negative"});
    Expect("2\n" + good, {"f: flow 2 of 2: the file ends"});
    Expect("1\n0 1 3 100 1000\n", {"f:2: 5 fields", "accepted: 6: source destination"});
    Expect("1\n0 1 3 100 1000 2 3\n", {"f:2: 7 fields"});
    Expect("1\n1 1 3 100 1000 2\n", {"f:2: a flow from host 1 to itself"});
    Expect("1\n5 1 3 100 1000 2\n", {"f:2: source: 5 does not exist in the topology"});
    Expect("1\n0 4 3 100 1000 2\n", {"f:2: destination: 4 is a switch", "node id of a host"});
    Expect("1\n0 -1 3 100 1000 2\n", {"f:2: destination: '-1' is negative"});
    Expect("1\n4294967296 1 3 100 1000 2\n", {"f:2: source: '4294967296' is too large"});
    Expect("1\n0 1 8 100 1000 2\n", {"f:2: priority: '8' is too large", "accepted: 0 to 7"});
    Expect("1\n0 1 3 65536 1000 2\n", {"f:2: destination-port: '65536'", "0 to 65535"});
    Expect("1\n0 1 3 100 0 2\n", {"f:2: bytes: '0' is too small"});
    Expect("1\n0 1 3 100 1000.5 2\n", {"f:2: bytes: '1000.5' is not a whole number"});
    Expect("1\n0 1 3 100 1000 2,5\n", {"f:2: start-time: '2,5' has a comma"});
    Expect("1\n0 1 3 100 1152921504606846977 2\n", {"f:2: bytes:", "too large"});
    Expect("1\n0 1 3 100 1000 -2\n", {"f:2: start-time: '-2' is negative"});
    Expect("1\n0 1 3 100 1000 9224\n", {"f:2: start-time: '9224' is too large"});
    // At 100 Gb/s, 2^60 bytes take three years.
    Expect("1\n0 1 3 100 1152921504606846976 2\n",
           {"f:2: bytes: 1152921504606846976 take longer than 9223 s", "100Gbps of host 0"});
    Expect("1\n0 1 3 100 1000 2s\n", {"f:2: start-time: '2s' is not a number"});
}

TEST(RdmaFlowReader, Csv)
{
    const auto flows = Parse("id,src,dst,bytes,start_ns\n"
                             "7,0,1,1000,12.345\n"
                             "3,1,0,1099511627776,0\n");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0], (RdmaFlow{7, 0, 1, 3, 4791, RdmaFlow::ANY_NIC, 0, 1000, 12'345_ps}));
    EXPECT_EQ(flows[1],
              (RdmaFlow{3, 1, 0, 3, 4791, RdmaFlow::ANY_NIC, 0, 1'099'511'627'776, 0_ps}));
}

TEST(RdmaFlowReader, CsvOfOtherPrograms)
{
    const auto flows = Parse("\"id\",\"src\", \"dst\" ,\"bytes\",\"start_ns\"\n"
                             "0,0,1,1000.0,1e3\n"
                             "\"1\",\"1\",\"0\",\"1e+05\",\"1.00E+03\"\n");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0], (RdmaFlow{0, 0, 1, 3, 4791, RdmaFlow::ANY_NIC, 0, 1000, 1_us}));
    EXPECT_EQ(flows[1], (RdmaFlow{1, 1, 0, 3, 4791, RdmaFlow::ANY_NIC, 0, 100'000, 1_us}));
    testing::internal::CaptureStderr();
    EXPECT_EQ(Parse("id,src,dst,bytes,start_ns\n0,0,1,1,1.2345\n").front().start, 1'235_ps);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: warning: f, line 2: 1 time rounded to whole picoseconds; the first is "
              "'1.2345'\n");
}

TEST(RdmaFlowReader, QuotationMarks)
{
    const std::string head = "id,src,dst,bytes,start_ns\n";
    Expect(head + "\"0,0\",1,1000,0\n", {"f:2: 4 fields"});
    Expect(head + "0,0,1,\"10\"\"00\",0\n", {"f:2: bytes: '10\"00' is not a whole number"});
    Expect(head + "0,0,1,\"1000\"0,0\n", {"f:2: '0,0' after the field '1000'"});
    Expect(head + "0,0,1,\"1000,0\n", {"f:2: a quotation mark begins a field"});
    // A field may contain a line end. The next line has its own number.
    Expect(head + "\"0\n\",0,1,1000,0\n", {"f:2: id: '0\\x0a' is not a whole number"});
    Expect("id,src,\"dst\n\",bytes,start_ns\n", {"f:1: header: unknown column 'dst\\x0a'"});
    Expect("id,src,dst,bytes,start_ns,fct_ns\n1,0,1,1,0,\"a\n\nb\"\n1,0,1,1,0,\n",
           {"f:5: id: 1 is in line 2 already"});
}

TEST(RdmaFlowReader, ResultsOfAnEarlierRunAreLeftOut)
{
    RdmaResultTables tables;
    testing::internal::CaptureStderr();
    const auto flows = Parse(tables.flows.FormatHeader() +
                             "7,0,1,1000,12.345,2000.000,,1900.000,1.05,0,0,IBV_WC_SUCCESS\n");
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(
        said.rfind("rdma: note: f: flows of an earlier run; its results are left out (fct_ns, ", 0),
        0u)
        << said;
    EXPECT_NE(said.find("status), and all flows are of class 3\n"), std::string::npos) << said;
    ASSERT_EQ(flows.size(), 1u);
    EXPECT_EQ(flows[0], (RdmaFlow{7, 0, 1, 3, 4791, RdmaFlow::ANY_NIC, 0, 1000, 12'345_ps}));
}

TEST(RdmaFlowReader, CsvColumnsInAnyOrder)
{
    const auto flows = Parse("\n start_ns , priority,dst,dst_port,src, bytes,id\r\n"
                             "2000, 5, 3, 80, 2, 10, 18446744073709551615\r\n");
    ASSERT_EQ(flows.size(), 1u);
    EXPECT_EQ(flows[0],
              (RdmaFlow{18'446'744'073'709'551'615u, 2, 3, 5, 80, RdmaFlow::ANY_NIC, 0, 10, 2_us}));
}

TEST(RdmaFlowReader, EmptyFieldsOfNicsAndQueuePairs)
{
    const std::string head = "id,src,dst,bytes,start_ns,nic,queue_pairs\n";
    const auto flows = Parse(head + "0,0,1,1,0,,\n1,0,1,1,0,0,4\n2,0,1,1,0,,1024\n");
    ASSERT_EQ(flows.size(), 3u);
    EXPECT_EQ(flows[0], (RdmaFlow{0, 0, 1, 3, 4791, RdmaFlow::ANY_NIC, 0, 1, 0_ps}));
    EXPECT_EQ(flows[1], (RdmaFlow{1, 0, 1, 3, 4791, 0, 4, 1, 0_ps}));
    EXPECT_EQ(flows[2], (RdmaFlow{2, 0, 1, 3, 4791, RdmaFlow::ANY_NIC, 1024, 1, 0_ps}));
    Expect(head + "0,0,1,1,0,1,\n", {"f:2: nic: '1' is too large; accepted: 0"});
    Expect(head + "0,0,1,1,0,,0\n", {"f:2: queue_pairs: '0' is too small; accepted: 1 to 1024"});
}

TEST(RdmaFlowReader, CsvErrors)
{
    const std::string head = "id,src,dst,bytes,start_ns\n";
    Expect("id,src,dst,bytes\n", {"f:1: header: no column 'start_ns'", "accepted: the columns id"});
    Expect("id,src,dst,bytes,start\n", {"f:1: header: unknown column 'start'"});
    Expect("id,src,dst,byte,start_ns\n", {"unknown column 'byte'; did you mean bytes?"});
    Expect(",id,src,dst,bytes,start_ns\n", {"f:1: header: a column without a name", "index=False"});
    Expect("id;src;dst;bytes;start_ns\n", {"f: header: semicolons separate", "by commas"});
    Expect("id,src,dst,bytes,start_ns,src\n", {"f:1: header: column 'src' appears twice"});
    Expect("id,src,dst,bytes,start_ns,\n", {"f:1: header: a column without a name"});
    Expect(head + "0,0,1,1000\n", {"f:2: 4 fields", "accepted: 5: id,src,dst,bytes,start_ns"});
    Expect(head + "0,0,1,1000,0,3\n", {"f:2: 6 fields"});
    Expect(head + "0,0,1,1000,0\n\n0,1,2,1000,0\n", {"f:4: id: 0 is in line 2 already"});
    Expect(head + "0,2,2,1000,0\n", {"f:2: a flow from host 2 to itself"});
    Expect(head + "0,4,1,1000,0\n", {"f:2: src: 4 is a switch"});
    Expect(head + "0,0,9,1000,0\n", {"f:2: dst: 9 does not exist"});
    Expect(head + "0,0,1,0,0\n", {"f:2: bytes: '0' is too small"});
    Expect(head + "0,0,1,1000,-1\n", {"f:2: start_ns: '-1' is negative"});
    Expect(head + "0,0,1,1000,\n", {"f:2: start_ns: '' is empty"});
    Expect(head + "a,0,1,1000,0\n", {"f:2: id: 'a'"});
    Expect("id,src,dst,bytes,start_ns,priority\n0,0,1,1,0,9\n", {"f:2: priority: '9'"});
}

TEST(RdmaFlowReader, Dependencies)
{
    const std::string text = "id,src,dst,bytes,start_ns,after,delay_ns\n"
                             "5,0,1,1,0,,\n"
                             "6,1,2,1,10,5,\n"
                             "7,3,0,1,0,5+6,2.5\n";
    const RdmaFlowList list = ParseRdmaFlows(text, "f", MakeRdmaStar(4));
    ASSERT_EQ(list.flows.size(), 3u);
    EXPECT_EQ(list.flows[1].start, 10_ns);
    ASSERT_EQ(list.dependencies.size(), 2u);
    EXPECT_EQ(list.dependencies[0].flow, 6u);
    EXPECT_EQ(list.dependencies[0].after, std::vector<uint64_t>{5});
    EXPECT_FALSE(list.dependencies[0].delay.has_value());
    EXPECT_EQ(list.dependencies[1].flow, 7u);
    EXPECT_EQ(list.dependencies[1].after, (std::vector<uint64_t>{5, 6}));
    EXPECT_EQ(list.dependencies[1].delay, 2'500_ps);
}

TEST(RdmaFlowReader, EarliestStartsOfAnEarlierRun)
{
    const auto flows = Parse("id,src,dst,bytes,start_ns,after,delay_ns,earliest_ns\n"
                             "5,0,1,1,3,,,\n"
                             "6,1,2,1,77.5,5,,10\n");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0].start, 3_ns);
    EXPECT_EQ(flows[1].start, 10_ns);
}

TEST(RdmaFlowReader, DependencyErrors)
{
    const std::string head = "id,src,dst,bytes,start_ns,after,delay_ns\n5,0,1,1,0,,\n";
    const std::string accepted = "accepted: ids of other flows, each once";
    Expect(head + "6,1,2,1,0,6,\n", {"f:3: after: flow 6 waits for itself", accepted});
    Expect(head + "6,1,2,1,0,8,\n", {"f:3: after: no flow has the id 8", accepted});
    Expect(head + "6,1,2,1,0,5+5,\n", {"f:3: after: flow 5 is named twice", accepted});
    Expect(head + "6,1,2,1,0,5+,\n", {"f:3: after: ", "is empty"});
    Expect(head + "6,1,2,1,0,5-7,\n", {"f:3: after: '5-7'"});
    Expect(head + "6,1,2,1,0,5,-1\n", {"f:3: delay_ns: '-1' is negative"});
    Expect(head + "6,1,2,1,0,,3\n", {"f:3: delay_ns: the flow waits for no other"});
    // The sender of a waiting flow learns of the end at its host, or after the delay.
    Parse(head + "6,2,1,1,0,5,0.001\n");
    for (const char* delay : {"", "0"})
    {
        Expect(head + "6,2,1,1,0,5," + delay + "\n",
               {"f:3: delay_ns: host 2 is no end of flow 5", "accepted: a delay of 1 ps or more"});
    }
    Expect(head + "6,1,2,1,0,8,\n7,1,2,1,0,6,\n8,2,1,1,0,7,\n",
           {"f:3: after: flow 6 waits for flow 8, which waits for flow 7, which waits for flow 6"});
}

TEST(RdmaFlowReader, Files)
{
    const std::string path = testing::TempDir() + "rdma-flow-reader-test.txt";
    std::ofstream(path) << "1\n0 1 3 100 1000 2\n";
    EXPECT_EQ(ReadRdmaFlows(path, MakeRdmaStar(4)).flows.size(), 1u);
    std::remove(path.c_str());
    ExpectError<RdmaFileError>([&] { ReadRdmaFlows(path, MakeRdmaStar(4)); },
                               {path + ": cannot be opened"});
}
