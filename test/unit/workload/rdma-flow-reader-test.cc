/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-flow-reader.h"
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
    return ParseRdmaFlows(text, "f", MakeRdmaStar(4));
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
    EXPECT_EQ(flows[0], (RdmaFlow{0, 0, 1, 3, 100, 710062, 2'000'000'577'000_ps}));
    EXPECT_EQ(flows[1], (RdmaFlow{1, 3, 2, 0, 65535, 1, 2_s}));
    EXPECT_EQ(flows[2], (RdmaFlow{2, 2, 0, 7, 0, 1'099'511'627'777, 1_ps}));
    EXPECT_TRUE(Parse("0\n").empty());
}

TEST(RdmaFlowReader, LinesAfterTheDeclaredFlowsAreLeftOutAndSaySo)
{
    // The public flow.txt of the HPCC simulator ends with more flows and with its own explanation.
    testing::internal::CaptureStderr();
    const auto flows = Parse("1\n0 1 3 100 1000 2\n1 0 3 100 1000 2\n\nFirst line: # of flows\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: warning: f, line 3: 2 lines left out after flow 1 of 1; the first begins with "
              "'1'\n");
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
    Expect("1\n0 1 3 100 1e6 2\n", {"f:2: bytes: '1e6' is not a whole number"});
    Expect("1\n0 1 3 100 1152921504606846977 2\n", {"f:2: bytes:", "too large"});
    Expect("1\n0 1 3 100 1000 -2\n", {"f:2: start-time: '-2' is negative"});
    Expect("1\n0 1 3 100 1000 9224\n", {"f:2: start-time: '9224' is too large"});
    Expect("1\n0 1 3 100 1000 2.0000000000001\n", {"f:2: start-time:", "picoseconds"});
    Expect("1\n0 1 3 100 1000 2s\n", {"f:2: start-time: '2s' is not a number"});
}

TEST(RdmaFlowReader, Csv)
{
    const auto flows = Parse("id,src,dst,bytes,start_ns\n"
                             "7,0,1,1000,12.345\n"
                             "3,1,0,1099511627776,0\n");
    ASSERT_EQ(flows.size(), 2u);
    EXPECT_EQ(flows[0], (RdmaFlow{7, 0, 1, 3, 4791, 1000, 12'345_ps}));
    EXPECT_EQ(flows[1], (RdmaFlow{3, 1, 0, 3, 4791, 1'099'511'627'776, 0_ps}));
    EXPECT_TRUE(Parse("id,src,dst,bytes,start_ns\n").empty());
}

TEST(RdmaFlowReader, CsvColumnsInAnyOrder)
{
    const auto flows = Parse("\n start_ns , priority,dst,dst_port,src, bytes,id\r\n"
                             "2000, 5, 3, 80, 2, 10, 18446744073709551615\r\n");
    ASSERT_EQ(flows.size(), 1u);
    EXPECT_EQ(flows[0], (RdmaFlow{18'446'744'073'709'551'615u, 2, 3, 5, 80, 10, 2_us}));
}

TEST(RdmaFlowReader, CsvErrors)
{
    const std::string head = "id,src,dst,bytes,start_ns\n";
    Expect("id,src,dst,bytes\n", {"f:1: header: no column 'start_ns'", "accepted: the columns id"});
    Expect("id,src,dst,bytes,start\n", {"f:1: header: unknown column 'start'"});
    Expect("id,src,dst,bytes,start_ns,src\n", {"f:1: header: column 'src' appears twice"});
    Expect("id,src,dst,bytes,start_ns,\n", {"f:1: header: unknown column ''"});
    Expect(head + "0,0,1,1000\n", {"f:2: 4 fields", "accepted: 5: id,src,dst,bytes,start_ns"});
    Expect(head + "0,0,1,1000,0,3\n", {"f:2: 6 fields"});
    Expect(head + "0,0,1,1000,0\n\n0,1,2,1000,0\n", {"f:4: id: 0 is in line 2 already"});
    Expect(head + "0,2,2,1000,0\n", {"f:2: a flow from host 2 to itself"});
    Expect(head + "0,4,1,1000,0\n", {"f:2: src: 4 is a switch"});
    Expect(head + "0,0,9,1000,0\n", {"f:2: dst: 9 does not exist"});
    Expect(head + "0,0,1,0,0\n", {"f:2: bytes: '0' is too small"});
    Expect(head + "0,0,1,1000,-1\n", {"f:2: start_ns: '-1' is negative"});
    Expect(head + "0,0,1,1000,1.2345\n", {"f:2: start_ns: '1.2345'", "picoseconds"});
    Expect(head + "0,0,1,1000,\n", {"f:2: start_ns: '' is empty"});
    Expect(head + "a,0,1,1000,0\n", {"f:2: id: 'a'"});
    Expect("id,src,dst,bytes,start_ns,priority\n0,0,1,1,0,9\n", {"f:2: priority: '9'"});
}

TEST(RdmaFlowReader, Files)
{
    const std::string path = testing::TempDir() + "rdma-flow-reader-test.txt";
    std::ofstream(path) << "1\n0 1 3 100 1000 2\n";
    EXPECT_EQ(ReadRdmaFlows(path, MakeRdmaStar(4)).size(), 1u);
    std::remove(path.c_str());
    ExpectError<RdmaFileError>([&] { ReadRdmaFlows(path, MakeRdmaStar(4)); },
                               {path + ": cannot be opened"});
}
