/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NOTIFICATION_POINT_H
#define RDMA_NOTIFICATION_POINT_H

#include "qbb-frame.h"
#include "rdma-ps.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * The notification point (NP) of a NIC: decides when received packets with a CE mark trigger a
 * congestion notification packet (CNP).
 *
 * Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section
 * 3.1: a marked packet triggers a CNP at once if none was sent in the last N microseconds. Further
 * on, at most one CNP is sent for each interval of N in which a marked packet arrived. As NICs act
 * when packets arrive, the CNP of an interval is sent with the first packet that arrives after the
 * interval.
 *
 * A mark older than two intervals, that in which the mark arrived and that in which the mark can be
 * reported, is forgotten. The flow has paused or ended since, so the mark no longer says anything
 * about the path, and the CNP would cut the rate of the flow's next message. (NVIDIA's NICs, which
 * send a CNP when a marked packet arrives, forget all marks within an interval. Without packets the
 * paper's NP would still send the CNP at the end of the interval.)
 *
 * Where packets of a queue pair take many paths, a marked packet of one of them arrives in almost
 * every interval. With `share` above 0, an interval has a CNP only if at least this share of the
 * packets since the latest decision were marked. Decisions are an interval apart.
 */
class RdmaNotificationPoint
{
  public:
    /**
     * Scope of the limit of one CNP per interval.
     */
    enum Moderation : uint8_t
    {
        PER_QUEUE_PAIR,  //!< each queue pair separately
        PER_DESTINATION, //!< all queue pairs to one destination address
        PER_PORT,        //!< all queue pairs of one port
    };

    /** State kept for one queue pair about packets that arrived with a CE mark. */
    struct Marks
    {
        bool due{false};      //!< CE mark seen that is not reported
        uint32_t count{0};    //!< CE marks since the latest decision
        RdmaPs seen{0};       //!< with due: arrival time of the latest CE mark
        RdmaPs next{0};       //!< PER_QUEUE_PAIR, and with a share: earliest time of the next CNP
        uint64_t received{0}; //!< packets of the queue pair at the latest decision

        /** A packet arrived with a CE mark. \param now current time */
        void Add(RdmaPs now)
        {
            due = true;
            ++count;
            seen = now;
        }
    };

    Moderation moderation{PER_QUEUE_PAIR}; //!< scope of the limit of one CNP per interval
    RdmaPs interval{0};                    //!< shortest time between two CNPs; 0: no CNPs
    double share{0}; //!< least share of marked packets for a CNP; 0: one packet suffices

    /**
     * Decides on a CNP when a packet arrives for a queue pair with an unreported CE mark.
     *
     * \param marks marks of the queue pair; cleared if the result is true or if they are too old
     * \param port the NIC's port
     * \param remote IPv4 address of the peer, in host byte order
     * \param received packets that the queue pair has received so far
     * \param now current time
     * \return true if a CNP is to be sent now
     */
    bool Notify(Marks& marks, uint32_t port, uint32_t remote, uint64_t received, RdmaPs now);

    /**
     * \param frame frame with the header fields common to a connection; becomes a CNP
     * \param port port that sends the CNP
     * \param dscp DSCP of CNPs, which selects the class
     */
    static void Fill(QbbFrame& frame, QbbPort& port, uint8_t dscp);

  private:
    RdmaPs& GetNext(Marks& marks, uint32_t port, uint32_t remote);

    std::vector<RdmaPs> m_nextOfPort; //!< PER_PORT: earliest time of the next CNP, by port
    /// PER_DESTINATION: earliest time of the next CNP, by address
    std::unordered_map<uint32_t, RdmaPs> m_nextOfAddress;
};

} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
