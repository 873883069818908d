/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_STEP_COUNTS_H
#define QBB_STEP_COUNTS_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * How many steps each thread of a run has completed, so that threads can wait for each other.
 *
 * A wait lasts some microseconds in a balanced run, less than it takes to put a thread to sleep.
 * The threads therefore wait in a loop. They offer their core to others after a while, and at once
 * if the machine has fewer cores than the run has threads.
 */
class QbbStepCounts
{
  public:
    /** \param threads number of threads, none of which has completed a step */
    explicit QbbStepCounts(uint32_t threads)
        : m_counts(threads),
          m_patience(std::thread::hardware_concurrency() < threads ? 0 : PATIENCE)
    {
    }

    /**
     * Says that a thread has completed a step. What the thread has written is visible to those that
     * have waited for the step.
     *
     * \param thread number of the thread
     * \param step number of the step; steps are numbered from 1
     */
    void Complete(uint32_t thread, uint32_t step)
    {
        m_counts[thread].step.store(step, std::memory_order_release);
    }

    /** Waits until all threads have completed a step. \param step number of the step */
    void Await(uint32_t step) const
    {
        for (uint32_t looks = 0; !HaveCompleted(step); ++looks)
        {
            if (looks >= m_patience)
            {
                std::this_thread::yield();
            }
        }
    }

  private:
    static constexpr uint32_t PATIENCE = 20000; //!< looks at the counts before a core is offered

    /** Steps that a thread has completed. */
    struct alignas(64) Count
    {
        std::atomic<uint32_t> step{0}; //!< number of the latest step
    };

    bool HaveCompleted(uint32_t step) const
    {
        return std::all_of(m_counts.begin(), m_counts.end(), [step](const Count& count) {
            return count.step.load(std::memory_order_acquire) >= step;
        });
    }

    std::vector<Count> m_counts; //!< the threads' counts
    uint32_t m_patience;         //!< looks at the counts before a core is offered
};

} // namespace ns3

#endif /* QBB_STEP_COUNTS_H */
