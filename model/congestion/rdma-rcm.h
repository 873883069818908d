/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RCM_H
#define RDMA_RCM_H

#include "rdma-congestion-control.h"

#include <ns3/nstime.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * RoCEv2 congestion management with linear reduction (Liu et al., "Implementation of PFC and RCM
 * for RoCEv2 Simulation in OMNeT++", OMNeT++ Summit 2015, section IV; IBA annex A17.9.3).
 *
 * T is the time of a full packet on the line. After n CNPs packets leave (n + 1) T apart, which is
 * 1 / (n + 1) of the line rate. Each recovery takes n one step back: RecoveryTime, or RecoveryBytes
 * sent, or either, or both, after the last CNP or recovery.
 */
class RdmaRcm : public RdmaCongestionControl
{
  public:
    /** What a recovery waits for. */
    enum RecoveryRule
    {
        TIME,   //!< RecoveryTime
        BYTES,  //!< RecoveryBytes
        EITHER, //!< whichever comes first
        BOTH,   //!< whichever comes last
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    bool NeedsCnp() const override
    {
        return true;
    }

  private:
    RecoveryRule m_rule{TIME};        //!< attribute RecoveryRule
    Time m_recoveryTime;              //!< attribute RecoveryTime
    uint64_t m_recoveryBytes{300000}; //!< attribute RecoveryBytes
    uint32_t m_maxDelay{127};         //!< attribute MaxDelay
};

} // namespace ns3

#endif /* RDMA_RCM_H */
