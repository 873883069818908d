/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ENGINE_H
#define QBB_ENGINE_H

#include "qbb-event-time.h"
#include "qbb-event-wheel.h"
#include "qbb-event.h"

#include <ns3/event-impl.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * Clock and event list of RdmaSimulatorImpl.
 *
 * The module's own events reach the engine directly while it runs: they need no EventId, no
 * ns3::Time and no virtual call of ns3::SimulatorImpl. QbbNow() and QbbSchedule() do so, and use
 * ns3::Simulator where no engine runs.
 */
class QbbEngine
{
  public:
    /** \return the engine whose event is running, or null if there is none */
    static QbbEngine* GetRunning()
    {
        return s_running;
    }

    /** Makes an engine the running one as long as the scope lasts. */
    class RunningScope
    {
      public:
        /** \param engine engine that begins to run */
        explicit RunningScope(QbbEngine& engine)
            : m_before(std::exchange(s_running, &engine))
        {
        }

        ~RunningScope()
        {
            s_running = m_before;
        }

        RunningScope(const RunningScope&) = delete;
        RunningScope& operator=(const RunningScope&) = delete;

      private:
        QbbEngine* m_before; //!< engine that ran before
    };

    /** \return time of the running event */
    QbbEventTime GetTime() const
    {
        return QbbEventTime::FromFs(static_cast<int64_t>(m_key.m_ts));
    }

    /** \return time, uid and context of the running event */
    const Scheduler::EventKey& GetKey() const
    {
        return m_key;
    }

    /** \return number of events that have run */
    uint64_t GetEventCount() const
    {
        return m_count;
    }

    /** \return true if no event is pending */
    bool IsEmpty() const
    {
        return m_wheel.IsEmpty();
    }

    /**
     * Adds an event. The engine takes over one reference to the event object.
     *
     * \param at time of the event, not before GetTime()
     * \param context id of the node on which the event runs
     * \param event event object
     * \return time, uid and context of the new event
     */
    Scheduler::EventKey Insert(QbbEventTime at, uint32_t context, EventImpl* event)
    {
        Scheduler::Event ev;
        ev.impl = event;
        ev.key.m_ts = static_cast<uint64_t>(at.GetFs());
        ev.key.m_uid = m_uid++;
        ev.key.m_context = context;
        m_wheel.Insert(ev);
        return ev.key;
    }

    /** \copydoc Insert(QbbEventTime, uint32_t, EventImpl*) */
    void Insert(QbbEventTime at, uint32_t context, QbbEvent* event)
    {
        Insert(at, context, Tag(event));
    }

    /** \param ev event to remove; its reference goes back to the caller */
    void Remove(const Scheduler::Event& ev)
    {
        m_wheel.Remove(ev);
    }

    /** Counts a uid as used, for an event that is kept elsewhere. */
    void SkipUid()
    {
        ++m_uid;
    }

    /** Runs the next event. \return false if no event was pending */
    bool RunNext()
    {
        const Scheduler::Event* next = m_wheel.TakeNext();
        if (!next)
        {
            return false;
        }
        m_key = next->key;
        EventImpl* const impl = next->impl;
        ++m_count;
        if (const EventImpl* following = m_wheel.LookAhead(); IsOwn(following))
        {
            Untag(following)->Prefetch();
        }
        if (IsOwn(impl))
        {
            const Reference event(const_cast<QbbEvent*>(Untag(impl)));
            event.Get()->Run();
            return true;
        }
        const Ptr<EventImpl> event(impl, false);
        event->Invoke();
        return true;
    }

    /** Drops all pending events. */
    void Clear();

  private:
    static constexpr uint32_t FIRST_UID = 4;           //!< EventId::UID::VALID
    static constexpr uint32_t NO_CONTEXT = 0xffffffff; //!< Simulator::NO_CONTEXT

    // The event list has pointers to ns-3's events and to the module's own, which an engine runs in
    // a shorter way. The lowest bit of a pointer, which is 0 in every address, tells which.

    static EventImpl* Tag(QbbEvent* event)
    {
        return reinterpret_cast<EventImpl*>(
            reinterpret_cast<uintptr_t>(static_cast<EventImpl*>(event)) | OWN);
    }

    static bool IsOwn(const EventImpl* event)
    {
        return reinterpret_cast<uintptr_t>(event) & OWN;
    }

    static const QbbEvent* Untag(const EventImpl* event)
    {
        return static_cast<const QbbEvent*>(
            reinterpret_cast<const EventImpl*>(reinterpret_cast<uintptr_t>(event) & ~OWN));
    }

    /** The event list's reference to an event that runs. A Ptr would ask whether it is null. */
    class Reference
    {
      public:
        explicit Reference(QbbEvent* event)
            : m_event(event)
        {
        }

        ~Reference()
        {
            m_event->Unref();
        }

        Reference(const Reference&) = delete;
        Reference& operator=(const Reference&) = delete;

        QbbEvent* Get() const
        {
            return m_event;
        }

      private:
        QbbEvent* m_event; //!< the event
    };

    static constexpr uintptr_t OWN = 1; //!< bit of a pointer to a QbbEvent
    static_assert(alignof(EventImpl) > OWN, "the bit is 0 in addresses");

    static inline QbbEngine* s_running{nullptr}; //!< engine whose event is running

    Scheduler::EventKey m_key{0, 0, NO_CONTEXT}; //!< key of the running event
    uint64_t m_count{0};                         //!< number of events that have run
    uint32_t m_uid{FIRST_UID};                   //!< uid of the next event
    QbbEventWheel m_wheel;                       //!< pending events
};

} // namespace ns3

#endif /* QBB_ENGINE_H */
