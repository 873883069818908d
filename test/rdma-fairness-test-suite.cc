/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <array>
#include <cmath>
#include <iomanip>
#include <iostream>

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

/** A congestion control and what it needs. */
struct Algorithm
{
    std::string name;                                              //!< in messages
    std::string type;                                              //!< TypeId name
    std::vector<std::pair<std::string, std::string>> attributes{}; //!< of the congestion control
    std::vector<std::pair<std::string, std::string>> ecn{}; //!< of the switches' marker; none: off
    double utilisation{0.95};                               //!< of the port, at least
    std::array<double, 2> queueKb{}; //!< mean with 2 and 16 flows in theory; 0: not known
    double tolerance{0.1};           //!< of that, relative
    double shareTolerance{0.05};     //!< of half the port for each of two flows
    int64_t settleMs{20};            //!< from the start of the last flow to the measurement
    bool fair{true};                 //!< false: the algorithm's paper says that it need not be
    uint64_t gbps{100};              //!< rate of the links
    bool irn{false};                 //!< over IRN, whose own window is off, instead of RoCE
};

/** \return all algorithms that are measured */
std::vector<Algorithm>
GetAlgorithms()
{
    std::vector<Algorithm> list;

    // "Data Center TCP", section 3.3: the queue is at most K + n packets, and that less
    // sqrt(2 n (C RTT + K)) / 2 packets at the lowest point of its sawtooth. K = 92 packets of 1086
    // bytes, C RTT = 47: 102 - 12.7 / 2 kB and 117 - 36 / 2 kB.
    Algorithm dctcp{"DCTCP", "ns3::RdmaDctcp"};
    dctcp.ecn = {{"Kmin", "100000"}, {"Kmax", "100000"}, {"ReferenceRate", "100Gbps"}};
    dctcp.queueKb = {96, 99};
    dctcp.tolerance = 0.15; // the paper's is a window, which lets acknowledgements clock packets
    list.push_back(dctcp);
    dctcp.tolerance = 0.1;
    dctcp.name = "DCTCP, window";
    dctcp.attributes = {{"Form", "Window"}};
    list.push_back(dctcp);
    dctcp.name = "DCTCP, window, IRN";
    dctcp.irn = true;
    list.push_back(dctcp);

    // The round trip is the target: 26 us and flow scaling, which is 0.74 us for two windows of 151
    // packets and 5.0 us for 16 of 22; less the empty path's 4.2 us.
    Algorithm swift{"Swift", "ns3::RdmaSwift"};
    swift.queueKb = {277, 329};
    list.push_back(swift);
    swift.name = "Swift, IRN";
    swift.irn = true;
    list.push_back(swift);

    // The papers' network: 10 Gb/s, 20 us. "ECN or Delay", section 4.2: any rates that add up to
    // the port's are a fixed point of TIMELY, so that shares are what the beginning makes them.
    Algorithm timely{"TIMELY", "ns3::RdmaTimely"};
    timely.attributes = {{"MinRtt", "20us"}};
    timely.gbps = 10;
    timely.settleMs = 200;
    timely.utilisation = 0.85;
    timely.fair = false;
    list.push_back(timely);

    // Section 4.3: round trips of 50 us (1 + n 10 Mb/s / (0.008 x 10 Gb/s)), 62.5 us and 150 us;
    // less the empty path's 5.9 us.
    Algorithm patched = timely;
    patched.name = "patched TIMELY";
    patched.attributes.emplace_back("Patched", "true");
    patched.settleMs = 300;
    patched.utilisation = 0.95;
    patched.fair = true;
    patched.queueKb = {69.5, 177};
    list.push_back(patched);

    // "HPCC", section 3.2: the link is held at eta, 95%, so that there is no queue to speak of.
    Algorithm hpcc{"HPCC", "ns3::RdmaHpcc"};
    hpcc.utilisation = 0.9;
    hpcc.settleMs = 50;
    list.push_back(hpcc);
    Algorithm overIrn = hpcc;
    overIrn.name = "HPCC, IRN";
    overIrn.irn = true;
    list.push_back(overIrn);
    hpcc.name = "HPCC-PINT";
    hpcc.type = "ns3::RdmaHpccPint";
    list.push_back(hpcc);

    // "PowerTCP", section 3.3: the queue is the sum of the additive increases, n / ExpectedFlows
    // (10) of a bandwidth-delay product, 52 kB.
    Algorithm power{"PowerTCP", "ns3::RdmaPowerTcp"};
    list.push_back(power);
    power.name = "theta-PowerTCP";
    power.attributes = {{"Variant", "Theta"}};
    list.push_back(power);

    // A step mark, and a delay of packets that grows by one with each CNP and falls by one with
    // each recovery, whatever it is: nothing takes more from those who have more, and rates of 1,
    // 1/2, 1/3 of the line leave part of the port free.
    Algorithm rcm{"RCM", "ns3::RdmaRcm"};
    rcm.utilisation = 0.7;
    rcm.fair = false;
    rcm.ecn = {{"Kmin", "100000"}, {"Kmax", "100000"}, {"ReferenceRate", "100Gbps"}};
    list.push_back(rcm);

    // TCP's rules over a buffer that drops: a window of 600 packets that has been halved needs 300
    // round trips of 100 us to come back, so that 10 ms show a part of a tooth.
    Algorithm aimd{"AIMD, IRN", "ns3::RdmaAimd"};
    aimd.shareTolerance = 0.12;
    aimd.irn = true;
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
};

/**
 * Flows from as many hosts to one, one after the other.
 *
 * \param algorithm congestion control
 * \param flows number of flows
 * \param gapPs from a flow's start to that of the next one
 * \return what they get in the last 10 ms
 */
ShareOutcome
Measure(const Algorithm& algorithm, uint32_t flows, int64_t gapPs)
{
    constexpr int64_t MS = 1'000'000'000;
    constexpr int64_t MEASURED_PS = 10 * MS;
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
    std::vector<RdmaFlow> list;
    for (uint32_t i = 0; i < flows; ++i)
    {
        list.push_back(MakeTestFlow(i, i, flows, 10'000'000'000, i * gapPs));
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

    Simulator::Stop(QbbFromPs(flows * gapPs + algorithm.settleMs * MS));
    Simulator::Run();
    const auto before = count();
    const double bytesBefore = countLineBytes();
    const uint64_t pausesBefore = test.fabric->GetTotals().pauseFrames;
    ShareOutcome outcome;
    constexpr int64_t STEP_PS = 1'000'000;
    for (int64_t at = 0; at < MEASURED_PS; at += STEP_PS)
    {
        Simulator::Stop(QbbFromPs(STEP_PS));
        Simulator::Run();
        const double queue = static_cast<double>(port->GetQueueBytes(3)) / 1000;
        outcome.meanQueueKb += queue * STEP_PS / MEASURED_PS;
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
    outcome.utilisation = (countLineBytes() - bytesBefore) * 8e12 / MEASURED_PS /
                          (1e9 * static_cast<double>(algorithm.gbps));
    outcome.pauses = test.fabric->GetTotals().pauseFrames - pausesBefore;
    std::cout << std::left << std::setw(22) << algorithm.name << std::right << std::setw(3) << flows
              << std::fixed << std::setprecision(3) << " flows: shares "
              << *std::min_element(outcome.shares.begin(), outcome.shares.end()) << ".."
              << *std::max_element(outcome.shares.begin(), outcome.shares.end()) << ", Jain "
              << outcome.jain << ", utilisation " << outcome.utilisation << ", queue "
              << std::setprecision(1) << outcome.meanQueueKb << " kB mean, " << outcome.peakQueueKb
              << " kB peak, " << outcome.pauses << " pauses\n";
    return outcome;
}

/** Two flows, the second one later; and sixteen. */
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
        const ShareOutcome two = Measure(m_algorithm, 2, 3'000'000'000);
        const ShareOutcome many = Measure(m_algorithm, 16, 100'000'000);
        for (const ShareOutcome& outcome : {two, many})
        {
            NS_TEST_EXPECT_MSG_GT(outcome.utilisation, m_algorithm.utilisation, "port in use");
            for (const double share : outcome.shares)
            {
                NS_TEST_EXPECT_MSG_GT(share, 0, "nobody starves");
            }
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            const double expected = m_algorithm.queueKb[i];
            const double mean = i == 0 ? two.meanQueueKb : many.meanQueueKb;
            NS_TEST_EXPECT_MSG_EQ(
                (expected == 0 || std::abs(mean / expected - 1) < m_algorithm.tolerance),
                true,
                "mean queue " << mean << " kB, predicted " << expected << " kB");
        }
        if (m_algorithm.fair)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(two.shares[1],
                                      0.5,
                                      m_algorithm.shareTolerance,
                                      "share of the later flow");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(many.jain, 0.95, "Jain's index of 16 flows");
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
