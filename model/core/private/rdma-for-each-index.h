/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FOR_EACH_INDEX_H
#define RDMA_FOR_EACH_INDEX_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Further threads that do the work of this one. The destructor waits for their ends.
 */
class RdmaFurtherThreads
{
  public:
    /**
     * \param all most threads, this one included. If the system gives fewer, they do the work.
     * \param work function of each thread, which throws nothing and outlives the object
     */
    template <typename Work>
    RdmaFurtherThreads(std::size_t all, const Work& work)
    {
        try
        {
            for (std::size_t i = 1; i < all; ++i)
            {
                m_threads.emplace_back(std::cref(work));
            }
        }
        catch (const std::system_error&)
        {
            // The threads that the system has given do the work.
        }
    }

    ~RdmaFurtherThreads()
    {
        for (std::thread& thread : m_threads)
        {
            thread.join();
        }
    }

    RdmaFurtherThreads(const RdmaFurtherThreads&) = delete;
    RdmaFurtherThreads& operator=(const RdmaFurtherThreads&) = delete;

  private:
    std::vector<std::thread> m_threads; //!< the threads
};

/**
 * \ingroup rdma
 * Calls a function for each index below a count, on several threads, and returns after the last
 * call. The order of the calls is not determined. If calls throw, the exception of the lowest index
 * is thrown again, after all calls.
 *
 * \tparam Function type of the function
 * \param count number of indices
 * \param threads most threads, this one included; 1: this thread makes all calls in order
 * \param function function of an index, which several threads may call at a time
 */
template <typename Function>
void
RdmaForEachIndex(std::size_t count, std::size_t threads, Function function)
{
    std::vector<std::exception_ptr> errors(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++)
        {
            try
            {
                function(i);
            }
            catch (...)
            {
                errors[i] = std::current_exception();
            }
        }
    };
    {
        const RdmaFurtherThreads others(std::min(threads, count), work);
        work();
    }
    for (const std::exception_ptr& error : errors)
    {
        if (error)
        {
            std::rethrow_exception(error);
        }
    }
}

/**
 * \ingroup rdma
 * Makes a result for each index below a count, on several threads, and takes the results on this
 * thread in the order of the indices, while further ones are made. If the making or the taking of a
 * result throws, no later result is taken, and the exception is thrown again.
 *
 * \tparam Result type of the results, with a default constructor. A result is reused for later
 *         indices, so that its memory stays.
 * \tparam Make type of \p make
 * \tparam Take type of \p take
 * \param count number of indices
 * \param threads most threads, this one included; at least 1. At most twice as many results are
 *        waiting to be taken
 * \param make function of an index and a result to change, which several threads may call at a time
 * \param take function of a result
 */
template <typename Result, typename Make, typename Take>
void
RdmaForEachInOrder(std::size_t count, std::size_t threads, Make make, Take take)
{
    /** A result on its way. */
    struct Slot
    {
        Result result{};
        std::exception_ptr error;
        bool isMade{false};
    };

    std::vector<Slot> slots(2 * threads);
    std::mutex mutex; // guards the following variables and the members isMade
    std::condition_variable change;
    std::size_t next = 0;  // first index that nobody makes yet
    std::size_t taken = 0; // number of taken results
    bool isStopped = false;
    const auto mayMake = [&] { return next < count && next < taken + slots.size(); };
    const auto makeOne = [&](std::unique_lock<std::mutex>& lock) {
        const std::size_t i = next++;
        Slot& slot = slots[i % slots.size()];
        lock.unlock();
        try
        {
            make(i, slot.result);
        }
        catch (...)
        {
            slot.error = std::current_exception();
        }
        lock.lock();
        slot.isMade = true;
        change.notify_all();
    };
    const auto work = [&] {
        std::unique_lock lock(mutex);
        while (!isStopped && next < count)
        {
            mayMake() ? makeOne(lock) : change.wait(lock);
        }
    };

    /** Stops the other threads, also after an exception. */
    struct Stop
    {
        std::mutex& mutex;
        std::condition_variable& change;
        bool& isStopped;

        ~Stop()
        {
            const std::lock_guard lock(mutex);
            isStopped = true;
            change.notify_all();
        }
    };

    const RdmaFurtherThreads others(std::min(threads, count), work);
    const Stop stop{mutex, change, isStopped};
    std::unique_lock lock(mutex);
    while (taken < count)
    {
        Slot& slot = slots[taken % slots.size()];
        if (!slot.isMade)
        {
            mayMake() ? makeOne(lock) : change.wait(lock);
            continue;
        }
        slot.isMade = false;
        lock.unlock();
        if (slot.error)
        {
            std::rethrow_exception(slot.error);
        }
        take(slot.result);
        lock.lock();
        ++taken;
        change.notify_all();
    }
}

} // namespace ns3

#endif /* RDMA_FOR_EACH_INDEX_H */
