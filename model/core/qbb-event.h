/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_H
#define QBB_EVENT_H

#include <ns3/event-impl.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Base class of the module's own events. QbbEngine runs these events without a check for
 * cancellation, because they cannot be cancelled. An event object may be in the event list several
 * times.
 */
class QbbEvent : public EventImpl
{
  public:
    /** Runs the event. */
    virtual void Run() = 0;

    static constexpr uint32_t PREFETCH_STEPS = 5; //!< number of steps of Prefetch()

    /**
     * Fetches the memory that Run() will need into the CPU caches, in steps: the memory that one
     * step fetches holds the addresses that the next step fetches. While an event runs, the engine
     * calls Prefetch() for the following events. The engine calls step 0 first, and each further
     * step one event later. Steps may be left out. Prefetch() must not change anything.
     *
     * \param step step below PREFETCH_STEPS
     */
    virtual void Prefetch(uint32_t step) const = 0;

  private:
    void Notify() final
    {
        Run();
    }
};

} // namespace ns3

#endif /* QBB_EVENT_H */
