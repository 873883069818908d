/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_PARAMETERS_H
#define RDMA_FLUID_PARAMETERS_H

#include "qbb-ecn-marker.h"
#include "rdma-dcqcn.h"

#include <cstdint>
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

} // namespace ns3

#endif /* RDMA_FLUID_PARAMETERS_H */
