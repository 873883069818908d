/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/test.h>

#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Two ports and a cable: times, events, queues and order. Flow control is in
 * rdma-pfc-test-suite.cc. All expected times are worked out by hand, in picoseconds.
 */

using namespace ns3;

namespace
{

/** One frame: when its last bit arrives, and how long the frame holds the line. */
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
            RdmaPs arrival; //!< time from the start of a frame to its arrival
            RdmaPs busy;    //!< time from the start until the line is free
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
            const RdmaPs first = 5_us + row.arrival;
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(),
                                  "1@" + std::to_string(first.Get()) + " 2@" +
                                      std::to_string((first + row.busy).Get()),
                                  "arrivals at " << row.rate);
        }
    }
};

/** Back-to-back frames, at rates with and without a whole number of ps in a byte. */
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
            // After two frames the line is free 2/3 ps after 1 458 666. The port is idle from then
            // on, and a later frame starts at a whole picosecond.
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
    static uint64_t Count(RdmaTestLink& link, RdmaPs from, RdmaPs to)
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
            // The two events are SendAt()'s own event and the arrival.
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
            // Three frames at once: the ends of the first two transmissions, and three arrivals.
            RdmaTestLink link;
            link.SendAt(1_us, 0, 3, 3);
            NS_TEST_EXPECT_MSG_EQ(Count(link, 900_ns, 9_us), 6, "frames at once");
        }
        {
            // 100 frames in flight together have one arrival event in the scheduler at a time. By
            // 2 000 000 nine transmissions have ended (k x 101 600), the tenth is under way, and no
            // frame has arrived.
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

/** Strict priority, DWRR, and both together. */
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
            // All classes are strict. Frame 0 is on the line when the other frames come. Then the
            // highest class goes first, and each class is first come, first served.
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
            // Class 7 gets a frame during the transmission of the fourth frame and goes before both
            // classes.
            link.SendAt(1'350'000_ps, 700, 1, 7);
            Simulator::Run();
            const std::string order = link.sinkB.GetOrder();
            const std::string expected = "0 100 101 200 700 201 202 203 204 102 103 205 206 207 "
                                         "208 209 104 210 211 212 213 214 ";
            NS_TEST_EXPECT_MSG_EQ(order.substr(0, expected.size()), expected, "DWRR");
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals.size(), 42, "nothing stays behind");
        }
        {
            // In a long run the bytes follow the weights (1 : 3) with any frame sizes (1250 and
            // 126 B).
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

/**
 * \ingroup rdma-tests
 * Ports and cables.
 */
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
    }
};

RdmaLinkTestSuite g_rdmaLinkTestSuite; //!< registers the suite

} // namespace
