/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Two ports and a cable: times, events, queues and order, link state, damaged frames. Flow control
 * is in rdma-pfc-test-suite.cc. All expected times are worked out by hand, in picoseconds.
 */

using namespace ns3;

namespace
{

/** One frame: when its last bit arrives, and how long it holds the line. */
class FrameTimeTestCase : public TestCase
{
  public:
    FrameTimeTestCase()
        : TestCase("a frame takes the line for preamble, bytes and gap at every rate")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* rate;
            const char* overhead;
            uint32_t size;
            QbbPs arrival; //!< after its start
            QbbPs busy;    //!< after its start
        };

        const Row rows[] = {
            // 800 ps a byte: (8 + 64) x 800 + 1 000 000, and (8 + 64 + 12) x 800
            {"10Gbps", "true", 64, 1'057'600_ps, 67'200_ps},
            // 320 ps: 1258 x 320 + 1 000 000, 1270 x 320
            {"25Gbps", "true", 1250, 1'402'560_ps, 406'400_ps},
            // 200 ps
            {"40Gbps", "true", 1250, 1'251'600_ps, 254'000_ps},
            // 80 ps
            {"100Gbps", "true", 1250, 1'100'640_ps, 101'600_ps},
            // no preamble and no gap: 1250 x 80
            {"100Gbps", "false", 1250, 1'100'000_ps, 100'000_ps},
            // 20 ps: 9070 x 20, 9082 x 20
            {"400Gbps", "true", 9062, 1'181'400_ps, 181'640_ps},
            // 10 ps
            {"800Gbps", "true", 64, 1'000'720_ps, 840_ps},
            // 8000/3 ps: 74 x 8000/3 = 197 333.3, 86 x 8000/3 = 229 333.3
            {"3Gbps", "true", 66, 1'197'333_ps, 229'333_ps},
        };
        for (const Row& row : rows)
        {
            RdmaTestLink link({{"DataRate", row.rate}, {"LineOverhead", row.overhead}});
            link.SendAt(5_us, 1, 1, 3, row.size);
            link.SendAt(5_us + 1_ps, 2, 1, 3, row.size); // begins when the line is free
            Simulator::Run();
            const QbbPs first = 5_us + row.arrival;
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(),
                                  "1@" + std::to_string(first.Get()) + " 2@" +
                                      std::to_string((first + row.busy).Get()),
                                  "arrivals at " << row.rate);
        }
    }
};

/** Frames that follow each other, at rates with and without a whole number of ps in a byte. */
class BackToBackTestCase : public TestCase
{
  public:
    BackToBackTestCase()
        : TestCase("back-to-back frames: rounding never accumulates")
    {
    }

  private:
    void DoRun() override
    {
        {
            // Starts at 1 000 000 + k x 101 600, arrivals 1 100 640 later.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 3, 3);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2100640 1@2202240 2@2303840", "100 Gb/s");
        }
        {
            // 3 Gb/s, frames of 66 B: 86 x 8000/3 = 229 333 1/3 ps of the line each, the last bit
            // leaves 74 x 8000/3 = 197 333 1/3 ps after the start.
            //   start 1 000 000       last bit 1 197 333 1/3
            //         1 229 333 1/3            1 426 666 2/3
            //         1 458 666 2/3            1 656 000
            //   ...3000 frames later
            //         1 000 000 + 3000 x 229 333 1/3 = 689 000 000, last bit 689 197 333 1/3
            RdmaTestLink link({{"DataRate", "3Gbps"}});
            link.SendAt(1_us, 0, 3001, 3, 66);
            Simulator::Run();
            const auto& arrivals = link.sinkB.arrivals;
            NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 3001, "frames");
            NS_TEST_EXPECT_MSG_EQ(arrivals[0].at, 2'197'333_ps, "first");
            NS_TEST_EXPECT_MSG_EQ(arrivals[1].at, 2'426'666_ps, "second");
            NS_TEST_EXPECT_MSG_EQ(arrivals[2].at, 2'656'000_ps, "third");
            NS_TEST_EXPECT_MSG_EQ(arrivals[3000].at, 690'197'333_ps, "last");
        }
        {
            // Two frames leave 2/3 ps over at 1 458 666 2/3. The port is idle from then on, so a
            // frame that comes later starts anew at a whole picosecond.
            RdmaTestLink link({{"DataRate", "3Gbps"}});
            link.SendAt(1_us, 0, 2, 3, 66);
            link.SendAt(1'458'668_ps, 2, 1, 3, 66);
            Simulator::Run();
            // 1 458 668 + 197 333 1/3 + 1 000 000
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2197333 1@2426666 2@2656001", "after a rest");
        }
    }
};

/** The end of a transmission is an event only if another frame waits for the port. */
class EventCountTestCase : public TestCase
{
  public:
    EventCountTestCase()
        : TestCase("one event a frame, and one more only if another frame waits")
    {
    }

  private:
    /** \return events between two instants */
    static uint64_t Count(RdmaTestLink& link, QbbPs from, QbbPs to)
    {
        uint64_t before = 0;
        uint64_t after = 0;
        link.At(from, [&]() { before = Simulator::GetEventCount(); });
        link.At(to, [&]() { after = Simulator::GetEventCount(); });
        Simulator::Run();
        return after - before - 1;
    }

    void DoRun() override
    {
        {
            // SendAt()'s own event and the arrival.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 1, 3);
            NS_TEST_EXPECT_MSG_EQ(Count(link, 900_ns, 9_us), 2, "a frame alone");
        }
        {
            // Three frames, the port idle before each: nothing but arrivals.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 1, 3);
            link.SendAt(1'101'600_ps, 1, 1, 3);
            link.SendAt(1'500'000_ps, 2, 1, 3);
            NS_TEST_EXPECT_MSG_EQ(Count(link, 900_ns, 9_us), 6, "frames far apart");
        }
        {
            // Three at once: the ends of the first and second transmission, three arrivals.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 3, 3);
            NS_TEST_EXPECT_MSG_EQ(Count(link, 900_ns, 9_us), 6, "frames at once");
        }
        {
            // 100 in flight together have one arrival event in the scheduler at a time. Until
            // 2 000 000 the first ten transmissions have ended (k x 101 600), and nothing arrived.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 100, 3);
            uint64_t inFlight = 0;
            link.At(2_us, [&]() { inFlight = link.channel->GetInFlight(); });
            NS_TEST_EXPECT_MSG_EQ(Count(link, 900_ns, 2_us + 1_ps), 11, "events");
            NS_TEST_EXPECT_MSG_EQ(inFlight, 10, "frames in flight");
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.size(), 100, "all arrive");
        }
    }
};

/** Strict priority, DWRR, and a mix. */
class SchedulerTestCase : public TestCase
{
  public:
    SchedulerTestCase()
        : TestCase("strict priority and DWRR at a port")
    {
    }

  private:
    void DoRun() override
    {
        {
            // All strict. Frame 0 is on the line when the others come; then the highest class
            // first, and first come, first served within a class.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 1, 0);
            link.SendAt(1_us + 1_ps, 10, 2, 1);
            link.SendAt(1_us + 2_ps, 50, 2, 5);
            link.SendAt(1_us + 3_ps, 30, 2, 3);
            Simulator::Run();
            // Starts at 1 000 000 + k x 101 600, arrivals 1 100 640 later.
            NS_TEST_EXPECT_MSG_EQ(
                link.Arrivals(),
                "0@2100640 50@2202240 51@2303840 30@2405440 31@2507040 10@2608640 11@2710240",
                "strict");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetPeakBytes(1), 2500, "peak");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetPeakBytes(0), 1250, "peak");
        }
        {
            // Class 1 with weight 1 (2048 B a turn), class 2 with weight 3 (6144 B), 7 strict.
            // A class sends while its counter is above 0 and pays 1250 B a frame:
            //   class 1: 2048 -> 798 -> -452                                     2 frames
            //   class 2: 6144 -> 4894 -> 3644 -> 2394 -> 1144 -> -106            5
            //   class 1: 1596 -> 346 -> -904                                     2
            //   class 2: 6038 -> 4788 -> 3538 -> 2288 -> 1038 -> -212            5
            //   class 1: 1144 -> -106                                            1
            //   class 2: 5932 -> 4682 -> 3432 -> 2182 -> 932 -> -318             5
            RdmaTestLink link({{"Scheduler", "strict,1,3,strict,strict,strict,strict,strict"}});
            link.SendAt(1_us, 0, 1, 0);
            link.SendAt(1_us + 1_ps, 100, 20, 1);
            link.SendAt(1_us + 2_ps, 200, 20, 2);
            // During the transmission of the fourth frame: strict goes before both.
            link.SendAt(1'350'000_ps, 700, 1, 7);
            Simulator::Run();
            const std::string order = link.sinkB.GetOrder();
            const std::string expected = "0 100 101 200 700 201 202 203 204 102 103 205 206 207 "
                                         "208 209 104 210 211 212 213 214 ";
            NS_TEST_EXPECT_MSG_EQ(order.substr(0, expected.size()), expected, "DWRR");
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.size(), 42, "nothing stays behind");
        }
        {
            // Long run: bytes as weights, whatever the frame sizes (1 : 3, frames 1250 and 126 B).
            RdmaTestLink link({{"Scheduler", "1,1,3,1,1,1,1,1"}});
            link.SendAt(1_us, 0, 2000, 1, 1250);
            link.SendAt(1_us, 10'000, 60'000, 2, 126);
            uint64_t bytes[2] = {};
            link.At(700_us, [&]() {
                bytes[0] = link.a->GetCounters().classes[1].txBytes;
                bytes[1] = link.a->GetCounters().classes[2].txBytes;
                Simulator::Stop();
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes[1]) / static_cast<double>(bytes[0]),
                                      3.0,
                                      0.01,
                                      "shares");
        }
    }
};

/** Down: what is queued or on the line is lost and counted. Up: as before. */
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
        // What is lost on the line counts in the class that it has at the receiver.
        link.b->GetClassifier().MapDscp(24, 4);
        uint32_t callbacks = 0;
        link.a->AddLinkChangeCallback(Callback<void>([&]() { ++callbacks; }));
        // Starts at 1 000 000 + k x 101 600. Down at 2 150 000: frame 0 has arrived (2 100 640),
        // frames 1 to 10 are on the line, 11 (2 117 600) is being sent, 12 to 19 are queued.
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
            link.channel->SetUp(false); // once more changes nothing
        });
        // While it is down: one through the port, one from ns-3's stack.
        link.SendAt(2'200'000_ps, 20, 1, 3);
        link.At(2'200'000_ps, [&]() {
            const bool sent = link.a->Send(Create<Packet>(100), link.b->GetAddress(), 0x88b5);
            NS_TEST_EXPECT_MSG_EQ(sent, false, "no link to send over");
        });
        link.At(2'210'000_ps, [&]() { link.channel->SetUp(true); });
        // Frame 11's place on the line ends at 2 219 200, so that is when 21 starts; the events of
        // the frames that were lost disturb nothing.
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
        // Every frame left the queues once, those that were flushed too: their buffer is free.
        NS_TEST_EXPECT_MSG_EQ(link.sinkA.left.size(), 23, "frames that left");
        NS_TEST_EXPECT_MSG_EQ(link.sinkA.changes.size(), 2, "told twice");
        NS_TEST_EXPECT_MSG_EQ(link.sinkB.changes.size(), 2, "told twice");
        NS_TEST_EXPECT_MSG_EQ(callbacks, 2, "callbacks");
    }

    /** Frame 0 is lost, but its arrival event (2 100 640) comes while frame 1 is on the line. */
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

/** The error model. */
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
            // 1000 expected, standard deviation 27
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(lost), 1000, 140, "a quarter is lost");
            NS_TEST_EXPECT_MSG_EQ(counters.classes[5].drops, lost, "of b's class");
            NS_TEST_EXPECT_MSG_EQ(counters.classes[5].rxFrames, 4000 - lost, "received");
            NS_TEST_EXPECT_MSG_EQ(phyRxDrops, lost, "trace PhyRxDrop");
            NS_TEST_EXPECT_MSG_EQ(drops, lost, "trace Drop");
            inMemory = serialize ? inMemory : link.Arrivals();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), inMemory, "as bytes");
        }
        {
            // A damaged pause frame pauses nobody, and belongs to no class.
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

/** What Send() takes. */
class StackLimitsTestCase : public TestCase
{
  public:
    StackLimitsTestCase()
        : TestCase("what the stack may send: MTU and queue limit")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestLink link({{"Mtu", "1500"}, {"MaxStackQueueBytes", "3036"}});
        const auto to = link.b->GetAddress();
        constexpr uint16_t TYPE = 0x88b5; // local experimental
        link.At(1_us, [&]() {
            // 1500 B are 1518 B with MAC header and FCS; the first goes onto the line at once, two
            // more are 3036 B in the queue.
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
        // 1526 x 80 + 1 000 000 after the start; 1538 x 80 from start to start
        NS_TEST_EXPECT_MSG_EQ(link.Arrivals(), "0@2122080 0@2245120 0@2368160", "arrivals");
    }
};

/** \ingroup rdma-tests Ports and cables. */
class RdmaLinkTestSuite : public TestSuite
{
  public:
    RdmaLinkTestSuite()
        : TestSuite("rdma-link")
    {
        AddTestCase(new FrameTimeTestCase);
        AddTestCase(new BackToBackTestCase);
        AddTestCase(new EventCountTestCase);
        AddTestCase(new SchedulerTestCase);
        AddTestCase(new LinkStateTestCase);
        AddTestCase(new ErrorModelTestCase);
        AddTestCase(new StackLimitsTestCase);
    }
};

RdmaLinkTestSuite g_rdmaLinkTestSuite; //!< registers the suite

} // namespace
