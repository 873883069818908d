/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_MODEL_H
#define RDMA_FLUID_MODEL_H

#include "qbb-ecn-marker.h"
#include "rdma-dcqcn.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Differential equations of a fluid model.
 */
enum class RdmaFluidAlgorithm : uint8_t
{
    DCQCN,          //!< Zhu et al., SIGCOMM 2015, section 5.1
    TIMELY,         //!< Zhu et al., "ECN or Delay", CoNEXT 2016, section 4.1
    PATCHED_TIMELY, //!< Zhu et al., "ECN or Delay", CoNEXT 2016, section 4.3
};

/**
 * \ingroup rdma
 * \param name "dcqcn", "timely" or "patched-timely"
 * \return the algorithm
 * \throws std::invalid_argument for any other name
 */
RdmaFluidAlgorithm ParseRdmaFluidAlgorithm(const std::string& name);

/**
 * \ingroup rdma
 * Parameters of TIMELY. Default values are those of the CoNEXT 2016 paper.
 */
struct RdmaFluidTimely
{
    double ewma{0.875};        //!< weight of a new sample in the gradient
    double beta{0.8};          //!< multiplicative decrease; the paper uses 0.008 for patched TIMELY
    double lowS{50e-6};        //!< threshold T_low in seconds
    double highS{500e-6};      //!< threshold T_high in seconds
    double stepBps{10e6};      //!< additive increase delta in bit/s
    double segmentBytes{16e3}; //!< bytes between two rate updates
    double minRttS{20e-6};     //!< minimum round-trip time D_minRTT in seconds
    double baseRttS{0};        //!< round-trip time without queueing in seconds; 0 in the paper
};

/**
 * \ingroup rdma
 * Parameters of the fluid models: flows that share one port.
 */
struct RdmaFluidParameters
{
    RdmaFluidAlgorithm algorithm{RdmaFluidAlgorithm::DCQCN}; //!< equations to integrate
    uint32_t flows{2};                                       //!< number of flows, 1 or more
    double capacityBps{40e9};                                //!< capacity of the port in bit/s
    double lineRateBps{0};    //!< line rate of each sender in bit/s; 0: capacity of the port
    double packetBytes{1000}; //!< packet size on the line in bytes
    /// Delay of the control loop in seconds: queue, receiver, sender and back to the queue.
    double delayS{4e-6};
    /// DCQCN, true: the queue at the arrival of a packet determines its mark, so the queueing delay
    /// adds to the feedback delay. False: the queue at the departure of the packet does.
    bool markAtArrival{false};
    double cnpIntervalS{50e-6}; //!< DCQCN: shortest time between two CNPs of a flow in seconds
    QbbEcnThresholds ecn{5000, 200000, 0.01 / 195000}; //!< DCQCN: ECN marking curve
    RdmaDcqcnParameters dcqcn;                         //!< DCQCN: parameters of the reaction point
    RdmaFluidTimely timely;                            //!< TIMELY: parameters
    std::vector<double> startS; //!< start by flow in seconds; flows without an entry start at 0
    /// Initial rate by flow in bit/s. Flows without an entry follow the papers: line rate for
    /// DCQCN, C / (number of started flows, including the new one) for TIMELY.
    std::vector<double> startBps;
    double stepS{1e-6}; //!< integration step in seconds, at most delayS
};

/**
 * \ingroup rdma
 * \param p parameters of a fluid model
 * \return \p p
 * \throws std::invalid_argument that names the parameters out of range and what is accepted
 */
const RdmaFluidParameters& CheckRdmaFluidParameters(const RdmaFluidParameters& p);

/**
 * \ingroup rdma
 * State of a fluid model at one instant.
 */
struct RdmaFluidSample
{
    double timeS{0};             //!< instant in seconds
    double queueBytes{0};        //!< queue length of the port in bytes
    double marking{0};           //!< probability of a mark; 0 for TIMELY
    std::vector<double> rateBps; //!< rate by flow in bit/s
    std::vector<double> alpha;   //!< alpha by flow for DCQCN; RTT gradient by flow for TIMELY
};

/**
 * \ingroup rdma
 * Fixed point of DCQCN's equations, at which all flows have equal rates.
 */
struct RdmaFluidFixedPoint
{
    double marking{0};    //!< probability of a mark
    double alpha{0};      //!< alpha of every flow
    double queueBytes{0}; //!< queue length in bytes with that marking probability, at most Kmax
    /// False: marking would have to exceed Pmax, so the queue oscillates around Kmax
    bool reached{false};
};

/**
 * \ingroup rdma
 * The fluid models of DCQCN, TIMELY and patched TIMELY: delay differential equations, integrated
 * by a Runge-Kutta method with a history of the state for delayed terms.
 *
 *     RdmaFluidParameters p;
 *     p.flows = 8;
 *     RdmaFluidModel model(p);
 *     for (const RdmaFluidSample& s : model.Run(0.02, 10e-6)) { ... }
 *
 * R_C and R_T are rates in packets per second. In the terms for marks and increases, p and R_C are
 * values from one feedback delay earlier. B, T, F, R_AI and g are the parameters of RdmaDcqcn,
 * tau is the CNP interval and tau' the period of alpha. The equations of DCQCN for each flow are
 *
 *     d alpha / dt = g / tau' (1 - (1-p)^(tau' R_C) - alpha)
 *     d R_T / dt = -(R_T - R_C) / tau (1 - (1-p)^(tau R_C))
 *                  + R_AI R_C ((1-p)^(F B) b + (1-p)^(F T R_C) c)
 *     d R_C / dt = -R_C alpha / (2 tau) (1 - (1-p)^(tau R_C)) + (R_T - R_C) / 2 R_C (b + c)
 *     b = p / ((1-p)^(-B) - 1), c = p / ((1-p)^(-T R_C) - 1)
 *
 * The growth rate of the queue is the sum of the rates minus the capacity. Hyper increase is not
 * modelled.
 */
class RdmaFluidModel
{
  public:
    /** \param parameters the model \throws std::invalid_argument for parameters out of range */
    explicit RdmaFluidModel(const RdmaFluidParameters& parameters);
    RdmaFluidModel(const RdmaFluidModel&) = delete;
    RdmaFluidModel& operator=(const RdmaFluidModel&) = delete;

    /**
     * Integrates the equations from the end of the previous call; the first call starts at 0.
     *
     * \param durationS duration in seconds
     * \param sampleS time between samples in seconds, at least one integration step
     * \return the samples; the first sample is at the beginning of the interval
     */
    std::vector<RdmaFluidSample> Run(double durationS, double sampleS);

    /**
     * \param parameters parameters of DCQCN
     * \return fixed point of DCQCN: the root of alpha a^2 = tau^2 R_AI R_C (b' + c') (b + c), where
     *         a is the probability of a CNP in tau, and b' and c' are b and c beyond fast recovery
     */
    static RdmaFluidFixedPoint GetDcqcnFixedPoint(const RdmaFluidParameters& parameters);

    /**
     * \param parameters parameters of patched TIMELY
     * \return queue length in bytes at the fixed point: q' (1 + N delta / (beta C)), q' = C T_low,
     *         minus the bytes of the base round trip
     */
    static double GetPatchedTimelyQueue(const RdmaFluidParameters& parameters);

  private:
    void Derive(double timeS, const double* state, double* derivative) const;
    double GetArrival(double leftS) const;
    double GetPast(double timeS, std::size_t index) const;
    void KeepHistory();
    void Bound();
    void StartFlows();
    bool HasStarted(uint32_t flow, double timeS) const;
    RdmaFluidSample GetSample() const;

    RdmaFluidParameters m_p; //!< parameters of the model
    double m_lineBps;        //!< line rate of each sender in bit/s
    uint32_t m_width;        //!< number of state variables per flow
    /// Queue in bytes, then by flow: rate, target and alpha (DCQCN), or rate and gradient (TIMELY)
    std::vector<double> m_state;
    std::vector<bool> m_started;   //!< by flow: the flow has started
    uint64_t m_steps{0};           //!< number of completed steps
    std::size_t m_horizon;         //!< number of steps in the history
    std::vector<double> m_history; //!< ring buffer of queue and rates, by step
    /// Integrates one step from a time, and replaces the state
    std::function<void(double timeS, double stepS, double* state)> m_step;
};

} // namespace ns3

#endif /* RDMA_FLUID_MODEL_H */
