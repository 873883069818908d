/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-message-loop.h"
#include "rdma-test-fabric.h"
#include "rdma-test-units.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Endless messages between pairs of hosts.
 */

using namespace ns3;

namespace
{

/** The throughput by the number of messages in progress. */
class MessageLoopDepthTestCase : public TestCase
{
  public:
    MessageLoopDepthTestCase()
        : TestCase("message loop: the messages in progress stay as many as asked for")
    {
    }

  private:
    /** \param messages messages in progress \return bytes received in 100 us */
    uint64_t Measure(uint32_t messages)
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        RdmaMessageLoop loop(test.fabric, 4096);
        loop.SetOutstanding(messages);
        loop.Add(0, 1);
        const RdmaMessageLoop::Pair& pair = loop.GetPairs().front();
        const auto check = [&]() {
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), messages, "in progress");
        };
        check();
        Simulator::Schedule(MicroSeconds(50), check);
        test.Run(100_us);
        check();
        NS_TEST_EXPECT_MSG_EQ(pair.status, RdmaWcStatus::SUCCESS, "no message fails");
        return pair.GetBytes();
    }

    void DoRun() override
    {
        // A round trip takes 4 us of cable and less than 2 us of frames, so that one message of
        // 4 KB is sent 16 to 25 times in 100 us. Four messages have 4 * 4 KB per round trip, less
        // than the 50 KB that the link carries in 4 us.
        const uint64_t one = Measure(1);
        NS_TEST_EXPECT_MSG_GT(one, 15U * 4096, "one message at a time");
        NS_TEST_EXPECT_MSG_LT(one, 26U * 4096, "one message at a time");
        NS_TEST_EXPECT_MSG_GT(Measure(4), 3 * one, "four messages at a time");
    }
};

/** A pair of hosts whose link fails. */
class MessageLoopErrorTestCase : public TestCase
{
  public:
    MessageLoopErrorTestCase()
        : TestCase("message loop: a pair ends with the status of the first message that fails")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetRetries(20_us, 2);
        test.Install(MakeRdmaStar(4, MakeTestRates(100, 100, 1000)), {});
        RdmaMessageLoop loop(test.fabric, 4096);
        loop.SetOutstanding(3);
        loop.Add(0, 1);
        loop.Add(2, 3);
        Simulator::Schedule(MicroSeconds(30), [&test]() { test.fabric->SetLinkUp(1, false); });
        test.Run(1_ms);
        const RdmaMessageLoop::Pair& broken = loop.GetPairs()[0];
        const RdmaMessageLoop::Pair& intact = loop.GetPairs()[1];
        // The first message fails, and the two other messages are flushed with WR_FLUSH_ERR.
        NS_TEST_EXPECT_MSG_EQ(broken.status, RdmaWcStatus::RETRY_EXC_ERR, "status");
        NS_TEST_EXPECT_MSG_EQ(broken.sender->GetOutstandingSends(), 0U, "nothing is in progress");
        NS_TEST_EXPECT_MSG_EQ(intact.status, RdmaWcStatus::SUCCESS, "the other pair");
        NS_TEST_EXPECT_MSG_EQ(intact.sender->GetOutstandingSends(), 3U, "the other pair goes on");
    }
};

/** The suite. */
class RdmaMessageLoopTestSuite : public TestSuite
{
  public:
    RdmaMessageLoopTestSuite()
        : TestSuite("rdma-message-loop")
    {
        AddTestCase(new MessageLoopDepthTestCase);
        AddTestCase(new MessageLoopErrorTestCase);
    }
};

RdmaMessageLoopTestSuite g_rdmaMessageLoopTestSuite; //!< registers the suite

} // namespace
