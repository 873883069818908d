/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic-watchdog.h"

#include "qbb-wire.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/log.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNicWatchdog");

NS_OBJECT_ENSURE_REGISTERED(RdmaNicWatchdog);

TypeId
RdmaNicWatchdog::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaNicWatchdog")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaNicWatchdog>()
            .AddAttribute("Timeout",
                          "Time without progress of the receive pipeline, while the NIC generates "
                          "pause frames, after which pause frames are disabled. SIGCOMM 2016: "
                          "100 ms.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&RdmaNicWatchdog::m_timeout),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("PollInterval",
                          "Time between two polls of the receive pipeline, at most Timeout.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaNicWatchdog::m_pollInterval),
                          RdmaMakePositiveTimeChecker())
            .AddTraceSource("PauseDisabled",
                            "The watchdog has disabled the NIC's pause frames: the node's id.",
                            MakeTraceSourceAccessor(&RdmaNicWatchdog::m_disabled),
                            "ns3::RdmaNicWatchdog::DisabledCallback");
    return tid;
}

RdmaNicWatchdog::RdmaNicWatchdog()
    : m_timer(this)
{
    NS_LOG_FUNCTION(this);
}

RdmaNicWatchdog::~RdmaNicWatchdog()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNicWatchdog::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer.Disarm();
    m_device = nullptr;
    m_buffer = nullptr;
    Object::DoDispose();
}

void
RdmaNicWatchdog::Install(Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_device, "rdma: a NIC watchdog is given a second port");
    RefuseRdmaIf(m_pollInterval > m_timeout,
                 "a NIC watchdog that polls every ",
                 m_pollInterval.As(Time::US),
                 " with Timeout ",
                 m_timeout.As(Time::US),
                 "; accepted: a PollInterval of at most that");
    m_device = PeekPointer(device);
    m_buffer = PeekPointer(device->GetObject<RdmaReceiveBuffer>());
    device->AddPauseWatcher(true, [this](uint8_t priority, uint16_t quanta) {
        OnPause(priority, quanta);
    });
    device->AggregateObject(this);
}

void
RdmaNicWatchdog::OnPause(uint8_t priority, uint16_t quanta)
{
    const RdmaPs now = RdmaNow();
    m_pausedUntil[priority] =
        now + m_device->GetLineRate().BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    if (quanta > 0 && !m_timer.IsArmed())
    {
        m_classes = static_cast<uint8_t>(1U << priority);
        m_progress = GetProgress(m_classes);
        m_stopped = 0_ps;
        m_timer.Arm(now + RdmaToPs(m_pollInterval));
    }
}

uint8_t
RdmaNicWatchdog::GetPausing(RdmaPs now) const
{
    uint8_t classes = 0;
    for (uint8_t p = 0; p < 8; ++p)
    {
        classes |= m_pausedUntil[p] > now ? 1U << p : 0;
    }
    return classes;
}

uint64_t
RdmaNicWatchdog::GetProgress(uint8_t classes) const
{
    if (m_buffer)
    {
        return m_buffer->GetFrames();
    }
    uint64_t frames = 0;
    for (uint8_t p = 0; p < 8; ++p)
    {
        frames += classes & (1U << p) ? m_device->GetCounters().classes[p].rxFrames : 0;
    }
    return frames;
}

uint32_t
RdmaNicWatchdog::GetNodeId() const
{
    return m_device->GetNodeId();
}

void
RdmaNicWatchdog::OnPoll()
{
    const RdmaPs now = RdmaNow();
    const uint8_t classes = GetPausing(now);
    if (!classes)
    {
        return;
    }
    const bool stopped = classes == m_classes && GetProgress(classes) == m_progress;
    m_classes = classes;
    m_progress = GetProgress(classes);
    m_stopped = stopped ? m_stopped + RdmaToPs(m_pollInterval) : 0_ps;
    if (m_stopped < RdmaToPs(m_timeout))
    {
        m_timer.Arm(now + RdmaToPs(m_pollInterval));
        return;
    }
    m_fired = true;
    m_pausedUntil = {};
    NS_LOG_INFO("node " << m_device->GetNodeId() << ": no more pause frames");
    m_disabled(m_device->GetNodeId());
    m_device->GetFlowControl().SetPauseAllowed(0);
}

void
RdmaNicWatchdog::Reset()
{
    m_fired = false;
    m_device->GetFlowControl().SetPauseAllowed(0xff);
}

} // namespace ns3
