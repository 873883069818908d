/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_MODEL_H
#define RDMA_FLUID_MODEL_H

#include "qbb-ecn-marker.h"
#include "rdma-dcqcn.h"
#include "rdma-fluid-stepper.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Which differential equations.
 */
enum class RdmaFluidAlgorithm : uint8_t
{
    DCQCN,          //!< Zhu et al., SIGCOMM 2015, section 5.1
    TIMELY,         //!< Zhu et al., "ECN or Delay", CoNEXT 2016, section 4.1
    PATCHED_TIMELY, //!< the same paper, section 4.3
};

/**
 * \ingroup rdma
 * \param name "dcqcn", "timely" or "patched-timely"
 * \return the algorithm; std::invalid_argument for other names
 */
RdmaFluidAlgorithm ParseRdmaFluidAlgorithm(const std::string& name);

/**
 * \ingroup rdma
 * TIMELY's parameters, those of the CoNEXT 2016 paper unless they are set.
 */
struct RdmaFluidTimely
{
    double ewma{0.875};        //!< weight of a new sample in the gradient
    double beta{0.8};          //!< decrease; the paper has 0.008 for patched TIMELY
    double lowS{50e-6};        //!< T_low
    double highS{500e-6};      //!< T_high
    double stepBps{10e6};      //!< delta, additive increase
    double segmentBytes{16e3}; //!< bytes between two updates
    double minRttS{20e-6};     //!< D_minRTT
    double baseRttS{0};        //!< part of a round trip that is not the queue; 0 in the paper
};

/**
 * \ingroup rdma
 * Flows through one port, as the fluid models see them.
 */
struct RdmaFluidParameters
{
    RdmaFluidAlgorithm algorithm{RdmaFluidAlgorithm::DCQCN}; //!< the equations
    uint32_t flows{2};                                       //!< how many, 1 and above
    double capacityBps{40e9};                                //!< of the port
    double lineRateBps{0};      //!< of each sender's line; 0: as the port's
    double packetBytes{1000};   //!< on the line
    double delayS{4e-6};        //!< from the queue over the receiver to the sender and back to it
    bool markAtArrival{false};  //!< DCQCN: marks are of the queue that a packet finds, and so
                                //!< reach the sender later by that queue; false: that it leaves
    double cnpIntervalS{50e-6}; //!< DCQCN: shortest time between two CNPs
    QbbEcnThresholds ecn{5000, 200000, 0.01 / 195000}; //!< DCQCN: marking curve
    RdmaDcqcnParameters dcqcn;                         //!< DCQCN: reaction point
    RdmaFluidTimely timely;                            //!< TIMELY
    std::vector<double> startS;   //!< when flows start, by flow; those beyond it start at 0
    std::vector<double> startBps; //!< rates at the start, by flow; those beyond it: line rate for
                                  //!< DCQCN, C / (flows so far) for TIMELY, as in the papers
    double stepS{1e-6};           //!< step of the integration, at most delayS
};

/**
 * \ingroup rdma
 * The state at one instant.
 */
struct RdmaFluidSample
{
    double timeS{0};             //!< the instant
    double queueBytes{0};        //!< queue of the port
    double marking{0};           //!< probability of a mark; 0 for TIMELY
    std::vector<double> rateBps; //!< by flow
    std::vector<double> alpha;   //!< by flow, DCQCN; the RTT gradient for TIMELY
};

/**
 * \ingroup rdma
 * Where DCQCN's equations come to rest: rates are equal.
 */
struct RdmaFluidFixedPoint
{
    double marking{0};    //!< probability of a mark
    double alpha{0};      //!< of every flow
    double queueBytes{0}; //!< the queue that marks with that probability, at most Kmax
    bool reached{false};  //!< false: beyond Pmax, where the queue swings about Kmax
};

/**
 * \ingroup rdma
 * The fluid models of DCQCN, TIMELY and patched TIMELY: delay differential equations, integrated
 * by RdmaFluidStepper with a history of its own for the terms that look back.
 *
 *     RdmaFluidParameters p;
 *     p.flows = 8;
 *     RdmaFluidModel model(p);
 *     for (const RdmaFluidSample& s : model.Run(0.02, 10e-6)) { ... }
 *
 * With R_C, R_T in packets, p and R_C that look back by the delay, B, T, F, R_AI, g the parameters
 * of RdmaDcqcn, tau the CNP interval and tau' the period of alpha, DCQCN is, for each flow,
 *
 *     d alpha / dt = g / tau' (1 - (1-p)^(tau' R_C) - alpha)
 *     d R_T / dt = -(R_T - R_C) / tau (1 - (1-p)^(tau R_C))
 *                  + R_AI R_C ((1-p)^(F B) b + (1-p)^(F T R_C) c)
 *     d R_C / dt = -R_C alpha / (2 tau) (1 - (1-p)^(tau R_C)) + (R_T - R_C) / 2 R_C (b + c)
 *     b = p / ((1-p)^(-B) - 1), c = p / ((1-p)^(-T R_C) - 1)
 *
 * and the queue grows by the sum of rates less the capacity. Hyper increase is not in it.
 */
class RdmaFluidModel
{
  public:
    /** \param parameters std::invalid_argument if they make no sense */
    explicit RdmaFluidModel(const RdmaFluidParameters& parameters);

    /**
     * Goes on from where the last call ended, 0 at first.
     *
     * \param durationS how long
     * \param sampleS time between samples, at least a step
     * \return the samples, the first one at the beginning
     */
    std::vector<RdmaFluidSample> Run(double durationS, double sampleS);

    /**
     * \param parameters of DCQCN
     * \return its fixed point: the root of alpha a^2 = tau^2 R_AI R_C (b' + c') (b + c), where a is
     *         the probability of a CNP in tau, and b' and c' are b and c beyond fast recovery
     */
    static RdmaFluidFixedPoint GetDcqcnFixedPoint(const RdmaFluidParameters& parameters);

    /**
     * \param parameters of patched TIMELY
     * \return the queue of its fixed point, q' (1 + N delta / (beta C)) less base round trip, q' =
     * C T_low
     */
    static double GetPatchedTimelyQueue(const RdmaFluidParameters& parameters);

  private:
    void Derive(double timeS, const double* state, double* derivative) const;
    void DeriveDcqcn(double timeS, const double* state, double* derivative) const;
    void DeriveTimely(double timeS, const double* state, double* derivative) const;
    double GetArrival(double leftS) const;
    double GetPast(double timeS, std::size_t index) const;
    void KeepHistory();
    void Bound();
    void StartFlows();
    bool HasStarted(uint32_t flow, double timeS) const;
    RdmaFluidSample GetSample() const;

    RdmaFluidParameters m_p;       //!< what is modelled
    double m_lineBps;              //!< rate of each sender's line
    uint32_t m_width;              //!< variables for each flow
    std::vector<double> m_state;   //!< queue in bytes; by flow: rate, target and alpha or gradient
    std::vector<bool> m_started;   //!< by flow
    uint64_t m_steps{0};           //!< steps so far
    std::size_t m_horizon;         //!< steps in the history
    std::vector<double> m_history; //!< ring of queue and rates, by step
    RdmaFluidStepper m_stepper;    //!< integrates
};

} // namespace ns3

#endif /* RDMA_FLUID_MODEL_H */
