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

/**
 * \ingroup rdma
 * The notification point (NP) of a NIC: decides when packets that came in marked CE are answered
 * with a congestion notification packet (CNP).
 *
 * Source: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section
 * 3: one CNP for each interval in which a marked packet came. The first packet after the interval
 * brings the CNP.
 */
class RdmaNotificationPoint
{
  public:
    /**
     * What shares one CNP in an interval.
     */
    enum Moderation : uint8_t
    {
        PER_QUEUE_PAIR,  //!< each queue pair for itself
        PER_DESTINATION, //!< all queue pairs to one address
        PER_PORT,        //!< all queue pairs of one port
    };

    /** The marks of one queue pair. */
    struct Marks
    {
        bool due{false}; //!< a mark came since the last CNP
        QbbPs next{0};   //!< PER_QUEUE_PAIR: no CNP before
    };

    /** \param moderation what shares one CNP in an interval */
    void SetModeration(Moderation moderation);

    /** \return what shares one CNP in an interval */
    Moderation GetModeration() const;

    /** \param interval shortest time between two CNPs; 0: no CNPs */
    void SetInterval(QbbPs interval);

    /** \return shortest time between two CNPs; 0: no CNPs */
    QbbPs GetInterval() const;

    /**
     * A packet has come in for a queue pair that has a mark to tell.
     *
     * \param marks of the queue pair; none is due if the answer is true
     * \param port the NIC's port
     * \param remote the peer's IPv4 address, host byte order
     * \param now the instant
     * \return true if a CNP goes out now
     */
    bool Notify(Marks& marks, uint32_t port, uint32_t remote, QbbPs now);

    /**
     * \param frame has all that the frames of a connection have in common; becomes a CNP, but for
     *        its class
     * \param dscp of CNPs
     */
    static void Fill(QbbFrame& frame, uint8_t dscp);

  private:
    QbbPs& GetNext(Marks& marks, uint32_t port, uint32_t remote);

    Moderation m_moderation{PER_QUEUE_PAIR};             //!< SetModeration()
    QbbPs m_interval{0};                                 //!< SetInterval()
    std::vector<QbbPs> m_nextOfPort;                     //!< PER_PORT: no CNP before
    std::unordered_map<uint32_t, QbbPs> m_nextOfAddress; //!< PER_DESTINATION: the same
};

} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
