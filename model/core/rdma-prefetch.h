/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PREFETCH_H
#define RDMA_PREFETCH_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// Bytes of a cache line.
constexpr std::size_t RDMA_CACHE_LINE = 64;

/**
 * \ingroup rdma
 * Fetches a cache line into the CPU caches, ahead of its use.
 *
 * \param address any address; one that belongs to no memory has no effect
 */
inline void
RdmaPrefetch(const void* address)
{
    __builtin_prefetch(address);
    // GCC leaves out calls of functions that only prefetch, because they have no effect that GCC
    // knows of. The empty statement counts as an effect.
    asm volatile("");
}

/**
 * \ingroup rdma
 * Fetches consecutive cache lines into the CPU caches, ahead of their use.
 *
 * \param address an address in the first line
 * \param lines number of lines
 */
inline void
RdmaPrefetchLines(const void* address, std::size_t lines)
{
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::size_t i = 0; i < lines; ++i)
    {
        RdmaPrefetch(reinterpret_cast<const void*>(first + i * RDMA_CACHE_LINE));
    }
}

} // namespace ns3

#endif /* RDMA_PREFETCH_H */
