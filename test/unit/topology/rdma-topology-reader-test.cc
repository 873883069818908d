/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-text-file.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-reader.h"

#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;

namespace
{

const char* const GOOD = "4 1 3\n"
                         "2\n"
                         "0 2 100Gbps 1000ns 0.000000\n"
                         "1 2 1.5Gb/s 0.001ms 1e-5\n"
                         "3 2 40Gbps 1us 0\n";

} // namespace

TEST(RdmaTopologyReader, Reads)
{
    const auto topology = ParseRdmaTopology(GOOD, "t");
    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{0, 1, 3}));
    EXPECT_EQ(topology.GetSwitches(), (std::vector<uint32_t>{2}));
    EXPECT_EQ(topology.GetNode(2).name, "switch-2");
    EXPECT_EQ(topology.GetNode(3).name, "host-3");
    EXPECT_EQ(topology.GetLink(0), (RdmaTopologyLink{0, 2, 100_gbps, 1_us, 0.0}));
    EXPECT_EQ(topology.GetLink(1), (RdmaTopologyLink{1, 2, 1500_mbps, 1_us, 1e-5}));
    EXPECT_EQ(topology.GetLink(2), (RdmaTopologyLink{3, 2, 40_gbps, 1_us, 0.0}));
}

TEST(RdmaTopologyReader, BlanksAndLineEnds)
{
    std::string text;
    for (const char c : std::string(GOOD))
    {
        text += c == '\n' ? std::string(" \t\r\n\n") : std::string(1, c);
    }
    EXPECT_EQ(ParseRdmaTopology("\n\n" + text + "\n\n", "t"), ParseRdmaTopology(GOOD, "t"));
    const std::string cut(GOOD, std::string(GOOD).size() - 1);
    EXPECT_EQ(ParseRdmaTopology(cut, "t"), ParseRdmaTopology(GOOD, "t"));
}

TEST(RdmaTopologyReader, WithoutSwitches)
{
    const auto topology = ParseRdmaTopology("2 0 1\n0 1 10Gbps 5ns 0\n", "t");
    EXPECT_EQ(topology.GetHosts().size(), 2u);
    EXPECT_EQ(ParseRdmaTopology(FormatRdmaTopology(topology), "t"), topology);
}

TEST(RdmaTopologyReader, Errors)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<RdmaFileError>([&] { ParseRdmaTopology(text, "t.txt"); }, parts);
    };
    const std::string link = "0 2 100Gbps 1000ns 0\n";
    const std::string head = "3 1 2\n2\n" + link;
    expect("", {"t.txt: nodes switches links: the file ends"});
    expect("3 1\n", {"t.txt:1: 2 fields", "accepted: 3: nodes switches links; 4: "});
    expect("3 1 1 2 5\n", {"t.txt:1: 5 fields"});
    expect("3 1 4 2\n", {"t.txt:1: racks: '4' is too large"});
    expect("0 0 0\n", {"t.txt:1: nodes: '0' is too small", "accepted: 1 to 1048576"});
    expect("99999999 0 0\n", {"t.txt:1: nodes:", "too large"});
    expect("-3 1 2\n", {"t.txt:1: nodes: '-3' is negative"});
    expect("3 3 2\n", {"t.txt:1: switches: '3' is too large", "accepted: 0 to 2"});
    expect("3 x 2\n", {"t.txt:1: switches: 'x'"});
    expect("3 1 99999999999\n", {"t.txt:1: links:"});
    expect("3 1 2\n", {"t.txt: switch ids: the file ends"});
    expect("3 1 2\n2 1\n", {"t.txt:2: switch ids: 2 ids", "accepted: 1"});
    expect("3 2 2\n2\n", {"t.txt:2: switch ids: 1 ids", "accepted: 2"});
    expect("3 2 2\n2 2\n", {"t.txt:2: switch id: 2 appears twice"});
    expect("3 1 2\n3\n", {"t.txt:2: switch id: '3' is too large", "accepted: 0 to 2"});
    expect("3 1 2\n-1\n", {"t.txt:2: switch id: '-1' is negative"});
    expect(head, {"t.txt: link 2 of 2: the file ends"});
    expect(head + "1 2 100Gbps 1000ns\n", {"t.txt:4: 4 fields", "accepted: 5: node node rate"});
    expect(head + "1 2 100Gbps 1000ns 0 0\n", {"t.txt:4: 6 fields"});
    expect(head + "1 3 100Gbps 1000ns 0\n", {"t.txt:4: node: '3'", "accepted: 0 to 2"});
    expect(head + "-1 2 100Gbps 1000ns 0\n", {"t.txt:4: node: '-1' is negative"});
    expect(head + "1.5 2 100Gbps 1000ns 0\n", {"t.txt:4: node: '1.5' is not a whole number"});
    expect(head + "2 2 100Gbps 1000ns 0\n", {"t.txt:4: node: a link from 2 to itself"});
    expect(head + "1 2 100Gbs 1000ns 0\n", {"t.txt:4: rate:", "'Gbs'", "accepted: 1bps to 8Tbps"});
    expect(head + "1 2 0Gbps 1000ns 0\n", {"t.txt:4: rate: '0Gbps' is too small"});
    expect(head + "1 2 100 1000ns 0\n", {"t.txt:4: rate: '100' is too small", "as in 100Gbps"});
    expect(head + "1 2 100Gbps 1000 0\n", {"t.txt:4: delay: '1000' has no unit"});
    expect(head + "1 2 100Gbps 0ns 0\n", {"t.txt:4: delay: '0ns' is too small", "accepted: 1ps"});
    expect(head + "1 2 100Gbps 2s 0\n", {"t.txt:4: delay: '2s' is too large"});
    expect(head + "1 2 100Gbps 0.1ps 0\n", {"t.txt:4: delay: '0.1ps' is too small"});
    expect(head + "1 2 100Gbps 1,5us 0\n", {"t.txt:4: delay: '1,5us' has a comma"});
    expect(head + "1 2 100Gbps 1ns 1\n", {"t.txt:4: error-rate: '1'", "accepted: 0 to below 1"});
    expect(head + "1 2 100Gbps 1ns -0.1\n", {"t.txt:4: error-rate: '-0.1' is negative"});
    expect(head + "1 2 100Gbps 1ns x\n", {"t.txt:4: error-rate: 'x'"});
    expect("3 1 1\n", {"t.txt:1: links: '1' is too small", "accepted: 2 to"});
    expect(head + link, {"t.txt: topology: host 1", "no link"});
}

TEST(RdmaTopologyReader, LinesAfterTheDeclaredLinksAreLeftOutAndSaySo)
{
    for (const auto& [rest, count] : {std::pair{"\nFirst line: total node #\n...\n", "2 lines"},
                                      std::pair{"First line: total node #", "1 line"}})
    {
        testing::internal::CaptureStderr();
        const RdmaTopology topology = ParseRdmaTopology(std::string(GOOD) + rest, "t.txt");
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(topology.GetNLinks(), ParseRdmaTopology(GOOD, "t.txt").GetNLinks());
        EXPECT_NE(said.find(std::string(": ") + count + " left out after link "), std::string::npos)
            << said;
        EXPECT_NE(said.find("the first begins with 'First'"), std::string::npos) << said;
    }
}

TEST(RdmaTopologyReader, LinksThatTheFirstLineDoesNotDeclareAreNamed)
{
    const std::string more = "0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n";
    for (const auto& [rest, said] :
         {std::pair{more,
                    "rdma: warning: t.txt, line 6: the first line of the file declares 3 links, "
                    "and 2 further lines look like links; 2 lines left out\n"},
          std::pair{more + "0 9 10Gbps 1us 0\nFirst line\n",
                    "rdma: warning: t.txt, line 6: the first line of the file declares 3 links, "
                    "and 2 further lines look like links; 4 lines left out\n"},
          std::pair{std::string("what follows\n0 2 10Gbps 1us 0"),
                    "rdma: warning: t.txt, line 6: the first line of the file declares 3 links, "
                    "and 1 further line looks like a link; 2 lines left out\n"}})
    {
        testing::internal::CaptureStderr();
        const RdmaTopology topology = ParseRdmaTopology(std::string(GOOD) + rest, "t.txt");
        EXPECT_EQ(testing::internal::GetCapturedStderr(), said);
        EXPECT_EQ(topology, ParseRdmaTopology(GOOD, "t.txt"));
    }
}

TEST(RdmaTopologyReader, NumbersOfOtherPrograms)
{
    testing::internal::CaptureStderr();
    const auto topology = ParseRdmaTopology("4.0 1e0 3\n"
                                            "2.0\n"
                                            "0 2 100000000000 1e3ns 0.0\n"
                                            "1 2 2.5e+10 0.0054999999999999997ms 1E-05\n"
                                            "3 2 25000000000.0 0.00550000000000000004ms 0\n",
                                            "t");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "rdma: warning: t, line 4: 2 times rounded to whole picoseconds; the first is "
              "'0.0054999999999999997ms'\n");
    EXPECT_EQ(topology.GetLink(0), (RdmaTopologyLink{0, 2, 100_gbps, 1_us, 0.0}));
    EXPECT_EQ(topology.GetLink(1), (RdmaTopologyLink{1, 2, 25_gbps, 5'500'000_ps, 1e-5}));
    EXPECT_EQ(topology.GetLink(2), (RdmaTopologyLink{3, 2, 25_gbps, 5'500'000_ps, 0.0}));
}

TEST(RdmaTopologyReader, FirstLinesOfOtherSimulators)
{
    const std::string rest = "2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n";
    const RdmaTopology topology = ParseRdmaTopology("3 1 2\n" + rest, "t");
    EXPECT_EQ(ParseRdmaTopology("3 1 1 2\n" + rest, "t"), topology);
    EXPECT_EQ(ParseRdmaTopology("3 1 1 2 25000000000 100000000000\n" + rest, "t"), topology);
    ExpectError<RdmaFileError>([&] { ParseRdmaTopology("3 2 0 1 2 A100 8\n" + rest, "t"); },
                               {"t:1: 7 fields", "accepted: 3: nodes switches links"});
}

/*
 * As ns-3 sees the file: a host is a node with a device for each of its links, and each device has
 * an address of its own.
 */
TEST(RdmaTopologyReader, LinksOfAHostArePortsOfItsNic)
{
    const RdmaTopology topology = ParseRdmaTopology("5 2 6\n3 4\n"
                                                    "0 3 100Gbps 1us 0\n0 4 50Gbps 2us 0\n"
                                                    "1 3 100Gbps 1us 0\n1 4 50Gbps 2us 0\n"
                                                    "2 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n",
                                                    "t");
    EXPECT_EQ(topology.GetHosts(), topology.GetNics());
    const auto links = topology.GetLinksByNode();
    EXPECT_EQ(links[0], (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(links[2], (std::vector<uint32_t>{4, 5}));
    for (const uint32_t host : topology.GetHosts())
    {
        EXPECT_FALSE(topology.GetNode(host).bonded);
    }
    EXPECT_EQ(ParseRdmaTopology(FormatRdmaTopology(topology), "t"), topology);
}

TEST(RdmaTopologyReader, WritesNoHostOfSeveralNics)
{
    for (const auto& [form, problem] :
         {std::pair{"rail:1x2x2x1", "'host-0-nic-1' is a further NIC of a host"},
          std::pair{"dual-tor:1x2x1x1", "'host-0' is a NIC with bonded ports"}})
    {
        ExpectError<std::invalid_argument>(
            [&form = form] { FormatRdmaTopology(MakeRdmaTopology(form)); },
            {problem, "which the format cannot say; accepted: hosts of one NIC without a bond"});
    }
}

TEST(RdmaTopologyReader, ByteOrderMarks)
{
    const std::string path = testing::TempDir() + "rdma-topology-reader-mark.txt";
    WriteRdmaFile(path, std::string("\xef\xbb\xbf") + GOOD);
    EXPECT_EQ(ReadRdmaTopology(path), ParseRdmaTopology(GOOD, "t"));
    for (const std::string& text : {std::string("\xff\xfe\x33\x00", 4),
                                    std::string("\xfe\xff\x00\x33", 4),
                                    std::string("\x33\x00\x20\x00", 4)})
    {
        WriteRdmaFile(path, text);
        ExpectError<RdmaFileError>([&] { ReadRdmaTopology(path); },
                                   {path + ": is UTF-16 text; accepted: UTF-8"});
    }
    std::remove(path.c_str());
}

TEST(RdmaTopologyReader, ErrorHasParts)
{
    try
    {
        ParseRdmaTopology("3 1 2\n2\n0 2 1Gbs 1ns 0\n", "t.txt");
        FAIL();
    }
    catch (const RdmaFileError& e)
    {
        EXPECT_EQ(std::string(e.what()).find("t.txt:3: rate: "), 0u) << e.what();
    }
}

TEST(RdmaTopologyReader, WritesAndReadsBack)
{
    RdmaTopologyRates rates;
    rates.hostRate = 2'500'000'001_bps;
    rates.delay = 1'234'567_ps;
    rates.errorRate = 1.0 / 3.0;
    RdmaTopology topology = MakeRdmaParkingLot({2, 1, 1}, rates);
    topology.AddLink(0, topology.GetSwitches().front(), 1000_bps, 1_ps, 1e-300);
    const std::string path = testing::TempDir() + "rdma-topology-reader-test.txt";
    WriteRdmaTopology(topology, path);
    const auto back = ReadRdmaTopology(path);
    std::remove(path.c_str());
    EXPECT_EQ(back.GetLinks(), topology.GetLinks());
    EXPECT_EQ(back.GetHosts(), topology.GetHosts());
    EXPECT_EQ(FormatRdmaTopology(MakeRdmaStar(2)),
              "3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n");
    EXPECT_THROW(FormatRdmaTopology(RdmaTopology()), std::invalid_argument);
}

TEST(RdmaTopologyReader, FileErrors)
{
    ExpectError<RdmaFileError>([] { ReadRdmaTopology("/does/not/exist"); },
                               {"/does/not/exist: cannot be opened for reading", "No such file"});
    ExpectError<RdmaFileError>([] { ReadRdmaTopology("/"); }, {"/: is a directory"});
    ExpectError<RdmaFileError>([] { WriteRdmaTopology(MakeRdmaStar(2), "/does/not/exist"); },
                               {"/does/not/exist: cannot be written"});
}

TEST(RdmaTopologyReader, LargeFileIsFast)
{
    // The size of the fabric that HPCC's traces use: 376 nodes, 480 links.
    RdmaTopologyRates rates;
    rates.uplinkRate = 400_gbps;
    const auto topology = MakeRdmaXgft({16, 4, 5}, {1, 4, 4}, rates);
    const std::string text = FormatRdmaTopology(topology);
    EXPECT_EQ(text.substr(0, 11), "376 56 480\n");
    const auto begin = std::chrono::steady_clock::now();
    const auto back = ParseRdmaTopology(text, "t");
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(back.GetLinks(), topology.GetLinks());
    EXPECT_LT(elapsed.count(), 0.2);
}
