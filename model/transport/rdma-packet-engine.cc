/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-engine.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaPacketEngine::RdmaPacketEngine(RdmaVerbsEvents& events)
    : m_events(events),
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
    m_port = port;
    m_connection.qpn = qpn;
    m_connection.ackInterval = transport.GetAckInterval();
    m_connection.transport = &transport;
    m_connection.pipeline = nic->MakeSendPipeline(*this);
    m_requester = transport.MakeRequester(*this);
    m_responder = transport.MakeResponder(*this);
    m_connection.state = RdmaQpState::INIT;
}

void
RdmaPacketEngine::Stop()
{
    m_timer.Disarm();
    m_connection.state = RdmaQpState::RESET;
    m_connection.reaction.reset();
    m_connection.pipeline.reset();
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
    m_connection.limits.reset();
    m_connection.timerOff = false;
    m_connection.counters = RdmaQueuePairCounters();
    m_connection.ceSeen = false;
    m_connection.msn = 0;
    if (m_connection.pipeline)
    {
        m_connection.pipeline->Reset();
    }
    m_nic->GetReplies().Forget(this);
    m_requester->Reset();
    m_responder->Reset();
    m_marks = RdmaNotificationPoint::Marks();
}

void
RdmaPacketEngine::End()
{
    m_timer.Disarm();
    m_requester->End();
    m_responder->End();
}

void
RdmaPacketEngine::SetFrame(const QbbFrameHeaders& fields, uint8_t cnpDscp)
{
    m_frame = fields;
    m_cnpDscp = cnpDscp;
    if (const auto& watcher = m_nic->GetConnectionWatcher())
    {
        watcher(*this);
    }
}

void
RdmaPacketEngine::SetLossy(bool mayLose)
{
    m_connection.timerOff = !mayLose;
    m_requester->RenewSender();
}

Ptr<QbbNetDevice>
RdmaPacketEngine::GetPort() const
{
    return m_nic->GetPort(m_port);
}

Ipv4Address
RdmaPacketEngine::GetLocalAddress() const
{
    return m_nic->GetAddress(m_port);
}

const RdmaCongestionControl*
RdmaPacketEngine::GetCongestionControl() const
{
    return m_nic->PeekCongestionControl();
}

uint32_t
RdmaPacketEngine::GetFullPacketBytes() const
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(m_connection.transport->GetPacketFormat().write);
    return QbbWire::RoceFrameBytes(info, m_connection.pathMtu, m_frame.tagged) +
           m_nic->GetDevice(m_port).GetLineOverheadBytes();
}

uint32_t
RdmaPacketEngine::GetAckBytes(uint32_t trailer) const
{
    const RdmaOpcodeInfo& info =
        GetRdmaOpcodeInfo(m_connection.transport->GetPacketFormat().acknowledge);
    return QbbWire::RoceFrameBytes(info, 0, m_frame.tagged, trailer) +
           m_nic->GetDevice(m_port).GetLineOverheadBytes();
}

RdmaQueuePairSample
RdmaPacketEngine::GetSample() const
{
    RdmaReactionPoint* const reaction = m_connection.reaction.get();
    const RdmaStreamState requests = m_requester->GetStream();
    RdmaQueuePairSample sample;
    sample.time = QbbNow();
    sample.qpn = m_connection.qpn;
    sample.packetsInFlight = requests.highestSent - requests.acked;
    sample.bytesInFlight =
        sample.packetsInFlight *
        (reaction ? reaction->GetPacer().GetPacketBytes() : GetFullPacketBytes());
    sample.packetsAcknowledged = requests.acked;
    if (reaction)
    {
        reaction->FillSample(sample);
    }
    return sample;
}

const QbbPort&
RdmaPacketEngine::GetDevice() const
{
    return m_nic->GetDevice(m_port);
}

uint32_t
RdmaPacketEngine::GetNodeId() const
{
    return GetDevice().GetNodeId();
}

QbbFramePtr
RdmaPacketEngine::MakeNextFrame()
{
    const QbbPs now = QbbNow();
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
    SyncTimer();
    return frame;
}

void
RdmaPacketEngine::ReceiveFrame(const QbbFrame& frame)
{
    const RdmaQpState state = m_connection.state;
    const bool ready =
        state == RdmaQpState::RTS || state == RdmaQpState::RTR || state == RdmaQpState::SQD;
    if (!ready || frame.srcIp != m_frame.dstIp || frame.dstIp != m_frame.srcIp)
    {
        m_nic->GetDevice(m_port).CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    const QbbPs now = QbbNow();
    if (frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
    {
        ++m_connection.counters.cnpsReceived;
        if (m_connection.reaction)
        {
            m_connection.reaction->CnpReceived(now);
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
        m_connection.ceSeen = true;
        m_marks.Add(now);
    }
    if (m_marks.due && m_nic->GetNotificationPoint().Notify(m_marks, m_port, m_frame.dstIp, now))
    {
        SendCnp();
    }
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
    if (info.request)
    {
        m_responder->Receive(frame, info, now);
    }
    else
    {
        m_requester->Receive(frame, info, now);
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
    return m_connection.reaction && m_connection.reaction->GetPacer().MayHaveWindow() &&
           !m_queued && CanSend();
}

void
RdmaPacketEngine::OnTimer()
{
    const QbbPs now = QbbNow();
    if (m_requester->GetDeadline() <= now)
    {
        m_requester->OnTimer(now);
    }
    if (m_responder->GetDeadline() <= now)
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
    const QbbPs deadline = std::min(m_requester->GetDeadline(), m_responder->GetDeadline());
    if (deadline == RdmaSender::NO_DEADLINE)
    {
        m_timer.Disarm();
    }
    else
    {
        m_timer.Arm(deadline);
    }
}

void
RdmaPacketEngine::SendCnp()
{
    QbbFramePtr frame = NewFrame();
    RdmaNotificationPoint::Fill(*frame, m_nic->GetDevice(m_port), m_cnpDscp);
    ++m_connection.counters.cnpsSent;
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
    QbbPort& port = m_nic->GetDevice(m_port);
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

QbbPs
RdmaPacketEngine::GetAnswerTime() const
{
    const QbbPs turnaround = m_nic->GetReplies().GetDelay(RdmaReplyDelays::ACK);
    return turnaround > 0_ps ? QbbNow() + turnaround : 0_ps;
}

void
RdmaPacketEngine::Drop(const QbbFrame& frame, QbbDropReason reason)
{
    m_nic->GetDevice(m_port).CountDrop(frame, reason);
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
    m_events.OnSendCompletion(completion, queued);
}

void
RdmaPacketEngine::CompleteReceive(const RdmaWorkCompletion& completion)
{
    m_events.OnReceiveCompletion(completion);
}

void
RdmaPacketEngine::MessageArrived(const RdmaMessageArrival& arrival)
{
    m_events.OnMessage(arrival);
}

void
RdmaPacketEngine::Fail(RdmaWcStatus status, uint64_t packet)
{
    m_events.OnFailure(status, packet);
}

RdmaStreamState
RdmaPacketEngine::GetStreams() const
{
    return m_requester->GetStream() + m_responder->GetStream();
}

void
RdmaPacketEngine::PaceChanged(QbbPs now)
{
    m_nic->GetScheduler().PaceChanged(this, now);
}

void
RdmaPacketEngine::WarnOfUnheardResponses()
{
    m_nic->WarnOfUnheardResponses();
}

bool
RdmaPacketEngine::MeasuresRtt() const
{
    return m_nic->MeasuresRtt();
}

uint32_t
RdmaPacketEngine::GetLineOverheadBytes() const
{
    return m_nic->GetDevice(m_port).GetLineOverheadBytes();
}

} // namespace ns3
