/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NOTIFICATION_POINT_H
#define RDMA_NOTIFICATION_POINT_H

#include "qbb-frame.h"

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
        bool due{false};   //!< a mark came since the last CNP
        int64_t nextPs{0}; //!< PER_QUEUE_PAIR: no CNP before
    };

    /** \param moderation what shares one CNP in an interval */
    void SetModeration(Moderation moderation);

    /** \return what shares one CNP in an interval */
    Moderation GetModeration() const;

    /** \param ps shortest time between two CNPs, in picoseconds; 0: no CNPs */
    void SetIntervalPs(int64_t ps);

    /** \return shortest time between two CNPs, in picoseconds; 0: no CNPs */
    int64_t GetIntervalPs() const;

    /**
     * A packet has come in for a queue pair that has a mark to tell.
     *
     * \param marks of the queue pair; none is due if the answer is true
     * \param port the NIC's port
     * \param remote the peer's IPv4 address, host byte order
     * \param nowPs the instant
     * \return true if a CNP goes out now
     */
    bool Notify(Marks& marks, uint32_t port, uint32_t remote, int64_t nowPs);

    /**
     * \param frame has all that the frames of a connection have in common; becomes a CNP, but for
     *        its class
     * \param dscp of CNPs
     */
    static void Fill(QbbFrame& frame, uint8_t dscp);

  private:
    int64_t& GetNextPs(Marks& marks, uint32_t port, uint32_t remote);

    Moderation m_moderation{PER_QUEUE_PAIR};               //!< SetModeration()
    int64_t m_intervalPs{0};                               //!< SetIntervalPs()
    std::vector<int64_t> m_nextOfPort;                     //!< PER_PORT: no CNP before
    std::unordered_map<uint32_t, int64_t> m_nextOfAddress; //!< PER_DESTINATION: the same
};

} // namespace ns3

#endif /* RDMA_NOTIFICATION_POINT_H */
