/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-reaction-plan.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Searches the network behind a port for a port whose rate has no code in RdmaIntFormat::PAPER.
 * Follows cables and switches, without counting references, because other nodes may run on other
 * threads.
 *
 * \param port port of a host
 * \return the first such port; null if there is none
 */
const QbbPort*
FindPortWithoutCode(const QbbPort& port)
{
    std::vector<const QbbPort*> open{&port};
    std::set<const QbbFrameSink*> seen;
    while (!open.empty())
    {
        const QbbPort* const next = open.back();
        open.pop_back();
        if (GetRdmaIntRateCode(next->GetLineRate().GetBitRate()) == 0)
        {
            return next;
        }
        const QbbPort* const peer = next->GetPeer();
        if (peer && peer->GetSink() && seen.insert(peer->GetSink()).second)
        {
            const auto onward = peer->GetSink()->GetOnwardPorts();
            open.insert(open.end(), onward.begin(), onward.end());
        }
    }
    return nullptr;
}

} // namespace

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
    m_profile.intFormat = m_intRoom.format;
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
    RdmaIntFormat format = m_control.GetIntFormat();
    if (format == RdmaIntFormat::NONE)
    {
        return trailer;
    }
    if (m_profile.intFormat == RdmaIntFormat::NONE)
    {
        const QbbPort* const port = FindPortWithoutCode(*m_qp.GetPort());
        RefuseRdmaIf(format == RdmaIntFormat::PAPER && port,
                     m_control.GetInstanceTypeId().GetName(),
                     GetRdmaNoCodeMessage(port ? port->GetLineRate().GetBitRate() : QbbBitRate(0)));
        m_profile.intFormat = port ? RdmaIntFormat::EXACT : RdmaIntFormat::PAPER;
    }
    format = format == RdmaIntFormat::AUTO ? m_profile.intFormat : format;
    // One record for each switch; the maximum if the path is unknown.
    const uint32_t room = m_profile.hops > 1 ? m_profile.hops - 1 : RDMA_INT_MAX_HOPS;
    RefuseRdmaIf(room > RDMA_INT_MAX_HOPS,
                 m_control.GetInstanceTypeId().GetName(),
                 ": a path with ",
                 room,
                 " switches; telemetry has room for ",
                 RDMA_INT_MAX_HOPS);
    RefuseRdmaIf(trailer > 0,
                 m_control.GetInstanceTypeId().GetName(),
                 " asks for telemetry of each switch and for a byte of utilisation; accepted: one "
                 "of them");
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
                         QbbWire::MAC_HEADER_BYTES - QbbWire::FCS_BYTES -
                         (m_qp.IsTagged() ? QbbWire::VLAN_TAG_BYTES : 0) +
                         QbbWire::IRN_EXTENSION_BYTES;
    RefuseRdmaIf(sdu > port->GetMtu(),
                 "path MTU ",
                 m_qp.GetPathMtu(),
                 " with ",
                 trailer,
                 " bytes of telemetry does not fit port MTU ",
                 port->GetMtu(),
                 "; set QbbNetDevice::Mtu to ",
                 sdu,
                 " or more");
}

} // namespace ns3
