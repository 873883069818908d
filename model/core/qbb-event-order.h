/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_ORDER_H
#define QBB_EVENT_ORDER_H

#include "qbb-ps.h"

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The order of simultaneous events: what comes below the picoseconds of an event's time.
 *
 * An instant has phases, which follow each other at each node. Whoever schedules events declares
 * its own place in one of them, as a constant of its class:
 *
 *     static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Fabrics::At<0>();
 *
 * Two kinds of events that one node may have get different ranks, as events of one place run in
 * the order in which they were scheduled. Who wants just that names the other's constant in place
 * of a rank. A unit test (qbb-event-order-test.cc) has a table of all declarations, and fails for
 * one that is not there, and for two that clash.
 *
 * Events of several ports of a node at one instant run in an order that QbbPortPlace() draws for
 * the node and the instant. With a fixed order, as that of the ports' numbers, some ports would
 * always win: over cables of equal length, senders that are clocked by acknowledgements keep in
 * step, and whatever becomes free goes to the first of them.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * The order of simultaneous events at one node, smallest first. 0 is left to the user's own events,
 * which are scheduled at whole picoseconds: they come before everything of the module.
 */
namespace QbbEventOrder
{

constexpr uint32_t PLACES = 512; //!< values of QbbPortPlace(); a power of two

/**
 * A phase of an instant. Its events follow those of the phases before it.
 *
 * Either kinds of events have places in it by their ranks, or one kind of events of a node's ports
 * has all of it.
 *
 * \tparam First its first place
 * \tparam Last its last place
 */
template <uint32_t First, uint32_t Last>
struct Phase
{
    static_assert(First <= Last, "a phase has a place at least");

    static constexpr uint32_t FIRST = First;           //!< the first place
    static constexpr uint32_t LAST = Last;             //!< the last place
    static constexpr uint32_t SIZE = Last - First + 1; //!< places

    /** \tparam Rank among the phase's kinds of events, from 0 \return the kind's place */
    template <uint32_t Rank>
    static constexpr uint32_t At()
    {
        static_assert(Rank < SIZE, "the phase has fewer places");
        return First + Rank;
    }

    /**
     * \param place a port's QbbPortPlace()
     * \return the port's place; ports share one where the phase has fewer than PLACES
     */
    static constexpr uint32_t AtPort(uint32_t place)
    {
        static_assert(PLACES % SIZE == 0, "as many values of QbbPortPlace() to each place");
        return First + place / (PLACES / SIZE);
    }
};

/// Frames' last bits come in, by port. Who takes them orders ports that share a place.
using Arrivals = Phase<1, PLACES>;
/// Ports may send, pause or resume, by port. These events are made by the node itself, so that
/// those of ports that share a place run in an order that follows from its history.
using Ports = Phase<513, 768>;
/// What stands behind a port passes a frame on, by port. Ports that share a place as in Ports.
using Pipelines = Phase<769, 832>;
/// What stands between a node's ports sees all that has come in by now, and acts.
using Fabrics = Phase<833, 969>;
/// Something that is broken does harm.
using Faults = Phase<970, 979>;
/// Programs on hosts ask for something.
using Programs = Phase<980, 989>;
/// Devices settle the instant: deadlines run out that nothing has met, then what is due begins,
/// and then those act that watch over it.
using Settling = Phase<990, 998>;
/// Observers look at the state that the instant leaves. As they change nothing they share a place.
using Observers = Phase<999, 999>;

static_assert(Ports::FIRST == Arrivals::LAST + 1 && Pipelines::FIRST == Ports::LAST + 1 &&
                  Fabrics::FIRST == Pipelines::LAST + 1 && Faults::FIRST == Fabrics::LAST + 1 &&
                  Programs::FIRST == Faults::LAST + 1 && Settling::FIRST == Programs::LAST + 1 &&
                  Observers::FIRST == Settling::LAST + 1,
              "each phase begins where the one before it ends");

} // namespace QbbEventOrder

/**
 * \ingroup rdma
 * \return the numbers below QbbEventOrder::PLACES in some fixed, irregular order
 */
constexpr std::array<uint16_t, QbbEventOrder::PLACES>
MakeQbbShuffle()
{
    std::array<uint16_t, QbbEventOrder::PLACES> shuffle{};
    uint64_t state = 1;
    for (uint32_t i = 0; i < QbbEventOrder::PLACES; ++i)
    {
        // Fisher and Yates, with the linear congruential generator of Knuth's MMIX.
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto other = static_cast<uint32_t>((state >> 33) % (i + 1));
        shuffle[i] = shuffle[other];
        shuffle[other] = static_cast<uint16_t>(i);
    }
    return shuffle;
}

/**
 * \ingroup rdma
 * The shuffle of QbbPortPlace().
 */
inline constexpr std::array<uint16_t, QbbEventOrder::PLACES> QBB_SHUFFLE = MakeQbbShuffle();

/**
 * \ingroup rdma
 * The place of a port among the ports of a node that have events of one kind at one instant.
 *
 * The place is a permutation of the ports that depends on the node and the instant alone: it needs
 * no state, and it does not depend on the order or the processor in which events are made. Each
 * port is as often before any other port as behind it. Ports whose indices differ by a multiple of
 * QbbEventOrder::PLACES share a place.
 *
 * \param nodeId the node's id
 * \param port the port's index
 * \param instant the instant
 * \return a number below QbbEventOrder::PLACES
 */
inline uint32_t
QbbPortPlace(uint32_t nodeId, uint32_t port, QbbPs instant)
{
    // Multiplication carries what differs to the high bits, and the shift brings it down again.
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;
    constexpr uint64_t MASK = QbbEventOrder::PLACES - 1;
    uint64_t h = (static_cast<uint64_t>(instant.Get()) ^ (uint64_t{nodeId} << 40)) * FACTOR;
    h ^= h >> 32;
    h *= FACTOR;
    // Each step maps the numbers of 9 bits one to one. One exclusive or makes any two ports change
    // sides half of the time; two with a shuffle between them do so for the first among many.
    const uint64_t first = QBB_SHUFFLE[(port ^ (h >> 55)) & MASK];
    return QBB_SHUFFLE[first ^ ((h >> 46) & MASK)];
}

} // namespace ns3

#endif /* QBB_EVENT_ORDER_H */
