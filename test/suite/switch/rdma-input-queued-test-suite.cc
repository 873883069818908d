/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-crossbar.h"
#include "qbb-input-port-buffer.h"
#include "qbb-switch.h"
#include "rdma-test-fabric.h"
#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/test.h>

#include <memory>
#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * The input-queued switch: who is served when, what its crossbar costs, when it pauses, and that
 * nothing is lost or left.
 *
 * Times by hand, at 100 Gb/s over cables of 1 us: a frame of 1250 B takes 101 600 ps of the line
 * and arrives 1 100 640 ps after its start. Frames that hosts send one behind the other from time 0
 * on have arrived at the switch at T0 + k x 101 600, T0 = 1 100 640. One that leaves the switch at
 * t arrives at t + 1 100 640.
 */

using namespace ns3;

namespace
{

constexpr QbbPs FRAME = 101'600_ps;    //!< line time of a frame
constexpr QbbPs HOP = 1'100'640_ps;    //!< from its start to its arrival
constexpr QbbPs T0 = HOP;              //!< arrival of the first frames at the switch
constexpr uint32_t FRAME_BYTES = 1250; //!< a frame

/** A switch with ports that send and write down what a test tells them. */
class SwitchRig
{
  public:
    /** \param n hosts \param attributes of the switch, as text */
    explicit SwitchRig(uint32_t n,
                       std::initializer_list<std::pair<const char*, const char*>> attributes = {})
    {
        QbbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        nodes.Create(n + 1);
        sw = CreateObject<QbbSwitch>();
        sw->SetAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
        for (const auto& [name, value] : attributes)
        {
            sw->SetAttribute(name, StringValue(value));
        }
        buffer = CreateObject<QbbInputPortBuffer>();
        sw->SetBufferManager(buffer);
        sinks = std::vector<RdmaTestSink>(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            const auto ports = helper.Install(nodes.Get(i), nodes.Get(n));
            hosts.push_back(DynamicCast<QbbNetDevice>(ports.Get(0)));
            hosts.back()->SetSink(&sinks[i]);
            sw->AddPort(DynamicCast<QbbNetDevice>(ports.Get(1)));
            sw->GetForwardingTable().SetRoute(GetAddress(i), {static_cast<uint16_t>(i)});
        }
        sw->GetForwardingTable().Freeze();
        nodes.Get(n)->AggregateObject(sw);
    }

    ~SwitchRig()
    {
        Simulator::Destroy();
    }

    SwitchRig(const SwitchRig&) = delete;
    SwitchRig& operator=(const SwitchRig&) = delete;

    static uint32_t GetAddress(uint32_t host)
    {
        return 0x0a000001 + host;
    }

    /**
     * \param at when they are put into the sender's queue
     * \param from host
     * \param to host
     * \param first number of the first frame
     * \param count how many
     * \param priority class
     */
    void SendAt(QbbPs at,
                uint32_t from,
                uint32_t to,
                uint32_t first,
                uint32_t count,
                uint8_t priority = 3)
    {
        RdmaTestLink::At(at, [this, from, to, first, count, priority]() {
            for (uint32_t i = 0; i < count; ++i)
            {
                QbbFramePtr frame = MakeTestFrame(*hosts[from], first + i, priority, FRAME_BYTES);
                frame->srcIp = GetAddress(from);
                frame->dstIp = GetAddress(to);
                hosts[from]->Enqueue(std::move(frame));
            }
        });
    }

    /** \param host a host \return the frames that it got: "number+time since T0 + HOP" */
    std::string GetArrivals(uint32_t host) const
    {
        std::string text;
        for (const auto& arrival : sinks[host].arrivals)
        {
            text += (text.empty() ? "" : " ") + std::to_string(arrival.psn) + "+" +
                    std::to_string((arrival.at - T0 - HOP).Get());
        }
        return text;
    }

    NodeContainer nodes;                  //!< hosts, then the switch
    Ptr<QbbSwitch> sw;                    //!< the switch
    Ptr<QbbInputPortBuffer> buffer;       //!< its buffer
    std::vector<Ptr<QbbNetDevice>> hosts; //!< ports of the hosts
    std::vector<RdmaTestSink> sinks;      //!< behind them
};

/** Round robin over the inputs, and what an output-queued switch does with the same frames. */
class InputQueuedRoundRobinTestCase : public TestCase
{
  public:
    InputQueuedRoundRobinTestCase()
        : TestCase("an output takes from its inputs in turn; output-queued: in order of arrival")
    {
    }

  private:
    /** \param queueing an attribute \param later of port 2, since ties have no order \return
     * order */
    std::string RunOnce(const char* queueing, QbbPs later)
    {
        SwitchRig rig(4, {{"Queueing", queueing}});
        // 0 and 1 send four frames each, 2 sends two that come in together with their fourth ones.
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
        // Ten have come in, the fifth has begun to leave.
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

/** Classes before inputs: the port's scheduler chooses the class. */
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
        SwitchRig rig(3);
        rig.SendAt(50_ns, 0, 2, 0, 3, 3);
        rig.SendAt(0_ps, 1, 2, 10, 2, 3);
        rig.SendAt(0_ps, 1, 2, 50, 2, 5);
        Simulator::Run();
        // Host 1 is strict, too: 10 (its port was idle), 50, 51, 11. Each of them comes in when the
        // output is free again; 0, 1 and 2 come in half a frame after 10, 50 and 51.
        NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 50 51 0 11 1 2", "order");
    }
};

/** What a crossbar costs. */
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
        SwitchRig rig(4, attributes);
        // Both send to 2, and behind that to 3: all frames come in at T0 and T0 + 101 600, those of
        // host 1 a picosecond later, because ports have no order at one instant.
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
        // Every output reads all inputs.
        Check({}, "0+0 10+101600", "1+101600 11+203200");
        // A frame crosses in 100 000 ps. 0 until 100 000, 10 until 200 000 and on the line behind
        // 0; 1 comes in at 101 600 and crosses until 201 600; input 1 is free at 200 000, output 3
        // at 201 600: 11 crosses until 301 600 and goes behind 1.
        Check({{"Crossbar", "true"}}, "0+100000 10+201600", "1+201600 11+303200");
        // 50 000: 0 until 50 000, 10 until 100 000; 1 until 151 600, 11 until 201 600.
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
        // Line and crossbar take the same time for a frame, so that the crossbar alone decides.
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
        Simulator::Stop(QbbToTime(2_ms + 1_ps));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL((sent[2] - sent[0]) / (sent[3] - sent[1]), 1.0, 0.02, "equal");
        NS_TEST_EXPECT_MSG_EQ_TOL((sent[4] - sent[2]) / (sent[5] - sent[3]), 3.0, 0.1, "3 to 1");
    }
};

/** A paused class at one output stops nothing else. */
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
        SwitchRig rig(4, {{"Crossbar", "true"}, {"CrossbarEgressBytes", "2500"}});
        // Class 3 is paused at host 2 before the first frame comes in.
        RdmaTestLink::At(1_ps, [&]() { rig.hosts[2]->GetFlowControl().RequestPause(3, true); });
        const QbbPs start = 2_us;
        rig.SendAt(start, 0, 2, 0, 5);
        rig.SendAt(start, 0, 3, 50, 2);
        rig.SendAt(start, 1, 2, 10, 2, 4);
        // Frames 0 to 4 come in until start + T0 + 4 x 101 600, 50 and 51 behind them; a frame
        // needs 100 000 ps to cross.
        RdmaTestLink::At(start + T0 + HOP + 10 * FRAME, [&]() {
            const auto port = rig.sw->GetPort(2);
            NS_TEST_EXPECT_MSG_EQ(port->GetQueues().GetBytesHere(3),
                                  2 * FRAME_BYTES,
                                  "0 and 1 have crossed");
            NS_TEST_EXPECT_MSG_EQ(port->GetQueues().GetBytes(3),
                                  5 * FRAME_BYTES,
                                  "all wait for it");
            NS_TEST_EXPECT_MSG_EQ(rig.buffer->GetPortBytes(0), 3 * FRAME_BYTES, "2, 3, 4");
            NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 11", "another class goes on");
            NS_TEST_EXPECT_MSG_EQ(rig.sinks[3].GetOrder(), "50 51", "another output goes on");
            rig.hosts[2]->GetFlowControl().RequestPause(3, false);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.sinks[2].GetOrder(), "10 11 0 1 2 3 4", "order");
        NS_TEST_EXPECT_MSG_EQ(rig.buffer->IsEmpty(), true, "buffer");
    }
};

/** XOFF and XON of input ports, and a link that goes down. */
class InputPortPauseTestCase : public TestCase
{
  public:
    InputPortPauseTestCase()
        : TestCase("each input port is paused and resumed by what it holds; a link goes down")
    {
    }

  private:
    /** What a port sends, as "quanta@slot" with the slot counted from T0. */
    static void Log(Ptr<QbbNetDevice> port, std::string& text)
    {
        port->TraceConnectWithoutContext(
            "PfcSent",
            Callback<void, uint8_t, uint16_t>([&text](uint8_t, uint16_t quanta) {
                const QbbPs since = QbbNow() - T0;
                text += (text.empty() ? "" : " ") + std::string(quanta ? "xoff" : "xon") + "@" +
                        std::to_string(since / FRAME);
                const QbbPs rest = since % FRAME;
                text += rest != 0_ps ? "+" + std::to_string(rest.Get()) : "";
            }));
    }

    void RunOnce(bool serialize, bool down)
    {
        SwitchRig rig(3);
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
        // ports have no order at one instant; the output takes from 0 in even slots, from 1 in odd
        // ones, once the frame of input 0 is there. Input 0 would hold its fifth frame (6250 B,
        // above 5000) in slot 8, having sent 4 of 9 in slots 0 to 6; input 1 as well, having sent 4
        // of 9 in slots 1 to 7. After slot 11 each holds 6; input 0 sends in 12, 14, 16 and 18 and
        // holds 2 then; input 1 in 13 to 19.
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
        // Down in the middle of slot 10: 11 of 22 frames have left; two more come in slot 11.
        const QbbPs downAt = T0 + 10 * FRAME + 50_ns;
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
            test.helper.SetTransportAttribute("RetransmissionTimeout",
                                              TimeValue(MicroSeconds(100)));
            test.helper.SetTransportAttribute("RetryCount", UintegerValue(1000));
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
    bool m_inputBuffers;  //!< QbbInputPortBuffer
    uint64_t m_drops{0};  //!< of all runs
    uint64_t m_pauses{0}; //!< of all runs
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
        AddTestCase(new CrossbarTestCase);
        AddTestCase(new CrossbarWeightsTestCase);
        AddTestCase(new CrossbarPauseTestCase);
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
