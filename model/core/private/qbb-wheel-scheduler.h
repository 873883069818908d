/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_WHEEL_SCHEDULER_H
#define QBB_WHEEL_SCHEDULER_H

#include "rdma-event-wheel.h"

#include <ns3/scheduler.h>

namespace ns3
{

/**
 * \ingroup rdma
 * An ns-3 scheduler for fabrics, on the event list of RdmaEventWheel.
 *
 * Events run in ns-3's order, by time and then by uid, so results do not depend on the scheduler.
 * RdmaSimulatorImpl has the same event list built in; this class brings it to ns-3's default
 * simulator.
 *
 * RdmaFabricRun selects this scheduler. Other scripts select it by:
 *
 *     Simulator::SetScheduler(ObjectFactory("ns3::QbbWheelScheduler"));
 */
class QbbWheelScheduler : public Scheduler
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    RdmaEventWheel m_wheel; //!< pending events
};

} // namespace ns3

#endif /* QBB_WHEEL_SCHEDULER_H */
