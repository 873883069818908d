/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MEETING_H
#define RDMA_MEETING_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace ns3
{

/**
 * \ingroup rdma
 * Place at which the threads of a run meet again and again (a barrier). The last thread that
 * arrives does some work alone before all threads go on.
 *
 * A wait lasts some microseconds in a balanced run, less than it takes to put a thread to sleep. A
 * thread therefore waits in a loop at first. A thread that has waited for PATIENCE sleeps: the
 * awaited thread may need the core, because the machine has fewer cores than threads or because
 * other programs use the cores.
 */
class RdmaMeeting
{
  public:
    /** \param threads number of threads that meet, at least 1 */
    explicit RdmaMeeting(uint32_t threads)
        : m_threads(threads),
          m_hasCores(std::thread::hardware_concurrency() >= threads),
          m_absent(threads)
    {
    }

    /** How a thread has waited for others. */
    struct Waits
    {
        uint64_t sleeps{0};                 //!< number of waits in which the thread has slept
        std::chrono::nanoseconds waited{0}; //!< total time of all waits
        /// time of waits without sleep, which the core could not use; changes after a meeting only
        std::chrono::nanoseconds spun{0};
    };

    /**
     * Waits until all threads have arrived. What the threads have written before is visible to
     * \p work, and what \p work has written is visible to all threads afterwards.
     *
     * \param waits record of the thread, to be updated
     * \param work function that the last thread calls; throws nothing
     */
    template <typename Work>
    void Meet(Waits& waits, Work&& work)
    {
        const uint32_t round = m_round.load(std::memory_order_relaxed);
        if (m_absent.fetch_sub(1, std::memory_order_acq_rel) == 1)
        {
            work();
            m_absent.store(m_threads, std::memory_order_relaxed);
            // The order of the two atomic objects matters: see Sleep().
            m_round.store(round + 1, std::memory_order_seq_cst);
            if (m_sleepers.load(std::memory_order_seq_cst) > 0)
            {
                const std::lock_guard lock(m_mutex);
                m_wake.notify_all();
            }
            return;
        }
        const auto begin = std::chrono::steady_clock::now();
        auto now = begin;
        while (m_hasCores && now - begin < PATIENCE && !HasEnded(round))
        {
            for (uint32_t looks = 0; looks < LOOKS && !HasEnded(round); ++looks)
            {
            }
            now = std::chrono::steady_clock::now();
        }
        const auto spun = now - begin;
        if (!HasEnded(round))
        {
            ++waits.sleeps;
            Sleep(round);
            now = std::chrono::steady_clock::now();
        }
        waits.waited += now - begin;
        waits.spun += spun;
    }

  private:
    static constexpr std::chrono::microseconds PATIENCE{50}; //!< time before a thread sleeps
    static constexpr uint32_t LOOKS = 64; //!< looks at the round between two looks at the clock

    bool HasEnded(uint32_t round) const
    {
        return m_round.load(std::memory_order_seq_cst) != round;
    }

    void Sleep(uint32_t round)
    {
        // Either this thread sees the new round, or the last thread sees a sleeper.
        std::unique_lock lock(m_mutex);
        m_sleepers.fetch_add(1, std::memory_order_seq_cst);
        m_wake.wait(lock, [this, round] { return HasEnded(round); });
        m_sleepers.fetch_sub(1, std::memory_order_seq_cst);
    }

    const uint32_t m_threads;                        //!< number of threads that meet
    const bool m_hasCores;                           //!< each thread can have a core
    alignas(64) std::atomic<uint32_t> m_absent;      //!< threads that have not arrived yet
    alignas(64) std::atomic<uint32_t> m_round{0};    //!< number of meetings that have ended
    alignas(64) std::atomic<uint32_t> m_sleepers{0}; //!< threads that sleep
    std::mutex m_mutex;                              //!< guards m_wake
    std::condition_variable m_wake;                  //!< wakes the threads that sleep
};

} // namespace ns3

#endif /* RDMA_MEETING_H */
