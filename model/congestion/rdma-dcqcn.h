/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-control.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Parameters of DCQCN's reaction point, those of the paper unless they are set.
 */
struct RdmaDcqcnParameters
{
    double g{1.0 / 256};               //!< weight of a new sample in alpha
    double initialAlpha{1};            //!< alpha at the first CNP
    int64_t alphaPeriodPs{55'000'000}; //!< alpha is updated after so long
    bool alphaPeriodic{false};         //!< false: a CNP updates alpha and restarts the period
    int64_t timerPs{55'000'000};       //!< rate-increase timer
    uint64_t counterBytes{10'000'000}; //!< rate-increase byte counter; 0: none
    uint32_t threshold{5};             //!< F, increases by timer or bytes before the next phase
    uint64_t aiRateBps{40'000'000};    //!< step of the target rate, additive increase
    uint64_t haiRateBps{200'000'000};  //!< step of the target rate, hyper increase
    uint64_t minRateBps{1'000'000};    //!< no cut goes below
    uint32_t gd{11};                   //!< a cut is by the part alpha x 2^(10 - gd)
    double minDecreaseFactor{0};       //!< a cut leaves at least this part of the rate
    int64_t reducePeriodPs{0};         //!< shortest time between two cuts
    bool clampTarget{true};            //!< each cut sets the target rate
    bool clampAfterTimer{true};        //!< so does a cut after an increase by the timer
    uint64_t firstRateBps{0};          //!< the first CNP sets this rate; 0: it cuts as others do
    bool release{false};               //!< at line rate all is as before the first CNP

    /** \param other parameters \return true if all are the same */
    bool operator==(const RdmaDcqcnParameters& other) const;
};

/**
 * \ingroup rdma
 * DCQCN's reaction point for one queue pair (Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015, section 3.1; what NICs add to it is in RdmaDcqcn).
 *
 * Rates are whole bit/s. Timers need no event: they are caught up with, one after the other in
 * their order, when somebody asks for the rate. At one instant alpha comes first, then the timer,
 * then a cut that had to wait, then the CNP.
 */
class RdmaDcqcnController : public RdmaRateController
{
  public:
    /**
     * \param parameters shared by many controllers
     * \param lineRateBps rate of the port
     */
    RdmaDcqcnController(std::shared_ptr<const RdmaDcqcnParameters> parameters,
                        uint64_t lineRateBps);

    uint64_t GetRateBps(int64_t nowPs) override
    {
        if (nowPs >= m_nextPs)
        {
            CatchUp(nowPs);
        }
        m_nowPs = nowPs;
        return m_rateBps;
    }

    int64_t GetNextRisePs() const override
    {
        return m_rateBps < m_lineRateBps ? m_timerPs : NEVER;
    }

    void OnSent(uint32_t bytes, int64_t nowPs) override;
    void OnCnp(int64_t nowPs) override;
    RdmaCongestionState GetState() const override;

  private:
    /** Alpha at an instant. */
    struct Alpha
    {
        double value{0};       //!< 0..1
        int64_t sincePs{0};    //!< end of the last period
        bool congested{false}; //!< a CNP came in this period
    };

    Alpha GetAlpha(int64_t nowPs) const;
    void CatchUp(int64_t nowPs);
    void SkipTimer(int64_t nowPs);
    void Increase();
    void Cut(int64_t nowPs);
    void BeginIncrease(int64_t nowPs);
    void Release();

    std::shared_ptr<const RdmaDcqcnParameters> m_parameters; //!< of the algorithm
    uint64_t m_lineRateBps;                                  //!< of the port
    uint64_t m_rateBps;                                      //!< current rate
    uint64_t m_targetBps;                                    //!< target rate
    Alpha m_alpha;                                           //!< when it was last needed
    int64_t m_nextPs{NEVER};                                 //!< the rate does not change before
    int64_t m_timerPs{NEVER};                                //!< end of the rate-increase timer
    int64_t m_cutPs{NEVER};                                  //!< a cut waits for this time
    int64_t m_lastCutPs{NEVER};                              //!< when the rate was last cut
    int64_t m_nowPs{0};                                      //!< latest time heard of
    uint64_t m_bytes{0};      //!< sent since the byte counter's last end
    uint32_t m_timerStage{0}; //!< ends of the timer since the last cut
    uint32_t m_byteStage{0};  //!< ends of the byte counter since the last cut
};

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
    Choice m_clampTarget{DEFAULT};     //!< attribute ClampTargetRate
    Choice m_clampAfterTimer{DEFAULT}; //!< attribute ClampTargetRateAfterTimer
    DataRate m_firstRate;              //!< attribute RateOnFirstCnp
    Choice m_release{DEFAULT};         //!< attribute ReleaseAtLineRate
    mutable std::shared_ptr<const RdmaDcqcnParameters> m_shared; //!< of the last controller
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
