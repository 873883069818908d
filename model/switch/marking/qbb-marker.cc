/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-marker.h"

#include "qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbMarker);

TypeId
QbbMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbMarker").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

void
QbbMarker::Configure(const std::vector<QbbPort*>&, bool)
{
}

int64_t
QbbMarker::AssignStreams(int64_t)
{
    return 0;
}

void
QbbMarker::FrameJoins(QbbPort&, QbbFrame&)
{
}

void
QbbMarker::FrameChosen(QbbPort&, QbbFrame&, RdmaBitRate)
{
}

void
QbbMarker::FrameDeparts(QbbPort&, QbbFrame&, RdmaPs)
{
}

std::optional<QbbMarkCurve>
QbbMarker::DescribeMarks(const QbbPort&, uint8_t) const
{
    return std::nullopt;
}

void
QbbMarker::MarkCe(QbbPort& egress, QbbFrame& frame)
{
    constexpr uint8_t NOT_ECT = 0; // RFC 3168: Not-ECT packets are never marked
    constexpr uint8_t CE = 3;
    if (frame.ecn != NOT_ECT && frame.ecn != CE)
    {
        frame.ecn = CE;
        egress.CountMark(frame.priority);
    }
}

} // namespace ns3
