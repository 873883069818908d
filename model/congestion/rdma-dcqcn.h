/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-control.h"
#include "rdma-dcqcn-controller.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * DCQCN. The receiving NIC is the notification point (RdmaNic::CnpInterval), switches mark by
 * QbbEcnMarker.
 *
 * A queue pair starts at line rate. A CNP sets the target rate R_T to the current rate R_C, cuts
 * R_C by the part alpha / 2, then moves alpha towards 1; while no CNP comes, alpha decays once each
 * AlphaPeriod. After a cut the rate grows at each end of a timer and each ByteCounter bytes sent:
 * for Threshold ends of each the way from R_C to R_T is halved (fast recovery); beyond it for one
 * of them, R_T grows by AiRate before (additive increase); beyond it for both, by i x HaiRate at
 * the i-th such time (hyper increase, as QCN has it). No rate goes above the line's. Before the
 * first CNP no timer runs.
 *
 * Preset Paper has the parameters of the SIGCOMM 2015 paper; what it leaves open is HaiRate 200
 * Mb/s, as in its authors' simulations, and MinRate 1 Mb/s. Preset Nic has the defaults of
 * ConnectX-4 and later, whose names are in the attributes' help, and differs in that
 * - alpha is updated at each end of a period that runs freely, up or down by whether a CNP came in
 *   it;
 * - cuts are RateReducePeriod apart; a CNP before that leads to a cut at its end;
 * - a cut leaves R_T as it is unless the rate has been increased since the last one: by the byte
 *   counter, or by the timer if ClampTargetRateAfterTimer is set;
 * - a queue pair that is back at line rate is no longer limited: its next CNP is a first one.
 * These NICs send CNPs at least 4 us apart (min_time_between_cnps), which is the attribute
 * CnpInterval of the receiver's RdmaNic. Sources: NVIDIA's "DCQCN CC Parameters" (DOCA SDK
 * documentation, and Mellanox community DOC-2790), and the parameter descriptions and defaults that
 * the configuration tool mlxconfig prints.
 *
 * Alpha is a number of its own, not the NICs' fixed point with ten bits; below 2^-20 it is 0.
 */
class RdmaDcqcn : public RdmaCongestionControl
{
  public:
    /** Where parameters come from that are not set. */
    enum Preset
    {
        PAPER, //!< Zhu et al., SIGCOMM 2015
        NIC,   //!< NVIDIA ConnectX-4 and later
    };

    /** A switch whose default is the preset's. */
    enum Choice
    {
        DEFAULT, //!< as the preset has it
        OFF,     //!< off
        ON,      //!< on
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

    /** \return the preset's parameters and what attributes change in them */
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
    mutable std::shared_ptr<const RdmaDcqcnParameters> m_shared; //!< of the last controller
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
