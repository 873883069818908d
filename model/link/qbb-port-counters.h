/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_COUNTERS_H
#define QBB_PORT_COUNTERS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma
 * Why a frame was thrown away.
 */
enum class QbbDropReason : uint8_t
{
    BUFFER_FULL,   //!< the switch's shared buffer had no room for a lossy class
    HEADROOM_FULL, //!< a lossless class outran its headroom
    EGRESS_LIMIT,  //!< the egress queue of a lossy class was at its limit
    STACK_QUEUE,   //!< the host's queue for ns-3's stack was full
    LINK_DOWN,     //!< the link was or went down
    CORRUPTED,     //!< the error model damaged it
    MALFORMED,     //!< its bytes are not a valid frame
    NO_ROUTE,      //!< the switch knows no way to the destination
    TTL_EXPIRED,   //!< time to live came to its end
    NOT_FOR_US,    //!< another MAC address, or no such queue pair
    UNEXPECTED,    //!< a frame that the receiver has no use for
    TOO_LONG,      //!< longer than the MTU
    PFC_STORM,     //!< the PFC watchdog drops what a paused queue holds and gets
    RECEIVER_FULL, //!< the host's receive buffer had no room
    COUNT          //!< how many reasons there are
};

/**
 * \ingroup rdma
 * \param reason a reason
 * \return its name in lower case
 */
const char* GetQbbDropReasonName(QbbDropReason reason);

/**
 * \ingroup rdma
 * \param os where to
 * \param reason what
 * \return \p os
 */
std::ostream& operator<<(std::ostream& os, QbbDropReason reason);

/**
 * \ingroup rdma
 * What a port counts. 64-bit; nothing is ever reset. Bytes are frame bytes from MAC
 * address to FCS.
 */
struct QbbPortCounters
{
    /** Counters of one class. */
    struct Class
    {
        uint64_t txFrames{0}; //!< frames sent
        uint64_t txBytes{0};  //!< bytes sent
        uint64_t rxFrames{0}; //!< frames received
        uint64_t rxBytes{0};  //!< bytes received
        uint64_t drops{0};    //!< frames thrown away on their way out of this port, or in
        uint64_t ecnMarks{0}; //!< frames marked CE on their way out of this port
    };

    std::array<Class, 8> classes{}; //!< by class
    uint64_t cutThroughFrames{0};   //!< frames whose way out began before they had come in whole
    uint64_t macControlTx{0};       //!< pause frames sent, PFC and PAUSE
    uint64_t macControlRx{0};       //!< pause frames received, PFC and PAUSE
    uint64_t macControlIgnored{0};  //!< pause frames for classes that are not under flow control
    std::array<uint64_t, static_cast<std::size_t>(QbbDropReason::COUNT)>
        dropsByReason{}; //!< frames thrown away, by reason

    /** \return frames thrown away */
    uint64_t GetDrops() const
    {
        uint64_t sum = 0;
        for (auto count : dropsByReason)
        {
            sum += count;
        }
        return sum;
    }

    /** \return frames sent, pause frames included */
    uint64_t GetTxFrames() const
    {
        uint64_t sum = macControlTx;
        for (const auto& c : classes)
        {
            sum += c.txFrames;
        }
        return sum;
    }

    /** \return frames received, pause frames included */
    uint64_t GetRxFrames() const
    {
        uint64_t sum = macControlRx;
        for (const auto& c : classes)
        {
            sum += c.rxFrames;
        }
        return sum;
    }
};

} // namespace ns3

#endif /* QBB_PORT_COUNTERS_H */
