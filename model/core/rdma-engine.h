/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ENGINE_H
#define RDMA_ENGINE_H

#include "rdma-event-time.h"
#include "rdma-event-wheel.h"

#include <ns3/event-impl.h>
#include <ns3/ptr.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Base class of the module's own events. RdmaEngine runs these events without a check for
 * cancellation, because they cannot be cancelled. An event object may be in the event list several
 * times.
 */
class RdmaEvent : public EventImpl
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

/**
 * \ingroup rdma
 * Clock and event list of RdmaSimulatorImpl, or of one group of nodes (RdmaGroupRun).
 *
 * The module's own events reach the engine directly while it runs: they need no EventId, no
 * ns3::Time and no virtual call of ns3::SimulatorImpl. RdmaNow() and RdmaSchedule() call the
 * running engine, and ns3::Simulator where no engine runs.
 */
class RdmaEngine
{
  public:
    /**
     * \param slots number of slots of the event list (RdmaEventWheel)
     * \param widthBits log2 of the time steps in a slot of the event list at the start
     */
    explicit RdmaEngine(uint32_t slots = RdmaEventWheel::SLOTS,
                        uint32_t widthBits = RdmaEventWheel::FIRST_BITS);

    /** \return the engine whose event is running on this thread, or null if there is none */
    static RdmaEngine* GetRunning()
    {
#ifdef __CLING__
        return PeekRunning(); // code that Python compiles at run time has no thread-local variables
#else
        return s_running;
#endif
    }

    /** Makes an engine the running one of this thread as long as the scope lasts. */
    class RunningScope
    {
      public:
        /** \param engine engine that begins to run; null: none runs */
        explicit RunningScope(RdmaEngine* engine);
        ~RunningScope();

        RunningScope(const RunningScope&) = delete;
        RunningScope& operator=(const RunningScope&) = delete;

      private:
        RdmaEngine* m_before; //!< engine that ran before
    };

    /** \return time of the running event */
    RdmaEventTime GetTime() const
    {
        return RdmaEventTime::FromFs(static_cast<int64_t>(m_key.m_ts));
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

    /**
     * \return the pending events, with times, uids and contexts. The event list holds a reference
     *         to each event object
     */
    RdmaEventWheel& GetEvents()
    {
        return m_wheel;
    }

    /** \return the pending events */
    const RdmaEventWheel& GetEvents() const
    {
        return m_wheel;
    }

    /**
     * Adds an event. The engine takes over one reference to the event object.
     *
     * \param at time of the event, not before GetTime()
     * \param context id of the node on which the event runs
     * \param event event object
     * \return time, uid and context of the new event
     */
    [[gnu::always_inline]] Scheduler::EventKey Insert(RdmaEventTime at,
                                                      uint32_t context,
                                                      EventImpl* event)
    {
        const Scheduler::EventKey key{static_cast<uint64_t>(at.GetFs()), m_uid++, context};
        m_wheel.Insert(event, key.m_ts, key.m_uid, key.m_context);
        return key;
    }

    /**
     * Adds an event of the module. The engine takes over one reference to the event object.
     * \param at time of the event, not before GetTime()
     * \param context id of the node on which the event runs
     * \param event event object
     */
    [[gnu::always_inline]] void Insert(RdmaEventTime at, uint32_t context, RdmaEvent* event)
    {
        Insert(at, context, Tag(event));
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
        RunEvent(*next);
        return true;
    }

    /**
     * Runs several events.
     *
     * \param count greatest number of events to run
     * \param interrupted flag that ends the function after the running event
     * \return true if \p count events have run and the flag is not set
     */
    bool RunSome(uint32_t count, const std::atomic<bool>& interrupted)
    {
        for (uint32_t left = count; left > 0; --left)
        {
            if (!RunNext() || interrupted.load(std::memory_order_relaxed))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Runs the events before a limit.
     *
     * \param limit time and uid of the first event that does not run
     * \param interrupted flag that ends the function after the running event; null: there is none
     * \return time and uid of the next event; NO_EVENT if none is pending
     */
    Scheduler::EventKey RunBefore(const Scheduler::EventKey& limit,
                                  const std::atomic<bool>* interrupted = nullptr)
    {
        const uint64_t end = std::max(limit.m_ts, limit.m_ts + 1); // UINT64_MAX has no successor
        while (const Scheduler::Event* next = m_wheel.TakeNext(end))
        {
            if (!(next->key < limit))
            {
                const Scheduler::EventKey key = next->key;
                m_wheel.PutBack();
                return key;
            }
            RunEvent(*next);
            if (interrupted && interrupted->load(std::memory_order_relaxed))
            {
                break;
            }
        }
        return GetNextKey();
    }

    /** \return time and uid of the next event; NO_EVENT if none is pending */
    Scheduler::EventKey GetNextKey() const
    {
        return m_wheel.IsEmpty() ? NO_EVENT : m_wheel.PeekNext().key;
    }

    /** Drops all pending events. */
    void Clear();

    // Groups of nodes (RdmaGroupRun)

    /// Key that stands for no event; later than the key of every event.
    static constexpr Scheduler::EventKey NO_EVENT{std::numeric_limits<uint64_t>::max(),
                                                  std::numeric_limits<uint32_t>::max(),
                                                  0xffffffff};

    /** Work that an event of a group leaves to be done while all groups rest. */
    struct Note
    {
        Scheduler::EventKey key;    //!< key of the event
        std::function<void()> work; //!< function to call
    };

    /**
     * Makes this the engine of one of several groups of nodes, which run apart.
     * \param group number of the group; 0 runs on the thread of Simulator::Run()
     * \param defersSinks true: sinks of trace sources are called while all groups rest
     */
    void SetGroup(uint32_t group, bool defersSinks)
    {
        m_group = group;
        m_isApart = true;
        m_defersSinks = defersSinks;
    }

    /** \return true if the engine is that of one of several groups, which run apart */
    bool IsApart() const
    {
        return m_isApart;
    }

    /** \return true if sinks of trace sources are called while all groups rest */
    bool DefersSinks() const
    {
        return m_defersSinks;
    }

    /** Leaves work to be done while all groups rest. \param work function to call */
    void AddNote(std::function<void()> work)
    {
        m_notes.push_back({m_key, std::move(work)});
    }

    /** \return the notes of the events that have run since the latest call */
    std::vector<Note> TakeNotes()
    {
        return std::exchange(m_notes, {});
    }

    /** \return true if there are notes */
    bool HasNotes() const
    {
        return !m_notes.empty();
    }

    /** Ends the program with a message about a sink that must not be called.
     * \param what the code that must not be called */
    [[noreturn]] void RefuseSink(const char* what) const;

    /** Ends the program with a message about a packet of ns-3 that must not be made or read. */
    [[noreturn]] void RefusePacket() const;

    /**
     * Prepares the events of a window.
     * \param thread number of the thread that runs the group in the window
     * \param lane lane for frames to other groups in the window (RdmaBorder)
     */
    void SetTurn(uint32_t thread, uint32_t lane)
    {
        m_thread = thread;
        m_lane = lane;
    }

    /** \return number of the thread that runs the group in the present window */
    uint32_t GetThread() const
    {
        return m_thread;
    }

    /** \return lane for frames to other groups in the present window */
    uint32_t GetLane() const
    {
        return m_lane;
    }

    /** Records that an event has sent a frame to another group. \param at time of its arrival */
    void RecordCrossing(RdmaEventTime at)
    {
        ++m_crossings;
        m_earliestCrossing = std::min(m_earliestCrossing, static_cast<uint64_t>(at.GetFs()));
    }

    /** \return number of frames that events have sent to other groups */
    uint64_t GetCrossings() const
    {
        return m_crossings;
    }

    /**
     * \return time in femtoseconds at which the first of the frames arrives that events have sent
     *         to other groups since the latest call; the time of NO_EVENT if there is none
     */
    uint64_t TakeEarliestCrossing()
    {
        return std::exchange(m_earliestCrossing, NO_EVENT.m_ts);
    }

    /** \return number of the engine's group of nodes */
    uint32_t GetGroup() const
    {
        return m_group;
    }

    /** \return uid of the next event that is inserted */
    uint32_t GetNextUid() const
    {
        return m_uid;
    }

    /**
     * Continues the clock and the uids of another engine.
     *
     * \param key key of the latest event of the other engine
     * \param uid uid of the next event that is inserted
     */
    void Continue(const Scheduler::EventKey& key, uint32_t uid)
    {
        m_key = key;
        m_uid = uid;
    }

    /** Counts the events that another engine has run. \param other the other engine */
    void AddCounts(const RdmaEngine& other)
    {
        m_count += other.m_count;
        m_foreignCount += other.m_foreignCount;
    }

    /** Counts a call of code from outside of the module, other than in an event of its own. */
    void CountForeignCall()
    {
        ++m_foreignCount;
    }

    /** \return number of events of ns-3 that have run, and of CountForeignCall() */
    uint64_t GetForeignCount() const
    {
        return m_foreignCount;
    }

    /** \param event an event object of GetEvents() \return true if the object is a RdmaEvent */
    static bool IsOwn(const EventImpl* event)
    {
        return reinterpret_cast<uintptr_t>(event) & OWN;
    }

  private:
    [[gnu::always_inline]] void RunEvent(const Scheduler::Event& next)
    {
        m_key = next.key;
        EventImpl* const impl = next.impl;
        ++m_count;
        if (m_wheel.IsCrowded())
        {
            PrefetchFollowing();
        }
        if (IsOwn(impl))
        {
            const Reference event(const_cast<RdmaEvent*>(Untag(impl)));
            event.Get()->Run();
            return;
        }
        ++m_foreignCount;
        const Ptr<EventImpl> event(impl, false);
        event->Invoke();
    }

    /** Fetches the memory of the following events into the CPU caches. */
    void PrefetchFollowing() const
    {
        for (uint32_t place = 0; place < RdmaEvent::PREFETCH_STEPS; ++place)
        {
            if (const EventImpl* event = m_wheel.LookAhead(place); IsOwn(event))
            {
                Untag(event)->Prefetch(RdmaEvent::PREFETCH_STEPS - 1 - place);
            }
        }
    }

    static RdmaEngine* PeekRunning();

    static constexpr uint32_t FIRST_UID = 4;           //!< EventId::UID::VALID
    static constexpr uint32_t NO_CONTEXT = 0xffffffff; //!< Simulator::NO_CONTEXT

    // The event list has pointers to ns-3's events and to the module's own, which an engine runs in
    // a shorter way. The lowest bit of a pointer, which is 0 in every address, marks own events.

    static EventImpl* Tag(RdmaEvent* event)
    {
        return reinterpret_cast<EventImpl*>(
            reinterpret_cast<uintptr_t>(static_cast<EventImpl*>(event)) | OWN);
    }

    static const RdmaEvent* Untag(const EventImpl* event)
    {
        return static_cast<const RdmaEvent*>(
            reinterpret_cast<const EventImpl*>(reinterpret_cast<uintptr_t>(event) & ~OWN));
    }

    /** The event list's reference to an event that runs. A Ptr would check for null. */
    class Reference
    {
      public:
        explicit Reference(RdmaEvent* event)
            : m_event(event)
        {
        }

        ~Reference()
        {
            m_event->Unref();
        }

        Reference(const Reference&) = delete;
        Reference& operator=(const Reference&) = delete;

        RdmaEvent* Get() const
        {
            return m_event;
        }

      private:
        RdmaEvent* m_event; //!< the event
    };

    static constexpr uintptr_t OWN = 1; //!< bit of a pointer to a RdmaEvent
    static_assert(alignof(EventImpl) > OWN, "the bit is 0 in addresses");

#ifndef __CLING__
    /// Engine whose event is running on this thread. With the initial-exec model, access costs no
    /// more than to a global variable.
    [[gnu::tls_model("initial-exec")]] static inline thread_local RdmaEngine* s_running{nullptr};
#endif

    Scheduler::EventKey m_key{0, 0, NO_CONTEXT}; //!< key of the running event
    uint64_t m_count{0};                         //!< number of events that have run
    uint64_t m_foreignCount{0};                  //!< calls of code from outside of the module
    uint32_t m_uid{FIRST_UID};                   //!< uid of the next event
    uint32_t m_group{0};                         //!< number of the group of nodes
    uint32_t m_thread{0};                        //!< number of the thread in the present window
    uint32_t m_lane{0};                          //!< lane for frames to other groups
    bool m_isApart{false};                       //!< other groups run apart
    bool m_defersSinks{false};                   //!< sinks are called while all groups rest
    uint64_t m_crossings{0};                     //!< frames that events have sent to other groups
    uint64_t m_earliestCrossing{NO_EVENT.m_ts};  //!< first arrival of some of these frames
    std::vector<Note> m_notes;                   //!< work to be done while all groups rest
    RdmaEventWheel m_wheel;                      //!< pending events
};

} // namespace ns3

#endif /* RDMA_ENGINE_H */
