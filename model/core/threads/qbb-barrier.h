/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BARRIER_H
#define QBB_BARRIER_H

#include <atomic>
#include <cstdint>
#include <thread>

namespace ns3
{

/**
 * \ingroup rdma
 * A point that all threads of a run must reach before any of them goes on.
 *
 * A wait lasts some microseconds in a balanced run, less than it takes to put a thread to sleep.
 * The threads therefore wait in a loop. They offer their core to others after a while, and at once
 * if the machine has fewer cores than the run has threads.
 */
class QbbBarrier
{
  public:
    /** \param threads number of threads */
    explicit QbbBarrier(uint32_t threads)
        : m_threads(threads),
          m_patience(std::thread::hardware_concurrency() < threads ? 0 : PATIENCE)
    {
    }

    /** Waits until all threads have called Wait() as often as this one. */
    void Wait()
    {
        const uint32_t phase = m_phase.load(std::memory_order_relaxed);
        if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_threads)
        {
            m_arrived.store(0, std::memory_order_relaxed);
            m_phase.store(phase + 1, std::memory_order_release);
            return;
        }
        for (uint32_t looks = 0; m_phase.load(std::memory_order_acquire) == phase; ++looks)
        {
            if (looks >= m_patience)
            {
                std::this_thread::yield();
            }
        }
    }

  private:
    static constexpr uint32_t PATIENCE = 20000; //!< looks at the phase before a core is offered

    uint32_t m_threads;                             //!< number of threads
    uint32_t m_patience;                            //!< looks at the phase before a core is offered
    alignas(64) std::atomic<uint32_t> m_arrived{0}; //!< threads that wait
    alignas(64) std::atomic<uint32_t> m_phase{0};   //!< number of waits that are over
};

} // namespace ns3

#endif /* QBB_BARRIER_H */
