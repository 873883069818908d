/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <iomanip>
#include <iostream>
#include <map>

/**
 * \file
 * \ingroup rdma-tests
 * Long flows that share one port: every congestion control gives each its part of it, whenever it
 * has begun, keeps the port busy, and has the queue that its paper predicts. A new one is an
 * entry of GetAlgorithms().
 */

using namespace ns3;

namespace
{

/**
 * What is known of the queue at the port. Runs are deterministic. Where a paper has a theory of the
 * mean, the tolerance is what the theory leaves out; where it has none, the mean is that of the run
 * and the tolerance FROM_RUN: another regime, such as a queue that stands or a port that idles,
 * changes it by more than that.
 */
struct Queue
{
    double meanKb{0};        //!< in theory, or of the run
    double peakKb{0};        //!< never above this
    double tolerance{0.1};   //!< of the mean, relative
    uint64_t leastPauses{0}; //!< pause frames in the measured time, at least
    uint64_t mostPauses{0};  //!< and at most
};

constexpr double FROM_RUN = 0.3; //!< tolerance of a mean without a theory

/** A congestion control and what it needs. */
struct Algorithm
{
    std::string name;                                              //!< in messages
    std::string type;                                              //!< TypeId name
    std::map<uint32_t, Queue> queues;                              //!< by number of flows
    std::vector<std::pair<std::string, std::string>> attributes{}; //!< of the congestion control
    std::vector<std::pair<std::string, std::string>> ecn{}; //!< of the switches' marker; none: off
    double utilisation{0.95};                               //!< of the port, at least
    double shareTolerance{0.05}; //!< of half the port for each of two flows
    double jain{0.97};           //!< Jain's index of more flows, at least
    double leastShare{0.5};      //!< of a flow, in parts of an equal one, at least
    bool fair{true};             //!< false: it is not, as literature says
    QbbPs settle{20_ms};         //!< from the start of the last flow to the measurement
    QbbPs measured{10_ms};       //!< length of the measurement
    uint64_t gbps{100};          //!< rate of the links
    bool irn{false};             //!< over IRN, whose own window is off, instead of RoCE
    bool eachMark{false};        //!< a CNP for each mark
    uint32_t lossyBytes{0};      //!< above 0: no PFC, and so much buffer
};

/** \return all algorithms that are measured */
std::vector<Algorithm>
GetAlgorithms()
{
    std::vector<Algorithm> list;

    // "Congestion Control for Large-Scale RDMA Deployments", its own curve and rates: thresholds of
    // 5 KB and 200 KB at 40 Gb/s. Means are those of RdmaFluidModel with marks on arrival; for 16
    // flows it has no fixed point (rdma-dcqcn compares them).
    Algorithm dcqcn{"DCQCN",
                    "ns3::RdmaDcqcn",
                    {{2, {21.8, 130, 0.3}}, {16, {53.6, 300, FROM_RUN}}}};
    dcqcn.ecn = {{"Kmin", "5000"}};
    dcqcn.gbps = 40;
    dcqcn.utilisation = 0.9;
    dcqcn.settle = 100_ms;
    dcqcn.measured = 50_ms;
    list.push_back(dcqcn);

    // "Data Center TCP", section 3.3: the queue is at most K + n packets, and that less
    // sqrt(2 n (C RTT + K)) / 2 packets at the lowest point of its sawtooth. K = 92 packets of 1086
    // bytes, C RTT = 47: 102 - 12.7 / 2 kB and 117 - 36 / 2 kB.
    Algorithm dctcp{"DCTCP", "ns3::RdmaDctcp", {{2, {96, 110, 0.15}}, {16, {99, 170, 0.15}}}};
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
    Algorithm swift{"Swift", "ns3::RdmaSwift", {{2, {296, 310, 0.05}}, {16, {348, 380, 0.05}}}};
    list.push_back(swift);
    swift.name = "Swift, IRN";
    swift.irn = true;
    list.push_back(swift);

    // The papers' network: 10 Gb/s, 20 us. "ECN or Delay", section 4.2: any rates that add up to
    // the port's are a fixed point of TIMELY, so that shares are what the beginning makes them, and
    // not equal. Patched TIMELY below has the same network and is.
    Algorithm timely{"TIMELY",
                     "ns3::RdmaTimely",
                     {{2, {7.6, 80, FROM_RUN}}, {16, {10.7, 80, FROM_RUN}}}};
    timely.gbps = 10;
    timely.settle = 200_ms;
    timely.utilisation = 0.85;
    timely.fair = false;
    timely.leastShare = 0.2;
    list.push_back(timely);

    // Section 4.3: round trips of 50 us (1 + n 10 Mb/s / (0.008 x 10 Gb/s)), 62.5 us and 150 us;
    // less the empty path's 5.9 us.
    Algorithm patched{"patched TIMELY",
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
    Algorithm hpcc{"HPCC",
                   "ns3::RdmaHpcc",
                   {{2, {0.3, 3, FROM_RUN}},
                    {3, {0.5, 4, FROM_RUN}},
                    {8, {1.1, 10, FROM_RUN}},
                    {16, {1.7, 20, FROM_RUN}},
                    {32, {2.3, 39, FROM_RUN}}}};
    hpcc.utilisation = 0.93;
    hpcc.settle = 50_ms;
    hpcc.jain = 0.96;
    list.push_back(hpcc);
    Algorithm overIrn = hpcc;
    overIrn.name = "HPCC, IRN";
    overIrn.irn = true;
    list.push_back(overIrn);
    // PINT's code is drawn at random, so that two flows' shares wander about the half of the port.
    hpcc.measured = 40_ms;
    hpcc.name = "HPCC-PINT";
    hpcc.type = "ns3::RdmaHpccPint";
    hpcc.utilisation = 0.9;
    hpcc.jain = 0.99;
    list.push_back(hpcc);

    // "PowerTCP", section 3.3: the queue is the sum of the additive increases, n / ExpectedFlows
    // (10) of a bandwidth-delay product, 52 kB. The theorem has no delay in its loop; with a weight
    // of 0.9 and windows of a round trip before, a few flows swing by more.
    Algorithm power{"PowerTCP",
                    "ns3::RdmaPowerTcp",
                    {{2, {12.4, 52, FROM_RUN}},
                     {4, {38.2, 130, FROM_RUN}},
                     {8, {42, 80, 0.15}},
                     {16, {84, 100, 0.15}}}};
    list.push_back(power);
    power.name = "PowerTCP, gamma 0.1";
    power.attributes = {{"Gamma", "0.1"}};
    power.queues = {{2, {10.5, 30, 0.15}}};
    list.push_back(power);
    power.name = "theta-PowerTCP";
    power.attributes = {{"Variant", "Theta"}};
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
    Algorithm rcm{"RCM",
                  "ns3::RdmaRcm",
                  {{2, {71.2, 400, FROM_RUN}}, {16, {8049, 10'000, FROM_RUN, 2300, 9400}}}};
    rcm.attributes = {{"RecoveryTime", "264ns"}};
    rcm.utilisation = 0.5;
    rcm.jain = 0.99;
    rcm.ecn = {{"Kmin", "100000"}, {"Kmax", "100000"}, {"ReferenceRate", "100Gbps"}};
    rcm.eachMark = true;
    list.push_back(rcm);
    rcm.name = "RCM, 150 us";
    rcm.attributes = {};
    rcm.queues = {{16, {4.1, 200, FROM_RUN}}};
    rcm.utilisation = 0.5;
    list.push_back(rcm);

    // TCP's rules over a buffer that drops, without PFC: a queue may take about half of the 1 MB
    // (LossyEgressAlpha 1), less reserves. Additive increase and multiplicative decrease lead to
    // equal shares where all see the losses (Chiu and Jain, 1989); each flow sees its own here, so
    // that they are equal in the mean of many. 16 flows are so because the window counts what was
    // acknowledged selectively as in flight: without that (RFC 6675's pipe) IRN's timer, which each
    // NACK restarts, cuts no window of a flow that has lost a packet twice, and Jain's index is
    // 0.3.
    Algorithm aimd{"AIMD, IRN, lossy",
                   "ns3::RdmaAimd",
                   {{2, {371.8, 500, FROM_RUN}}, {16, {354.7, 500, FROM_RUN}}}};
    aimd.irn = true;
    aimd.lossyBytes = 1'000'000;
    aimd.settle = 100_ms;
    aimd.measured = 100_ms;
    aimd.shareTolerance = 0.1;
    list.push_back(aimd);
    return list;
}

/** What a measurement shows. */
struct ShareOutcome
{
    std::vector<double> shares; //!< of the flows together, by flow
    double jain{0};             //!< Jain's index of them
    double utilisation{0};      //!< of the port
    double meanQueueKb{0};      //!< at the port
    double peakQueueKb{0};      //!< the same, at most
    uint64_t pauses{0};         //!< pause frames sent in the measured time
    uint64_t drops{0};          //!< frames that the switch dropped in it
};

/**
 * Flows from as many hosts to one, one after the other.
 *
 * \param algorithm congestion control
 * \param flows number of flows
 * \param gap from a flow's start to that of the next one
 * \return what they get in the measured time
 */
ShareOutcome
Measure(const Algorithm& algorithm, uint32_t flows, QbbPs gap)
{
    const QbbPs measured = algorithm.measured;
    RdmaTestFabric test;
    test.helper.SetTransport(algorithm.irn ? "ns3::IrnTransport" : "ns3::RoceTransport");
    if (algorithm.irn)
    {
        test.helper.SetTransportAttribute("BdpFc", BooleanValue(false));
    }
    test.helper.SetCongestionControl(algorithm.type);
    for (const auto& [name, value] : algorithm.attributes)
    {
        test.helper.SetCongestionControlAttribute(name, StringValue(value));
    }
    for (const auto& [name, value] : algorithm.ecn)
    {
        test.helper.SetEcnAttribute(name, StringValue(value));
    }
    if (algorithm.eachMark)
    {
        test.helper.SetNicAttribute("CnpInterval", TimeValue(PicoSeconds(1)));
    }
    if (algorithm.lossyBytes > 0)
    {
        test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(algorithm.lossyBytes));
    }
    std::vector<RdmaFlow> list;
    for (uint32_t i = 0; i < flows; ++i)
    {
        list.push_back(MakeTestFlow(i, i, flows, 10'000'000'000, i * gap));
    }
    test.Install(MakeRdmaStar(flows + 1, MakeTestRates(algorithm.gbps, algorithm.gbps, 1000)),
                 list);
    const auto nic = test.fabric->GetNic(flows);
    const auto port = test.fabric->GetDevice(flows, test.fabric->GetTopology().GetSwitches()[0]);
    const auto count = [&] {
        std::vector<double> packets;
        for (uint32_t i = 0; i < flows; ++i)
        {
            const auto qpn = test.runner->GetSender(i)->GetRemoteQpn();
            packets.push_back(
                static_cast<double>(nic->GetQueuePair(qpn)->GetStats().packetsAccepted));
        }
        return packets;
    };
    const auto countLineBytes = [&] {
        double bytes = 0;
        for (const auto& of : port->GetCounters().classes)
        {
            bytes += static_cast<double>(of.txBytes + of.txFrames * port->GetLineOverheadBytes());
        }
        return bytes;
    };

    Simulator::Stop(QbbToTime(flows * gap + algorithm.settle));
    Simulator::Run();
    const auto before = count();
    const double bytesBefore = countLineBytes();
    const RdmaFabricTotals totalsBefore = test.fabric->GetTotals();
    ShareOutcome outcome;
    constexpr QbbPs STEP = 1_us;
    for (QbbPs at; at < measured; at += STEP)
    {
        Simulator::Stop(QbbToTime(STEP));
        Simulator::Run();
        const double queue = static_cast<double>(port->GetQueues().GetBytes(3)) / 1000;
        outcome.meanQueueKb += queue * static_cast<double>(STEP) / static_cast<double>(measured);
        outcome.peakQueueKb = std::max(outcome.peakQueueKb, queue);
    }
    const auto after = count();
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 0; i < flows; ++i)
    {
        outcome.shares.push_back(after[i] - before[i]);
        sum += outcome.shares.back();
        squares += outcome.shares.back() * outcome.shares.back();
    }
    for (double& share : outcome.shares)
    {
        share /= sum;
    }
    outcome.jain = sum * sum / (flows * squares);
    outcome.utilisation = (countLineBytes() - bytesBefore) * 8e12 / static_cast<double>(measured) /
                          (1e9 * static_cast<double>(algorithm.gbps));
    outcome.pauses = test.fabric->GetTotals().pauseFrames - totalsBefore.pauseFrames;
    outcome.drops = test.fabric->GetTotals().drops - totalsBefore.drops;
    std::cout << std::left << std::setw(22) << algorithm.name << std::right << std::setw(3) << flows
              << std::fixed << std::setprecision(3) << " flows: shares "
              << *std::min_element(outcome.shares.begin(), outcome.shares.end()) << ".."
              << *std::max_element(outcome.shares.begin(), outcome.shares.end()) << ", Jain "
              << outcome.jain << ", utilisation " << outcome.utilisation << ", queue "
              << std::setprecision(1) << outcome.meanQueueKb << " kB mean, " << outcome.peakQueueKb
              << " kB peak, " << outcome.pauses << " pauses, " << outcome.drops << " drops\n";
    return outcome;
}

/** Two flows, the second one later; and as many as the algorithm names. */
class FairnessTestCase : public TestCase
{
  public:
    /** \param algorithm congestion control */
    explicit FairnessTestCase(const Algorithm& algorithm)
        : TestCase("flows share a port: " + algorithm.name),
          m_algorithm(algorithm)
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [flows, queue] : m_algorithm.queues)
        {
            Check(flows, queue);
        }
    }

    /** \param flows how many \param queue what is known of it */
    void Check(uint32_t flows, const Queue& queue)
    {
        constexpr QbbPs LATER = 3_ms;
        constexpr QbbPs CLOSE = 100_us;
        const ShareOutcome outcome = Measure(m_algorithm, flows, flows == 2 ? LATER : CLOSE);
        const std::string what = m_algorithm.name + ", " + std::to_string(flows) + " flows";
        NS_TEST_EXPECT_MSG_GT(outcome.utilisation, m_algorithm.utilisation, what << ": in use");
        NS_TEST_EXPECT_MSG_LT(outcome.peakQueueKb, queue.peakKb, what << ": peak queue in kB");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.meanQueueKb,
                                  queue.meanKb,
                                  queue.meanKb * queue.tolerance,
                                  what << ": mean queue in kB");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.pauses, queue.leastPauses, what << ": pauses");
        NS_TEST_EXPECT_MSG_EQ((outcome.pauses <= queue.mostPauses),
                              true,
                              what << ": pauses: " << outcome.pauses);
        if (m_algorithm.lossyBytes > 0)
        {
            NS_TEST_EXPECT_MSG_GT(outcome.drops, 0U, what << ": losses");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(outcome.drops, 0U, what << ": losses");
        }
        for (const double share : outcome.shares)
        {
            NS_TEST_EXPECT_MSG_GT(share * flows, m_algorithm.leastShare, what << ": a share");
        }
        if (!m_algorithm.fair)
        {
            NS_TEST_EXPECT_MSG_LT(outcome.jain, m_algorithm.jain, what << ": Jain's index");
        }
        else if (flows == 2)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.shares[1],
                                      0.5,
                                      m_algorithm.shareTolerance,
                                      what << ": share of the later one");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(outcome.jain, m_algorithm.jain, what << ": Jain's index");
        }
    }

    Algorithm m_algorithm; //!< congestion control
};

/** The suite. */
class RdmaFairnessTestSuite : public TestSuite
{
  public:
    RdmaFairnessTestSuite()
        : TestSuite("rdma-fairness")
    {
        for (const Algorithm& algorithm : GetAlgorithms())
        {
            AddTestCase(new FairnessTestCase(algorithm));
        }
    }
};

RdmaFairnessTestSuite g_rdmaFairnessTestSuite; //!< registers itself

} // namespace
