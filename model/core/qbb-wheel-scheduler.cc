/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-wheel-scheduler.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbWheelScheduler);

TypeId
QbbWheelScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbWheelScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbWheelScheduler>();
    return tid;
}

bool
QbbWheelScheduler::IsEmpty() const
{
    return m_wheel.IsEmpty();
}

void
QbbWheelScheduler::Insert(const Event& ev)
{
    m_wheel.Insert(ev);
}

QbbWheelScheduler::Event
QbbWheelScheduler::PeekNext() const
{
    return m_wheel.PeekNext();
}

QbbWheelScheduler::Event
QbbWheelScheduler::RemoveNext()
{
    return m_wheel.RemoveNext();
}

void
QbbWheelScheduler::Remove(const Event& ev)
{
    m_wheel.Remove(ev);
}

} // namespace ns3
