/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/test.h>

#include <algorithm>
#include <functional>

/**
 * \file
 * \ingroup rdma-tests
 * Users' own events: the order in which they are inserted does not change a run.
 */

using namespace ns3;

namespace
{

/** Events of a user that post at one instant to many queue pairs. */
class UserEventsTestCase : public TestCase
{
  public:
    UserEventsTestCase()
        : TestCase("user events at one instant, in three orders of insertion")
    {
    }

  private:
    /**
     * \param order 0: order of creation; 1: reverse order; 2: the second half first
     * \return everything that the queue pairs reported, with times
     */
    std::string RunOnce(int order)
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(400'000));
        test.Install(MakeRdmaLeafSpine(2, 4, 2, MakeTestRates(100, 100, 500)), {});
        // Every host has connections to hosts 1, 2 and 3 (or 0 in place of itself), with receives.
        // Every host posts a SEND and two WRITEs on each at 5 us and again at 9 us, while traffic
        // is under way. Frames of all hosts arrive at their switch at one instant and want one
        // port.
        std::vector<std::function<void()>> posts;
        std::vector<std::string> log;
        for (uint32_t host = 0; host < 8; ++host)
        {
            for (uint32_t step = 1; step <= 3; ++step)
            {
                const auto [sender, receiver] = test.fabric->Connect(host, host == step ? 0 : step);
                receiver->TraceConnectWithoutContext(
                    "MessageReceived",
                    Callback<void, const RdmaMessageArrival&>(
                        [&log, host, step](const RdmaMessageArrival& arrival) {
                            log.push_back(std::to_string(arrival.time.Get()) + " " +
                                          std::to_string(host) + " " + std::to_string(step) + " " +
                                          std::to_string(arrival.msn));
                        }));
                posts.emplace_back([receiver = receiver]() { receiver->PostReceive({1, 50'000}); });
                posts.emplace_back([sender = sender, host]() {
                    RdmaSendRequest request;
                    request.opcode = RdmaWrOpcode::SEND;
                    request.length = 10'000 + 3000 * (host % 3);
                    sender->PostSend(request);
                    request.opcode = RdmaWrOpcode::RDMA_WRITE;
                    sender->PostSend(request);
                    sender->PostSend(request);
                });
            }
        }
        if (order == 1)
        {
            std::reverse(posts.begin(), posts.end());
        }
        else if (order == 2)
        {
            std::rotate(posts.begin(), posts.begin() + posts.size() / 2, posts.end());
        }
        for (const int64_t microseconds : {5, 9})
        {
            for (const auto& post : posts)
            {
                Simulator::Schedule(MicroSeconds(microseconds), post);
            }
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(log.size(), 8U * 3 * 2 * 3, "messages");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "lossless");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 0U, "under load");
        // Different nodes may report in any order at one instant.
        std::sort(log.begin(), log.end());
        std::string text;
        for (const auto& line : log)
        {
            text += line + "\n";
        }
        return text;
    }

    void DoRun() override
    {
        const std::string plain = RunOnce(0);
        NS_TEST_EXPECT_MSG_EQ((RunOnce(1) == plain), true, "reversed");
        NS_TEST_EXPECT_MSG_EQ((RunOnce(2) == plain), true, "rotated");
    }
};

/** A user's event runs before an arrival at the same instant. */
class UserEventAtArrivalTestCase : public TestCase
{
  public:
    UserEventAtArrivalTestCase()
        : TestCase("a user event at the instant of an arrival")
    {
    }

  private:
    /**
     * \param inserted when the scheduler gets the event
     * \return RNR NAKs of the receiver
     */
    uint64_t RunOnce(RdmaPs inserted)
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        const auto [sender, receiver] = test.fabric->Connect(0, 1);
        RdmaSendRequest request;
        request.opcode = RdmaWrOpcode::SEND;
        request.length = 4;
        sender->PostSend(request);
        // A frame of 66 B has a preamble of 8 B, at 80 ps a byte, and crosses two links of 1 us.
        static constexpr RdmaPs ARRIVAL = 2 * (74 * 80_ps + 1_us);
        RdmaPs arrived = 0_ps;
        receiver->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, const RdmaMessageArrival&>(
                [&](const RdmaMessageArrival& arrival) { arrived = arrival.time; }));
        Simulator::Schedule(RdmaToTime(inserted), [inserted, receiver = receiver]() {
            Simulator::Schedule(RdmaToTime(ARRIVAL - inserted), [receiver]() {
                receiver->PostReceive({1, 4});
            });
        });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(arrived, ARRIVAL, "arrival, event inserted at " << inserted);
        return receiver->GetStats().naksSent;
    }

    void DoRun() override
    {
        // The scheduler gets the arrival's event 1 us before the arrival.
        NS_TEST_EXPECT_MSG_EQ(RunOnce(0_ps), 0U, "inserted before the arrival's event");
        NS_TEST_EXPECT_MSG_EQ(RunOnce(2'011'839_ps), 0U, "inserted after the arrival's event");
    }
};

/** The suite. */
class RdmaUserEventsTestSuite : public TestSuite
{
  public:
    RdmaUserEventsTestSuite()
        : TestSuite("rdma-user-events")
    {
        AddTestCase(new UserEventsTestCase);
        AddTestCase(new UserEventAtArrivalTestCase);
    }
};

RdmaUserEventsTestSuite g_rdmaUserEventsTestSuite; //!< registers the suite

} // namespace
