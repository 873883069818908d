/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-source.h"

#include "qbb-wire.h"
#include "rdma-fixed-type-id.h"
#include "rdma-refuse.h"
#include "rdma-shared-run.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbStormSource");

NS_OBJECT_ENSURE_REGISTERED(QbbStormSource);

TypeId
QbbStormSource::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbStormSource>("ns3::QbbStormSource")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbStormSource>()
            .AddAttribute("Classes",
                          "Classes to pause as a bit mask: bit p stands for class p. A port with "
                          "802.3x flow control pauses all classes.",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&QbbStormSource::m_classes),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("Start",
                          "Time at which the first pause frame is sent.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&QbbStormSource::m_start),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("Stop",
                          "Time from which no pause frame is sent; 0: no end.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&QbbStormSource::m_stop),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("Quanta",
                          "Pause time of each pause frame, in quanta of 512 bit times.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&QbbStormSource::m_quanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("Period",
                          "Time between two pause frames; 0: half of the pause time.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&QbbStormSource::m_period),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

QbbStormSource::QbbStormSource()
    : m_timer(this)
{
    NS_LOG_FUNCTION(this);
}

QbbStormSource::~QbbStormSource()
{
    NS_LOG_FUNCTION(this);
}

void
QbbStormSource::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer.Disarm();
    m_device = nullptr;
    Object::DoDispose();
}

void
QbbStormSource::Install(Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_device, "rdma: a storm source is given a second port");
    RefuseRdmaIf(m_classes & ~device->GetFlowControl().GetLosslessClasses(),
                 "a storm source with Classes ",
                 +m_classes,
                 " at node ",
                 device->GetNodeId(),
                 ", where pauses for some of them are ignored; accepted: classes that "
                 "FlowControl and PfcClasses make lossless (",
                 +device->GetFlowControl().GetLosslessClasses(),
                 "), one bit each");
    RefuseRdmaIf(!m_stop.IsZero() && m_stop <= m_start,
                 "a storm source with Start ",
                 m_start.As(Time::US),
                 " and Stop ",
                 m_stop.As(Time::US),
                 "; accepted: a Stop after Start, or 0");
    m_device = PeekPointer(device);
    const RdmaPs pause =
        device->GetLineRate().BitsToPs(uint64_t{m_quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    m_periodPs = m_period.IsZero() ? std::max(1_ps, pause / 2) : RdmaToPs(m_period);
    m_next = RdmaToPs(m_start);
    m_stopPs = m_stop.IsZero() ? RDMA_NEVER : RdmaToPs(m_stop);
    device->AggregateObject(this);
    if (IsRdmaNodeLocal(*device->GetNode()))
    {
        m_timer.Arm(m_next);
    }
}

uint32_t
QbbStormSource::GetNodeId() const
{
    return m_device->GetNodeId();
}

void
QbbStormSource::OnSend()
{
    m_device->GetFlowControl().InjectPause(m_classes, m_quanta);
    ++m_frames;
    m_next += m_periodPs;
    if (m_next < m_stopPs)
    {
        m_timer.Arm(m_next);
    }
}

} // namespace ns3
