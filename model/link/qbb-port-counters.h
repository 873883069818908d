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
 * Reasons why a frame was dropped, and the port that counts the drop. The ingress port is the
 * switch's or host's port that has received the frame; the egress port is the port that would have
 * sent the frame.
 */
enum class QbbDropReason : uint8_t
{
    /// The buffer had no room for a lossy class. Ingress port; egress port of a frame pushed out.
    BUFFER_FULL,
    HEADROOM_FULL, //!< the headroom of a lossless class was full; ingress port
    EGRESS_LIMIT,  //!< the egress queue of a lossy class was at its limit; egress port
    STACK_QUEUE,   //!< the host's queue for ns-3's stack was full; egress port
    /// The link was or went down. Egress port of a frame in or for its queue; ingress port of a
    /// frame on the line.
    LINK_DOWN,
    CORRUPTED,     //!< the error model corrupted the frame; ingress port
    MALFORMED,     //!< the bytes do not parse; ingress port, or egress port for ns-3's stack
    NO_ROUTE,      //!< the switch has no route to the destination; ingress port
    TTL_EXPIRED,   //!< the time to live expired; ingress port
    NOT_FOR_US,    //!< MAC address or queue pair of somebody else; ingress port
    UNEXPECTED,    //!< the receiver has no use for the frame; ingress port
    TOO_LONG,      //!< the packet exceeds the MTU of the egress port; egress port
    PFC_STORM,     //!< a PFC watchdog dropped the frame; port of the storm, see QbbPfcWatchdog
    RECEIVER_FULL, //!< the host's receive buffer had no room; ingress port
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
 * To add a counter that is a column of ports.csv and of the port monitor's file:
 *
 * 1. add a member to Class;
 * 2. count where the port (qbb-port.cc) or its switch or NIC sees the event;
 * 3. add a line to the table in GetRdmaPortCounters() (helper/result/rdma-port-result.cc);
 * 4. `tools/with-ns3 exec doc/introspect.py` writes doc/columns.rst and
 *    python/ns3_rdma/columns.json anew.
 *
 * The rest reads that table: ports.csv, the port monitor, and GatherRdmaPorts(), which gathers the
 * rows of all ranks.
 *
 * The rows of both files are per port and priority, so a counter of the whole port, which is a
 * member outside Class such as cutThroughFrames, is no column. Programs read it by
 * QbbPort::GetCounters(). To have it in ports.csv, count by priority, or add a column of your own
 * that repeats the number in the rows of all priorities (examples/own/rdma-own-column.cc).
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
