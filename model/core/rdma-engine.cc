/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-engine.h"

#include <ns3/fatal-error.h>

namespace ns3
{

RdmaEngine::RunningScope::RunningScope(RdmaEngine* engine)
    : m_before(std::exchange(s_running, engine))
{
}

RdmaEngine::RunningScope::~RunningScope()
{
    s_running = m_before;
}

RdmaEngine::RdmaEngine(uint32_t slots, uint32_t widthBits)
    : m_wheel(slots, widthBits)
{
}

RdmaEngine*
RdmaEngine::PeekRunning()
{
    return s_running;
}

void
RdmaEngine::RefuseSink(const char* what) const
{
    NS_FATAL_ERROR("rdma: " << what << " is to be called in an event of node " << m_key.m_context
                            << ", which runs on a thread of its own; accepted: sinks and callbacks "
                               "that are connected before Simulator::Run(), or "
                               "ns3::RdmaSimulatorImpl::Threads=1");
}

void
RdmaEngine::RefusePacket() const
{
    NS_FATAL_ERROR(
        "rdma: a packet of ns-3 is for node "
        << m_key.m_context
        << ", which runs on a thread of its own; accepted: for nodes with an IP stack or "
           "an application, or with ns3::RdmaSimulatorImpl::Threads=1");
}

void
RdmaEngine::Clear()
{
    while (!m_wheel.IsEmpty())
    {
        EventImpl* event = m_wheel.RemoveNext().impl;
        IsOwn(event) ? Untag(event)->Unref() : event->Unref();
    }
}

} // namespace ns3
