/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCQCN_CONTROLLER_H
#define RDMA_DCQCN_CONTROLLER_H

#include "rdma-congestion-control.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Parameters of DCQCN's reaction point. The defaults are the paper's values.
 */
struct RdmaDcqcnParameters
{
    double g{1.0 / 256};       //!< weight of a new sample in alpha
    double initialAlpha{1};    //!< alpha at the first CNP
    RdmaPs alphaPeriod{55_us}; //!< time between updates of alpha
    /// True: alpha is updated periodically; false: a CNP updates alpha and restarts the period
    bool alphaPeriodic{false};
    RdmaPs timer{55_us}; //!< period of the rate-increase timer
    /// Bytes per rate increase by the byte counter; 0: no byte counter
    uint64_t counterBytes{10'000'000};
    uint32_t threshold{5};       //!< F: rate increases by timer or by byte counter in fast recovery
    RdmaBitRate aiRate{40_mbps}; //!< step of the target rate, additive increase
    RdmaBitRate haiRate{200_mbps}; //!< step of the target rate, hyper increase
    RdmaBitRate minRate{1_mbps};   //!< lower limit of the rate after a cut
    uint32_t gd{11};               //!< a cut removes the fraction alpha x 2^(10 - gd) of the rate
    double minDecreaseFactor{0};   //!< least fraction of the rate that a cut leaves
    RdmaPs reducePeriod{0};        //!< least time between two cuts
    bool cutAtPeriodEnd{false};    //!< cut only at the end of a reducePeriod
    bool clampTarget{true};        //!< each cut sets the target rate to the rate before the cut
    /// Without clampTarget: a cut after an increase by the timer also sets the target rate
    bool clampAfterTimer{true};
    /// Rate set by the first CNP; 0: the first CNP is treated like all others
    RdmaBitRate firstRate{0};
    /// Return to the state before the first CNP when the rate reaches line rate
    bool release{false};

    /** \param other other parameters \return true if all parameters are equal */
    bool operator==(const RdmaDcqcnParameters& other) const;
};

/**
 * \ingroup rdma
 * DCQCN's reaction point for one queue pair (Zhu et al., "Congestion Control for Large-Scale RDMA
 * Deployments", SIGCOMM 2015, section 3.1; RdmaDcqcn lists the differences of NICs).
 *
 * Rates are whole bit/s. Timers need no event: each call catches up with the timers that have
 * expired, in order of their times. At the same instant alpha is updated first, then the timer
 * expires, then a delayed cut is made, then the CNP is handled.
 */
class RdmaDcqcnController final : public RdmaRateController
{
  public:
    /**
     * \param parameters of the algorithm, shared by many controllers
     * \param lineRate rate of the port
     */
    RdmaDcqcnController(std::shared_ptr<const RdmaDcqcnParameters> parameters,
                        RdmaBitRate lineRate);

    RdmaBitRate GetRate(RdmaPs now) override
    {
        if (now >= m_next)
        {
            CatchUp(now);
        }
        m_now = now;
        return m_rate;
    }

    RdmaPs GetNextRise() const override
    {
        return m_rate < m_lineRate ? m_timer : NEVER;
    }

    bool HasWindow() const override
    {
        return false;
    }

    bool UsesAcks() const override
    {
        return false;
    }

    void OnSent(uint32_t bytes, RdmaPs now) override;
    void OnCnp(RdmaPs now) override;
    RdmaCongestionState GetState() const override;

  private:
    /** Value of alpha and the period that it belongs to. */
    struct Alpha
    {
        double value{0};       //!< alpha, 0..1
        RdmaPs since{0};       //!< end of the last alpha period
        bool congested{false}; //!< a CNP has arrived in this period
    };

    Alpha GetAlpha(RdmaPs now) const;
    void CatchUp(RdmaPs now);
    void SkipTimer(RdmaPs now);
    void Increase();
    void Cut(RdmaPs now);
    void WaitForPeriodEnd(RdmaPs now);
    void BeginIncrease(RdmaPs now);
    void Release();

    std::shared_ptr<const RdmaDcqcnParameters> m_parameters; //!< parameters of the algorithm
    RdmaBitRate m_lineRate;                                  //!< rate of the port
    RdmaBitRate m_rate;                                      //!< current rate
    RdmaBitRate m_target;                                    //!< target rate
    Alpha m_alpha;                                           //!< alpha at its last update
    RdmaPs m_next{NEVER};     //!< next instant at which the rate may change
    RdmaPs m_timer{NEVER};    //!< next expiry of the rate-increase timer
    RdmaPs m_cut{NEVER};      //!< time of the delayed cut; NEVER: none
    RdmaPs m_lastCut{NEVER};  //!< time of the last cut or first CNP; NEVER: before the first CNP
    RdmaPs m_now{0};          //!< latest time given by a caller
    uint64_t m_bytes{0};      //!< bytes sent since the byte counter's last expiry
    uint32_t m_timerStage{0}; //!< expiries of the timer since the last cut
    uint32_t m_byteStage{0};  //!< expiries of the byte counter since the last cut
};

} // namespace ns3

#endif /* RDMA_DCQCN_CONTROLLER_H */
