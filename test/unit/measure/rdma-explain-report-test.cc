/* SPDX-License-Identifier: GPL-2.0-only */

// The explanations of five set-ups. Frames have 1086 B (1024 of payload) and take 1106 B of the
// line, 88.48 ns at 100 Gb/s. Of the memory of a switch, each (port, class) has 1248 B in reserve,
// and each lossless one has headroom: 30516 B at 100 Gb/s, 108246 B at 400 Gb/s. S bytes are
// shared, and alpha is 1/8.

#include "qbb-conweave-path-selector.h"
#include "rdma-fabric-run.h"
#include "rdma-port-kinds.h"

#include <ns3/simulator.h>

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** A run of rdma-fabric with an explanation. */
class RdmaExplainReportTest : public testing::Test
{
  protected:
    RdmaExplainReportTest()
    {
        options.explain = true;
        options.topology = "star:9";
        options.workload = "incast:8";
    }

    ~RdmaExplainReportTest() override
    {
        Simulator::Destroy();
    }

    /** Runs, and looks for parts of the texts before and after the run. */
    void Expect(const std::vector<std::string>& before, const std::vector<std::string>& after)
    {
        RdmaFabricRun run(options);
        std::ostringstream forecast;
        run.PrintForecasts(forecast);
        run.Run();
        std::ostringstream findings;
        run.PrintFailures(findings);
        for (const std::string& text : before)
        {
            EXPECT_NE(forecast.str().find(text), std::string::npos) << text << "\n"
                                                                    << forecast.str();
        }
        for (const std::string& text : after)
        {
            EXPECT_NE(findings.str().find(text), std::string::npos) << text << "\n"
                                                                    << findings.str();
        }
    }

    RdmaFabricOptions options; //!< options of the run
};

} // namespace

TEST_F(RdmaExplainReportTest, TooMuchMemory)
{
    // S = 64 MiB - 9 x (8 x 1248 + 30516) = 66744364. Frame k of a port that is busy alone fits if
    // 1086 k - 1248 <= (S - (1086 (k - 1) - 1248)) / 8, which holds up to k = 6830: 7417380 B.
    // A port gets 98 packets and keeps 7/8 of them, 85.75 packets or 93 KB.
    options.bytes = "100KB";
    options.buffer = "64MiB";
    Expect(
        {"  7417380  7414122 ",
         " with 98 packets each, of 1 flow:\n",
         "first pause: none with up to 8 ports\n"},
        {"Nothing paused: the fullest ingress port held 93044 B at hub to host-0, 1% of the XOFF "
         "of hub to host, which is 7417380 B while no other port holds memory.\n",
         "For pauses: --ns3::QbbSharedBuffer::XoffBytes below 93044, less memory "
         "(--ns3::QbbSharedBuffer::BufferSize)",
         "No packet was marked: no switch marks",
         "Nothing was dropped.\n"});
}

TEST_F(RdmaExplainReportTest, NoCongestionControl)
{
    // A leaf has S = 12 MiB - 10 x 8 x 1248 - 8 x 30516 - 2 x 108246 = 12022452. With n busy ports,
    // XOFF is 1248 + S / (8 + n) B, and each of them keeps 977 (1 - 1/n) of its packets: 926 KB and
    // 849 KB for n = 5, 860 KB and 884 KB for n = 6, where the queue has 5.16 MB after
    // 5.16 MB / 1086 B x 88.48 ns / 5 = 84 us.
    // An uplink brings four packets for each that leaves: with 1643 packets received in 1642
    // x 22.12 ns and 411 sent, it has 1232 x 1086 B, the first above 1336866 B.
    // In the run, five flows come through one uplink and three from hosts of the leaf: 7/4 packets
    // every 22.12 ns, of which 1/4 leaves and 4/7 of the rest are of the uplink. The uplink passes
    // XOFF at 4/7 Q = 1248 + (S - (Q - 4 x 1248)) / 8, with Q = 2160564 B after 1326 x 22.12 ns.
    options.topology = "leaf-spine:2x8x2";
    Expect({"  first pause: 6 ports, after 84.06 us, ",
            "  first pause: 1 port, after 36.32 us, with 1337952 B in the queue",
            "into one port leaf to host: leaf-0 to host-7, 8 flows at once, 3 of them from 3 ports "
            "leaf to host, 5 of them from 1 port leaf to spine:\n  first pause: after 29.31 us, "},
           {"The first pause came after 31.78 us from leaf-0 to spine-0; ",
            "1 of 4 ports leaf to spine sent pauses: the fullest held 1415058 B",
            "Pauses spread: ",
            "There is no congestion control, so that only pauses slow senders down.\n"});
}

TEST_F(RdmaExplainReportTest, DcqcnBeforePfc)
{
    // Kmin is 5 KB x 100 / 40 = 12500 B. With two senders, one packet more waits every 88.48 ns, so
    // that a packet finds 12 of them, 13032 B, after 1.06 us. With eight senders, the first pause
    // needs 1248 + S / 16 = 765 KB of each, S = 12 MiB - 9 x (8 x 1248 + 30516) = 12218412; 7/8 of
    // 6.1 MB arrive in 71 us, and a mark is expected after 4 us, waits for 317 KB or 26 us, and
    // takes 4 us back to its sender.
    options.cc = "dcqcn";
    options.workload = "incast:3";
    Expect({"first mark possible: 2 ports, after 1.06 us, with 13032 B in the queue\n",
            "first pause: none with up to 8 ports before congestion control slows a sender\n",
            "first to slow a sender: congestion control with up to 8 ports\n"},
           {"Nothing paused: the fullest ingress port held 586440 B at hub to host-5, 43% of",
            "packets were marked, the first after 6.57 us at hub to host-4.\n",
            "ns3::RdmaDcqcn acted first and kept the longest queue at "});
}

TEST_F(RdmaExplainReportTest, ShallowChip)
{
    // S = 10^6 - 9 x (8 x 1248 + 30516) = 635500. With two busy ports, XOFF is 1248 + S / 10 =
    // 64798 B, passed by the 60th packet of a port, 65160 B, in wave 118: after 10.44 us.
    options.cc = "dcqcn";
    options.bytes = "500KB";
    options.buffer = "1MB";
    Expect({"first pause: 2 ports, after 10.44 us, with 129234 B in the queue and 65160 B from",
            "first to slow a sender: PFC with 2 ports and more\n"},
           {"8 of 9 ports hub to host sent pauses: the fullest held ",
            "The first mark came 1.68 us before the first pause, ",
            ": PFC acted before ns3::RdmaDcqcn.\n",
            "lower Kmin and Kmax"});
}

TEST_F(RdmaExplainReportTest, LossyClass)
{
    // S = 10^6 - 9 x 8 x 1248 = 910144. An egress queue may hold 1518 B + S less the shared bytes:
    // 1086 k <= 1518 + S - (1086 (k - 1) - 1248) up to k = 420: 456120 B.
    options.cc = "dcqcn";
    options.pfc = "off";
    options.bytes = "500KB";
    options.buffer = "1MB";
    options.transport = "roce[RetransmissionTimeout=200us]";
    Expect({"  456120 ",
            "first pause: none, for the class is lossy\n",
            "first drop: 2 ports, after 37.25 us, "},
           {"Nothing paused: the class is lossy at every port of a switch, so that a full buffer "
            "drops frames. For pauses: option pfc=on",
            "; the first drop of the run came after 6.40 us at hub to host-4: egress limit.\n",
            "For fewer: more memory (--ns3::QbbSharedBuffer::BufferSize)"});
}

TEST_F(RdmaExplainReportTest, PeaksBesideAMonitor)
{
    const auto explain = [this](const std::string& instruments) {
        options.instruments = instruments;
        RdmaFabricRun run(options);
        run.Run();
        std::ostringstream findings;
        run.PrintFailures(findings);
        Simulator::Destroy();
        return findings.str();
    };
    options.buffer = "3MB";
    const std::string file = std::filesystem::temp_directory_path() / "rdma-explain-monitor.csv";
    const std::string alone = explain("");
    EXPECT_NE(alone.find("8 of 9 ports hub to host sent pauses"), std::string::npos) << alone;
    EXPECT_EQ(explain("monitor:" + file + "[Period=7us]"), alone);
    std::filesystem::remove(file);
}

// A cable of 8 us needs 203256 B of headroom, of 1 us 30516 B.
TEST_F(RdmaExplainReportTest, UnequalCables)
{
    const std::string folder = std::filesystem::temp_directory_path() / "rdma-explain-cables";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/topo.txt") << "5 2 4\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 8us 0\n"
                                           "3 4 100Gbps 1us 0\n2 4 50Gbps 1us 0\n";
    std::ofstream(folder + "/flow.txt") << "2\n0 2 3 100 3000000 2\n1 2 3 100 3000000 2\n";
    options.topology = "file:" + folder + "/topo.txt";
    options.workload = "file:" + folder + "/flow.txt";
    options.buffer = "2MB";
    options.stop = "3s";
    Expect({"  30516-203256  30516-203256  "},
           {" of 203256 B at ", "The first pause came after 36.04 us", "  30516-203256  "});
    std::filesystem::remove_all(folder);
}

TEST_F(RdmaExplainReportTest, ResultsStay)
{
    options.cc = "dcqcn";
    options.buffer = "1MB";
    const auto digest = [this](bool explain) {
        options.explain = explain;
        RdmaFabricRun run(options);
        run.Run();
        const std::string text = run.GetOutcome().summary.digest;
        Simulator::Destroy();
        return text;
    };
    EXPECT_EQ(digest(true), digest(false));
}

TEST_F(RdmaExplainReportTest, TheNicsOfAllHostsAreOneKindOfPort)
{
    // Four hosts of two NICs, with one rail in each of two units and two leaves for each NIC.
    options.topology = "rail:2x2x2x1[Rails=1|LeavesPerNic=2]";
    options.workload = "incast:3";
    RdmaFabricRun run(options);
    std::map<std::string, std::size_t> ports;
    for (const RdmaPortKind& kind : MakeRdmaPortKinds(*run.GetFabric(), 3))
    {
        ports[kind.name] = kind.members.size();
    }
    EXPECT_EQ(ports,
              (std::map<std::string, std::size_t>{{"host to leaf", 16},
                                                  {"leaf to host", 16},
                                                  {"leaf to spine", 4},
                                                  {"spine to leaf", 4}}));
}

TEST_F(RdmaExplainReportTest, WhatConWeaveDid)
{
    // Flows leave the slow links, and their later packets wait for the earlier ones.
    options.topology = "leaf-spine:2x8x4";
    options.workload = "permutation";
    options.bytes = "1MB";
    options.paths = "conweave[ReplyExtra=500ns]";
    options.failures = "leaf-0->spine-0:rate=5%:0us,leaf-1->spine-0:rate=5%:0us";
    RdmaFabricRun run(options);
    run.Run();
    std::ostringstream findings;
    run.PrintFailures(findings);
    QbbConWeaveCounters sum;
    for (const uint32_t id : run.GetFabric()->GetTopology().GetSwitches())
    {
        const auto sw = run.GetFabric()->GetSwitch(id);
        sum += DynamicCast<QbbConWeavePathSelector>(sw->GetPathSelector())->GetCounters();
    }
    EXPECT_GT(sum.reroutes, 0U);
    EXPECT_GT(sum.heldFrames, 0U);
    for (const std::string& text :
         {"ConWeave: " + std::to_string(sum.reroutes + sum.idleReroutes) + " changes of path",
          std::to_string(sum.heldFrames) + " rerouted frames waited at a last switch, at most " +
              std::to_string(sum.peakHeldBytes) + " B at a switch",
          std::to_string(sum.tailResumes) + " queues were released by a TAIL",
          std::to_string(sum.controlSent) + " control frames, " +
              std::to_string(92 * sum.controlSent) + " B"})
    {
        EXPECT_NE(findings.str().find(text), std::string::npos) << text << "\n" << findings.str();
    }
}
