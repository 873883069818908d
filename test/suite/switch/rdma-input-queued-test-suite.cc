/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-switch.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/test.h>

#include <algorithm>
#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * The input-queued switch: the order of service, its pauses, and that nothing is lost or left.
 * Times are worked out by hand, see RdmaTestSwitch.
 */

using namespace ns3;

namespace
{

constexpr RdmaPs FRAME = RdmaTestSwitch::FRAME;
constexpr RdmaPs HOP = RdmaTestSwitch::HOP;
constexpr RdmaPs T0 = RdmaTestSwitch::T0;
constexpr uint32_t FRAME_BYTES = RdmaTestSwitch::FRAME_BYTES;

/** Round robin over the inputs, compared with an output-queued switch. */
class InputQueuedRoundRobinTestCase : public TestCase
{
  public:
    InputQueuedRoundRobinTestCase()
        : TestCase("an output takes from its inputs in turn; output-queued: in order of arrival")
    {
    }

  private:
    /**
     * \param queueing attribute Queueing of the switch
     * \param later delay of the frames of port 2, since ties have no order
     * \return order of the frames at host 3
     */
    std::string RunOnce(const char* queueing, RdmaPs later)
    {
        RdmaTestSwitch rig(4, {{"Queueing", queueing}});
        // Hosts 0 and 1 send four frames each. Host 2 sends two frames, which arrive with the
        // fourth frames.
        rig.SendAt(0_ps, 0, 3, 0, 4);
        rig.SendAt(1_ps, 1, 3, 10, 4);
        rig.SendAt(3 * FRAME + later, 2, 3, 20, 2);
        uint64_t queue = 0;
        std::size_t frames = 0;
        RdmaTestLink::At(T0 + 4 * FRAME + 3_ps, [&]() {
            queue = rig.sw->GetPort(3)->GetQueues().GetBytes(3);
            frames = rig.sw->GetPort(3)->GetQueues().GetFrames(3);
        });
        Simulator::Run();
        // Ten frames have arrived, and the fifth has begun to leave.
        NS_TEST_EXPECT_MSG_EQ(queue, 5 * FRAME_BYTES, "queue of the output");
        NS_TEST_EXPECT_MSG_EQ(frames, 5, "queue of the output");
        NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
        for (std::size_t i = 0; i < rig.sinks[3].arrivals.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.sinks[3].arrivals[i].at,
                                  T0 + HOP + i * FRAME,
                                  "no gap before frame " << i);
        }
        return rig.sinks[3].GetOrder();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RunOnce("InputQueued", 0_ps), "0 10 1 11 20 2 12 21 3 13", "order");
        NS_TEST_EXPECT_MSG_EQ(RunOnce("OutputQueued", 2_ps), "0 10 1 11 2 12 3 13 20 21", "order");
    }
};

/** The scheduler of the output chooses the class, the round robin chooses the input. */
class InputQueuedClassesTestCase : public TestCase
{
  public:
    InputQueuedClassesTestCase()
        : TestCase("the port's scheduler chooses the class, the round robin the input")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestSwitch rig(3);
        rig.SendAt(50_ns, 0, 2, 0, 3, 3);
        rig.SendAt(0_ps, 1, 2, 10, 2, 3);
        rig.SendAt(0_ps, 1, 2, 50, 2, 5);
        Simulator::Run();
        // Host 1 is also strict: 10 (the port was idle), 50, 51, 11. Each of these arrives when the
        // output is free again. Frames 0, 1 and 2 arrive half a frame after 10, 50 and 51.
        NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 50 51 0 11 1 2", "order");
    }
};

/** XOFF and XON of input ports, and a link that goes down. */
class InputPortPauseTestCase : public TestCase
{
  public:
    InputPortPauseTestCase()
        : TestCase("each input port is paused and resumed by its own frames; a link goes down")
    {
    }

  private:
    /** Records pause frames of a port as "xoff@slot" or "xon@slot", with slots counted from T0. */
    static void Log(Ptr<QbbNetDevice> port, std::string& text)
    {
        port->TraceConnectWithoutContext(
            "PfcSent",
            Callback<void, uint8_t, uint16_t>([&text](uint8_t, uint16_t quanta) {
                const RdmaPs since = RdmaNow() - T0;
                text += (text.empty() ? "" : " ") + std::string(quanta ? "xoff" : "xon") + "@" +
                        std::to_string(since / FRAME);
                const RdmaPs rest = since % FRAME;
                text += rest != 0_ps ? "+" + std::to_string(rest.Get()) : "";
            }));
    }

    void RunOnce(bool serialize, bool down)
    {
        RdmaTestSwitch rig(3);
        rig.buffer->SetAttribute("PortBufferBytes", UintegerValue(40'000));
        rig.buffer->SetAttribute("XoffBytes", UintegerValue(5000));
        rig.buffer->SetAttribute("XonBytes", UintegerValue(2500));
        for (const auto& host : rig.hosts)
        {
            host->GetQbbChannel()->SetAttribute("SerializeFrames", BooleanValue(serialize));
        }
        std::string sent[2];
        Log(rig.sw->GetPort(0), sent[0]);
        Log(rig.sw->GetPort(1), sent[1]);
        // Both inputs get a frame in each slot 0..11, input 1 a picosecond after input 0, because
        // ports have no order at one instant. The output serves input 0 in even slots and input 1
        // in odd slots, once the frame of input 0 is there. In slot 8 input 0, having sent 4 of 9
        // frames in slots 0 to 6, would hold a fifth (6250 B, above 5000). Input 1 would, too,
        // having sent 4 of 9 in slots 1 to 7. After slot 11 each holds 6 frames. Input 0 sends in
        // slots 12, 14, 16 and 18 and holds 2 then; input 1 sends in slots 13 to 19.
        rig.SendAt(0_ps, 0, 2, 0, 12);
        rig.SendAt(1_ps, 1, 2, 20, 12);
        if (!down)
        {
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(sent[0], "xoff@8 xon@18", "input 0");
            NS_TEST_EXPECT_MSG_EQ(sent[1], "xoff@8+1 xon@19", "input 1");
            NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].arrivals.size(), 24, "all of them");
            NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
            return;
        }
        // The link goes down in the middle of slot 10: 11 of 22 frames have left; two more arrive
        // in slot 11.
        const RdmaPs downAt = T0 + 10 * FRAME + 50_ns;
        RdmaTestLink::At(downAt, [&]() { rig.hosts[2]->GetQbbChannel()->SetUp(false); });
        RdmaTestLink::At(downAt + 1_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
            NS_TEST_EXPECT_MSG_EQ(rig.sw->GetPort(2)->GetQueues().GetFrames(3), 0, "queue");
            NS_TEST_EXPECT_MSG_EQ(rig.sw->GetPort(2)->GetQueues().GetBytes(3), 0, "queue");
            NS_TEST_EXPECT_MSG_EQ(rig.sw->GetInputQueueing()->GetQueues().GetNFrames(),
                                  0,
                                  "virtual output queues");
        });
        RdmaTestLink::At(downAt + 2 * FRAME, [&]() { rig.hosts[2]->GetQbbChannel()->SetUp(true); });
        rig.SendAt(10_us, 1, 2, 99, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent[0], "xoff@8 xon@10+50000", "input 0");
        NS_TEST_EXPECT_MSG_EQ(sent[1], "xoff@8+1 xon@10+50000", "input 1");
        const auto& counters = rig.sw->GetPort(2)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(counters, QbbDropReason::LINK_DOWN),
                              13,
                              "11 that waited, 2 that came");
        NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].arrivals.back().psn, 99, "up again");
        NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
    }

    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RunOnce(serialize, false);
            RunOnce(serialize, true);
        }
    }
};

/** Random traffic over a fabric of input-queued switches. */
class InputQueuedRandomTestCase : public TestCase
{
  public:
    /**
     * \param crossbar switches have a crossbar
     * \param lossless PFC is on
     * \param inputBuffers QbbInputPortBuffer; false: QbbSharedBuffer
     */
    InputQueuedRandomTestCase(bool crossbar, bool lossless, bool inputBuffers)
        : TestCase(std::string("books, rest and determinism: ") +
                   (crossbar ? "crossbar, " : "no crossbar, ") + (lossless ? "PFC, " : "lossy, ") +
                   (inputBuffers ? "input port buffers" : "shared buffer")),
          m_crossbar(crossbar),
          m_lossless(lossless),
          m_inputBuffers(inputBuffers)
    {
    }

  private:
    std::string RunOnce(uint64_t seed, bool serialize, bool reverse)
    {
        std::mt19937_64 random(seed);
        RdmaTestFabric test;
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
        test.helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(0x18));
        if (m_crossbar)
        {
            test.helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
            test.helper.SetSwitchAttribute("CrossbarSpeedup", DoubleValue(1.3));
        }
        if (m_inputBuffers)
        {
            test.helper.SetBufferManager("ns3::QbbInputPortBuffer");
            test.helper.SetBufferAttribute("PortBufferBytes", UintegerValue(60'000));
        }
        else
        {
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(400'000));
        }
        if (!m_lossless)
        {
            test.helper.SetDeviceAttribute("FlowControl", EnumValue(QbbFlowControl::NONE));
            test.SetRetries(100_us, 1000);
        }
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < 40; ++i)
        {
            const auto source = static_cast<uint32_t>(random() % 8);
            const auto destination = static_cast<uint32_t>((source + 1 + random() % 3) % 8);
            flows.push_back(MakeTestFlow(i,
                                         source,
                                         destination,
                                         1 + random() % 200'000,
                                         random() % 20 * 1_us,
                                         3 + random() % 2));
        }
        if (reverse)
        {
            std::reverse(flows.begin(), flows.end());
        }
        test.Install(MakeRdmaLeafSpine(4, 2, 2, MakeTestRates(100, 100, 500)), flows);
        if (!m_crossbar)
        {
            test.CheckBooksEvery(10_us);
        }
        test.Run(20_ms);
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ((m_crossbar || test.checks > 3), true, "looked at the books");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "rest");
        const RdmaFabricTotals totals = test.fabric->GetTotals();
        m_drops += totals.drops;
        m_pauses += totals.pauseFrames;
        return test.GetDigest();
    }

    void DoRun() override
    {
        m_drops = 0;
        m_pauses = 0;
        for (uint64_t seed = 1; seed <= GetTestRounds(3); ++seed)
        {
            const std::string digest = RunOnce(seed, false, false);
            NS_TEST_EXPECT_MSG_EQ(RunOnce(seed, true, false), digest, "frames as bytes");
            NS_TEST_EXPECT_MSG_EQ(RunOnce(seed, false, true), digest, "order of insertion");
        }
        NS_TEST_EXPECT_MSG_EQ((m_drops > 0), !m_lossless, m_drops << " drops");
        NS_TEST_EXPECT_MSG_EQ((m_pauses > 0), m_lossless, m_pauses << " pause frames");
    }

    bool m_crossbar;      //!< switches have a crossbar
    bool m_lossless;      //!< PFC is on
    bool m_inputBuffers;  //!< QbbInputPortBuffer; false: QbbSharedBuffer
    uint64_t m_drops{0};  //!< drops of all runs
    uint64_t m_pauses{0}; //!< pauses of all runs
};

/** The suite rdma-input-queued. */
class RdmaInputQueuedTestSuite : public TestSuite
{
  public:
    RdmaInputQueuedTestSuite()
        : TestSuite("rdma-input-queued")
    {
        AddTestCase(new InputQueuedRoundRobinTestCase);
        AddTestCase(new InputQueuedClassesTestCase);
        AddTestCase(new InputPortPauseTestCase);
        AddTestCase(new InputQueuedRandomTestCase(false, true, true));
        AddTestCase(new InputQueuedRandomTestCase(false, true, false));
        AddTestCase(new InputQueuedRandomTestCase(false, false, true));
        AddTestCase(new InputQueuedRandomTestCase(true, true, true));
        AddTestCase(new InputQueuedRandomTestCase(true, false, false));
    }
};

RdmaInputQueuedTestSuite g_rdmaInputQueuedTestSuite; //!< the suite

} // namespace
