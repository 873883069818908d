/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-engine.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-refuse.h"
#include "rdma-warnings.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Searches the network behind ports for a port whose rate has no code in RdmaIntFormat::PAPER.
 * Follows cables and switches, without counting references, because other nodes may run on other
 * threads.
 *
 * \param nic a NIC
 * \param port index of a port of the NIC, which stands for all ports of its bond
 * \return the first such port; null if there is none
 */
const QbbPort*
FindPortWithoutCode(const RdmaNic& nic, uint32_t port)
{
    std::vector<const QbbPort*> open;
    for (const uint32_t start : nic.GetBond(port))
    {
        open.push_back(&nic.GetDevice(start));
    }
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

/// Ports of entropies have these bits, and the entropy in the others.
constexpr uint32_t ENTROPY_PORTS = 0x10000 - RdmaEntropy::MOST_ENTROPIES;

/** \return true for an acknowledgement or NAK, which may repeat the source port of a packet */
bool
IsAcknowledgement(uint8_t opcode)
{
    return opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE) ||
           opcode == static_cast<uint8_t>(RdmaOpcode::IRN_ACKNOWLEDGE) ||
           opcode == static_cast<uint8_t>(RdmaOpcode::IRN_READ_ACKNOWLEDGE);
}

} // namespace

RdmaPacketEngine::RdmaPacketEngine(RdmaQueuePair& queuePair)
    : m_queuePair(queuePair),
      m_timer(this)
{
}

RdmaPacketEngine::~RdmaPacketEngine() = default;

RdmaPacketEngine&
RdmaPacketEngine::Of(RdmaQueuePair& qp)
{
    return qp.m_engine;
}

const RdmaPacketEngine&
RdmaPacketEngine::Of(const RdmaQueuePair& qp)
{
    return qp.m_engine;
}

void
RdmaPacketEngine::Start(RdmaNic* nic, uint32_t port, uint32_t qpn, const RdmaTransport& transport)
{
    m_nic = nic;
    m_device = &nic->GetDevice(port);
    m_port = static_cast<uint16_t>(port);
    m_frame.srcIp = nic->GetAddress(port).Get();
    connection.qpn = qpn;
    connection.ackInterval = transport.GetAckInterval();
    connection.transport = &transport;
    connection.pipeline = nic->MakeSendPipeline(*this);
    m_requester = transport.MakeRequester(*this);
    m_responder = transport.MakeResponder(*this);
    connection.state = RdmaQpState::INIT;
}

void
RdmaPacketEngine::Restart(uint32_t port, uint32_t qpn)
{
    m_device = &m_nic->GetDevice(port);
    m_port = static_cast<uint16_t>(port);
    m_answerTurn = false;
    m_frame = QbbFrameHeaders();
    m_frame.srcIp = m_nic->GetAddress(port).Get();
    connection.qpn = qpn;
    connection.ackInterval = connection.transport->GetAckInterval();
    connection.reaction.reset();
    connection.pipeline = m_nic->MakeSendPipeline(*this);
    if (m_usesResponder)
    {
        m_responder->SetSharedReceiveQueue(nullptr);
    }
    m_usesRequester = false;
    m_usesResponder = false;
    connection.state = RdmaQpState::INIT;
}

bool
RdmaPacketEngine::IsAtRest(RdmaPs now) const
{
    const RdmaQueuePairCounters& counters = connection.counters;
    const bool isPlain =
        counters.duplicates == 0 && counters.outOfOrder == 0 && counters.naksSent == 0;
    const bool hasMarks = connection.ceSeen || m_marks.due || m_marks.next > now;
    const RdmaReplyDelays& replies = m_nic->GetReplies();
    const bool hasSends = m_usesRequester && m_requester->GetPosted() > 0;
    return connection.state == RdmaQpState::RTS && isPlain && !hasMarks && !m_queued &&
           !HasAnswer() && !hasSends && m_responder->GetReceives() == 0 &&
           !m_responder->GetSharedReceiveQueue() && connection.GetRequestDeadline() == RDMA_NEVER &&
           connection.responseDeadline == RDMA_NEVER && !replies.Delays(RdmaReplyDelays::ACK) &&
           !replies.Delays(RdmaReplyDelays::CNP);
}

void
RdmaPacketEngine::Stop()
{
    m_timer.Disarm();
    m_chooser.reset();
    connection.state = RdmaQpState::RESET;
    connection.reaction.reset();
    connection.pipeline.reset();
    m_nic = nullptr;
    if (m_responder)
    {
        m_responder->SetSharedReceiveQueue(nullptr);
    }
}

void
RdmaPacketEngine::Reset()
{
    m_timer.Disarm();
    connection.limits.reset();
    connection.timerOff = false;
    connection.passive = false;
    connection.counters = RdmaQueuePairCounters();
    connection.ceSeen = false;
    connection.msn = 0;
    if (connection.pipeline)
    {
        connection.pipeline->Reset();
    }
    m_nic->GetReplies().Forget(this);
    if (m_usesRequester)
    {
        m_requester->Reset();
    }
    if (m_usesResponder)
    {
        m_responder->Reset();
    }
    m_marks = RdmaNotificationPoint::Marks();
    m_isMarked = false;
}

void
RdmaPacketEngine::Fail(RdmaWcStatus status, uint64_t packet)
{
    if (connection.state == RdmaQpState::ERR)
    {
        return;
    }
    m_timer.Disarm();
    GetRequester().End();
    GetResponder().End();
    m_queuePair.SetState(RdmaQpState::ERR);
    const RdmaPs now = RdmaNow();
    m_requester->FlushAll(status, packet, now);
    m_responder->FlushReceives(now);
}

void
RdmaPacketEngine::SetFrame(const QbbFrameHeaders& fields, uint8_t cnpDscp)
{
    m_frame = fields;
    m_cnpDscp = cnpDscp;
    m_chooser = m_nic->MakeEntropyChooser();
    connection.echoPort = m_nic->HasSourcePortEcho() ? fields.srcPort : 0;
    if (const auto& watcher = m_nic->GetConnectionWatcher())
    {
        watcher(*this);
    }
    if (!connection.passive)
    {
        GetRequester().GetSender();
    }
}

void
RdmaPacketEngine::SetLossy(bool mayLose)
{
    connection.timerOff = !mayLose;
    GetRequester().RenewSender();
}

uint32_t
RdmaPacketEngine::GetFullPacketBytes() const
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(connection.transport->GetPacketFormat().write);
    return QbbWire::RoceFrameBytes(info, connection.pathMtu, m_frame.tagged) +
           m_device->GetLineOverheadBytes();
}

uint32_t
RdmaPacketEngine::GetAckBytes(uint32_t trailer) const
{
    const RdmaOpcodeInfo& info =
        GetRdmaOpcodeInfo(connection.transport->GetPacketFormat().acknowledge);
    return QbbWire::RoceFrameBytes(info, 0, m_frame.tagged, trailer) +
           m_device->GetLineOverheadBytes();
}

void
RdmaPacketEngine::StartCongestionControl()
{
    connection.reaction.reset();
    const RdmaCongestionControl* const control = m_nic->PeekCongestionControl();
    if (!control || connection.passive)
    {
        return;
    }
    control->NoteUse();
    RdmaPathProfile profile;
    profile.lineRate = GetDevice().GetLineRate().GetBitRate();
    profile.payloadBytes = connection.pathMtu;
    profile.packetBytes = GetFullPacketBytes();
    profile.ackBytes = GetAckBytes(0);
    profile.seed = m_frame.flowHash;
    if (control->NeedsPath())
    {
        QueryPathOracle(profile);
    }
    const RdmaIntRoom room = PlanTelemetry(*control, profile);
    const uint32_t trailer = (control->GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES : 0) +
                             QbbWire::IntTrailerBytes(room.format, room.records);
    if (trailer > 0)
    {
        AddTrailer(trailer, profile);
    }
    profile.intFormat = room.format;
    connection.reaction =
        std::make_unique<RdmaReactionPoint>(*this,
                                            RdmaPacer(control->MakeController(profile),
                                                      profile.packetBytes,
                                                      RdmaBitRate(m_nic->GetMinRate()),
                                                      control->NeedsRtt(),
                                                      room,
                                                      control->GetUtilisationPeriod(),
                                                      m_nic->HasPaceCatchUp()));
    if (profile.spread)
    {
        connection.reaction->GetPacer().SmoothRtt(control->GetSpreadRttGain());
    }
}

void
RdmaPacketEngine::QueryPathOracle(RdmaPathProfile& profile) const
{
    if (const RdmaNic::PathOracle& oracle = m_nic->GetPathOracle())
    {
        oracle(m_queuePair, profile);
    }
}

RdmaIntRoom
RdmaPacketEngine::PlanTelemetry(const RdmaCongestionControl& control,
                                RdmaPathProfile& profile) const
{
    RdmaIntFormat format = control.GetIntFormat();
    if (format == RdmaIntFormat::NONE)
    {
        return RdmaIntRoom();
    }
    if (profile.intFormat == RdmaIntFormat::NONE)
    {
        const QbbPort* const port = FindPortWithoutCode(*m_nic, m_port);
        RefuseRdmaIf(
            format == RdmaIntFormat::PAPER && port,
            control.GetInstanceTypeId().GetName(),
            GetRdmaNoCodeMessage(port ? port->GetLineRate().GetBitRate() : RdmaBitRate(0)));
        profile.intFormat = port ? RdmaIntFormat::EXACT : RdmaIntFormat::PAPER;
    }
    format = format == RdmaIntFormat::AUTO ? profile.intFormat : format;
    // One record for each switch; the maximum if the path is unknown.
    const uint32_t room = profile.hops > 1 ? profile.hops - 1 : RDMA_INT_MAX_HOPS;
    RefuseRdmaIf(room > RDMA_INT_MAX_HOPS,
                 control.GetInstanceTypeId().GetName(),
                 ": a path with ",
                 room,
                 " switches; telemetry has room for ",
                 RDMA_INT_MAX_HOPS);
    RefuseRdmaIf(control.GetUtilisationPeriod() > 0,
                 control.GetInstanceTypeId().GetName(),
                 " asks for telemetry of each switch and for a byte of utilisation; accepted: one "
                 "of them");
    return {format, static_cast<uint8_t>(room)};
}

void
RdmaPacketEngine::AddTrailer(uint32_t trailer, RdmaPathProfile& profile) const
{
    profile.packetBytes += trailer;
    profile.ackBytes = GetAckBytes(trailer);
    QueryPathOracle(profile); // again: the trailer lengthens the base round trip
    const QbbNetDevice& port = GetDevice();
    const uint32_t sdu = connection.pathMtu +
                         connection.transport->GetPacketFormat().extensionBytes +
                         QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                         QbbWire::BTH_BYTES + QbbWire::ICRC_BYTES + trailer;
    RefuseRdmaIf(sdu > port.GetMtu(),
                 "path MTU ",
                 connection.pathMtu,
                 " with ",
                 trailer,
                 " bytes of telemetry does not fit port MTU ",
                 port.GetMtu(),
                 "; set QbbNetDevice::Mtu to ",
                 sdu,
                 " or more");
}

QbbNetDevice&
RdmaPacketEngine::GetDevice() const
{
    return *m_device;
}

std::vector<uint32_t>
RdmaPacketEngine::GetBond() const
{
    return m_nic->IsBonded(m_port) ? m_nic->GetBond(m_port) : std::vector<uint32_t>();
}

QbbNetDevice&
RdmaPacketEngine::GetDeviceOf(uint32_t port) const
{
    return m_nic->GetDevice(port);
}

void
RdmaPacketEngine::ChooseBondPort(uint32_t flowHash)
{
    UsePort(m_nic->ChoosePort(m_port, flowHash));
}

void
RdmaPacketEngine::UsePort(uint32_t port)
{
    m_port = static_cast<uint16_t>(port);
    m_device = &m_nic->GetDevice(port);
    m_frame.srcMac = m_device->GetMac();
    m_frame.dstMac = m_device->GetPeerMac();
}

uint32_t
RdmaPacketEngine::GetNodeId() const
{
    return GetDevice().GetNodeId();
}

QbbFramePtr
RdmaPacketEngine::MakeNextFrame()
{
    const RdmaPs now = RdmaNow();
    QbbFramePtr frame;
    // Requests and responses alternate.
    if (HasAnswer() && (m_answerTurn || !m_requester->CanSend()))
    {
        m_answerTurn = false;
        if (m_requester->HasProbe())
        {
            frame = m_requester->MakeProbe();
        }
        else
        {
            frame = m_responder->MakeFrame(now);
        }
    }
    else
    {
        m_answerTurn = true;
        frame = m_nic->GetPool().Allocate(m_frame);
        m_requester->FillNext(*frame, now);
    }
    if (m_chooser)
    {
        Spread(*frame, now);
    }
    SyncTimer();
    return frame;
}

void
RdmaPacketEngine::Spread(QbbFrame& frame, RdmaPs now)
{
    if (!IsAcknowledgement(frame.opcode))
    {
        const uint32_t port = uint32_t{m_frame.srcPort} + m_chooser->Choose(now);
        SetRdmaSourcePort(frame, static_cast<uint16_t>(ENTROPY_PORTS | port));
    }
}

void
RdmaPacketEngine::LearnEntropy(const QbbFrame& frame, RdmaPs now)
{
    if (IsAcknowledgement(frame.opcode))
    {
        m_chooser->OnReturn((uint32_t{frame.srcPort} - m_frame.srcPort) & ~ENTROPY_PORTS & 0xffff,
                            frame.becn,
                            now);
    }
}

void
RdmaPacketEngine::TimedOut(RdmaPs now)
{
    if (m_chooser)
    {
        m_chooser->OnTimeout(now);
    }
}

void
RdmaPacketEngine::ReceiveFrame(const QbbFrame& frame)
{
    const RdmaQpState state = connection.state;
    const bool ready =
        state == RdmaQpState::RTS || state == RdmaQpState::RTR || state == RdmaQpState::SQD;
    if (!ready || frame.srcIp != m_frame.dstIp || frame.dstIp != m_frame.srcIp)
    {
        m_device->CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    const RdmaPs now = RdmaNow();
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
    {
        ++connection.counters.cnpsReceived;
        if (connection.reaction)
        {
            connection.reaction->CnpReceived(now);
        }
        m_nic->SampleChanged(*this);
        if (MayResume())
        {
            MakeReady();
        }
        return;
    }
    constexpr uint8_t CE = 3;
    if (frame.ecn == CE)
    {
        connection.ceSeen = true;
        m_marks.Add(now);
        m_isMarked = true;
    }
    if (m_isMarked)
    {
        const bool notifies =
            m_nic->GetNotificationPoint().Notify(m_marks,
                                                 m_port,
                                                 m_frame.dstIp,
                                                 connection.counters.packetsAccepted,
                                                 now);
        m_isMarked = m_marks.due;
        if (notifies)
        {
            SendCnp();
        }
    }
    if (m_chooser)
    {
        LearnEntropy(frame, now);
    }
    if (connection.echoPort > 0)
    {
        connection.echoPort = frame.srcPort;
    }
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    if (info.request)
    {
        GetResponder().Receive(frame, info, now);
    }
    else
    {
        RdmaRequester& requester = GetRequester();
        requester.PrefetchParts();
        requester.Receive(frame, info, now);
    }
    SyncTimer();
    if (MayResume())
    {
        MakeReady();
    }
}

bool
RdmaPacketEngine::MayResume() const
{
    // Requests and responses share the window. An event that makes room for the one side may also
    // end the wait of the other.
    return connection.reaction && connection.reaction->GetPacer().MayHaveWindow() && !m_queued &&
           CanSend();
}

void
RdmaPacketEngine::OnTimer()
{
    const RdmaPs now = RdmaNow();
    if (connection.GetRequestDeadline() <= now)
    {
        m_requester->OnTimer(now);
    }
    if (connection.responseDeadline <= now)
    {
        m_responder->OnTimer(now);
    }
    SyncTimer();
    if (MayResume())
    {
        Activate();
    }
}

void
RdmaPacketEngine::SyncTimer()
{
    const RdmaPs deadline = std::min(connection.GetRequestDeadline(), connection.responseDeadline);
    if (deadline != RdmaSender::NO_DEADLINE)
    {
        m_isTimed = true;
        m_timer.Arm(deadline);
    }
    else if (m_isTimed)
    {
        m_isTimed = false;
        m_timer.Disarm();
    }
}

void
RdmaPacketEngine::SendCnp()
{
    QbbFramePtr frame = NewFrame();
    RdmaNotificationPoint::Fill(*frame, *m_device, m_cnpDscp);
    ++connection.counters.cnpsSent;
    Reply(RdmaReplyDelays::CNP, std::move(frame));
}

QbbFramePtr
RdmaPacketEngine::NewFrame()
{
    return m_nic->GetPool().Allocate(m_frame);
}

void
RdmaPacketEngine::Reply(RdmaReplyDelays::Kind kind, QbbFramePtr frame)
{
    QbbPort& port = *m_device;
    if (RdmaReplyDelays& replies = m_nic->GetReplies(); replies.Delays(kind))
    {
        replies.Send(kind, this, port, std::move(frame));
        return;
    }
    port.Enqueue(std::move(frame));
}

void
RdmaPacketEngine::Send(QbbFramePtr frame)
{
    Reply(RdmaReplyDelays::ACK, std::move(frame));
}

RdmaPs
RdmaPacketEngine::GetAnswerTime() const
{
    const RdmaPs turnaround = m_nic->GetReplies().GetDelay(RdmaReplyDelays::ACK);
    return turnaround > 0_ps ? RdmaNow() + turnaround : 0_ps;
}

void
RdmaPacketEngine::Drop(const QbbFrame& frame, QbbDropReason reason)
{
    m_device->CountDrop(frame, reason);
}

void
RdmaPacketEngine::Activate()
{
    m_nic->GetScheduler().Activate(this);
}

void
RdmaPacketEngine::MakeReady()
{
    m_nic->GetScheduler().MakeReady(this);
}

void
RdmaPacketEngine::SampleChanged()
{
    m_nic->SampleChanged(*this);
}

RdmaMemory&
RdmaPacketEngine::GetMemory()
{
    return m_nic->GetMemory();
}

void
RdmaPacketEngine::CompleteSend(const RdmaWorkCompletion& completion, bool queued)
{
    m_queuePair.SendCompleted(completion, queued);
}

void
RdmaPacketEngine::CompleteReceive(const RdmaWorkCompletion& completion)
{
    m_queuePair.ReceiveCompleted(completion);
}

void
RdmaPacketEngine::MessageArrived(const RdmaMessageArrival& arrival)
{
    m_queuePair.MessageArrived(arrival);
}

RdmaStreamState
RdmaPacketEngine::GetStreams() const
{
    return m_requester->GetStream() + m_responder->GetStream();
}

void
RdmaPacketEngine::BecomeActive()
{
    connection.passive = false;
    StartCongestionControl();
}

void
RdmaPacketEngine::PaceChanged(RdmaPs now)
{
    m_nic->GetScheduler().PaceChanged(this, now);
}

void
RdmaPacketEngine::WarnOfUnslowedResponses()
{
    const RdmaCongestionControl* const control = m_nic->PeekCongestionControl();
    if (control && !control->NeedsCnp() && control->IsFirstWarning())
    {
        RdmaWarnOnce(std::cerr,
                     "rdma: warning: " + control->GetInstanceTypeId().GetName() +
                         " does not slow READ responses over RoCE, which nobody acknowledges "
                         "(IrnTransport has them acknowledged)\n");
    }
}

bool
RdmaPacketEngine::MeasuresRtt() const
{
    return m_nic->MeasuresRtt();
}

uint32_t
RdmaPacketEngine::GetLineOverheadBytes() const
{
    return m_device->GetLineOverheadBytes();
}

} // namespace ns3
