/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <vector>

namespace
{

uint64_t g_allocations = 0; //!< calls of operator new
uint64_t g_releases = 0;    //!< calls of operator delete with something to release

/** \param bytes size \return the memory, or null */
void*
TryAllocate(std::size_t bytes) noexcept
{
    ++g_allocations;
    return std::malloc(bytes ? bytes : 1);
}

/** \param bytes size \param alignment a power of two \return the memory, or null */
void*
TryAllocate(std::size_t bytes, std::align_val_t alignment) noexcept
{
    ++g_allocations;
    const auto unit = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(unit, (bytes + unit) / unit * unit);
}

/** \param memory memory, or null \return the memory; throws if the memory is null */
void*
OrThrow(void* memory)
{
    if (!memory)
    {
        throw std::bad_alloc();
    }
    return memory;
}

/** \param memory memory to free */
void
Release(void* memory)
{
    g_releases += memory != nullptr;
    std::free(memory);
}

} // namespace

// All forms are replaced: the sanitizers' library does not derive one form from another.

void*
operator new(std::size_t bytes)
{
    return OrThrow(TryAllocate(bytes));
}

void*
operator new[](std::size_t bytes)
{
    return OrThrow(TryAllocate(bytes));
}

void*
operator new(std::size_t bytes, std::align_val_t alignment)
{
    return OrThrow(TryAllocate(bytes, alignment));
}

void*
operator new[](std::size_t bytes, std::align_val_t alignment)
{
    return OrThrow(TryAllocate(bytes, alignment));
}

void*
operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    return TryAllocate(bytes);
}

void*
operator new[](std::size_t bytes, const std::nothrow_t&) noexcept
{
    return TryAllocate(bytes);
}

void*
operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return TryAllocate(bytes, alignment);
}

void*
operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return TryAllocate(bytes, alignment);
}

void
operator delete(void* memory) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory) noexcept
{
    Release(memory);
}

void
operator delete(void* memory, std::size_t) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory, std::size_t) noexcept
{
    Release(memory);
}

void
operator delete(void* memory, std::align_val_t) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory, std::align_val_t) noexcept
{
    Release(memory);
}

void
operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory, std::size_t, std::align_val_t) noexcept
{
    Release(memory);
}

void
operator delete(void* memory, const std::nothrow_t&) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory, const std::nothrow_t&) noexcept
{
    Release(memory);
}

void
operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept
{
    Release(memory);
}

void
operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept
{
    Release(memory);
}

namespace ns3
{

uint64_t
GetRdmaAllocationCount()
{
    return g_allocations;
}

uint64_t
GetRdmaAllocationsInUse()
{
    return g_allocations - g_releases;
}

} // namespace ns3

TEST(RdmaAllocationCount, Counts)
{
    const uint64_t before = ns3::GetRdmaAllocationCount();
    auto one = std::make_unique<int>(1);
    EXPECT_EQ(ns3::GetRdmaAllocationCount(), before + 1);
    std::vector<int> several(100);
    EXPECT_EQ(ns3::GetRdmaAllocationCount(), before + 2);

    struct alignas(64) Aligned
    {
        int value{0};
    };

    auto aligned = std::make_unique<Aligned[]>(3);
    EXPECT_EQ(ns3::GetRdmaAllocationCount(), before + 3);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned.get()) % 64, 0U);
    std::unique_ptr<int> quiet(new (std::nothrow) int(1));
    EXPECT_EQ(ns3::GetRdmaAllocationCount(), before + 4);
    const uint64_t inUse = ns3::GetRdmaAllocationsInUse();
    aligned.reset();
    EXPECT_EQ(ns3::GetRdmaAllocationsInUse(), inUse - 1);
    one.reset();
    one.reset();
    EXPECT_EQ(ns3::GetRdmaAllocationsInUse(), inUse - 2);
}
