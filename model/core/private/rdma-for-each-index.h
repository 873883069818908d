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
 * Calls one function on this thread and another function on further threads, and returns after all
 * of the calls. The system may give fewer threads than are asked for.
 *
 * \tparam Own type of \p own
 * \tparam Other type of \p other
 * \param threads most threads, this one included
 * \param own function of this thread, which throws nothing
 * \param other function that each further thread calls once, which throws nothing
 */
template <typename Own, typename Other>
void
RdmaCallOnThreads(std::size_t threads, const Own& own, const Other& other)
{
    std::vector<std::thread> others;
    try
    {
        for (std::size_t i = 1; i < threads; ++i)
        {
            others.emplace_back(std::cref(other));
        }
    }
    catch (const std::system_error&)
    {
        // The system gives no further thread. The work does not depend on the number of threads.
    }
    own();
    for (std::thread& thread : others)
    {
        thread.join();
    }
}

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
    RdmaCallOnThreads(std::min(threads, count), work, work);
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
    std::size_t next = 0;     // first index that nobody makes yet
    std::size_t taken = 0;    // number of taken results
    std::exception_ptr error; // ends all work
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
    const auto makeAll = [&] {
        std::unique_lock lock(mutex);
        while (!error && next < count)
        {
            mayMake() ? makeOne(lock) : change.wait(lock);
        }
    };
    const auto takeAll = [&] {
        std::unique_lock lock(mutex);
        while (!error && taken < count)
        {
            Slot& slot = slots[taken % slots.size()];
            if (!slot.isMade)
            {
                mayMake() ? makeOne(lock) : change.wait(lock);
                continue;
            }
            slot.isMade = false;
            lock.unlock();
            std::exception_ptr found = slot.error;
            try
            {
                if (!found)
                {
                    take(slot.result);
                }
            }
            catch (...)
            {
                found = std::current_exception();
            }
            lock.lock();
            error = found;
            ++taken;
            change.notify_all();
        }
    };
    RdmaCallOnThreads(std::min(threads, count), takeAll, makeAll);
    if (error)
    {
        std::rethrow_exception(error);
    }
}

} // namespace ns3

#endif /* RDMA_FOR_EACH_INDEX_H */
