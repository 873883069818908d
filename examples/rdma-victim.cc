/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Effect of PFC on flows that do not cause congestion (Guo et al., SIGCOMM 2016, section 2), with
 * and without DCQCN. The scenarios are those of figures 3 and 4 of Zhu et al., "Congestion Control
 * for Large-Scale RDMA Deployments", SIGCOMM 2015.
 *
 * The fabric has two pods of two ToR and two leaf switches each, and two spines. All links run at
 * 40 Gb/s.
 *
 * - Unfairness: H1 to H4 send to R. R and H4 are at T4, the other hosts at T1 to T3. A switch
 *   pauses ports, not flows, so H4, which does not share its port, gets a higher rate than hosts
 *   that share ports.
 * - Victim: H11 to H14 at T1 send to R at T4, and the victim VS at T1 sends to VR at T2, over a
 *   path without lasting congestion. In further runs, H31 and H32 at T3 also send to R.
 *
 *     ns3 run rdma-victim
 *     ns3 run "rdma-victim --runs=20 --duration=100ms"
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t TORS = 4;
constexpr uint32_t HOSTS_PER_TOR = 6;
constexpr uint32_t PATH_MTU = 1024;

/** A flow between hosts, which are identified by ToR switch and host number, both from 1. */
struct Flow
{
    const char* name;  //!< name of the flow in the paper
    uint32_t fromTor;  //!< ToR switch of the sender
    uint32_t fromHost; //!< host number of the sender at its ToR switch
    uint32_t toTor;    //!< ToR switch of the receiver
    uint32_t toHost;   //!< host number of the receiver at its ToR switch
};

/** Results of a run. */
struct Outcome
{
    std::vector<double> gbps; //!< rate by flow in Gb/s
    uint64_t pauseFrames{0};  //!< pause frames in the whole fabric, in the second half
    uint64_t drops{0};        //!< dropped frames in the whole fabric, in the whole run
};

/** Parameters common to all runs. */
struct Setting
{
    Time duration;  //!< simulated time, of which the second half is measured
    std::string cc; //!< congestion control: "none" or "dcqcn"
};

RdmaTopology
MakeTopology()
{
    constexpr RdmaBitRate RATE = 40_gbps;
    constexpr RdmaPs HOST_CABLE = 10'000_ps;    // cable of 2 m
    constexpr RdmaPs TOR_CABLE = 100'000_ps;    // cable of 20 m
    constexpr RdmaPs LEAF_CABLE = 1'500'000_ps; // cable of 300 m
    RdmaTopology topology;
    for (uint32_t i = 0; i < TORS * HOSTS_PER_TOR; ++i)
    {
        topology.AddHost();
    }
    std::vector<uint32_t> tors;
    std::vector<uint32_t> leaves;
    for (uint32_t i = 0; i < TORS; ++i)
    {
        tors.push_back(topology.AddSwitch("T" + std::to_string(i + 1)));
        leaves.push_back(topology.AddSwitch("L" + std::to_string(i + 1)));
    }
    for (uint32_t tor = 0; tor < TORS; ++tor)
    {
        for (uint32_t host = 0; host < HOSTS_PER_TOR; ++host)
        {
            topology.AddLink(tor * HOSTS_PER_TOR + host, tors[tor], RATE, HOST_CABLE);
        }
        const uint32_t pod = tor / 2 * 2;
        topology.AddLink(tors[tor], leaves[pod], RATE, TOR_CABLE);
        topology.AddLink(tors[tor], leaves[pod + 1], RATE, TOR_CABLE);
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        const uint32_t spine = topology.AddSwitch("S" + std::to_string(i + 1));
        for (const uint32_t leaf : leaves)
        {
            topology.AddLink(leaf, spine, RATE, LEAF_CABLE);
        }
    }
    return topology;
}

/**
 * \param setting parameters common to all runs
 * \param flows flows of the scenario
 * \param run number of the run, which determines the ECMP paths of the flows
 * \return rates, pauses and drops
 */
Outcome
Run(const Setting& setting, const std::vector<Flow>& flows, uint32_t run)
{
    RdmaFabricHelper helper;
    if (setting.cc == "dcqcn")
    {
        helper.SetCongestionControl("ns3::RdmaDcqcn");
        helper.EnableEcn(true);
    }
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(PATH_MTU));
    auto fabric = helper.Install(MakeTopology());
    fabric->AssignStreams(1 + 1000 * run);
    const auto node = [](uint32_t tor, uint32_t host) {
        return (tor - 1) * HOSTS_PER_TOR + host - 1;
    };
    RdmaMessageLoop writers(fabric, 4'000'000);
    writers.SetOutstanding(2);
    for (const Flow& flow : flows)
    {
        const uint32_t from = node(flow.fromTor, flow.fromHost);
        const uint32_t to = node(flow.toTor, flow.toHost);
        // The queue pair number determines the UDP source port and therefore the ECMP path.
        for (uint32_t i = 0; i < run; ++i)
        {
            fabric->Connect(from, to);
        }
        writers.Add(from, to);
    }
    const auto& pairs = writers.GetPairs();
    // Bytes of payload sent, including retransmissions.
    const auto getBytes = [&pairs](std::size_t flow) {
        return pairs[flow].sender->GetStats().packetsSent * PATH_MTU;
    };
    std::vector<uint64_t> before(flows.size());
    uint64_t pausesBefore = 0;
    Simulator::Schedule(setting.duration / 2, [&]() {
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            before[i] = getBytes(i);
        }
        pausesBefore = fabric->GetTotals().pauseFrames;
    });
    Simulator::Stop(setting.duration);
    Simulator::Run();
    Outcome outcome;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        NS_ABORT_MSG_IF(pairs[i].status != RdmaWcStatus::SUCCESS,
                        "rdma-victim: a flow ended with " << pairs[i].status);
        outcome.gbps.push_back(static_cast<double>(getBytes(i) - before[i]) * 8 /
                               (setting.duration / 2).GetSeconds() / 1e9);
    }
    outcome.pauseFrames = fabric->GetTotals().pauseFrames - pausesBefore;
    outcome.drops = fabric->GetTotals().drops;
    Simulator::Destroy();
    return outcome;
}

/** Runs a scenario several times and prints the rates of the flows selected by `shown`. */
void
Measure(const Setting& setting,
        const std::string& title,
        const std::vector<Flow>& flows,
        const std::vector<std::size_t>& shown,
        uint32_t runs)
{
    std::vector<std::vector<double>> rates(flows.size());
    double pauses = 0;
    uint64_t drops = 0;
    for (uint32_t run = 0; run < runs; ++run)
    {
        const Outcome outcome = Run(setting, flows, run);
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            rates[i].push_back(outcome.gbps[i]);
        }
        pauses += static_cast<double>(outcome.pauseFrames) / runs;
        drops += outcome.drops;
    }
    for (const std::size_t i : shown)
    {
        auto& of = rates[i];
        std::sort(of.begin(), of.end());
        std::cout << std::left << std::setw(26) << title << std::setw(7) << setting.cc
                  << std::setw(5) << flows[i].name << std::right << std::fixed
                  << std::setprecision(2) << std::setw(7) << of.front() << std::setw(8)
                  << RdmaQuantile(of, 0.5) << std::setw(7) << of.back() << std::setprecision(0)
                  << std::setw(12) << pauses << std::setw(7) << drops << "\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Unfairness and victim flows under PFC, with and without DCQCN.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "rdma-fabric --rate"},
        {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
        {"ns3::RdmaQueuePair::PathMtu", "rdma-fabric --mtu"},
    });
    uint32_t runs = 10;
    Time duration = MilliSeconds(40);
    cmd.Add("runs", "runs of each scenario, with other paths", runs, {"1", "10000"});
    cmd.Add("duration", "simulated time of a run; its second half is measured", duration, {"1us"});
    return cmd.Run(argc, argv, [&] {
        Setting setting{duration, "none"};
        const std::vector<Flow> unfair = {{"H1", 1, 1, 4, 1},
                                          {"H2", 2, 1, 4, 1},
                                          {"H3", 3, 1, 4, 1},
                                          {"H4", 4, 2, 4, 1}};
        std::vector<Flow> victim = {{"VS", 1, 5, 2, 1},
                                    {"H11", 1, 1, 4, 1},
                                    {"H12", 1, 2, 4, 1},
                                    {"H13", 1, 3, 4, 1},
                                    {"H14", 1, 4, 4, 1}};
        std::cout << "scenario                  cc     flow  min  median    max  pauses/run  drops"
                     "   (Gb/s of payload)\n";
        for (const char* cc : {"none", "dcqcn"})
        {
            setting.cc = cc;
            Measure(setting, "unfairness", unfair, {0, 1, 2, 3}, runs);
            std::vector<Flow> flows = victim;
            Measure(setting, "victim", flows, {0}, runs);
            flows.push_back({"H31", 3, 1, 4, 1});
            Measure(setting, "victim, 1 sender at T3", flows, {0}, runs);
            flows.push_back({"H32", 3, 2, 4, 1});
            Measure(setting, "victim, 2 senders at T3", flows, {0}, runs);
        }
        return 0;
    });
}
