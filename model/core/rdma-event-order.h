/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EVENT_ORDER_H
#define RDMA_EVENT_ORDER_H

#include "rdma-ps.h"

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Order of simultaneous events, held in the femtosecond digits of an event's time.
 *
 * Each instant consists of phases, which every node runs in a fixed order. A class that schedules
 * events declares its place in one of the phases as a class constant:
 *
 *     static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Fabrics::At<0>();
 *
 * Events with equal places run in the order in which they were scheduled, so two kinds of events
 * that can occur at one node need different ranks. A class that wants scheduling order relative to
 * another class uses that class's constant instead of a rank. A unit test
 * (rdma-event-order-test.cc) holds a table of all declarations; it fails for a declaration that is
 * not in the table and for two declarations that clash.
 *
 * Simultaneous events of several ports of a node run in a pseudo-random order, which
 * RdmaPortPlace() derives from the node and the instant. A fixed order, such as that of the port
 * numbers, would always favour some ports: over cables of equal length, senders clocked by
 * acknowledgements stay in step, and the first of them would take every resource that becomes free.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Order of simultaneous events at one node, smallest first. Order 0 is left to the user's own
 * events, which are scheduled at whole picoseconds and therefore run before all events of the
 * module.
 */
namespace RdmaEventOrder
{

constexpr uint32_t PLACES = 512; //!< number of values of RdmaPortPlace(); a power of two

/**
 * A phase of an instant. Events of a phase run after all events of the preceding phases.
 *
 * A phase either holds several kinds of events, placed by rank, or is reserved for one kind of
 * per-port event.
 *
 * \tparam First first place of the phase
 * \tparam Last last place of the phase
 */
template <uint32_t First, uint32_t Last>
struct Phase
{
    static_assert(First <= Last, "a phase has a place at least");

    static constexpr uint32_t FIRST = First;           //!< first place of the phase
    static constexpr uint32_t LAST = Last;             //!< last place of the phase
    static constexpr uint32_t SIZE = Last - First + 1; //!< number of places in the phase

    /** \param place a place \return true if the place is in the phase */
    static constexpr bool Has(uint32_t place)
    {
        return First <= place && place <= Last;
    }

    /** \tparam Rank rank of an event kind within the phase, from 0 \return place of the kind */
    template <uint32_t Rank>
    static constexpr uint32_t At()
    {
        static_assert(Rank < SIZE, "the phase has fewer places");
        return First + Rank;
    }

    /**
     * \param place value of RdmaPortPlace() for a port
     * \return place of the port; ports share places if the phase has fewer than PLACES places
     */
    static constexpr uint32_t AtPort(uint32_t place)
    {
        static_assert(PLACES % SIZE == 0, "as many values of RdmaPortPlace() to each place");
        return First + place / (PLACES / SIZE);
    }
};

/// Arrivals of the last bits of frames, placed by port. QbbChannel orders the arrivals at ports
/// that share a place.
using Arrivals = Phase<1, PLACES>;
/// Ports may send, pause or resume; placed by port. The node schedules these events itself, so
/// events of ports that share a place run in an order that depends only on the node's history.
using Ports = Phase<513, 768>;
/// Receive pipelines behind ports pass frames on; placed by port. Ports that share a place are
/// ordered as in the phase Ports.
using Pipelines = Phase<769, 832>;
/// The fabric between a node's ports acts on all frames that have arrived by this instant.
using Fabrics = Phase<833, 969>;
/// Injected faults take effect, such as a PFC storm.
using Faults = Phase<970, 979>;
/// Applications on hosts post requests.
using Programs = Phase<980, 989>;
/// Devices settle the instant: first unmet deadlines expire, then due work begins, then watchdogs
/// act.
using Settling = Phase<990, 998>;
/// Observers read the final state of the instant. They change nothing, so they share one place.
using Observers = Phase<999, 999>;

static_assert(Ports::FIRST == Arrivals::LAST + 1 && Pipelines::FIRST == Ports::LAST + 1 &&
                  Fabrics::FIRST == Pipelines::LAST + 1 && Faults::FIRST == Fabrics::LAST + 1 &&
                  Programs::FIRST == Faults::LAST + 1 && Settling::FIRST == Programs::LAST + 1 &&
                  Observers::FIRST == Settling::LAST + 1,
              "each phase begins where the one before it ends");

} // namespace RdmaEventOrder

/**
 * \ingroup rdma
 * \return a fixed pseudo-random permutation of the numbers below RdmaEventOrder::PLACES
 */
constexpr std::array<uint16_t, RdmaEventOrder::PLACES>
MakeRdmaShuffle()
{
    std::array<uint16_t, RdmaEventOrder::PLACES> shuffle{};
    uint64_t state = 1;
    for (uint32_t i = 0; i < RdmaEventOrder::PLACES; ++i)
    {
        // Fisher-Yates shuffle with the linear congruential generator of Knuth's MMIX.
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto other = static_cast<uint32_t>((state >> 33) % (i + 1));
        shuffle[i] = shuffle[other];
        shuffle[other] = static_cast<uint16_t>(i);
    }
    return shuffle;
}

/**
 * \ingroup rdma
 * Permutation used by RdmaPortPlace().
 */
inline constexpr std::array<uint16_t, RdmaEventOrder::PLACES> RDMA_SHUFFLE = MakeRdmaShuffle();

/**
 * \ingroup rdma
 * Place of a port among the ports of a node that have events of one kind at one instant.
 *
 * The places permute the ports and depend on the node and the instant only. They need no state and
 * are independent of the order in which, or the processor on which, events are created. Each port
 * comes before any given other port half of the time. Ports whose indices differ by a multiple of
 * RdmaEventOrder::PLACES share a place.
 *
 * \param nodeId id of the node
 * \param port index of the port
 * \param instant instant of the event
 * \return place below RdmaEventOrder::PLACES
 */
inline uint32_t
RdmaPortPlace(uint32_t nodeId, uint32_t port, RdmaPs instant)
{
    // Multiplication spreads differences to the high bits; the shift brings them down again.
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;
    constexpr uint64_t MASK = RdmaEventOrder::PLACES - 1;
    uint64_t h = (static_cast<uint64_t>(instant.Get()) ^ (uint64_t{nodeId} << 40)) * FACTOR;
    h ^= h >> 32;
    h *= FACTOR;
    // Each step is a bijection on 9-bit numbers. A single XOR swaps any two ports half of the time;
    // two XORs with a shuffle between them also make each of many ports first equally often.
    const uint64_t first = RDMA_SHUFFLE[(port ^ (h >> 55)) & MASK];
    return RDMA_SHUFFLE[first ^ ((h >> 46) & MASK)];
}

} // namespace ns3

#endif /* RDMA_EVENT_ORDER_H */
