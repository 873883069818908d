/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Both halves of flow control at a QbbNetDevice: which pause frames go out, and what those that
 * come in do.
 */

#include "qbb-net-device.h"
#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

void
QbbNetDevice::RequestPause(uint8_t priority, bool pause)
{
    RequestPauses(static_cast<uint8_t>(1U << priority), pause);
}

void
QbbNetDevice::RequestPauses(uint8_t classes, bool pause)
{
    if (m_flowControl == FLOW_CONTROL_PAUSE)
    {
        // All classes stop while one of them wants it.
        m_plainPauseWanted = pause ? m_plainPauseWanted | classes : m_plainPauseWanted & ~classes;
        pause = m_plainPauseWanted;
        classes = 0xff;
    }
    for (uint8_t p = 0; classes >> p; ++p)
    {
        if (classes & (1U << p))
        {
            m_pauseSender.Request(p, pause);
        }
    }
    TryTransmit();
}

void
QbbNetDevice::InjectPause(uint8_t classes, uint16_t quanta)
{
    m_pauseSender.Inject(m_flowControl == FLOW_CONTROL_PAUSE ? 0xff : classes, quanta);
    TryTransmit();
}

void
QbbNetDevice::SetPauseAllowed(uint8_t classes)
{
    m_pauseSender.SetAllowed(classes);
    TryTransmit();
}

void
QbbNetDevice::SetPauseHonoured(uint8_t classes)
{
    const int64_t nowPs = QbbNowPs();
    const bool resumed = m_pauseReceiver.SetHonoured(nowPs, classes);
    ArmPauseTimers();
    if (resumed)
    {
        NoteResumed(classes ^ 0xff, nowPs);
        TryTransmit();
    }
}

QbbFramePtr
QbbNetDevice::MakePauseFrame(int64_t nowPs)
{
    QbbFramePtr frame = m_pool.Allocate();
    frame->etherType = QbbWire::ETHERTYPE_MAC_CONTROL;
    frame->size = QbbWire::MIN_FRAME_BYTES;
    static const Mac48Address macControl("01:80:c2:00:00:01");
    frame->dstMac = macControl;
    frame->srcMac = m_address;
    frame->classEnable = m_pauseSender.Take(nowPs, frame->quanta);
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (frame->classEnable & (1U << p))
        {
            m_pfcSent(p, frame->quanta[p]);
        }
    }
    if (m_flowControl == FLOW_CONTROL_PFC)
    {
        frame->type = QbbFrameType::PFC;
    }
    else
    {
        const uint16_t longest = *std::max_element(frame->quanta.begin(), frame->quanta.end());
        frame->type = QbbFrameType::PAUSE;
        frame->classEnable = 0;
        frame->quanta = {};
        frame->quanta[0] = longest;
    }
    ++m_counters.macControlTx;
    ArmPauseTimers();
    return frame;
}

void
QbbNetDevice::ReceiveMacControl(const QbbFrame& frame)
{
    ++m_counters.macControlRx;
    const int64_t nowPs = QbbNowPs();
    PauseEffect effect;
    effect.atPs = nowPs + m_reactionDelayPs;
    if (frame.type == QbbFrameType::PFC && m_flowControl == FLOW_CONTROL_PFC)
    {
        effect.classEnable = frame.classEnable & m_pfcClasses;
        effect.quanta = frame.quanta;
        m_counters.macControlIgnored += effect.classEnable != frame.classEnable;
    }
    else if (frame.type == QbbFrameType::PAUSE && m_flowControl == FLOW_CONTROL_PAUSE)
    {
        effect.classEnable = 0xff;
        effect.quanta.fill(frame.quanta[0]);
    }
    else
    {
        ++m_counters.macControlIgnored;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (effect.classEnable & (1U << p))
        {
            m_pfcReceived(p, effect.quanta[p]);
        }
    }
    if (!effect.classEnable)
    {
        return;
    }
    m_effects.Push(std::move(effect));
    if (ApplyDuePauses(nowPs))
    {
        TryTransmit();
    }
    ArmPauseTimers();
}

bool
QbbNetDevice::ApplyDuePauses(int64_t nowPs)
{
    uint8_t resumed = 0;
    while (!m_effects.IsEmpty() && m_effects.Front().atPs <= nowPs)
    {
        const PauseEffect effect = m_effects.Pop();
        resumed |= m_pauseReceiver.Apply(nowPs, effect.classEnable, effect.quanta);
    }
    NoteResumed(resumed, nowPs);
    return resumed;
}

void
QbbNetDevice::NoteResumed(uint8_t resumed, int64_t nowPs)
{
    for (; resumed; resumed &= static_cast<uint8_t>(resumed - 1))
    {
        m_resumedPs[__builtin_ctz(resumed)] = nowPs;
    }
}

void
QbbNetDevice::ArmPauseTimers()
{
    const int64_t nowFs = Simulator::Now().GetTimeStep();
    const auto set = [this, nowFs](PortTimer& timer, int64_t atPs) {
        if (atPs == QBB_NEVER)
        {
            timer.Disarm();
        }
        else
        {
            timer.Arm(atPs, nowFs, GetEventOrder(atPs));
        }
    };
    // A timer of its own for each length of time: so the next deadline of a timer is never before
    // the one that it has in the scheduler, and moving it costs neither event nor memory.
    set(m_effectTimer, m_effects.IsEmpty() ? QBB_NEVER : m_effects.Front().atPs);
    set(m_expiryTimer, m_pauseReceiver.GetNextExpiryPs());
    set(m_refreshTimer, m_pauseSender.GetNextRefreshPs());
}

} // namespace ns3
