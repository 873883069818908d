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
 * Reasons why a frame was dropped.
 */
enum class QbbDropReason : uint8_t
{
    BUFFER_FULL,   //!< the switch's shared buffer had no room for a lossy class
    HEADROOM_FULL, //!< the headroom of a lossless class was full
    EGRESS_LIMIT,  //!< the egress queue of a lossy class was at its limit
    STACK_QUEUE,   //!< the host's queue for ns-3's stack was full
    LINK_DOWN,     //!< the link was down or went down
    CORRUPTED,     //!< the error model corrupted the frame
    MALFORMED,     //!< the bytes do not parse as a frame
    NO_ROUTE,      //!< the switch has no route to the destination
    TTL_EXPIRED,   //!< the time to live expired
    NOT_FOR_US,    //!< the destination MAC address or queue pair is not this node's
    UNEXPECTED,    //!< the receiver has no use for the frame
    TOO_LONG,      //!< the packet exceeds the MTU
    PFC_STORM,     //!< the PFC watchdog dropped a frame in or for a stuck queue
    RECEIVER_FULL, //!< the host's receive buffer had no room
    COUNT          //!< number of drop reasons
};

/**
 * \ingroup rdma
 * \param reason a drop reason
 * \return text for the reason
 */
const char* GetQbbDropReasonName(QbbDropReason reason);

/**
 * \ingroup rdma
 * Writes the text for a drop reason.
 *
 * \param os output stream
 * \param reason drop reason
 * \return \p os
 */
std::ostream& operator<<(std::ostream& os, QbbDropReason reason);

/**
 * \ingroup rdma
 * Counters of a port. All counters have 64 bits and are never reset. Byte counters count frame
 * bytes from destination MAC address to FCS.
 *
 * To add a counter that is a column of ports.csv and of the port monitor's file: add a member to
 * Class, and a line to the table in GetRdmaPortCounters() (helper/result/rdma-port-result.cc).
 */
struct QbbPortCounters
{
    /** Counters of one traffic class. */
    struct Class
    {
        uint64_t txFrames{0}; //!< frames sent
        uint64_t txBytes{0};  //!< bytes sent
        uint64_t rxFrames{0}; //!< frames received
        uint64_t rxBytes{0};  //!< bytes received
        uint64_t drops{0};    //!< frames dropped at this port, outgoing or incoming
        uint64_t ecnMarks{0}; //!< outgoing frames marked CE at this port
    };

    std::array<Class, 8> classes{}; //!< counters by traffic class
    uint64_t cutThroughFrames{0};   //!< frames sent by cut-through
    uint64_t macControlTx{0};       //!< pause frames sent, PFC and PAUSE
    uint64_t macControlRx{0};       //!< pause frames received, PFC and PAUSE
    uint64_t macControlIgnored{0};  //!< pause frames ignored wholly or in part
    std::array<uint64_t, static_cast<std::size_t>(QbbDropReason::COUNT)>
        dropsByReason{}; //!< frames dropped, by reason

    /** \return number of frames dropped, for any reason */
    uint64_t GetDrops() const
    {
        uint64_t sum = 0;
        for (auto count : dropsByReason)
        {
            sum += count;
        }
        return sum;
    }

    /** \return number of frames sent, pause frames included */
    uint64_t GetTxFrames() const
    {
        uint64_t sum = macControlTx;
        for (const auto& c : classes)
        {
            sum += c.txFrames;
        }
        return sum;
    }

    /** \return number of frames received, pause frames included */
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
