/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SIMULATOR_IMPL_H
#define RDMA_SIMULATOR_IMPL_H

#include "qbb-engine.h"

#include <ns3/simulator-impl.h>

#include <atomic>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Simulator with the event list of the module built in.
 *
 * The results of a script equal those of ns3::DefaultSimulatorImpl to the byte; the events of the
 * module cost less. The simulator keeps ns-3's contract for all other events: events with and
 * without context, events from other threads, EventId, Cancel(), Remove(), Stop() and a further
 * Run(), destroy events. The event list is part of the simulator, so SetScheduler() has no effect.
 * The class is final because no event calls SimulatorImpl::PreEventHook(), which is for subclasses.
 *
 * The programs and helpers of the module call Select(). A script that creates nodes before any
 * helper of the module calls Select() first:
 *
 *     RdmaSimulatorImpl::Select();
 *
 * The global value "simulator" says which simulator Select() makes: "own" or "default".
 */
class RdmaSimulatorImpl final : public SimulatorImpl
{
  public:
    /// Result of SimulatorImpl::Stop(Time): void until ns-3.37, later an EventId.
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSimulatorImpl();
    ~RdmaSimulatorImpl() override;

    /**
     * Makes an RdmaSimulatorImpl the simulator of the process. Does nothing if a simulator exists
     * already, if the global value "SimulatorImplementationType" names another simulator than
     * ns-3's default, or if the global value "simulator" is "default".
     */
    static void Select();

    // Inherited from SimulatorImpl
    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  protected:
    void DoDispose() override;

  private:
    /** An event that another thread has scheduled. */
    struct ForeignEvent
    {
        uint32_t context; //!< id of the node on which the event runs
        int64_t delayFs;  //!< delay from the moment at which the simulator takes the event
        EventImpl* event; //!< event object
    };

    QbbEventTime GetTimeAfter(const Time& delay) const;
    void TakeForeignEvents();

    QbbEngine m_engine;                     //!< clock and event list
    bool m_stop{false};                     //!< Stop() has been called
    std::list<EventId> m_destroyEvents;     //!< events that Destroy() runs
    std::thread::id m_thread;               //!< thread that created or runs the simulator
    std::mutex m_foreignMutex;              //!< guards m_foreign
    std::vector<ForeignEvent> m_foreign;    //!< events of other threads, not yet taken
    std::atomic<bool> m_interrupted{false}; //!< Run() must look at m_stop and m_foreign
};

} // namespace ns3

#endif /* RDMA_SIMULATOR_IMPL_H */
