/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include <ns3/simulator.h>
#include <ns3/test.h>

#include <fstream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * The retransmission timers that a fabric sets: packets that are not lost are not sent again, and
 * flows whose packets are lost end.
 */

using namespace ns3;

namespace
{

/** A run, from options to results. */
class TimersTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** \return results of a run */
    static RdmaFabricOutcome Run(const RdmaFabricOptions& options)
    {
        RdmaFabricRun run(options);
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        Simulator::Destroy();
        return outcome;
    }

    /** \return packets that the flows of a run have sent again */
    static uint64_t CountRepeats(const RdmaFabricOutcome& outcome)
    {
        uint64_t packets = 0;
        for (const RdmaFlowResult& flow : outcome.flows)
        {
            packets += flow.retransmittedPackets;
        }
        return packets;
    }
};

/** Long cables without other traffic. */
class IdleStarTestCase : public TimersTestCase
{
  public:
    IdleStarTestCase(const std::string& transport, const std::string& delay)
        : TimersTestCase(transport + " over two cables of " + delay + ", nothing is sent again"),
          m_transport(transport),
          m_delay(delay)
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options;
        options.topology = "star:2";
        options.workload = "incast:1";
        options.delay = m_delay;
        options.pfc = "off";
        options.transport = m_transport;
        const RdmaFabricOutcome outcome = Run(options);
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 1U, "the flow ends");
        NS_TEST_EXPECT_MSG_EQ(CountRepeats(outcome), 0U, "packets sent again");
        NS_TEST_EXPECT_MSG_EQ(outcome.flows[0].timeouts, 0U, "timeouts");
    }

    std::string m_transport; //!< option transport
    std::string m_delay;     //!< option delay
};

/** An incast whose queue lasts longer than 320 us and fits into the memory of the switch. */
class LongQueueTestCase : public TimersTestCase
{
  public:
    LongQueueTestCase()
        : TimersTestCase("a long queue without a drop: nothing is sent again")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string transport : {"roce", "irn", "iwarp"})
        {
            RdmaFabricOptions options;
            options.topology = "star:17";
            options.workload = "incast:16";
            options.delay = "10us";
            options.pfc = "off";
            options.buffer = "100MB";
            options.transport = transport;
            const RdmaFabricOutcome outcome = Run(options);
            // The queue takes 640 us and more: 16 windows of 460 packets, 88 ns each.
            NS_TEST_EXPECT_MSG_GT(outcome.summary.peakQueueBytes, 4'000'000U, transport);
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.drops, 0U, transport);
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 16U, transport);
            NS_TEST_EXPECT_MSG_EQ(CountRepeats(outcome), 0U, transport);
        }
    }
};

/** Error rates in a topology file, with PFC. */
class ErrorRateTestCase : public TimersTestCase
{
  public:
    ErrorRateTestCase()
        : TimersTestCase("flows end where a topology file has error rates")
    {
    }

  private:
    void DoRun() override
    {
        const std::string topology = CreateTempDirFilename("topology.txt");
        std::ofstream(topology) << "3 1 2\n2\n0 2 100Gbps 1us 0.01\n1 2 100Gbps 1us 0.01\n";
        for (const std::string transport : {"roce", "irn", "iwarp"})
        {
            RdmaFabricOptions options;
            options.topology = "file:" + topology;
            options.workload = "permutation";
            options.bytes = "1MB";
            options.stop = "100ms";
            options.transport = transport;
            const RdmaFabricOutcome outcome = Run(options);
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 2U, transport);
            NS_TEST_EXPECT_MSG_GT(CountRepeats(outcome), 5U, transport);
        }
    }
};

/** The suite. */
class RdmaTimersTestSuite : public TestSuite
{
  public:
    RdmaTimersTestSuite()
        : TestSuite("rdma-timers")
    {
        for (const std::string transport : {"roce", "irn", "iwarp"})
        {
            for (const std::string delay : {"1ms", "15ms", "100ms"})
            {
                AddTestCase(new IdleStarTestCase(transport, delay));
            }
        }
        AddTestCase(new LongQueueTestCase);
        AddTestCase(new ErrorRateTestCase);
    }
};

RdmaTimersTestSuite g_rdmaTimersTestSuite; //!< the suite

} // namespace
