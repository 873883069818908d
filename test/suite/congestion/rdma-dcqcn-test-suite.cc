/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-model.h"
#include "rdma-test-fabric.h"
#include "rdma-test-units.h"

#include <ns3/double.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <numeric>

/**
 * \file
 * \ingroup rdma-tests
 * DCQCN in a fabric: shares are fair, and queue and marks are as in the fluid model.
 */

using namespace ns3;

namespace
{

constexpr RdmaBitRate RATE = 40_gbps;
constexpr uint8_t DCQCN_PRIORITY = 3;

/** Hosts 1 to N send to host 0 through a switch until the test ends. */
class DcqcnStar
{
  public:
    /** \param flows senders \param preset attribute Preset of RdmaDcqcn \param seed random seed */
    DcqcnStar(uint32_t flows, const std::string& preset, uint32_t seed = 1)
        : m_flows(flows)
    {
        RngSeedManager::SetSeed(seed);
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(64 << 20));
        test.helper.SetCongestionControl("ns3::RdmaDcqcn");
        test.helper.SetCongestionControlAttribute("Preset", StringValue(preset));
        test.helper.EnableEcn(true);
    }

    /**
     * Marks at departure. The probability has the slope of the paper's line, 1% in 195 KB, but
     * grows from 5 KB to 5% at 980 KB: far enough for a fixed point with 16 flows.
     */
    void SetLongLine()
    {
        test.helper.SetEcnAttribute("Kmax", UintegerValue(980'000));
        test.helper.SetEcnAttribute("Pmax", DoubleValue(0.05));
        test.helper.SetEcnAttribute("MarkAt", StringValue("Departure"));
    }

    /** Builds the fabric. */
    void Install()
    {
        test.Install(MakeRdmaStar(m_flows + 1, MakeTestRates(40, 40, 1000)), {});
        const RdmaTopology& topology = test.fabric->GetTopology();
        const uint32_t sw = topology.GetSwitches()[0];
        m_ports.resize(m_flows + 1);
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = topology.GetLink(link);
            m_ports[ends.a == sw ? ends.b : ends.a] = test.fabric->GetDevice(link, sw);
        }
    }

    /** \param host host that sends \param start when the host starts */
    void Start(uint32_t host, RdmaPs start)
    {
        const auto sender = test.fabric->Connect(host, 0, DCQCN_PRIORITY).first;
        Simulator::Schedule(RdmaToTime(start), [sender] {
            RdmaSendRequest request;
            request.length = RDMA_MAX_MESSAGE_BYTES;
            sender->PostSend(request);
        });
    }

    /** Starts all hosts at once. */
    void StartAll()
    {
        for (uint32_t host = 1; host <= m_flows; ++host)
        {
            Start(host, 0_ps);
        }
    }

    /** Runs and measures. \param from start of the measurement \param to end of the run */
    void Run(RdmaPs from, RdmaPs to)
    {
        Simulator::Schedule(RdmaToTime(from), [this] {
            for (const auto& port : m_ports)
            {
                m_before.push_back(port->GetCounters().classes[DCQCN_PRIORITY]);
            }
            Look();
        });
        test.Run(to);
        for (uint32_t host = 1; host <= m_flows; ++host)
        {
            shares.push_back(
                static_cast<double>(m_ports[host]->GetCounters().classes[DCQCN_PRIORITY].rxBytes -
                                    m_before[host].rxBytes));
        }
        const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
        double squares = 0;
        for (double& share : shares)
        {
            share /= sum;
            squares += share * share;
        }
        jain = 1 / (static_cast<double>(m_flows) * squares);
        const auto& out = m_ports[0]->GetCounters().classes[DCQCN_PRIORITY];
        const auto frames = static_cast<double>(out.txFrames - m_before[0].txFrames);
        marking = static_cast<double>(out.ecnMarks - m_before[0].ecnMarks) / frames;
        const double bytes = static_cast<double>(out.txBytes - m_before[0].txBytes);
        packetBytes = bytes / frames + m_ports[0]->GetLineOverheadBytes();
        const auto lineBytes =
            static_cast<double>(to - from) * 1e-12 * static_cast<double>(RATE) / 8;
        utilisation = frames * packetBytes / lineBytes;
        queueBytes = m_sum / m_looks;
    }

    RdmaTestFabric test;        //!< the fabric
    std::vector<double> shares; //!< share of each flow in the bytes that came to the switch
    double jain{0};             //!< Jain's index of the shares
    double utilisation{0};      //!< utilisation of the switch's port to host 0
    double marking{0};          //!< fraction of the frames that are marked
    double queueBytes{0};       //!< mean queue
    double packetBytes{0};      //!< mean frame on the line

  private:
    void Look()
    {
        m_sum += static_cast<double>(m_ports[0]->GetQueues().GetBytes(DCQCN_PRIORITY));
        ++m_looks;
        Simulator::Schedule(MicroSeconds(2), [this] { Look(); });
    }

    uint32_t m_flows;                             //!< number of senders
    std::vector<Ptr<QbbNetDevice>> m_ports;       //!< the switch's ports, by host
    std::vector<QbbPortCounters::Class> m_before; //!< their counters when measuring began
    double m_sum{0};                              //!< sum of the sampled queues, in bytes
    double m_looks{0};                            //!< number of samples
};

/** \param star a packet simulation that has run \param flows its flows \return its fluid model */
RdmaFluidParameters
MakeFluid(const DcqcnStar& star, uint32_t flows)
{
    RdmaFluidParameters p;
    p.flows = flows;
    p.packetBytes = star.packetBytes;
    p.delayS = 4e-6 + 16 * p.packetBytes / static_cast<double>(RATE);
    p.markAtArrival = true;
    return p;
}

/** Two flows of which one starts later: in the end each has half of the port. */
class ConvergenceTest : public TestCase
{
  public:
    /** \param preset attribute Preset */
    explicit ConvergenceTest(const std::string& preset)
        : TestCase("two flows, the second one later, preset " + preset),
          m_preset(preset)
    {
    }

  private:
    void DoRun() override
    {
        DcqcnStar star(2, m_preset);
        star.Install();
        star.Start(1, 0_ps);
        star.Start(2, 10 * MS);
        // A CNP comes about twice a millisecond: shares stray for tens of milliseconds.
        star.Run(50 * MS, 300 * MS);
        NS_TEST_EXPECT_MSG_GT(star.shares[0], 0.45, "first flow");
        NS_TEST_EXPECT_MSG_LT(star.shares[0], 0.55, "first flow");
        NS_TEST_EXPECT_MSG_GT(star.utilisation, 0.9, "the port");
        const RdmaFabricTotals totals = star.test.fabric->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.drops + totals.pauseFrames, 0, "drops and pauses");
    }

    std::string m_preset; //!< attribute Preset
};

/** Rows D1 and D2 of the validation report. */
class FluidModelTest : public TestCase
{
  public:
    /** \param flows number of flows \param tolerance relative tolerance of the mean queue */
    FluidModelTest(uint32_t flows, double tolerance)
        : TestCase("fluid model, " + std::to_string(flows) + " flows"),
          m_flows(flows),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        DcqcnStar star(m_flows, "Paper");
        star.Install();
        star.StartAll();
        star.Run(50 * MS, 150 * MS);
        const RdmaFluidParameters parameters = MakeFluid(star, m_flows);
        RdmaFluidModel model(parameters);
        double queue = 0;
        double marking = 0;
        double count = 0;
        for (const auto& sample : model.Run(0.15, 10e-6))
        {
            if (sample.timeS >= 0.05)
            {
                queue += sample.queueBytes;
                marking += sample.marking;
                ++count;
            }
        }
        const auto fixed = RdmaFluidModel::GetDcqcnFixedPoint(parameters);
        queue /= count;
        marking /= count;
        const std::string what =
            "queue " + std::to_string(star.queueBytes) + ", model " + std::to_string(queue) +
            "; marked " + std::to_string(star.marking) + ", model " + std::to_string(marking) +
            ", fixed point " + std::to_string(fixed.marking);
        NS_TEST_EXPECT_MSG_EQ_TOL(star.queueBytes / queue, 1, m_tolerance, what);
        NS_TEST_EXPECT_MSG_GT(star.utilisation, 0.9, "the port");
        if (m_flows <= 4)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(marking / fixed.marking, 1, 0.02, what);
            NS_TEST_EXPECT_MSG_EQ_TOL(star.marking / fixed.marking, 1, 0.15, what);
        }
        if (m_flows == 16)
        {
            // The fixed point is beyond Pmax: in the fabric and in the model the queue swings about
            // Kmax.
            NS_TEST_EXPECT_MSG_EQ(fixed.reached, false, what);
            NS_TEST_EXPECT_MSG_EQ_TOL(star.marking / marking, 1, 0.25, what);
        }
        NS_TEST_EXPECT_MSG_GT(star.jain, 0.95, "shares");
    }

    uint32_t m_flows;   //!< number of flows
    double m_tolerance; //!< relative tolerance of the mean queue
};

/**
 * Rows D1 and D2 of the validation report, where the theory has a fixed point: queue and marks,
 * averaged over some seeds, are within the tolerances of the report.
 */
class FixedPointTest : public TestCase
{
  public:
    /** \param flows number of flows \param seeds number of runs */
    FixedPointTest(uint32_t flows, uint32_t seeds)
        : TestCase("fixed point, " + std::to_string(flows) + " flows"),
          m_flows(flows),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        double queue = 0;
        double marking = 0;
        RdmaFluidParameters parameters;
        for (uint32_t seed = 1; seed <= m_seeds; ++seed)
        {
            DcqcnStar star(m_flows, "Paper", seed);
            star.SetLongLine();
            star.Install();
            star.StartAll();
            star.Run(50 * MS, 100 * MS);
            queue += star.queueBytes / m_seeds;
            marking += star.marking / m_seeds;
            parameters = MakeFluid(star, m_flows);
        }
        RngSeedManager::SetSeed(1);
        parameters.markAtArrival = false;
        parameters.ecn = {5000, 980'000, 0.05 / 975'000};
        const auto fixed = RdmaFluidModel::GetDcqcnFixedPoint(parameters);
        NS_TEST_EXPECT_MSG_EQ(fixed.reached, true, "a fixed point");
        NS_TEST_EXPECT_MSG_EQ_TOL(queue / fixed.queueBytes, 1, 0.15, "D1, queue " << queue);
        NS_TEST_EXPECT_MSG_EQ_TOL(marking / fixed.marking, 1, 0.1, "D2, marked " << marking);
    }

    uint32_t m_flows; //!< number of flows
    uint32_t m_seeds; //!< number of runs
};

/**
 * \ingroup rdma-tests
 * The suite.
 */
class RdmaDcqcnTestSuite : public TestSuite
{
  public:
    RdmaDcqcnTestSuite()
        : TestSuite("rdma-dcqcn")
    {
        AddTestCase(new ConvergenceTest("Paper"));
        AddTestCase(new ConvergenceTest("Nic"));
        // The model has no randomness. In the fabric random marks let the queue stray. With 8 flows
        // or more the queue strays as far as Kmax, where every packet is marked, and stays in a
        // cycle. With 4 flows the queue keeps within the 15% of the validation report; with 2 flows
        // it does with most seeds.
        AddTestCase(new FluidModelTest(2, 0.25));
        AddTestCase(new FluidModelTest(4, 0.15));
        AddTestCase(new FluidModelTest(8, 0.45));
        AddTestCase(new FluidModelTest(16, 0.3));
        AddTestCase(new FixedPointTest(2, 4));
        AddTestCase(new FixedPointTest(4, 2));
        AddTestCase(new FixedPointTest(8, 2));
        AddTestCase(new FixedPointTest(16, 2));
    }
};

RdmaDcqcnTestSuite g_rdmaDcqcnTestSuite; //!< the suite

} // namespace
