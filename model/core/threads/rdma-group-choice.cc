/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-group-choice.h"

#include <algorithm>

#ifdef __unix__
#include <unistd.h>
#endif

namespace ns3
{

namespace
{

constexpr uint64_t BYTES_OF_EVENT = 8192;    // memory that a pending event will touch, measured
constexpr uint64_t PARTS_OF_CACHE = 4;       // groups that the cache could hold, measured
constexpr uint64_t MOST_CHOSEN_GROUPS = 128; // of the choice, for each thread
constexpr uint64_t GROUPS_OF_THREAD = 8;     // least number of groups for each of several threads
constexpr uint64_t EVENTS_OF_TURN = 48;    // least events of a group of several threads in a window
constexpr uint64_t EVENTS_FOR_CACHE = 200; // events for which a group's memory is worth loading
constexpr uint64_t EVENTS_OF_THREAD = 150; // least events of each of several threads in a window
constexpr uint64_t USUAL_CACHE = 1U << 20; // size of a second-level cache that is unknown

} // namespace

RdmaGroupChoice
RdmaGroupChoice::Make(const RdmaActivity& activity,
                      RdmaPs lookahead,
                      uint32_t threads,
                      uint64_t cacheBytes)
{
    RdmaGroupChoice choice;
    const auto time = static_cast<uint64_t>(std::max<int64_t>(activity.time.Get(), 1));
    const auto window =
        static_cast<uint64_t>(static_cast<double>(activity.events) *
                              static_cast<double>(lookahead.Get()) / static_cast<double>(time));
    const uint64_t memory = activity.pending * BYTES_OF_EVENT;
    const uint64_t forCache =
        memory <= cacheBytes
            ? 1
            : std::min(1 + memory / (cacheBytes / PARTS_OF_CACHE), MOST_CHOSEN_GROUPS);
    const uint64_t forThreads = threads > 1 ? GROUPS_OF_THREAD * threads : 1;
    const uint64_t byEvents = window / EVENTS_OF_TURN;
    // Larger groups would not fit into the cache either.
    uint64_t groups = forCache * EVENTS_FOR_CACHE <= window ? forCache : 1;
    if (threads > 1 && window >= 2 * EVENTS_OF_THREAD * threads)
    {
        groups = std::max({groups, std::min(forThreads, byEvents), uint64_t{threads}});
    }
    groups = std::min(groups, MOST_CHOSEN_GROUPS * threads);
    if (groups < 2)
    {
        return choice;
    }
    choice.groups = static_cast<uint32_t>(groups);
    // The choice would change too often if a pause needed no more than its opposite.
    choice.eventsOfWindow =
        threads > 1 ? EVENTS_OF_THREAD * threads : groups * EVENTS_FOR_CACHE / 2;
    return choice;
}

uint64_t
GetRdmaCacheBytes()
{
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<uint64_t>(bytes) : USUAL_CACHE;
#else
    return USUAL_CACHE;
#endif
}

} // namespace ns3
