/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_ALGORITHMS_H
#define RDMA_TEST_ALGORITHMS_H

#include "rdma-ps.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Congestion controls, and the expected results of flows that share a port.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Expected queue at the port. Runs are deterministic. Where a paper has a theory of the mean, the
 * tolerance covers the effects that the theory leaves out; where it has none, the mean is that of
 * the run and the tolerance RDMA_TEST_FROM_RUN: another regime, such as a queue that stands or a
 * port that idles, changes it by more than that.
 */
struct RdmaTestQueue
{
    double meanKb{0};        //!< in theory, or of the run
    double peakKb{0};        //!< never above this
    double tolerance{0.1};   //!< of the mean, relative
    uint64_t leastPauses{0}; //!< pause frames in the measured time, at least
    uint64_t mostPauses{0};  //!< and at most
};

constexpr double RDMA_TEST_FROM_RUN = 0.3; //!< tolerance of a mean without a theory

/**
 * \ingroup rdma-tests
 * A congestion control and its settings.
 */
struct RdmaTestAlgorithm
{
    std::string name;                                              //!< in messages
    std::string type;                                              //!< TypeId name
    std::map<uint32_t, RdmaTestQueue> queues;                      //!< by number of flows
    std::vector<std::pair<std::string, std::string>> attributes{}; //!< of the congestion control
    std::vector<std::pair<std::string, std::string>> ecn{}; //!< of the switches' marker; none: off
    double utilisation{0.95};                               //!< of the port, at least
    double shareTolerance{0.05}; //!< of two flows, relative to half of the port
    double jain{0.97};           //!< Jain's index of more flows, at least
    double leastShare{0.5};      //!< of a flow, in parts of an equal one, at least
    bool fair{true};             //!< false: unfair according to the literature
    RdmaPs settle{20_ms};        //!< from the start of the last flow to the measurement
    RdmaPs measured{10_ms};      //!< length of the measurement
    uint64_t gbps{100};          //!< rate of the links
    bool irn{false};             //!< IRN without its own window; false: RoCE
    bool eachMark{false};        //!< a CNP for each mark
    uint32_t lossyBytes{0};      //!< buffer of a switch without PFC; 0: PFC
};

/**
 * \ingroup rdma-tests
 * \return all algorithms that are measured
 */
inline std::vector<RdmaTestAlgorithm>
GetTestAlgorithms()
{
    std::vector<RdmaTestAlgorithm> list;

    // "Congestion Control for Large-Scale RDMA Deployments", its own curve and rates: thresholds of
    // 5 KB and 200 KB at 40 Gb/s. Means are those of RdmaFluidModel with marks on arrival; for 16
    // flows it has no fixed point (rdma-dcqcn compares them).
    RdmaTestAlgorithm dcqcn{"DCQCN",
                            "ns3::RdmaDcqcn",
                            {{2, {21.8, 130, 0.3}}, {16, {53.6, 300, RDMA_TEST_FROM_RUN}}}};
    dcqcn.ecn = {{"Kmin", "5000"}};
    dcqcn.gbps = 40;
    dcqcn.utilisation = 0.9;
    dcqcn.settle = 100_ms;
    dcqcn.measured = 50_ms;
    list.push_back(dcqcn);

    // "Data Center TCP", section 3.3: the queue is at most K + n packets, and that less
    // sqrt(2 n (C RTT + K)) / 2 packets at the lowest point of its sawtooth. K = 92 packets of 1086
    // bytes, C RTT = 47: 102 - 12.7 / 2 kB and 117 - 36 / 2 kB.
    RdmaTestAlgorithm dctcp{"DCTCP",
                            "ns3::RdmaDctcp",
                            {{2, {96, 110, 0.15}}, {16, {99, 170, 0.15}}}};
    dctcp.ecn = {{"Kmin", "100000"}, {"Kmax", "100000"}, {"ReferenceRate", "100Gbps"}};
    list.push_back(dctcp); // the paper's is a window, which lets acknowledgements clock packets
    dctcp.queues = {{2, {96, 110}}, {16, {99, 130}}};
    dctcp.name = "DCTCP, window";
    dctcp.attributes = {{"Form", "Window"}};
    list.push_back(dctcp);
    dctcp.name = "DCTCP, window, IRN";
    dctcp.irn = true;
    list.push_back(dctcp);

    // The round trip is the target, 25 us, 2.1 us of one switch and flow scaling, which is 0.73 us
    // for two windows of 157 packets and 4.9 us for 16 of 23; less the empty path's 4.2 us.
    RdmaTestAlgorithm swift{"Swift",
                            "ns3::RdmaSwift",
                            {{2, {296, 310, 0.05}}, {16, {348, 380, 0.05}}}};
    list.push_back(swift);
    swift.name = "Swift, IRN";
    swift.irn = true;
    list.push_back(swift);

    // The papers' network: 10 Gb/s, 20 us. "ECN or Delay", section 4.2: any rates that add up to
    // the port's are a fixed point of TIMELY, so that shares are what the beginning makes them, and
    // not equal. Patched TIMELY below has the same network and is.
    RdmaTestAlgorithm timely{
        "TIMELY",
        "ns3::RdmaTimely",
        {{2, {7.6, 80, RDMA_TEST_FROM_RUN}}, {16, {10.7, 80, RDMA_TEST_FROM_RUN}}}};
    timely.gbps = 10;
    timely.settle = 200_ms;
    timely.utilisation = 0.85;
    timely.fair = false;
    timely.leastShare = 0.2;
    list.push_back(timely);

    // Section 4.3: round trips of 50 us (1 + n 10 Mb/s / (0.008 x 10 Gb/s)), 62.5 us and 150 us;
    // less the empty path's 5.9 us.
    RdmaTestAlgorithm patched{"patched TIMELY",
                              "ns3::RdmaTimely",
                              {{2, {69.5, 75, 0.05}}, {16, {177, 185, 0.05}}}};
    patched.attributes = {{"Patched", "true"}};
    patched.gbps = 10;
    patched.settle = 300_ms;
    list.push_back(patched);

    // "HPCC", section 3.2: the link is held at eta, 95%, so that there is no queue to speak of: no
    // more than a packet of each flow that comes at the same time. Each flow looks at U with its
    // own packets, a few in a round trip, which keeps small differences. With PINT all have the
    // average of the switch.
    RdmaTestAlgorithm hpcc{"HPCC",
                           "ns3::RdmaHpcc",
                           {{2, {0.3, 3, RDMA_TEST_FROM_RUN}},
                            {3, {0.5, 4, RDMA_TEST_FROM_RUN}},
                            {8, {1.1, 10, RDMA_TEST_FROM_RUN}},
                            {16, {1.7, 20, RDMA_TEST_FROM_RUN}},
                            {32, {2.3, 39, RDMA_TEST_FROM_RUN}}}};
    hpcc.utilisation = 0.93;
    hpcc.settle = 50_ms;
    hpcc.jain = 0.96;
    list.push_back(hpcc);
    RdmaTestAlgorithm overIrn = hpcc;
    overIrn.name = "HPCC, IRN";
    overIrn.irn = true;
    list.push_back(overIrn);
    // PINT draws its code at random, so that the shares of two flows vary about half of the port.
    hpcc.measured = 40_ms;
    hpcc.name = "HPCC-PINT";
    hpcc.type = "ns3::RdmaHpccPint";
    hpcc.utilisation = 0.9;
    hpcc.jain = 0.99;
    list.push_back(hpcc);

    // The rules of PowerTCP's authors: n flows of 150 Mb/s of additive increase each use 0.95 + n x
    // 0.0015 of the port, without a queue. Theta's round trip is 1.05 + n x 0.0015 of the empty
    // one, whose bandwidth-delay product is 52 kB.
    RdmaTestAlgorithm authors{
        "PowerTCP",
        "ns3::RdmaPowerTcp",
        {{2, {0.25, 3, RDMA_TEST_FROM_RUN}}, {16, {1.74, 20, RDMA_TEST_FROM_RUN}}}};
    authors.utilisation = 0.94;
    list.push_back(authors);
    authors.name = "theta-PowerTCP";
    authors.attributes = {{"Variant", "Theta"}};
    authors.queues = {{2, {2.8, 10, 0.15}}, {16, {3.9, 30, 0.15}}};
    authors.utilisation = 0.95;
    list.push_back(authors);

    // The paper's rules, section 3.3: the queue is the sum of the additive increases, n /
    // ExpectedFlows (10) of a bandwidth-delay product, 52 kB. The theorem has no delay in its loop;
    // with a weight of 0.9 and windows of a round trip before, a few flows swing by more.
    RdmaTestAlgorithm power{"PowerTCP, paper",
                            "ns3::RdmaPowerTcp",
                            {{2, {12.4, 52, RDMA_TEST_FROM_RUN}},
                             {4, {38.2, 130, RDMA_TEST_FROM_RUN}},
                             {8, {42, 80, 0.15}},
                             {16, {84, 100, 0.15}}}};
    power.attributes = {{"Rules", "Paper"}};
    list.push_back(power);
    power.name = "PowerTCP, paper, gamma 0.1";
    power.attributes = {{"Rules", "Paper"}, {"Gamma", "0.1"}};
    power.queues = {{2, {10.5, 30, 0.15}}};
    list.push_back(power);
    power.name = "theta-PowerTCP, paper";
    power.attributes = {{"Rules", "Paper"}, {"Variant", "Theta"}};
    power.queues = {{2, {10.5, 20, 0.15}},
                    {8, {42, 60, 0.15}},
                    {12, {63, 90, 0.15}},
                    {16, {84, 120, 0.15}}};
    list.push_back(power);

    // Its source, section IV.3: a CNP for each marked packet. Those who send more get more of them.
    // A recovery takes three packets, as in the parking lot: sixteen flows then leave the work to
    // PFC, and two leave a part of the port free. With the default it is the other way round.
    // PFC then holds the queue just below the switch's shared memory. A sender that has been paused
    // has about 26 kB of headroom to drain at a sixteenth of the port, 34 us, so that there are two
    // pause frames in that time and 9400 of all senders in 10 ms at most; half as many as the run
    // has, 4617, is the least.
    RdmaTestAlgorithm rcm{"RCM",
                          "ns3::RdmaRcm",
                          {{2, {71.2, 400, RDMA_TEST_FROM_RUN}},
                           {16, {8049, 10'000, RDMA_TEST_FROM_RUN, 2300, 9400}}}};
    rcm.attributes = {{"RecoveryTime", "264ns"}};
    rcm.utilisation = 0.5;
    rcm.jain = 0.99;
    rcm.ecn = {{"Kmin", "100000"}, {"Kmax", "100000"}, {"ReferenceRate", "100Gbps"}};
    rcm.eachMark = true;
    list.push_back(rcm);
    rcm.name = "RCM, 150 us";
    rcm.attributes = {};
    rcm.queues = {{16, {4.1, 200, RDMA_TEST_FROM_RUN}}};
    rcm.utilisation = 0.5;
    list.push_back(rcm);

    // TCP's rules over a buffer that drops, without PFC: a queue may take about half of the 1 MB
    // (LossyEgressAlpha 1), less reserves. Additive increase and multiplicative decrease lead to
    // equal shares where all see the losses (Chiu and Jain, 1989); each flow sees its own here, so
    // that they are equal in the mean of many. 16 flows are so because the window counts what was
    // acknowledged selectively as in flight: without that (RFC 6675's pipe) IRN's timer, which each
    // NACK restarts, cuts no window of a flow that has lost a packet twice, and Jain's index is
    // 0.3.
    RdmaTestAlgorithm aimd{
        "AIMD, IRN, lossy",
        "ns3::RdmaAimd",
        {{2, {371.8, 500, RDMA_TEST_FROM_RUN}}, {16, {354.7, 500, RDMA_TEST_FROM_RUN}}}};
    aimd.irn = true;
    aimd.lossyBytes = 1'000'000;
    aimd.settle = 100_ms;
    aimd.measured = 100_ms;
    aimd.shareTolerance = 0.1;
    list.push_back(aimd);
    return list;
}

} // namespace ns3

#endif /* RDMA_TEST_ALGORITHMS_H */
