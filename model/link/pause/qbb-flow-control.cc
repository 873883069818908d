/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-flow-control.h"

#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

QbbFlowControl::QbbFlowControl(QbbFlowControlPort& port)
    : m_port(port)
{
}

QbbFlowControl::Pausing&
QbbFlowControl::GetPausing()
{
    if (!m_pausing)
    {
        m_pausing = std::make_unique<Pausing>(this);
    }
    return *m_pausing;
}

// Must follow each change of m_sender and m_receiver.
void
QbbFlowControl::UpdateState()
{
    m_state.paused = m_receiver.GetPaused();
    m_state.isPending = m_sender.IsPending();
    m_state.isActive =
        m_state.paused || m_sender.GetWanted() || m_receiver.GetNextEffect() != RDMA_NEVER;
}

uint8_t
QbbFlowControl::GetLosslessClasses() const
{
    switch (m_settings.kind)
    {
    case PFC:
        return m_settings.classes;
    case PAUSE:
        return 0xff;
    case NONE:
        break;
    }
    return 0;
}

void
QbbFlowControl::Start(const RdmaLineRate& rate)
{
    m_receiver.SetRate(rate);
    m_sender.Configure(rate, m_settings.quanta, m_settings.refresh);
}

void
QbbFlowControl::Stop()
{
    if (m_pausing)
    {
        m_pausing->effectTimer.Disarm();
        m_pausing->expiryTimer.Disarm();
        m_pausing->refreshTimer.Disarm();
    }
}

void
QbbFlowControl::RequestPause(uint8_t priority, bool pause)
{
    RequestPauses(static_cast<uint8_t>(1U << priority), pause);
}

void
QbbFlowControl::RequestPauses(uint8_t classes, bool pause)
{
    if (m_settings.kind == PAUSE)
    {
        // An 802.3x PAUSE stops all classes while any class is to be paused.
        m_plainWanted = pause ? m_plainWanted | classes : m_plainWanted & ~classes;
        pause = m_plainWanted;
        classes = 0xff;
    }
    for (uint8_t p = 0; classes >> p; ++p)
    {
        if (classes & (1U << p))
        {
            m_sender.Request(p, pause);
        }
    }
    UpdateState();
    m_port.FlowChanged();
}

void
QbbFlowControl::InjectPause(uint8_t classes, uint16_t quanta)
{
    m_sender.Inject(m_settings.kind == PAUSE ? 0xff : classes, quanta);
    UpdateState();
    m_port.FlowChanged();
}

void
QbbFlowControl::SetPauseAllowed(uint8_t classes)
{
    m_sender.SetAllowed(classes);
    UpdateState();
    m_port.FlowChanged();
}

void
QbbFlowControl::SetPauseHonoured(uint8_t classes)
{
    const RdmaPs now = RdmaNow();
    const bool resumed = m_receiver.SetHonoured(now, classes);
    UpdateState();
    ArmTimers();
    if (resumed)
    {
        RecordResumed(classes ^ 0xff, now);
        m_port.FlowChanged();
    }
}

QbbFlowControl::Pauses
QbbFlowControl::Take(RdmaPs now)
{
    Pauses pauses;
    pauses.classes = m_sender.Take(now, pauses.quanta);
    UpdateState();
    ArmTimers();
    return pauses;
}

void
QbbFlowControl::Fill(const Pauses& pauses, QbbFrame& frame) const
{
    static const Mac48Address MAC_CONTROL("01:80:c2:00:00:01");
    frame.etherType = QbbWire::ETHERTYPE_MAC_CONTROL;
    frame.size = QbbWire::MIN_FRAME_BYTES;
    frame.dstMac = MAC_CONTROL;
    if (m_settings.kind == PFC)
    {
        frame.type = QbbFrameType::PFC;
        frame.classEnable = pauses.classes;
        frame.quanta = pauses.quanta;
        return;
    }
    frame.type = QbbFrameType::PAUSE;
    frame.quanta[0] = *std::max_element(pauses.quanta.begin(), pauses.quanta.end());
}

QbbFlowControl::Pauses
QbbFlowControl::Read(const QbbFrame& frame) const
{
    Pauses pauses;
    if (frame.type == QbbFrameType::PFC && m_settings.kind == PFC)
    {
        pauses.classes = frame.classEnable & m_settings.classes;
        pauses.quanta = frame.quanta;
        pauses.ignored = pauses.classes != frame.classEnable;
    }
    else if (frame.type == QbbFrameType::PAUSE && m_settings.kind == PAUSE)
    {
        pauses.classes = 0xff;
        pauses.quanta.fill(frame.quanta[0]);
    }
    else
    {
        pauses.ignored = true;
    }
    return pauses;
}

bool
QbbFlowControl::Accept(const Pauses& pauses, RdmaPs now)
{
    m_receiver.Arrive(now + m_settings.reaction, pauses.classes, pauses.quanta);
    return ApplyDue(now);
}

bool
QbbFlowControl::ApplyDue(RdmaPs now)
{
    const uint8_t resumed = m_receiver.ApplyDue(now);
    UpdateState();
    RecordResumed(resumed, now);
    return resumed;
}

void
QbbFlowControl::Update(RdmaPs now)
{
    ApplyDue(now);
    RecordResumed(m_receiver.Expire(now), now);
    m_sender.Refresh(now);
    UpdateState();
    ArmTimers();
}

void
QbbFlowControl::Reset(RdmaPs now)
{
    m_receiver.Reset(now);
    RecordResumed(0xff, now); // no frame can have begun before the link was up
    m_sender.Forget();
    UpdateState();
}

void
QbbFlowControl::ChangeRate(const RdmaLineRate& rate, RdmaPs now)
{
    m_receiver.SetRate(rate);
    m_sender.Configure(rate, m_settings.quanta, m_settings.refresh);
    m_sender.Refresh(RDMA_NEVER);
    RecordResumed(0xff, now); // no frame begins before the change at the new rate
    UpdateState();
    ArmTimers();
}

void
QbbFlowControl::RecordResumed(uint8_t resumed, RdmaPs now)
{
    for (; resumed; resumed &= static_cast<uint8_t>(resumed - 1))
    {
        GetPausing().resumed[__builtin_ctz(resumed)] = now;
    }
}

void
QbbFlowControl::OnTimer()
{
    m_port.FlowTimerFired();
}

void
QbbFlowControl::ArmTimers()
{
    const RdmaPs effect = m_receiver.GetNextEffect();
    const RdmaPs expiry = m_receiver.GetNextExpiry();
    const RdmaPs refresh = m_sender.GetNextRefresh();
    if (!m_pausing && std::min({effect, expiry, refresh}) == RDMA_NEVER)
    {
        return;
    }
    const RdmaEventTime eventTime = RdmaEventNow();
    const auto set = [this, eventTime](Timer& timer, RdmaPs at) {
        if (at == RDMA_NEVER)
        {
            timer.Disarm();
        }
        else
        {
            timer.Arm(at, eventTime, m_port.GetEventOrder(at));
        }
    };
    // Each kind of delay has a separate timer, so a new deadline is never earlier than the timer's
    // entry in the scheduler, and setting it needs neither a new event nor memory.
    Pausing& pausing = GetPausing();
    set(pausing.effectTimer, effect);
    set(pausing.expiryTimer, expiry);
    set(pausing.refreshTimer, refresh);
}

} // namespace ns3
