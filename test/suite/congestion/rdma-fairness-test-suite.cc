/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-algorithms.h"
#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <iomanip>
#include <iostream>

/**
 * \file
 * \ingroup rdma-tests
 * Long flows share one port. Every congestion control gives each flow its share, whenever the flow
 * has begun, keeps the port busy, and has the queue that its paper predicts. GetTestAlgorithms()
 * lists the congestion controls.
 */

using namespace ns3;

namespace
{

/** Results of a measurement. */
struct ShareOutcome
{
    std::vector<double> shares; //!< share of each flow in all flows' packets
    double jain{0};             //!< Jain's index of the shares
    double utilisation{0};      //!< utilisation of the port
    double meanQueueKb{0};      //!< mean queue at the port
    double peakQueueKb{0};      //!< longest queue at the port
    uint64_t pauses{0};         //!< pause frames sent in the measured time
    uint64_t drops{0};          //!< frames that the switch dropped in that time
};

/**
 * Each flow has a source host of its own. All flows go to one host, and start one after the other.
 *
 * \param algorithm congestion control
 * \param flows number of flows
 * \param gap time from a flow's start to the start of the next flow
 * \return shares, queue and losses in the measured time
 */
ShareOutcome
Measure(const RdmaTestAlgorithm& algorithm, uint32_t flows, RdmaPs gap)
{
    const RdmaPs measured = algorithm.measured;
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

    Simulator::Stop(RdmaToTime(flows * gap + algorithm.settle));
    Simulator::Run();
    const auto before = count();
    const double bytesBefore = countLineBytes();
    const RdmaFabricTotals totalsBefore = test.fabric->GetTotals();
    ShareOutcome outcome;
    constexpr RdmaPs STEP = 1_us;
    for (RdmaPs at; at < measured; at += STEP)
    {
        Simulator::Stop(RdmaToTime(STEP));
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

/** Two flows of which one starts later, and as many flows as the algorithm names. */
class FairnessTestCase : public TestCase
{
  public:
    /** \param algorithm congestion control */
    explicit FairnessTestCase(const RdmaTestAlgorithm& algorithm)
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

    /** \param flows number of flows \param queue expected mean of the queue */
    void Check(uint32_t flows, const RdmaTestQueue& queue)
    {
        constexpr RdmaPs LATER = 3_ms;
        constexpr RdmaPs CLOSE = 100_us;
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

    RdmaTestAlgorithm m_algorithm; //!< congestion control
};

/** The suite. */
class RdmaFairnessTestSuite : public TestSuite
{
  public:
    RdmaFairnessTestSuite()
        : TestSuite("rdma-fairness")
    {
        for (const RdmaTestAlgorithm& algorithm : GetTestAlgorithms())
        {
            AddTestCase(new FairnessTestCase(algorithm));
        }
    }
};

RdmaFairnessTestSuite g_rdmaFairnessTestSuite; //!< registers itself

} // namespace
