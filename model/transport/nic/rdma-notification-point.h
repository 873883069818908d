/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NOTIFICATION_POINT_H
#define RDMA_NOTIFICATION_POINT_H

#include "qbb-frame.h"
#include "qbb-ps.h"

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
 * 3: one CNP for each interval in which a marked packet arrived. The first packet received after
 * the interval triggers the CNP.
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
        bool due{false}; //!< CE mark seen since the last CNP
        QbbPs next{0};   //!< PER_QUEUE_PAIR: earliest time of the next CNP
    };

    /** \param moderation scope of the limit of one CNP per interval */
    void SetModeration(Moderation moderation);

    /** \return scope of the limit of one CNP per interval */
    Moderation GetModeration() const;

    /** \param interval shortest time between two CNPs; 0: no CNPs */
    void SetInterval(QbbPs interval);

    /** \return shortest time between two CNPs; 0: no CNPs */
    QbbPs GetInterval() const;

    /**
     * Decides on a CNP when a packet arrives for a queue pair with an unreported CE mark.
     *
     * \param marks marks of the queue pair; cleared if the result is true
     * \param port the NIC's port
     * \param remote IPv4 address of the peer, in host byte order
     * \param now current time
     * \return true if a CNP is to be sent now
     */
    bool Notify(Marks& marks, uint32_t port, uint32_t remote, QbbPs now);

    /**
     * \param frame frame with the header fields common to a connection; becomes a CNP
     * \param port port that sends the CNP
     * \param dscp DSCP of CNPs, which selects the class
     */
    static void Fill(QbbFrame& frame, QbbPort& port, uint8_t dscp);

  private:
    QbbPs& GetNext(Marks& marks, uint32_t port, uint32_t remote);

    Moderation m_moderation{PER_QUEUE_PAIR}; //!< scope of the limit of one CNP per interval
    QbbPs m_interval{0};                     //!< shortest time between two CNPs; 0: no CNPs
    std::vector<QbbPs> m_nextOfPort;         //!< PER_PORT: earliest time of the next CNP, by port
    /// PER_DESTINATION: earliest time of the next CNP, by address
    std::unordered_map<uint32_t, QbbPs> m_nextOfAddress;
};

} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
