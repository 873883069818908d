/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FOR_EACH_INDEX_H
#define RDMA_FOR_EACH_INDEX_H

#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ns3
{

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
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads && i < count; ++i)
    {
        try
        {
            others.emplace_back(work);
        }
        catch (const std::system_error&)
        {
            break; // the system gives no further thread, and the others do the work
        }
    }
    work();
    for (std::thread& other : others)
    {
        other.join();
    }
    for (const std::exception_ptr& error : errors)
    {
        if (error)
        {
            std::rethrow_exception(error);
        }
    }
}

} // namespace ns3

#endif /* RDMA_FOR_EACH_INDEX_H */
