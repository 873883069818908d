/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"
#include "qbb-path-selector.h"
#include "qbb-shared-buffer.h"
#include "qbb-switch.h"
#include "rdma-event-order.h"
#include "rdma-test-threads.h"
#include "rdma-test-verbs.h"
#include "rdma-timer.h"

#include <ns3/pointer.h>
#include <ns3/test.h>

#include <algorithm>
#include <deque>

/**
 * \file
 * \ingroup rdma-tests
 * What the switch offers to path selectors: headers between switches, frames of their own, frames
 * that they hold back.
 */

namespace ns3
{
namespace
{

/**
 * A selector for leaf-spine fabrics. The first leaf adds a header, each switch counts itself in the
 * header, and the last leaf removes the header and holds the frame back for a time.
 */
class RdmaTestRelay : public QbbPathSelector
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaTestRelay")
                .SetParent<QbbPathSelector>()
                .AddConstructor<RdmaTestRelay>()
                .AddAttribute("Hold",
                              "Time for which the last leaf holds each frame back.",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&RdmaTestRelay::m_hold),
                              MakeTimeChecker(Time(0)))
                .AddAttribute("ReplyEvery",
                              "The last leaf replies to one frame in so many; 0: to none.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&RdmaTestRelay::m_replyEvery),
                              MakeUintegerChecker<uint32_t>())
                .AddAttribute("DropEvery",
                              "The last leaf drops one frame in so many; 0: none.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&RdmaTestRelay::m_dropEvery),
                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    static constexpr uint8_t COUNT = 6; //!< bytes of the header: hops, sequence (4), kind

    uint8_t GetMoments() const override
    {
        return ARRIVES | JOINS | DEPARTS;
    }

    uint32_t GetHeaderBytes() const override
    {
        return QbbFabricHeader::FIXED_BYTES + COUNT;
    }

    void Configure() override
    {
        RefuseOtherNeighbours();
    }

    int64_t AssignStreams(int64_t) override
    {
        return 0;
    }

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override
    {
        return GetSwitch().SelectPort(frame.flowHash, ports);
    }

    void FrameArrives(QbbPort& ingress, QbbFramePtr& frame) override
    {
        const QbbForwardingTable& table = GetSwitch().GetForwardingTable();
        const uint32_t leaf = table.GetLeaf();
        const bool isHere = table.GetLeafOf(frame->dstIp) == leaf;
        m_ends = false;
        if (!LeadsToSwitch(ingress.GetPortNumber()))
        {
            wrong += frame->hasFabric ? "a host sends a header; " : "";
            if (!isHere)
            {
                QbbFrameCodec::AddFabric(*frame, PROTOCOL, COUNT);
                frame->fabric.bytes[1] = static_cast<uint8_t>(added);
                ++added;
            }
            return;
        }
        wrong += frame->hasFabric && frame->fabric.protocol == PROTOCOL ? "" : "no header; ";
        if (leaf == QbbHostPlace::NO_LEAF || !isHere)
        {
            return;
        }
        wrong += frame->fabric.bytes[0] == 2 ? "" : "not two hops; ";
        if (frame->fabric.bytes[5] == REPLY)
        {
            ++replies;
            frame = nullptr;
            return;
        }
        QbbFrameCodec::RemoveFabric(*frame);
        ++removed;
        m_ends = true;
        if (m_replyEvery > 0 && removed % m_replyEvery == 0)
        {
            QbbFramePtr reply = MakeFrame(*frame, true);
            QbbFrameCodec::AddFabric(*reply, PROTOCOL, COUNT);
            reply->fabric.bytes[5] = REPLY;
            const auto port = GetSwitch().SelectPort(reply->flowHash, *table.Lookup(reply->dstIp));
            GetSwitch().SendOwn(port, std::move(reply));
            ++sentReplies;
        }
    }

    void FrameJoins(QbbPort& egress, QbbFramePtr& frame) override
    {
        wrong += frame->hasFabric == LeadsToSwitch(egress.GetPortNumber()) ? "" : "header; ";
        if (!m_ends)
        {
            return;
        }
        m_ends = false;
        if (m_dropEvery > 0 && removed % m_dropEvery == 0)
        {
            GetSwitch().DropHeld(egress, std::move(frame), QbbDropReason::BUFFER_FULL);
            ++dropped;
        }
        else if (!m_hold.IsZero())
        {
            heldBytes += frame->size;
            m_held.push_back({RdmaNow() + RdmaToPs(m_hold), &egress, std::move(frame)});
            m_timer.Arm(m_held.front().until);
        }
    }

    void FrameDeparts(QbbPort&, QbbFrame& frame, RdmaPs) override
    {
        if (frame.hasFabric)
        {
            ++frame.fabric.bytes[0];
        }
    }

    using QbbPathSelector::GetNodeId;

    uint64_t added{0};       //!< headers added
    uint64_t removed{0};     //!< headers removed
    uint64_t sentReplies{0}; //!< replies sent
    uint64_t replies{0};     //!< replies received
    uint64_t dropped{0};     //!< frames dropped
    uint64_t heldBytes{0};   //!< bytes held back at present
    std::string wrong;       //!< what should not be

  private:
    static constexpr uint8_t PROTOCOL = 200;
    static constexpr uint8_t REPLY = 1;

    /** A frame that is held back. */
    struct Held
    {
        RdmaPs until;      //!< instant of its release
        QbbPort* egress;   //!< its egress port
        QbbFramePtr frame; //!< the frame
    };

    void Release()
    {
        while (!m_held.empty() && m_held.front().until <= RdmaNow())
        {
            Held held = std::move(m_held.front());
            m_held.pop_front();
            heldBytes -= held.frame->size;
            GetSwitch().ReleaseHeld(*held.egress, std::move(held.frame));
        }
        if (!m_held.empty())
        {
            m_timer.Arm(m_held.front().until);
        }
    }

    static constexpr uint32_t ORDER = RdmaEventOrder::Fabrics::At<40>();

    Time m_hold;              //!< attribute Hold
    uint32_t m_replyEvery{0}; //!< attribute ReplyEvery
    uint32_t m_dropEvery{0};  //!< attribute DropEvery
    bool m_ends{false};       //!< the present frame leaves for a host of this leaf
    std::deque<Held> m_held;  //!< frames held back, the earliest first
    RdmaTimer<RdmaTestRelay, &RdmaTestRelay::Release, ORDER> m_timer{this}; //!< releases frames
};

NS_OBJECT_ENSURE_REGISTERED(RdmaTestRelay);

/** Base of the tests in this file. */
class HooksTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /** \param test a fabric \param node node id of a switch \return its selector */
    static Ptr<RdmaTestRelay> GetRelay(const RdmaTestFabric& test, uint32_t node)
    {
        return DynamicCast<RdmaTestRelay>(test.fabric->GetSwitch(node)->GetPathSelector());
    }

    /** Sums of all selectors. */
    struct Sums
    {
        uint64_t added{0};       //!< headers added
        uint64_t removed{0};     //!< headers removed
        uint64_t sentReplies{0}; //!< replies sent
        uint64_t replies{0};     //!< replies received
        uint64_t dropped{0};     //!< frames dropped
        std::string wrong;       //!< what should not be
    };

    static Sums Add(const RdmaTestFabric& test)
    {
        Sums sums;
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            const auto relay = GetRelay(test, id);
            sums.added += relay->added;
            sums.removed += relay->removed;
            sums.sentReplies += relay->sentReplies;
            sums.replies += relay->replies;
            sums.dropped += relay->dropped;
            sums.wrong += relay->wrong.substr(0, 100);
        }
        return sums;
    }
};

/** The times of one packet and its acknowledgement. */
class TimelineTestCase : public HooksTestCase
{
  public:
    TimelineTestCase()
        : HooksTestCase(
              "a header takes its bytes on two links, and a frame that is held back waits")
    {
    }

  private:
    static constexpr RdmaPs HOLD{3'000'000};

    /**
     * \param selector path selector
     * \param queueing attribute Queueing
     * \return time from posting one packet until its acknowledgement has arrived
     */
    RdmaPs Measure(const std::string& selector, const std::string& queueing)
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector(selector);
        test.helper.SetSwitchAttribute("Queueing", StringValue(queueing));
        // Hosts 0 and 1 at leaf 4; hosts 2 and 3 at leaf 5.
        test.Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 1000)});
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", selector);
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", selector);
        return test.results.at(0).cqe.value_or(0_ps);
    }

    void DoRun() override
    {
        for (const std::string queueing : {"OutputQueued", "InputQueued"})
        {
            const RdmaPs plain = Measure("ecmp", queueing);
            // The packet and its acknowledgement have 4 + 6 bytes more on two links of 80 ps a
            // byte.
            const RdmaPs header = 2 * 2 * 10 * 80_ps;
            NS_TEST_EXPECT_MSG_EQ(Measure("ns3::RdmaTestRelay", queueing) - plain,
                                  header,
                                  "header, " << queueing);
            NS_TEST_EXPECT_MSG_EQ(Measure("ns3::RdmaTestRelay[Hold=3us]", queueing) - plain,
                                  header + 2 * HOLD,
                                  "header and two holds, " << queueing);
        }
    }
};

/** Frames that are held back count in the buffer. */
class HeldBufferTestCase : public HooksTestCase
{
  public:
    HeldBufferTestCase()
        : HooksTestCase(
              "frames that are held back fill the buffer, pause senders, and may be dropped")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 4; //!< hosts on each of two leaves

    void CheckHeld()
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::RdmaTestRelay[Hold=20us]");
        test.helper.SetDeviceAttribute("FlowControl", StringValue("Pfc"));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(1'000'000));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, HOSTS + i, 1'000'000));
        }
        test.Install(MakeRdmaLeafSpine(2, HOSTS, 2, MakeTestRates(100, 100, 1000)), flows);
        const uint32_t leaf = 2 * HOSTS + 1;
        uint64_t looks = 0;
        for (uint32_t at = 10; at < 60; at += 10)
        {
            RdmaTestPair::At(at * 1_us, [&] {
                const auto sw = test.fabric->GetSwitch(leaf);
                const uint64_t held = GetRelay(test, leaf)->heldBytes;
                uint64_t waiting = 0;
                uint64_t queued = 0;
                for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
                {
                    waiting += sw->GetBufferManager()->GetEgressBytes(port, 3);
                    queued += sw->GetPort(port)->GetQueues().GetBytes(3);
                }
                NS_TEST_EXPECT_MSG_EQ(waiting, held + queued, "bytes in the buffer");
                looks += held > 100'000;
            });
        }
        test.Run();
        NS_TEST_EXPECT_MSG_GT(looks, 2U, "much was held back");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(Add(test).wrong, "", "headers");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "accounts at the end");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "no loss");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 0U, "senders are paused");
    }

    void CheckDropped()
    {
        RdmaTestFabric test;
        SetTestTransport(test, RdmaWireFormat::IRN, 1000);
        test.helper.SetPathSelector("ns3::RdmaTestRelay[DropEvery=50]");
        test.Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 1'000'000)});
        test.Run();
        const Sums sums = Add(test);
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_GT(sums.dropped, 20U, "drops");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::BUFFER_FULL),
                              sums.dropped,
                              "each drop is counted");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "accounts at the end");
    }

    void DoRun() override
    {
        CheckHeld();
        CheckDropped();
    }
};

/** Any number of threads, and frames as bytes. */
class HooksEverywhereTestCase : public HooksTestCase
{
  public:
    HooksEverywhereTestCase()
        : HooksTestCase("headers and frames of selectors cross groups and threads, and as bytes")
    {
    }

  private:
    /**
     * \param threads number of threads
     * \param groups number of groups
     * \param serialize attribute SerializeFrames
     * \return results, with the sums of the selectors
     */
    RdmaTestOutcome Measure(uint32_t threads, uint32_t groups, bool serialize)
    {
        SelectTestThreads(threads, groups);
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::RdmaTestRelay[Hold=700ns|ReplyEvery=7]");
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < 12; ++i)
        {
            for (const uint32_t step : {1U, 4U, 5U})
            {
                flows.push_back(MakeTestFlow(flows.size(), i, (i + step) % 12, 50'000));
            }
        }
        test.Install(MakeRdmaLeafSpine(3, 4, 3, MakeTestRates(100, 100, 1000)), flows);
        test.Run();
        const Sums sums = Add(test);
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(sums.wrong, "", "headers");
        NS_TEST_EXPECT_MSG_EQ(sums.added, sums.removed, "each header is removed");
        NS_TEST_EXPECT_MSG_GT(sums.added, 24 * 50U, "packets to other leaves");
        NS_TEST_EXPECT_MSG_GT(sums.replies, 100U, "replies");
        NS_TEST_EXPECT_MSG_EQ(sums.replies, sums.sentReplies, "each reply arrives");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "accounts at the end");
        return GetTestOutcome(test,
                              std::to_string(sums.added) + " " + std::to_string(sums.replies));
    }

    void DoRun() override
    {
        const RdmaTestOutcome one = Measure(1, 1, false);
        NS_TEST_EXPECT_MSG_EQ(Measure(1, 1, true).Compare(one), "", "as bytes");
        for (const uint32_t threads : {1, 2, 3})
        {
            const RdmaTestOutcome several = Measure(threads, 4, threads == 3);
            NS_TEST_EXPECT_MSG_GT(several.windows, 0U, several.reason);
            NS_TEST_EXPECT_MSG_EQ(several.Compare(one), "", threads << " threads");
        }
    }
};

/** The suite. */
class RdmaSelectorHooksTestSuite : public TestSuite
{
  public:
    RdmaSelectorHooksTestSuite()
        : TestSuite("rdma-selector-hooks")
    {
        AddTestCase(new TimelineTestCase);
        AddTestCase(new HeldBufferTestCase);
        AddTestCase(new HooksEverywhereTestCase);
    }
};

RdmaSelectorHooksTestSuite g_rdmaSelectorHooksTestSuite; //!< registers the suite

} // namespace
} // namespace ns3
