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
 * Parameters of DCQCN's reaction point, those of the paper unless they are set.
 */
struct RdmaDcqcnParameters
{
    double g{1.0 / 256};               //!< weight of a new sample in alpha
    double initialAlpha{1};            //!< alpha at the first CNP
    QbbPs alphaPeriod{55_us};          //!< alpha is updated after so long
    bool alphaPeriodic{false};         //!< false: a CNP updates alpha and restarts the period
    QbbPs timer{55_us};                //!< rate-increase timer
    uint64_t counterBytes{10'000'000}; //!< rate-increase byte counter; 0: none
    uint32_t threshold{5};             //!< F, increases by timer or bytes before the next phase
    QbbBitRate aiRate{40_mbps};        //!< step of the target rate, additive increase
    QbbBitRate haiRate{200_mbps};      //!< step of the target rate, hyper increase
    QbbBitRate minRate{1_mbps};        //!< no cut goes below
    uint32_t gd{11};                   //!< a cut is by the part alpha x 2^(10 - gd)
    double minDecreaseFactor{0};       //!< a cut leaves at least this part of the rate
    QbbPs reducePeriod{0};             //!< shortest time between two cuts
    bool cutAtPeriodEnd{false};        //!< cuts are at ends of that period only
    bool clampTarget{true};            //!< each cut sets the target rate
    bool clampAfterTimer{true};        //!< so does a cut after an increase by the timer
    QbbBitRate firstRate{0};           //!< the first CNP sets this rate; 0: it cuts as others do
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
     * \param lineRate rate of the port
     */
    RdmaDcqcnController(std::shared_ptr<const RdmaDcqcnParameters> parameters, QbbBitRate lineRate);

    QbbBitRate GetRate(QbbPs now) override
    {
        if (now >= m_next)
        {
            CatchUp(now);
        }
        m_now = now;
        return m_rate;
    }

    QbbPs GetNextRise() const override
    {
        return m_rate < m_lineRate ? m_timer : NEVER;
    }

    void OnSent(uint32_t bytes, QbbPs now) override;
    void OnCnp(QbbPs now) override;
    RdmaCongestionState GetState() const override;

  private:
    /** Alpha at an instant. */
    struct Alpha
    {
        double value{0};       //!< 0..1
        QbbPs since{0};        //!< end of the last period
        bool congested{false}; //!< a CNP came in this period
    };

    Alpha GetAlpha(QbbPs now) const;
    void CatchUp(QbbPs now);
    void SkipTimer(QbbPs now);
    void Increase();
    void Cut(QbbPs now);
    void WaitForPeriodEnd(QbbPs now);
    void BeginIncrease(QbbPs now);
    void Release();

    std::shared_ptr<const RdmaDcqcnParameters> m_parameters; //!< of the algorithm
    QbbBitRate m_lineRate;                                   //!< of the port
    QbbBitRate m_rate;                                       //!< current rate
    QbbBitRate m_target;                                     //!< target rate
    Alpha m_alpha;                                           //!< when it was last needed
    QbbPs m_next{NEVER};                                     //!< the rate does not change before
    QbbPs m_timer{NEVER};                                    //!< end of the rate-increase timer
    QbbPs m_cut{NEVER};                                      //!< a cut waits for this time
    QbbPs m_lastCut{NEVER};                                  //!< last cut, or first CNP
    QbbPs m_now{0};                                          //!< latest time heard of
    uint64_t m_bytes{0};      //!< sent since the byte counter's last end
    uint32_t m_timerStage{0}; //!< ends of the timer since the last cut
    uint32_t m_byteStage{0};  //!< ends of the byte counter since the last cut
};

} // namespace ns3

#endif /* RDMA_DCQCN_CONTROLLER_H */
