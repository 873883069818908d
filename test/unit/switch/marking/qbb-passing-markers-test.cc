/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-marker.h"
#include "qbb-shared-buffer.h"
#include "rdma-test-switch.h"

#include <ns3/pointer.h>

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * What markers see of a frame that finds its egress port idle.
 */

using namespace ns3;

namespace
{

/** Notes the bytes in the buffer whenever it sees a frame. */
class NotingMarker : public QbbMarker
{
  public:
    uint8_t GetMoments() const override
    {
        return m_moments;
    }

    void FrameJoins(QbbPort&, QbbFrame&) override
    {
        m_used.push_back(m_buffer->GetUsage().usedBytes);
    }

    void FrameDeparts(QbbPort&, QbbFrame&, RdmaPs) override
    {
        m_used.push_back(m_buffer->GetUsage().usedBytes);
    }

    uint8_t m_moments{0};           //!< value of GetMoments()
    Ptr<QbbBufferManager> m_buffer; //!< buffer of the switch
    std::vector<uint64_t> m_used;   //!< bytes in the buffer
};

class QbbPassingMarkers : public testing::TestWithParam<QbbMarker::Moment>
{
};

} // namespace

// The first frame teaches the buffer manager that its policy does not hear of departing frames.
TEST_P(QbbPassingMarkers, SeeTheFrameInTheBuffer)
{
    RdmaTestSwitch rig(2, {{"Queueing", "OutputQueued"}});
    const auto marker = CreateObject<NotingMarker>();
    marker->m_moments = GetParam();
    marker->m_buffer = CreateObject<QbbSharedBuffer>();
    rig.sw->SetBufferManager(marker->m_buffer);
    rig.sw->SetAttribute("Marker", PointerValue(marker));
    for (const RdmaPs at : {1_us, 2_us, 3_us})
    {
        RdmaTestLink::At(at, [&rig]() {
            QbbFramePtr frame = MakeTestFrame(*rig.hosts[0], 1);
            frame->ecn = 2;
            frame->dstIp = RdmaTestSwitch::GetAddress(1);
            rig.hosts[0]->Enqueue(std::move(frame));
        });
    }
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
    EXPECT_EQ(rig.sinks[1].arrivals.size(), 3U);
    EXPECT_EQ(marker->m_used, std::vector<uint64_t>(3, 1250));
    EXPECT_TRUE(marker->m_buffer->IsEmpty());
    EXPECT_EQ(marker->m_buffer->GetUsage().peakUsedBytes, 1250U);
}

INSTANTIATE_TEST_SUITE_P(Moments,
                         QbbPassingMarkers,
                         testing::Values(QbbMarker::JOINS, QbbMarker::DEPARTS));
