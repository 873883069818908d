/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-reaction-point.h"

#include "rdma-endpoint.h"
#include "rdma-pint.h"

#include <utility>

namespace ns3
{

RdmaReactionPoint::RdmaReactionPoint(RdmaEndpoint& endpoint, std::unique_ptr<RdmaPacer> pacer)
    : m_endpoint(endpoint),
      m_pacer(std::move(pacer))
{
}

bool
RdmaReactionPoint::HasRoom() const
{
    // What is sent again takes room as well: a sender that has gone back has in flight what it has
    // sent since, and all before a hole is in flight.
    const RdmaStreamState streams = m_endpoint.GetStreams();
    return m_pacer->HasRoom(streams.next - streams.acked);
}

void
RdmaReactionPoint::AskForTelemetry(QbbFrame& frame)
{
    const RdmaIntRoom room = m_pacer->GetIntRoom();
    frame.intFormat = room.format;
    frame.intRoom = room.records;
    frame.pint = m_pacer->AsksUtilisation() ? RdmaPintCode::LOWEST : RdmaPintCode::NONE;
}

void
RdmaReactionPoint::RequestSent(uint64_t packet, bool again, const QbbFrame& frame, int64_t nowPs)
{
    if (m_endpoint.MeasuresRtt())
    {
        m_pacer->TimePackets();
    }
    m_pacer->OnSent(packet, again, frame.size + m_endpoint.GetLineOverheadBytes(), nowPs);
}

void
RdmaReactionPoint::ResponseSent(const QbbFrame& frame, int64_t nowPs)
{
    m_pacer->OnResponseSent(frame.size + m_endpoint.GetLineOverheadBytes(), nowPs);
}

void
RdmaReactionPoint::ResponseSent(uint64_t response, bool again, const QbbFrame& frame, int64_t nowPs)
{
    if (m_endpoint.MeasuresRtt())
    {
        m_pacer->TimePackets();
    }
    const uint32_t bytes = frame.size + m_endpoint.GetLineOverheadBytes();
    m_pacer->OnResponseSent(response, again, bytes, nowPs);
}

void
RdmaReactionPoint::RequestsAcked(const Acknowledgement& ack, int64_t nowPs)
{
    const int64_t rttPs = m_pacer->GetRttPs(ack.cause, nowPs);
    m_pacer->OnAcked(ack.after);
    Tell(ack, rttPs, nowPs);
}

void
RdmaReactionPoint::ResponsesAcked(const Acknowledgement& ack, int64_t nowPs)
{
    const int64_t rttPs = m_pacer->GetResponseRttPs(ack.cause, nowPs);
    m_pacer->OnResponsesAcked(ack.after);
    Tell(ack, rttPs, nowPs);
}

void
RdmaReactionPoint::Tell(const Acknowledgement& ack, int64_t rttPs, int64_t nowPs)
{
    const RdmaStreamState streams = m_endpoint.GetStreams();
    RdmaAckSample sample;
    sample.nowPs = nowPs;
    sample.ackedPackets = ack.after - ack.before;
    sample.ackedTo = streams.acked;
    sample.sentTo = streams.highestSent;
    sample.rttPs = m_pacer->NoteRtt(rttPs);
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
    RdmaRateController& controller = m_pacer->GetController();
    ack.nak ? controller.OnNak(sample) : controller.OnAck(sample);
    CheckPace(nowPs);
}

void
RdmaReactionPoint::TimedOut(int64_t nowPs)
{
    m_pacer->GetController().OnTimeout(nowPs);
    CheckPace(nowPs);
}

void
RdmaReactionPoint::CnpReceived(int64_t nowPs)
{
    m_pacer->GetController().OnCnp(nowPs);
    CheckPace(nowPs);
}

void
RdmaReactionPoint::CheckPace(int64_t nowPs)
{
    if (m_pacer->GetNextPs() > nowPs)
    {
        m_endpoint.PaceChanged(nowPs);
    }
}

void
RdmaReactionPoint::FillSample(RdmaQueuePairSample& sample) const
{
    sample.rateBps = m_pacer->GetRateBps(sample.timePs);
    const RdmaRateController& controller = m_pacer->GetController();
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
    if (m_pacer->GetLatestRttPs() >= 0)
    {
        sample.rttPs = m_pacer->GetLatestRttPs();
    }
}

} // namespace ns3
