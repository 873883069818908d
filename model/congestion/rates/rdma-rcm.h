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
 * 1 / (n + 1) of the line rate. Each recovery decrements n. RecoveryRule selects the
 * condition of a recovery: RecoveryTime has passed since the last CNP or recovery, RecoveryBytes
 * have been sent since then, either or both.
 */
class RdmaRcm : public RdmaCongestionControl
{
  public:
    /** Condition of a recovery. */
    enum RecoveryRule
    {
        TIME,   //!< RecoveryTime has passed
        BYTES,  //!< RecoveryBytes have been sent
        EITHER, //!< at least one of the two conditions is met
        BOTH,   //!< both conditions are met
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    RdmaMarking GetMarking() const override
    {
        return RdmaMarking::CURVE;
    }

    std::optional<RdmaPs> GetCnpInterval() const override
    {
        return 1_ps; // each mark causes a CNP
    }

    bool NeedsPath() const override
    {
        return false;
    }

    bool NeedsCnp() const override
    {
        return true;
    }

  private:
    class Controller;

    RecoveryRule m_rule{TIME};        //!< attribute RecoveryRule
    Time m_recoveryTime;              //!< attribute RecoveryTime
    uint64_t m_recoveryBytes{300000}; //!< attribute RecoveryBytes
    uint32_t m_maxDelay{127};         //!< attribute MaxDelay
};

} // namespace ns3

#endif /* RDMA_RCM_H */
