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
 * Attributes for RdmaQueuePair::Modify() (ibv_qp_attr). For an attribute that is not set, the ns-3
 * attribute of the queue pair or of its transport applies.
 */
struct RdmaQpAttributes
{
    RdmaQpState state{RdmaQpState::INIT}; //!< new state of the queue pair

    // Attributes of the transition INIT to RTR
    std::optional<Ipv4Address> remoteAddress; //!< IPv4 address of the peer; required for RTR
    /// dest_qp_num: queue pair number of the peer; required for RTR
    std::optional<uint32_t> remoteQpn;
    std::optional<uint32_t> remotePsn; //!< rq_psn: PSN of the peer's first packet; default 0
    /// max_dest_rd_atomic: limit of the peer's outstanding READs and atomics, 1..255
    std::optional<uint8_t> maxDestRdAtomic;
    std::optional<uint8_t> minRnrTimer; //!< min_rnr_timer code, 0..31; accepted in any transition

    // Attributes of the transition RTR to RTS
    std::optional<uint32_t> initialPsn; //!< sq_psn: PSN of this side's first packet, 24 bits
    /// max_rd_atomic: limit of this side's outstanding READs and atomics, 1..255
    std::optional<uint8_t> maxRdAtomic;
    /// Timeout code, 0..31: 4.096 us x 2^code; 0 disables the timer
    std::optional<uint8_t> timeout;
    std::optional<uint8_t> retryCount;    //!< retry_cnt, 0..7
    std::optional<uint8_t> rnrRetryCount; //!< rnr_retry, 0..7; 7 means no limit

    /**
     * Aborts with a message if the queue pair cannot go to the new state, if RTR lacks the peer's
     * address or QPN, or if an attribute does not belong to the transition or is out of range.
     *
     * \param from the queue pair's current state
     */
    void Check(RdmaQpState from) const;

    /** \return true if an attribute replaces a retry limit of the transport */
    bool HasRetryLimits() const
    {
        return timeout || retryCount || rnrRetryCount;
    }

    /**
     * Copies the attributes that are set, except the state, to a connection. To be called after
     * Check().
     *
     * \param connection receives the settings; with RTR, remotePsn is 0 unless it is set
     */
    void ApplyTo(RdmaConnection& connection) const;
};

/**
 * \ingroup rdma
 * \param code timeout code of a queue pair (IBA Vol. 1, 9.9.2.1.1), 0..31
 * \return 4.096 us x 2^code; 0 for code 0, which disables the timer
 */
constexpr RdmaPs
GetRdmaTimeout(uint8_t code)
{
    return code == 0 ? 0_ps : 4'096_ns * (int64_t{1} << code);
}

} // namespace ns3

#endif /* RDMA_QP_ATTRIBUTES_H */
