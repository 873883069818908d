/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-switch.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Input-queued switches with a crossbar: its cost, and its shares for classes and outputs. Times
 * are worked out by hand, see RdmaTestSwitch.
 */

using namespace ns3;

namespace
{

/** Delays by a crossbar. */
class CrossbarTestCase : public TestCase
{
  public:
    CrossbarTestCase()
        : TestCase("an input sends to one output at a time through a crossbar with a speed-up")
    {
    }

  private:
    void Check(std::initializer_list<std::pair<const char*, const char*>> attributes,
               const std::string& at2,
               const std::string& at3)
    {
        RdmaTestSwitch rig(4, attributes);
        // Hosts 0 and 1 each send a frame to host 2 and then a frame to host 3. The frames arrive
        // at RdmaTestSwitch::T0 and RdmaTestSwitch::T0 + 101 600. Host 1 starts 1 ps later, because
        // the order of ports at one instant is undefined.
        rig.SendAt(0_ps, 0, 2, 0, 1);
        rig.SendAt(0_ps, 0, 3, 1, 1);
        rig.SendAt(1_ps, 1, 2, 10, 1);
        rig.SendAt(1_ps, 1, 3, 11, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.GetArrivals(2), at2, "at 2");
        NS_TEST_EXPECT_MSG_EQ(rig.GetArrivals(3), at3, "at 3");
        NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
    }

    void DoRun() override
    {
        // Times are in ps from T0. A frame occupies a line for 101 600 ps. Without a crossbar, the
        // outputs read the inputs independently of each other, and a frame leaves at once if the
        // line of its output is free.
        Check({}, "0+0 10+101600", "1+101600 11+203200");
        // A crossbar without speed-up occupies input and output for 100 000 ps per frame:
        //
        // | frame | input | output | arrives | crosses            | leaves  | waits for           |
        // |-------|-------|--------|---------|--------------------|---------|---------------------|
        // | 0     | 0     | 2      | 0       | 0 to 100 000       | 100 000 |                     |
        // | 10    | 1     | 2      | 0       | 100 000 to 200 000 | 201 600 | output 2, then line |
        // | 1     | 0     | 3      | 101 600 | 101 600 to 201 600 | 201 600 |                     |
        // | 11    | 1     | 3      | 101 600 | 201 600 to 301 600 | 303 200 | output 3, then line |
        Check({{"Crossbar", "true"}}, "0+100000 10+201600", "1+201600 11+303200");
        // With a speed-up of 2, a frame crosses in 50 000 ps:
        //
        // | frame | arrives | crosses            | leaves  | waits for           |
        // |-------|---------|--------------------|---------|---------------------|
        // | 0     | 0       | 0 to 50 000        | 50 000  |                     |
        // | 10    | 0       | 50 000 to 100 000  | 151 600 | output 2, then line |
        // | 1     | 101 600 | 101 600 to 151 600 | 151 600 |                     |
        // | 11    | 101 600 | 151 600 to 201 600 | 253 200 | output 3, then line |
        Check({{"Crossbar", "true"}, {"CrossbarSpeedup", "2"}},
              "0+50000 10+151600",
              "1+151600 11+253200");
    }
};

/** The weights of the egress port's classes hold behind a crossbar as well. */
class CrossbarWeightsTestCase : public TestCase
{
  public:
    CrossbarWeightsTestCase()
        : TestCase("classes share an output by the weights of its scheduler, also after a change")
    {
    }

  private:
    void DoRun() override
    {
        // Line and crossbar take equal times for a frame, so the crossbar alone decides.
        RdmaTestFabric test;
        test.helper.SetDeviceAttribute("LineOverhead", BooleanValue(false));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(0x18));
        test.helper.SetDeviceAttribute("Scheduler", StringValue("1"));
        test.helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
        test.helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
        for (uint32_t host = 0; host < 2; ++host)
        {
            RdmaSendRequest request;
            request.length = 100'000'000;
            test.fabric->Connect(host, 2, static_cast<uint8_t>(3 + host)).first->PostSend(request);
        }
        const auto port = test.fabric->GetDevice(2, 3);
        std::vector<double> sent;
        const auto note = [&]() {
            sent.push_back(static_cast<double>(port->GetCounters().classes[3].txBytes));
            sent.push_back(static_cast<double>(port->GetCounters().classes[4].txBytes));
        };
        RdmaTestLink::At(100_us, note);
        RdmaTestLink::At(1_ms, note);
        RdmaTestLink::At(1_ms + 1_ps, [&]() {
            port->SetAttribute("Scheduler", StringValue("1,1,1,3,1,1,1,1"));
        });
        RdmaTestLink::At(2_ms, note);
        Simulator::Stop(RdmaToTime(2_ms + 1_ps));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL((sent[2] - sent[0]) / (sent[3] - sent[1]), 1.0, 0.02, "equal");
        NS_TEST_EXPECT_MSG_EQ_TOL((sent[4] - sent[2]) / (sent[5] - sent[3]), 3.0, 0.1, "3 to 1");
    }
};

/** A paused class at one output stops no other class and no other output. */
class CrossbarPauseTestCase : public TestCase
{
  public:
    CrossbarPauseTestCase()
        : TestCase("an egress port that is paused takes its CrossbarEgressBytes and no more")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestSwitch rig(4, {{"Crossbar", "true"}, {"CrossbarEgressBytes", "2500"}});
        // Class 3 is paused at host 2 before the first frame comes in.
        RdmaTestLink::At(1_ps, [&]() { rig.hosts[2]->GetFlowControl().RequestPause(3, true); });
        const RdmaPs start = 2_us;
        rig.SendAt(start, 0, 2, 0, 5);
        rig.SendAt(start, 0, 3, 50, 2);
        rig.SendAt(start, 1, 2, 10, 2, 4);
        // Frames 0 to 4 arrive until start + T0 + 4 x 101 600, and frames 50 and 51 behind them. A
        // frame takes 100 000 ps to cross.
        RdmaTestLink::At(
            start + RdmaTestSwitch::T0 + RdmaTestSwitch::HOP + 10 * RdmaTestSwitch::FRAME,
            [&]() {
                const auto port = rig.sw->GetPort(2);
                NS_TEST_EXPECT_MSG_EQ(port->GetQueues().GetBytesHere(3),
                                      2 * RdmaTestSwitch::FRAME_BYTES,
                                      "0 and 1 have crossed");
                NS_TEST_EXPECT_MSG_EQ(port->GetQueues().GetBytes(3),
                                      5 * RdmaTestSwitch::FRAME_BYTES,
                                      "all wait for it");
                NS_TEST_EXPECT_MSG_EQ(rig.buffer->GetPortBytes(0),
                                      3 * RdmaTestSwitch::FRAME_BYTES,
                                      "2, 3, 4");
                NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 11", "another class goes on");
                NS_TEST_EXPECT_MSG_EQ(rig.sinks[3].GetOrder(), "50 51", "another output goes on");
                rig.hosts[2]->GetFlowControl().RequestPause(3, false);
            });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 11 0 1 2 3 4", "order");
        NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
    }
};

/** The suite. */
class RdmaCrossbarTestSuite : public TestSuite
{
  public:
    RdmaCrossbarTestSuite()
        : TestSuite("rdma-crossbar")
    {
        AddTestCase(new CrossbarTestCase);
        AddTestCase(new CrossbarWeightsTestCase);
        AddTestCase(new CrossbarPauseTestCase);
    }
};

RdmaCrossbarTestSuite g_rdmaCrossbarTestSuite; //!< registers the suite

} // namespace
