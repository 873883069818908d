/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"
#include "qbb-queue-length-marker.h"
#include "rdma-test-switch.h"

#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <set>

/**
 * \file
 * \ingroup rdma-tests
 * The queue whose length decides about the mark of a packet.
 */

using namespace ns3;

namespace
{

/** Notes the numbers of the frames that arrive, and which of them are marked. */
class MarkSink : public RdmaTestSink
{
  public:
    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override
    {
        m_arrived.insert(frame->psn);
        if (frame->ecn == 3)
        {
            m_marked.insert(frame->psn);
        }
        RdmaTestSink::ReceiveFrame(port, std::move(frame));
    }

    std::set<uint32_t> m_arrived; //!< numbers of all frames
    std::set<uint32_t> m_marked;  //!< numbers of the marked frames
};

/**
 * Two hosts send four frames each to a third host, which pauses the switch meanwhile. The frames
 * of host 0 (numbers 0 to 3) and of host 1 (10 to 13) arrive alternately, from host 0 first.
 *
 * \param queueing attribute Queueing of the switch
 * \param markBy attribute MarkBy
 * \param markAt attribute MarkAt
 * \return numbers of the frames that find, or leave behind, more than two frames in their queue
 */
std::set<uint32_t>
GetMarked(const char* queueing, const char* markBy, const char* markAt)
{
    const auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("MarkBy", StringValue(markBy));
    marker->SetAttribute("MarkAt", StringValue(markAt));
    marker->SetAttribute("ScaleWithRate", StringValue("false"));
    marker->SetAttribute("Kmin", UintegerValue(2 * RdmaTestSwitch::FRAME_BYTES));
    marker->SetAttribute("Kmax", UintegerValue(2 * RdmaTestSwitch::FRAME_BYTES));
    RdmaTestSwitch rig(3, {{"Queueing", queueing}});
    rig.sw->SetAttribute("EcnMarker", PointerValue(marker));
    MarkSink sink;
    rig.hosts[2]->SetSink(&sink);
    RdmaTestLink::At(1_us, [&]() { rig.hosts[2]->GetFlowControl().RequestPause(3, true); });
    RdmaTestLink::At(20_us, [&]() { rig.hosts[2]->GetFlowControl().RequestPause(3, false); });
    for (const uint32_t from : {0U, 1U})
    {
        RdmaTestLink::At(10_us + (from ? 1_ns : 0_ns), [&rig, from]() {
            for (uint32_t i = 0; i < 4; ++i)
            {
                QbbFramePtr frame = MakeTestFrame(*rig.hosts[from], 10 * from + i);
                frame->ecn = 2;
                frame->dstIp = RdmaTestSwitch::GetAddress(2);
                rig.hosts[from]->Enqueue(std::move(frame));
            }
        });
    }
    Simulator::Stop(MicroSeconds(50));
    Simulator::Run();
    EXPECT_EQ(sink.m_arrived, (std::set<uint32_t>{0, 1, 2, 3, 10, 11, 12, 13}));
    rig.hosts[2]->SetSink(&rig.sinks[2]);
    return sink.m_marked;
}

} // namespace

// Frames 0, 10, 1, 11, 2, ... find 0, 1, 2, 3, 4, ... frames at the port, and 0, 0, 1, 1, 2, ...
// frames of their own input.
TEST(QbbQueueLengthMarker, MarksByThePortOrByTheVirtualOutputQueue)
{
    EXPECT_EQ(GetMarked("InputQueued", "Port", "Arrival"), (std::set<uint32_t>{2, 3, 11, 12, 13}));
    EXPECT_EQ(GetMarked("InputQueued", "Queue", "Arrival"), (std::set<uint32_t>{3, 13}));
}

// The frames leave in the order in which they came, and leave 7, 6, 5, ... frames behind at the
// port, and 3, 3, 2, ... frames of their own input.
TEST(QbbQueueLengthMarker, MarksByWhatIsLeftBehind)
{
    EXPECT_EQ(GetMarked("InputQueued", "Port", "Departure"), (std::set<uint32_t>{0, 1, 2, 10, 11}));
    EXPECT_EQ(GetMarked("InputQueued", "Queue", "Departure"), (std::set<uint32_t>{0, 10}));
}

TEST(QbbQueueLengthMarker, AnOutputQueuedSwitchHasOneQueueForEachClass)
{
    const std::set<uint32_t> marked{2, 3, 11, 12, 13};
    EXPECT_EQ(GetMarked("OutputQueued", "Port", "Arrival"), marked);
    EXPECT_EQ(GetMarked("OutputQueued", "Queue", "Arrival"), marked);
}

TEST(QbbQueueLengthMarker, ReportsKnowTheQueue)
{
    const auto settings = CreateObject<QbbEcnMarker>();
    const auto marker = CreateObject<QbbQueueLengthMarker>();
    marker->SetSettings(settings);
    RdmaTestSwitch rig(2);
    EXPECT_FALSE(marker->DescribeMarks(*rig.hosts[0], 3)->perInput);
    settings->SetAttribute("MarkBy", StringValue("Queue"));
    EXPECT_TRUE(marker->DescribeMarks(*rig.hosts[0], 3)->perInput);
    EXPECT_TRUE(rig.sw->IsInputQueued());
}
