/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-reaction-plan.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"

#include <ns3/abort.h>

namespace ns3
{

RdmaReactionPlan::RdmaReactionPlan(const RdmaQueuePair& qp, const RdmaCongestionControl& control)
    : m_qp(qp),
      m_control(control)
{
    const RdmaPacketEngine& engine = RdmaPacketEngine::Of(qp);
    m_profile.lineRate = qp.GetPort()->GetLineRate().GetBitRate();
    m_profile.payloadBytes = qp.GetPathMtu();
    m_profile.packetBytes = engine.GetFullPacketBytes();
    m_profile.ackBytes = engine.GetAckBytes(0);
    m_profile.seed = qp.GetFlowHash();
    AskOracle();
    const uint32_t trailer = PlanTelemetry();
    if (trailer > 0)
    {
        AddTrailer(trailer);
    }
}

std::unique_ptr<RdmaReactionPoint>
RdmaReactionPlan::MakeReactionPoint(RdmaEndpoint& endpoint) const
{
    return std::make_unique<RdmaReactionPoint>(
        endpoint,
        RdmaPacer(m_control.MakeController(m_profile),
                  m_profile.packetBytes,
                  RdmaPacketEngine::Of(m_qp).GetNic()->GetMinRateBps(),
                  m_control.NeedsRtt(),
                  m_intRoom,
                  m_control.GetUtilisationPeriod(),
                  RdmaPacketEngine::Of(m_qp).GetNic()->CatchesUp()));
}

void
RdmaReactionPlan::AskOracle()
{
    if (const RdmaNic::PathOracle& oracle = RdmaPacketEngine::Of(m_qp).GetNic()->GetPathOracle())
    {
        oracle(m_qp, m_profile);
    }
}

uint32_t
RdmaReactionPlan::PlanTelemetry()
{
    const uint32_t trailer = m_control.GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES : 0;
    const RdmaIntFormat format = m_control.GetIntFormat();
    if (format == RdmaIntFormat::NONE)
    {
        return trailer;
    }
    // One record for each switch; the maximum if the path is unknown.
    const uint32_t room = m_profile.hops > 1 ? m_profile.hops - 1 : RDMA_INT_MAX_HOPS;
    NS_ABORT_MSG_IF(room > RDMA_INT_MAX_HOPS,
                    "rdma: a path with " << room << " switches; telemetry has room for "
                                         << RDMA_INT_MAX_HOPS);
    NS_ABORT_MSG_IF(trailer > 0,
                    "rdma: congestion control asks for telemetry of each switch and for a byte "
                    "of utilisation; accepted: one of them");
    m_intRoom = {format, static_cast<uint8_t>(room)};
    return QbbWire::IntTrailerBytes(format, room);
}

void
RdmaReactionPlan::AddTrailer(uint32_t trailer)
{
    m_profile.packetBytes += trailer;
    m_profile.ackBytes = RdmaPacketEngine::Of(m_qp).GetAckBytes(trailer);
    AskOracle(); // again: the trailer lengthens the base round trip
    const auto port = m_qp.GetPort();
    const uint32_t sdu = m_profile.packetBytes - port->GetLineOverheadBytes() -
                         QbbWire::MAC_HEADER_BYTES - QbbWire::FCS_BYTES +
                         QbbWire::IRN_EXTENSION_BYTES;
    NS_ABORT_MSG_IF(sdu > port->GetMtu(),
                    "rdma: path MTU " << m_qp.GetPathMtu() << " with " << trailer
                                      << " bytes of telemetry does not fit port MTU "
                                      << port->GetMtu() << "; set QbbNetDevice::Mtu to " << sdu
                                      << " or more");
}

} // namespace ns3
