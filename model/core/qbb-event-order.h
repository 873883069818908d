/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EVENT_ORDER_H
#define QBB_EVENT_ORDER_H

#include <array>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * The order of simultaneous events: what comes below the picoseconds of an event's time.
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
/// A frame's last bit came in; plus QbbPortPlace(). QbbChannel orders ports that share a place.
constexpr uint32_t ARRIVAL = 1;
/// A port may send, pause or resume; plus half of QbbPortPlace(). These events are made by the node
/// itself, so that those of ports that share a place run in an order that follows from its history.
constexpr uint32_t PORT = ARRIVAL + PLACES;
/// A NIC's receive pipeline passes a frame on; plus an eighth of QbbPortPlace().
constexpr uint32_t NIC_RECEIVE = PORT + PLACES / 2;
/// A switch's crossbar hands frames to its ports, and matches what has come in by now.
constexpr uint32_t CROSSBAR = NIC_RECEIVE + PLACES / 8;
constexpr uint32_t STORM_SOURCE = 970; //!< a broken NIC sends a pause frame
constexpr uint32_t APPLICATION = 980;  //!< a workload posts requests
constexpr uint32_t NIC_TIMER = 990;    //!< a queue pair's timer has run out
constexpr uint32_t NIC_KICK = 991; //!< a NIC begins what was posted or timed out at this instant
constexpr uint32_t WATCHDOG = 992; //!< a watchdog samples the queues, and acts
constexpr uint32_t MONITOR = 999;  //!< a monitor looks at the state that the instant leaves

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
 * \param ps the instant, in picoseconds
 * \return a number below QbbEventOrder::PLACES
 */
inline uint32_t
QbbPortPlace(uint32_t nodeId, uint32_t port, int64_t ps)
{
    // Multiplication carries what differs to the high bits, and the shift brings it down again.
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;
    constexpr uint64_t MASK = QbbEventOrder::PLACES - 1;
    uint64_t h = (static_cast<uint64_t>(ps) ^ (uint64_t{nodeId} << 40)) * FACTOR;
    h ^= h >> 32;
    h *= FACTOR;
    // Each step maps the numbers of 9 bits one to one. One exclusive or makes any two ports change
    // sides half of the time; two with a shuffle between them do so for the first among many.
    const uint64_t first = QBB_SHUFFLE[(port ^ (h >> 55)) & MASK];
    return QBB_SHUFFLE[first ^ ((h >> 46) & MASK)];
}

} // namespace ns3

#endif /* QBB_EVENT_ORDER_H */
