/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Congestion control of a queue pair: how it is set up, what it is told, what it allows, and how it
 * stands.
 */

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-pint.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

#include <ns3/abort.h>

namespace ns3
{

uint32_t
RdmaQueuePair::GetFullPacketBytes() const
{
    const RdmaOpcode full = IsIrn() ? RdmaOpcode::IRN_WRITE_MIDDLE : RdmaOpcode::RDMA_WRITE_MIDDLE;
    return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(full), m_pathMtu, m_frame.tagged) +
           m_nic->GetDevice(m_port).GetLineOverheadBytes();
}

uint32_t
RdmaQueuePair::GetAckBytes(uint32_t trailer) const
{
    const RdmaOpcode ack = IsIrn() ? RdmaOpcode::IRN_ACKNOWLEDGE : RdmaOpcode::ACKNOWLEDGE;
    return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(ack), 0, m_frame.tagged, trailer) +
           m_nic->GetDevice(m_port).GetLineOverheadBytes();
}

uint32_t
RdmaQueuePair::GetTrailerBytes(const QbbFrame& frame)
{
    return QbbWire::IntTrailerBytes(frame.intRoom) + (frame.pint != 0 ? QbbWire::PINT_BYTES : 0);
}

void
RdmaQueuePair::MakePacer()
{
    const Ptr<RdmaCongestionControl> control = m_nic->GetCongestionControl();
    m_pacer.reset();
    if (!control)
    {
        return;
    }
    const auto port = GetPort();
    RdmaPathProfile profile;
    profile.lineRateBps = port->GetLineRate().GetBitRate();
    profile.payloadBytes = m_pathMtu;
    profile.packetBytes = GetFullPacketBytes();
    profile.ackBytes = GetAckBytes(0);
    profile.seed = m_frame.flowHash;
    const RdmaNic::PathOracle& oracle = m_nic->GetPathOracle();
    if (oracle)
    {
        oracle(*this, profile);
    }
    uint32_t room = 0;
    uint32_t trailer = control->GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES : 0;
    if (control->NeedsInt())
    {
        // One record for each switch; as many as there may be where the path is not known.
        room = profile.hops > 1 ? profile.hops - 1 : RDMA_INT_MAX_HOPS;
        NS_ABORT_MSG_IF(room > RDMA_INT_MAX_HOPS,
                        "rdma: a path with " << room << " switches; telemetry has room for "
                                             << RDMA_INT_MAX_HOPS);
        NS_ABORT_MSG_IF(trailer > 0,
                        "rdma: congestion control asks for telemetry of each switch and for a byte "
                        "of utilisation; accepted: one of them");
        trailer = QbbWire::IntTrailerBytes(room);
    }
    if (trailer > 0)
    {
        profile.packetBytes += trailer;
        profile.ackBytes = GetAckBytes(trailer);
        if (oracle)
        {
            oracle(*this, profile); // the trailer takes its time on the way there and back
        }
        const uint32_t sdu = profile.packetBytes - port->GetLineOverheadBytes() -
                             QbbWire::MAC_HEADER_BYTES - QbbWire::FCS_BYTES +
                             QbbWire::IRN_EXTENSION_BYTES;
        NS_ABORT_MSG_IF(sdu > port->GetMtu(),
                        "rdma: path MTU " << m_pathMtu << " with " << trailer
                                          << " bytes of telemetry does not fit port MTU "
                                          << port->GetMtu() << "; set QbbNetDevice::Mtu to " << sdu
                                          << " or more");
    }
    m_pacer = std::make_unique<RdmaPacer>(control->MakeController(profile),
                                          profile.packetBytes,
                                          m_nic->GetMinRateBps(),
                                          control->NeedsRtt(),
                                          static_cast<uint8_t>(room),
                                          control->GetUtilisationPeriod());
}

bool
RdmaQueuePair::HasRoom() const
{
    // What is sent again takes room as well: a sender that has gone back has in flight what it has
    // sent since, and all before a hole is in flight.
    uint64_t inFlight = m_sender->GetNext() - m_sender->GetAcked();
    if (m_responses && m_responses->sender)
    {
        inFlight += m_responses->sender->GetNext() - m_responses->sender->GetAcked();
    }
    return m_pacer->HasRoom(inFlight);
}

void
RdmaQueuePair::CheckPace(int64_t nowPs)
{
    if (m_pacer->GetNextPs() > nowPs)
    {
        m_nic->PaceChanged(this, nowPs);
    }
}

RdmaAckSample
RdmaQueuePair::MakeRequestSample(const QbbFrame& frame,
                                 int64_t packet,
                                 uint64_t ackedBefore,
                                 int64_t nowPs) const
{
    const int64_t cause =
        IsIrn() ? RdmaFromPsn(m_initialPsn, frame.selectivePsn, ackedBefore) : packet;
    RdmaAckSample sample = MakeSample(frame,
                                      m_pacer->GetRttPs(cause, nowPs),
                                      m_sender->GetAcked() - ackedBefore,
                                      nowPs);
    m_pacer->OnAcked(m_sender->GetAcked());
    return sample;
}

RdmaAckSample
RdmaQueuePair::MakeSample(const QbbFrame& frame,
                          int64_t rttPs,
                          uint64_t ackedPackets,
                          int64_t nowPs) const
{
    RdmaAckSample sample;
    sample.nowPs = nowPs;
    sample.ackedPackets = ackedPackets;
    sample.ackedTo = m_sender->GetAcked();
    sample.sentTo = m_sender->GetHighestSent();
    if (m_responses && m_responses->sender)
    {
        // The controller is told of one stream: how many packets of both went and arrived.
        sample.ackedTo += m_responses->sender->GetAcked();
        sample.sentTo += m_responses->sender->GetHighestSent();
    }
    sample.rttPs = m_pacer->NoteRtt(rttPs);
    sample.ecnEcho = frame.becn;
    if (frame.intEcho)
    {
        sample.hops = frame.telemetry.data();
        sample.hopCount = static_cast<uint32_t>(frame.telemetry.size());
    }
    if (frame.pint != RdmaPintCode::NONE)
    {
        sample.utilisation = RdmaPintCode::Decode(frame.pint);
    }
    return sample;
}

RdmaQueuePairSample
RdmaQueuePair::GetSample() const
{
    RdmaQueuePairSample sample;
    sample.timePs = QbbNowPs();
    sample.qpn = m_qpn;
    sample.packetsInFlight = GetPacketsInFlight();
    sample.bytesInFlight =
        sample.packetsInFlight * (m_pacer ? m_pacer->GetPacketBytes() : GetFullPacketBytes());
    sample.packetsAcknowledged = m_sender->GetAcked();
    if (!m_pacer)
    {
        return sample;
    }
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
    return sample;
}

} // namespace ns3
