/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-flow-control.h"

#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

QbbFlowControl::QbbFlowControl(QbbFlowControlPort& port)
    : m_port(port),
      m_effectTimer(this),
      m_expiryTimer(this),
      m_refreshTimer(this)
{
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
QbbFlowControl::Start(const QbbLineRate& rate)
{
    m_receiver.SetRate(rate);
    m_sender.Configure(rate, m_settings.quanta, m_settings.refresh);
}

void
QbbFlowControl::Stop()
{
    m_effectTimer.Disarm();
    m_expiryTimer.Disarm();
    m_refreshTimer.Disarm();
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
        // All classes stop while one of them wants it.
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
    m_port.FlowChanged();
}

void
QbbFlowControl::InjectPause(uint8_t classes, uint16_t quanta)
{
    m_sender.Inject(m_settings.kind == PAUSE ? 0xff : classes, quanta);
    m_port.FlowChanged();
}

void
QbbFlowControl::SetPauseAllowed(uint8_t classes)
{
    m_sender.SetAllowed(classes);
    m_port.FlowChanged();
}

void
QbbFlowControl::SetPauseHonoured(uint8_t classes)
{
    const int64_t nowPs = QbbNowPs();
    const bool resumed = m_receiver.SetHonoured(nowPs, classes);
    ArmTimers();
    if (resumed)
    {
        NoteResumed(classes ^ 0xff, nowPs);
        m_port.FlowChanged();
    }
}

QbbFlowControl::Pauses
QbbFlowControl::Take(int64_t nowPs)
{
    Pauses pauses;
    pauses.classes = m_sender.Take(nowPs, pauses.quanta);
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
QbbFlowControl::Accept(const Pauses& pauses, int64_t nowPs)
{
    m_receiver.Arrive(nowPs + m_settings.reactionPs, pauses.classes, pauses.quanta);
    return ApplyDue(nowPs);
}

bool
QbbFlowControl::ApplyDue(int64_t nowPs)
{
    const uint8_t resumed = m_receiver.ApplyDue(nowPs);
    NoteResumed(resumed, nowPs);
    return resumed;
}

void
QbbFlowControl::Update(int64_t nowPs)
{
    ApplyDue(nowPs);
    NoteResumed(m_receiver.Expire(nowPs), nowPs);
    m_sender.Refresh(nowPs);
    ArmTimers();
}

void
QbbFlowControl::Reset(int64_t nowPs)
{
    m_receiver.Reset(nowPs);
    NoteResumed(0xff, nowPs); // nothing has been sent before the link was up
    m_sender.Forget();
}

void
QbbFlowControl::NoteResumed(uint8_t resumed, int64_t nowPs)
{
    for (; resumed; resumed &= static_cast<uint8_t>(resumed - 1))
    {
        m_resumedPs[__builtin_ctz(resumed)] = nowPs;
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
    const int64_t nowFs = Simulator::Now().GetTimeStep();
    const auto set = [this, nowFs](Timer& timer, int64_t atPs) {
        if (atPs == QBB_NEVER)
        {
            timer.Disarm();
        }
        else
        {
            timer.Arm(atPs, nowFs, m_port.GetEventOrder(atPs));
        }
    };
    // A timer of its own for each length of time: so the next deadline of a timer is never before
    // the one that it has in the scheduler, and moving it costs neither event nor memory.
    set(m_effectTimer, m_receiver.GetNextEffectPs());
    set(m_expiryTimer, m_receiver.GetNextExpiryPs());
    set(m_refreshTimer, m_sender.GetNextRefreshPs());
}

} // namespace ns3
