/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Two ports and a cable: links that go down, damaged frames, and packets that Send() refuses. All
 * expected times are worked out by hand, in picoseconds.
 */

using namespace ns3;

namespace
{

/** Link down: frames in queues and on the line are lost and counted. Link up: frames flow again. */
class LinkStateTestCase : public TestCase
{
  public:
    LinkStateTestCase()
        : TestCase("link down loses and counts, link up works again")
    {
    }

  private:
    void DoRun() override
    {
        CheckShortOutage();
        RdmaTestLink link;
        // A frame lost on the line counts in its class at the receiver.
        link.b->GetClassifier().MapDscp(24, 4);
        uint32_t callbacks = 0;
        link.a->AddLinkChangeCallback(Callback<void>([&]() { ++callbacks; }));
        // Frame k starts at 1 000 000 + k x 101 600. When the link goes down at 2 150 000, frame 0
        // has arrived (2 100 640), frames 1 to 10 are on the line, frame 11 (2 117 600) is being
        // sent, and frames 12 to 19 are queued.
        link.SendAt(1_us, 0, 20, 3);
        link.At(2'150'000_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(link.channel->GetInFlight(), 11, "on the line");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetFrames(3), 8, "queued");
            link.channel->SetUp(false);
            NS_TEST_EXPECT_MSG_EQ(link.channel->GetInFlight(), 0, "lost");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetFrames(3), 0, "flushed");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetBytes(3), 0, "flushed");
            NS_TEST_EXPECT_MSG_EQ(link.a->IsLinkUp(), false, "down");
            NS_TEST_EXPECT_MSG_EQ(link.b->IsLinkUp(), false, "down");
            link.channel->SetUp(false); // the second call changes nothing
        });
        // While the link is down, the port gets one frame, and ns-3's stack sends one packet.
        link.SendAt(2'200'000_ps, 20, 1, 3);
        link.At(2'200'000_ps, [&]() {
            const bool sent = link.a->Send(Create<Packet>(100), link.b->GetAddress(), 0x88b6);
            NS_TEST_EXPECT_MSG_EQ(sent, false, "no link to send over");
        });
        link.At(2'210'000_ps, [&]() { link.channel->SetUp(true); });
        // Frame 11 holds the line until 2 219 200, when frame 21 starts. The events of the lost
        // frames disturb nothing.
        link.SendAt(2'210'001_ps, 21, 2, 3);
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2100640 21@3319840 22@3421440", "arrivals");
        const auto down = static_cast<std::size_t>(QbbDropReason::LINK_DOWN);
        const auto& a = link.a->GetCounters();
        const auto& b = link.b->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(a.dropsByReason[down], 8 + 2, "queued or offered");
        NS_TEST_EXPECT_MSG_EQ(a.GetDrops(), 10, "nothing else");
        NS_TEST_EXPECT_MSG_EQ(a.classes[3].drops, 9, "of class 3");
        NS_TEST_EXPECT_MSG_EQ(a.classes[0].drops, 1, "of the stack's class");
        NS_TEST_EXPECT_MSG_EQ(b.dropsByReason[down], 11, "on the line");
        NS_TEST_EXPECT_MSG_EQ(b.classes[4].drops, 11, "of b's class");
        NS_TEST_EXPECT_MSG_EQ(link.channel->GetLostInFlight(), 11, "on the line");
        NS_TEST_EXPECT_MSG_EQ(a.classes[3].txFrames, 12 + 2, "sent");
        NS_TEST_EXPECT_MSG_EQ(b.classes[4].rxFrames, 3, "received");
        // Every frame left the queues once, flushed frames included. The buffer of all frames is
        // free.
        NS_TEST_EXPECT_MSG_EQ(link.sinkA.left.size(), 23, "frames that left");
        NS_TEST_EXPECT_MSG_EQ(link.sinkA.changes.size(), 2, "told twice");
        NS_TEST_EXPECT_MSG_EQ(link.sinkB.changes.size(), 2, "told twice");
        NS_TEST_EXPECT_MSG_EQ(callbacks, 2, "callbacks");
    }

    /** Frame 0 is lost. The event of its arrival (2 100 640) comes while frame 1 is on the line. */
    void CheckShortOutage()
    {
        RdmaTestLink link;
        link.SendAt(1_us, 0, 1, 3);
        link.At(1'200'000_ps, [&]() { link.channel->SetUp(false); });
        link.At(1'300'000_ps, [&]() { link.channel->SetUp(true); });
        link.SendAt(1'400'000_ps, 1, 1, 3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "1@2500640", "after a short outage");
        NS_TEST_EXPECT_MSG_EQ(link.channel->GetLostInFlight(), 1, "lost");
    }
};

/** Frames that an error model damages. */
class ErrorModelTestCase : public TestCase
{
  public:
    ErrorModelTestCase()
        : TestCase("damaged frames are dropped and counted")
    {
    }

  private:
    void DoRun() override
    {
        const auto corrupted = static_cast<std::size_t>(QbbDropReason::CORRUPTED);
        std::string inMemory;
        for (const bool serialize : {false, true})
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            model->SetAttribute("ErrorRate", DoubleValue(0.25));
            model->AssignStreams(1);
            RdmaTestLink link;
            link.channel->SetAttribute("SerializeFrames", BooleanValue(serialize));
            link.b->SetAttribute("ReceiveErrorModel", PointerValue(model));
            link.b->GetClassifier().MapDscp(24, 5);
            uint64_t phyRxDrops = 0;
            uint64_t drops = 0;
            link.b->TraceConnectWithoutContext(
                "PhyRxDrop",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++phyRxDrops; }));
            link.b->TraceConnectWithoutContext("Drop",
                                               Callback<void, Ptr<const Packet>, QbbDropReason>(
                                                   [&](Ptr<const Packet>, QbbDropReason reason) {
                                                       drops += reason == QbbDropReason::CORRUPTED;
                                                   }));
            link.SendAt(1_us, 0, 4000, 3, 64);
            Simulator::Run();
            const auto& counters = link.b->GetCounters();
            const uint64_t lost = counters.dropsByReason[corrupted];
            NS_TEST_EXPECT_MSG_EQ(lost + link.sinkB.arrivals.size(), 4000, "lost or here");
            // The expected value is 1000, the standard deviation 27.
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(lost), 1000, 140, "a quarter is lost");
            NS_TEST_EXPECT_MSG_EQ(counters.classes[5].drops, lost, "of b's class");
            NS_TEST_EXPECT_MSG_EQ(counters.classes[5].rxFrames, 4000 - lost, "received");
            NS_TEST_EXPECT_MSG_EQ(phyRxDrops, lost, "trace PhyRxDrop");
            NS_TEST_EXPECT_MSG_EQ(drops, lost, "trace Drop");
            inMemory = serialize ? inMemory : link.Arrivals();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), inMemory, "as bytes");
        }
        {
            // A damaged pause frame pauses nothing, and belongs to no class.
            auto model = CreateObject<RateErrorModel>();
            model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            model->SetAttribute("ErrorRate", DoubleValue(1));
            RdmaTestLink link;
            link.a->SetAttribute("ReceiveErrorModel", PointerValue(model));
            link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
            link.SendAt(5_us, 0, 1, 3);
            link.At(6_us, [&]() { Simulator::Stop(TimeStep(200'000'000)); });
            Simulator::Run();
            const auto& counters = link.a->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.dropsByReason[corrupted], 1, "pause frame");
            NS_TEST_EXPECT_MSG_EQ(counters.macControlRx, 0, "never seen");
            NS_TEST_EXPECT_MSG_EQ(counters.classes[0].drops, 0, "no class");
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@6100640", "not paused");
        }
    }
};

/** A port that sends more slowly for a while. */
class RateChangeTestCase : public TestCase
{
  public:
    RateChangeTestCase()
        : TestCase("a link gets slower and fast again: frames, fractions and pauses")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* serialize : {"false", "true"})
        {
            CheckFrames(serialize);
        }
        CheckFraction();
        CheckQuanta();
        CheckPausesInForce();
    }

    void CheckFrames(const char* serialize)
    {
        RdmaTestLink link;
        link.channel->SetAttribute("SerializeFrames", StringValue(serialize));
        std::string rates;
        link.a->TraceConnectWithoutContext("RateChange",
                                           Callback<void, DataRate>([&](DataRate rate) {
                                               rates += std::to_string(rate.GetBitRate()) + "@" +
                                                        std::to_string(RdmaNow().Get()) + " ";
                                           }));
        // Frames 0 to 2 start at 1 000 000 + k x 101 600. Frame 2 (1 203 200) is being sent when
        // the rate falls to a quarter. Frame 3 starts when frame 2 has left, at 1 304 800, and
        // takes 1270 x 320 = 406 400; its last bit leaves after 1258 x 320 = 402 560. Frame 4
        // (1 711 200) keeps that rate when the rate rises, and frame 5 starts at 2 117 600.
        link.SendAt(1_us, 0, 6, 3);
        link.At(1'250'000_ps, [&]() { link.channel->SetRateFrom(*link.a, 25_gbps); });
        link.At(1'250'000_ps, [&]() { link.channel->SetRateFrom(*link.a, 25_gbps); });
        link.At(1'900'000_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCurrentRate().GetBitRate(), 25_gbps, "slower");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetLineRate().GetBitRate(), 100_gbps, "as configured");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetCurrentRate().GetBitRate(), 100_gbps, "one way");
            link.channel->SetRateFrom(*link.a, 100_gbps);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(),
                              "0@2100640 1@2202240 2@2303840 3@2707360 4@3113760 5@3218240",
                              "arrivals");
        NS_TEST_EXPECT_MSG_EQ(rates, "25000000000@1250000 100000000000@1900000 ", "trace");
    }

    /** 1270 bytes at 30 Gb/s take 338 666 2/3 ps; the line is free at the next picosecond. */
    void CheckFraction()
    {
        RdmaTestLink link({{"DataRate", "30Gbps"}});
        link.SendAt(1_us, 0, 2, 3);
        link.At(1'100'000_ps, [&]() { link.channel->SetRateFrom(*link.a, 15_gbps); });
        Simulator::Run();
        // 1258 bytes take 335 466 2/3 ps at 30 Gb/s and 670 933 1/3 ps at 15 Gb/s.
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2335466 1@3009600", "arrivals");
    }

    /** A quantum has 512 bit times of the slower direction: 1000 quanta take 20.48 us. */
    void CheckQuanta()
    {
        for (const bool isSender : {true, false})
        {
            RdmaTestLink link;
            link.At(1_us, [&]() {
                link.channel->SetRateFrom(isSender ? *link.a : *link.b, 25_gbps);
                link.b->Enqueue(MakeTestPfc(*link.b, 1 << 3, 1000));
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.GetPausedTime(), 20'480'000_ps, "paused");
        }
    }

    /** The longer quantum would end a pause of the faster rate too early for its refresh. */
    void CheckPausesInForce()
    {
        RdmaTestLink link({{"PauseQuanta", "1000"}});
        const RdmaTestPfcLog log(link.b, "PfcSent");
        link.At(1_us, [&]() { link.b->GetFlowControl().RequestPause(3, true); });
        // The refresh of the first pause would come after half of 5.12 us, at 3.56 us.
        link.At(2_us, [&]() { link.channel->SetRateFrom(*link.a, 25_gbps); });
        link.At(15_us, [&]() { link.b->GetFlowControl().RequestPause(3, false); });
        link.At(16_us, [&]() { Simulator::Stop(Time(0)); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log.GetText(),
                              "3:1000@1000000 3:1000@2000000 3:1000@12240000 3:0@15000000",
                              "pause, again at the new rate, after half of 20.48 us, and resumed");
    }
};

/** Sizes and numbers of packets that Send() accepts. */
class StackLimitsTestCase : public TestCase
{
  public:
    StackLimitsTestCase()
        : TestCase("limits of packets from the stack: MTU and queue")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestLink link({{"Mtu", "1500"}, {"MaxStackQueueBytes", "3036"}});
        const auto to = link.b->GetAddress();
        constexpr uint16_t TYPE = 0x88b6; // local experimental
        link.At(1_us, [&]() {
            // 1500 B are 1518 B with MAC header and FCS. The first frame goes onto the line at
            // once, two more are 3036 B in the queue.
            NS_TEST_EXPECT_MSG_EQ(link.a->Send(Create<Packet>(1501), to, TYPE), false, "MTU");
            NS_TEST_EXPECT_MSG_EQ(link.a->Send(Create<Packet>(1500), to, TYPE), true, "first");
            NS_TEST_EXPECT_MSG_EQ(link.a->Send(Create<Packet>(1500), to, TYPE), true, "second");
            NS_TEST_EXPECT_MSG_EQ(link.a->Send(Create<Packet>(1500), to, TYPE), true, "third");
            NS_TEST_EXPECT_MSG_EQ(link.a->Send(Create<Packet>(1), to, TYPE), false, "full");
        });
        Simulator::Run();
        const auto& counters = link.a->GetCounters();
        const auto count = [&](QbbDropReason reason) {
            return counters.dropsByReason[static_cast<std::size_t>(reason)];
        };
        NS_TEST_EXPECT_MSG_EQ(count(QbbDropReason::TOO_LONG), 1, "longer than the MTU");
        NS_TEST_EXPECT_MSG_EQ(count(QbbDropReason::STACK_QUEUE), 1, "queue is full");
        NS_TEST_EXPECT_MSG_EQ(counters.GetDrops(), 2, "no other drops");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetPeakBytes(0), 3036, "queue");
        // A frame arrives 1526 x 80 + 1 000 000 after its start. Starts are 1538 x 80 apart.
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2122080 0@2245120 0@2368160", "arrivals");
    }
};

/** The suite. */
class RdmaLinkFaultsTestSuite : public TestSuite
{
  public:
    RdmaLinkFaultsTestSuite()
        : TestSuite("rdma-link-faults")
    {
        AddTestCase(new LinkStateTestCase);
        AddTestCase(new ErrorModelTestCase);
        AddTestCase(new StackLimitsTestCase);
        AddTestCase(new RateChangeTestCase);
    }
};

RdmaLinkFaultsTestSuite g_rdmaLinkFaultsTestSuite; //!< registers the suite

} // namespace
