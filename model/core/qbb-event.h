/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_H
#define QBB_EVENT_H

#include <ns3/event-impl.h>

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

    /**
     * Fetches the memory that Run() will read into the CPU caches. The engine may call Prefetch()
     * before it runs the preceding event. Prefetch() must not change anything.
     */
    virtual void Prefetch() const = 0;

  private:
    void Notify() final
    {
        Run();
    }
};

} // namespace ns3

#endif /* QBB_EVENT_H */
