/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-control.h"
#include "rdma-dcqcn-controller.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <memory>
#include <mutex>

namespace ns3
{

/**
 * \ingroup rdma
 * DCQCN. The receiving NIC is the notification point (RdmaNic::CnpInterval), and switches mark by
 * QbbEcnMarker.
 *
 * A queue pair starts at line rate. A CNP sets the target rate R_T to the current rate R_C, cuts
 * R_C by the fraction alpha / 2, and moves alpha towards 1. Without CNPs alpha decays once per
 * AlphaPeriod. After a cut the rate grows at each expiry of a timer and of a byte counter
 * (IncreaseTimer, ByteCounter):
 * - Fast recovery: while both numbers of expiries are at most Threshold, each expiry halves the
 *   distance from R_C to R_T.
 * - Additive increase: when one of the numbers exceeds Threshold, each expiry adds AiRate to R_T
 *   before it halves the distance.
 * - Hyper increase: when both numbers exceed Threshold, each expiry adds i x HaiRate to R_T
 *   instead, as in QCN, where i is the lower number less Threshold.
 *
 * No rate exceeds the line rate. No timer runs before the first CNP.
 *
 * Preset Paper has the parameters of the SIGCOMM 2015 paper. The paper leaves two open: HaiRate is
 * 200 Mb/s as in its authors' simulations, and MinRate is 1 Mb/s. Preset Nic has the defaults of
 * ConnectX-4 and later; the attributes' help gives their names. Preset Nic differs from Paper as
 * follows:
 * - Alpha is updated at the end of each free-running period: upwards if a CNP arrived in the
 *   period, else downwards.
 * - Cuts are RateReducePeriod apart; a CNP within a period leads to a cut at the end of the period.
 * - A cut leaves R_T as it is unless the rate has been increased since the last cut: by the byte
 *   counter, or by the timer if ClampTargetRateAfterTimer is set.
 * - A queue pair back at line rate is no longer limited: its next CNP counts as the first one.
 * These NICs send CNPs at least 4 us apart (min_time_between_cnps), the default that this preset
 * gives the attribute CnpInterval of RdmaNic. Sources: NVIDIA's "DCQCN CC Parameters" (DOCA SDK
 * documentation, and Mellanox community DOC-2790), and the parameter descriptions and defaults that
 * the configuration tool mlxconfig prints.
 *
 * Alpha is a floating-point number, while NICs use a fixed-point number of ten bits. Values of
 * alpha below 2^-20 become 0.
 */
class RdmaDcqcn : public RdmaCongestionControl
{
  public:
    /** Source of the parameters that are not set. */
    enum Preset
    {
        PAPER, //!< Zhu et al., SIGCOMM 2015
        NIC,   //!< NVIDIA ConnectX-4 and later
    };

    /** On or off, with a default taken from the preset. */
    enum Choice
    {
        DEFAULT, //!< the preset's choice
        OFF,     //!< the option is off
        ON,      //!< the option is on
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

    std::optional<RdmaPs> GetCnpInterval() const override;

    bool NeedsPath() const override
    {
        return false;
    }

    bool NeedsCnp() const override
    {
        return true;
    }

    /** \return the preset's parameters, with the changes made by attributes */
    RdmaDcqcnParameters GetParameters() const;

  private:
    Preset m_preset{PAPER};            //!< attribute Preset
    double m_g{0};                     //!< attribute G
    double m_initialAlpha{-1};         //!< attribute InitialAlpha
    Time m_alphaPeriod;                //!< attribute AlphaPeriod
    Choice m_alphaPeriodic{DEFAULT};   //!< attribute AlphaPeriodic
    Time m_timer;                      //!< attribute IncreaseTimer
    int64_t m_byteCounter{-1};         //!< attribute ByteCounter
    uint32_t m_threshold{0};           //!< attribute Threshold
    DataRate m_aiRate;                 //!< attribute AiRate
    DataRate m_haiRate;                //!< attribute HaiRate
    DataRate m_minRate;                //!< attribute MinRate
    uint32_t m_gd{0};                  //!< attribute Gd
    double m_minDecreaseFactor{-1};    //!< attribute MinDecreaseFactor
    Time m_reducePeriod;               //!< attribute RateReducePeriod
    Choice m_cutAtPeriodEnd{DEFAULT};  //!< attribute CutAtPeriodEnd
    Choice m_clampTarget{DEFAULT};     //!< attribute ClampTargetRate
    Choice m_clampAfterTimer{DEFAULT}; //!< attribute ClampTargetRateAfterTimer
    DataRate m_firstRate;              //!< attribute RateOnFirstCnp
    Choice m_release{DEFAULT};         //!< attribute ReleaseAtLineRate
    /// Parameters of the last controller, for reuse
    mutable std::shared_ptr<const RdmaDcqcnParameters> m_shared;
    mutable std::mutex m_mutex; //!< guards m_shared: hosts on several threads make controllers
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
