/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QP_ATTRIBUTES_H
#define RDMA_QP_ATTRIBUTES_H

#include "rdma-verbs.h"

#include <ns3/ipv4-address.h>

#include <cstdint>
#include <optional>

namespace ns3
{

struct RdmaConnection;

/**
 * \ingroup rdma
 * What RdmaQueuePair::Modify() changes (ibv_qp_attr). What is not set stays as the queue pair's
 * ns-3 attributes, or its transport's, have it.
 */
struct RdmaQpAttributes
{
    RdmaQpState state{RdmaQpState::INIT}; //!< the new state

    // INIT to RTR
    std::optional<Ipv4Address> remoteAddress; //!< the peer's address; RTR needs it
    std::optional<uint32_t> remoteQpn;        //!< dest_qp_num; RTR needs it
    std::optional<uint32_t> remotePsn;        //!< rq_psn: PSN of the peer's first packet; 0
    std::optional<uint8_t> maxDestRdAtomic;   //!< READs and atomics of the peer at a time, 1..255
    std::optional<uint8_t> minRnrTimer;       //!< code 0..31; later, too

    // RTR to RTS
    std::optional<uint32_t> initialPsn;   //!< sq_psn: PSN of this side's first packet, 24 bits
    std::optional<uint8_t> maxRdAtomic;   //!< READs and atomics of this side at a time, 1..255
    std::optional<uint8_t> timeout;       //!< code 0..31: 4.096 us x 2^code; 0 turns it off
    std::optional<uint8_t> retryCount;    //!< retry_cnt, 0..7
    std::optional<uint8_t> rnrRetryCount; //!< rnr_retry, 0..7; 7 means no limit

    /**
     * Aborts with a message if a queue pair cannot go to the new state, if RTR comes without the
     * peer's address and QPN, or if an attribute does not belong to the transition or has a value
     * that no queue pair may have.
     *
     * \param from the state that the queue pair has
     */
    void Check(RdmaQpState from) const;

    /** \return true if it names a limit that the queue pair has in place of its transport's */
    bool HasRetryLimits() const
    {
        return timeout || retryCount || rnrRetryCount;
    }

    /**
     * Gives a connection the settings that are named here. Its state stays as it is. After Check().
     *
     * \param connection gets the settings; with RTR, remotePsn is 0 unless it is named
     */
    void ApplyTo(RdmaConnection& connection) const;
};

/**
 * \ingroup rdma
 * \param code timeout code of a queue pair (IBA Vol. 1, 9.9.2.1.1), 0..31
 * \return 4.096 us x 2^code; 0 for 0, which turns the timer off
 */
constexpr QbbPs
GetRdmaTimeout(uint8_t code)
{
    return code == 0 ? 0_ps : 4'096_ns * (int64_t{1} << code);
}

} // namespace ns3

#endif /* RDMA_QP_ATTRIBUTES_H */
