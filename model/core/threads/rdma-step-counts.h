/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_STEP_COUNTS_H
#define RDMA_STEP_COUNTS_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Number of steps that each thread of a run has completed, so that threads can wait for each other.
 *
 * A wait lasts some microseconds in a balanced run, less than it takes to put a thread to sleep.
 * The threads therefore wait in a loop, and yield their core after a while. If the machine has
 * fewer cores than the run has threads, waiting threads sleep: a thread that waits in a loop would
 * occupy the core that the awaited thread needs.
 */
class RdmaStepCounts
{
  public:
    /** \param threads number of threads, none of which has completed a step */
    explicit RdmaStepCounts(uint32_t threads)
        : m_counts(threads),
          m_sleeps(std::thread::hardware_concurrency() < threads)
    {
    }

    /**
     * Records that a thread has completed a step. Everything that the thread has written is visible
     * to threads that have waited for the step.
     *
     * \param thread number of the thread
     * \param step number of the step; steps are numbered from 1
     */
    void Complete(uint32_t thread, uint32_t step)
    {
        // The order of the two atomic objects matters: see Sleep().
        m_counts[thread].step.store(step, std::memory_order_seq_cst);
        if (m_sleepers.load(std::memory_order_seq_cst) > 0)
        {
            const std::lock_guard lock(m_mutex);
            m_wake.notify_all();
        }
    }

    /** Waits until all threads have completed a step. \param step number of the step */
    void Await(uint32_t step)
    {
        if (m_sleeps && !HaveCompleted(step))
        {
            Sleep(step);
        }
        for (uint32_t looks = 0; !HaveCompleted(step); ++looks)
        {
            if (looks >= PATIENCE)
            {
                std::this_thread::yield();
            }
        }
    }

  private:
    static constexpr uint32_t PATIENCE = 20000; //!< looks at the counts before a thread yields

    /** Steps that a thread has completed. */
    struct alignas(64) Count
    {
        std::atomic<uint32_t> step{0}; //!< number of the latest step
    };

    bool HaveCompleted(uint32_t step) const
    {
        return std::all_of(m_counts.begin(), m_counts.end(), [step](const Count& count) {
            return count.step.load(std::memory_order_seq_cst) >= step;
        });
    }

    void Sleep(uint32_t step)
    {
        // Either this thread sees the last count, or the thread that counts sees a sleeper.
        std::unique_lock lock(m_mutex);
        m_sleepers.fetch_add(1, std::memory_order_seq_cst);
        m_wake.wait(lock, [this, step] { return HaveCompleted(step); });
        m_sleepers.fetch_sub(1, std::memory_order_seq_cst);
    }

    std::vector<Count> m_counts;                     //!< the threads' counts
    bool m_sleeps;                                   //!< true if waiting threads sleep
    alignas(64) std::atomic<uint32_t> m_sleepers{0}; //!< threads that sleep
    std::mutex m_mutex;                              //!< guards m_wake
    std::condition_variable m_wake;                  //!< wakes the threads that sleep
};

} // namespace ns3

#endif /* RDMA_STEP_COUNTS_H */
