/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-reaction-point.h"

#include "rdma-endpoint.h"
#include "rdma-pint.h"

#include <utility>

namespace ns3
{

RdmaReactionPoint::RdmaReactionPoint(RdmaEndpoint& endpoint, RdmaPacer&& pacer)
    : m_endpoint(endpoint),
      m_pacer(std::move(pacer))
{
}

bool
RdmaReactionPoint::HasRoomInWindow() const
{
    // Retransmissions count against the window: after going back, a sender has in flight what it
    // has sent since. With selective repeat, packets before a hole count as in flight.
    const RdmaStreamState streams = m_endpoint.GetStreams();
    return m_pacer.HasRoom(streams.next - streams.acked);
}

void
RdmaReactionPoint::AddTelemetryRoom(QbbFrame& frame)
{
    const RdmaIntRoom room = m_pacer.GetIntRoom();
    frame.intFormat = room.format;
    frame.intRoom = room.records;
    frame.pint = m_pacer.WantsUtilisation() ? RdmaPintCode::LOWEST : RdmaPintCode::NONE;
}

void
RdmaReactionPoint::RequestSent(uint64_t packet, bool again, const QbbFrame& frame, RdmaPs now)
{
    if (m_endpoint.MeasuresRtt())
    {
        m_pacer.TimePackets();
    }
    m_pacer.OnSent(packet, again, frame.size + m_endpoint.GetLineOverheadBytes(), now);
}

void
RdmaReactionPoint::ResponseSent(const QbbFrame& frame, RdmaPs now)
{
    m_pacer.OnResponseSent(frame.size + m_endpoint.GetLineOverheadBytes(), now);
}

void
RdmaReactionPoint::ResponseSent(uint64_t response, bool again, const QbbFrame& frame, RdmaPs now)
{
    if (m_endpoint.MeasuresRtt())
    {
        m_pacer.TimePackets();
    }
    const uint32_t bytes = frame.size + m_endpoint.GetLineOverheadBytes();
    m_pacer.OnResponseSent(response, again, bytes, now);
}

void
RdmaReactionPoint::RequestsAcked(const Acknowledgement& ack, RdmaPs now)
{
    if (!m_pacer.UsesAcks())
    {
        return;
    }
    ReportAcknowledgement(ack, m_pacer.GetRequestTimes().GetRtt(ack.cause, now), now);
}

void
RdmaReactionPoint::ResponsesAcked(const Acknowledgement& ack, uint64_t ackedTo, RdmaPs now)
{
    if (!m_pacer.UsesAcks())
    {
        return;
    }
    const RdmaPs rtt = m_pacer.GetResponseRtt(ack.cause, now);
    m_pacer.OnResponsesAcked(ackedTo);
    ReportAcknowledgement(ack, rtt, now);
}

void
RdmaReactionPoint::ReportAcknowledgement(const Acknowledgement& ack, RdmaPs rtt, RdmaPs now)
{
    const RdmaStreamState streams = m_endpoint.GetStreams();
    RdmaAckSample sample;
    sample.now = now;
    sample.ackedPackets = ack.after - ack.before;
    sample.ackedTo = streams.acked;
    sample.sentTo = streams.highestSent;
    sample.rtt = m_pacer.NoteRtt(rtt);
    sample.ecnEcho = ack.frame.becn;
    if (ack.frame.intEcho)
    {
        sample.hops = ack.frame.telemetry.data();
        sample.hopCount = static_cast<uint32_t>(ack.frame.telemetry.size());
    }
    if (ack.frame.pint != RdmaPintCode::NONE)
    {
        sample.utilisation = RdmaPintCode::Decode(ack.frame.pint);
    }
    RdmaRateController& controller = m_pacer.GetController();
    ack.nak ? controller.OnNak(sample) : controller.OnAck(sample);
    CheckPace(now);
}

void
RdmaReactionPoint::TimedOut(RdmaPs now)
{
    m_pacer.GetController().OnTimeout(now);
    CheckPace(now);
}

void
RdmaReactionPoint::CnpReceived(RdmaPs now)
{
    m_pacer.GetController().OnCnp(now);
    CheckPace(now);
}

void
RdmaReactionPoint::CheckPace(RdmaPs now)
{
    if (m_pacer.GetNext() > now)
    {
        m_endpoint.PaceChanged(now);
    }
}

void
RdmaReactionPoint::FillSample(RdmaQueuePairSample& sample)
{
    sample.rate = m_pacer.GetRate(sample.time);
    const RdmaRateController& controller = m_pacer.GetController();
    if (const uint64_t window = controller.GetWindowBytes();
        window != RdmaRateController::NO_WINDOW)
    {
        sample.windowBytes = window;
    }
    const RdmaCongestionState state = controller.GetState();
    if (state.alpha >= 0)
    {
        sample.alpha = state.alpha;
    }
    if (state.targetRateBps >= 0)
    {
        sample.targetRateBps = state.targetRateBps;
    }
    if (m_pacer.GetLatestRtt() >= 0_ps)
    {
        sample.rtt = m_pacer.GetLatestRtt();
    }
}

} // namespace ns3
