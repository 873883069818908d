/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_EQUATIONS_H
#define RDMA_FLUID_EQUATIONS_H

#include "rdma-fluid-parameters.h"

/**
 * \file
 * \ingroup rdma
 * Equations of the fluid models for one flow; see RdmaFluidModel.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Terms of the DCQCN equations for a marking probability and a rate.
 */
struct RdmaFluidDcqcnTerms
{
    /** \param parameters the model \param p marking probability \param rateBps rate in bit/s */
    RdmaFluidDcqcnTerms(const RdmaFluidParameters& parameters, double p, double rateBps);

    double packets;   //!< rate in packets per second
    double cnp;       //!< probability of a CNP within a CNP interval
    double alpha;     //!< equilibrium value of alpha
    double increases; //!< number of rate increases per packet
    double additive;  //!< number of rate increases per packet beyond fast recovery
};

/**
 * \ingroup rdma
 * \param parameters the model
 * \param past terms for the past values that the flow reacts to
 * \param state rate, target rate and alpha of the flow
 * \param [out] derivative derivatives of \p state
 */
void DeriveRdmaFluidDcqcn(const RdmaFluidParameters& parameters,
                          const RdmaFluidDcqcnTerms& past,
                          const double* state,
                          double* derivative);

/**
 * \ingroup rdma
 * \param timely parameters of TIMELY
 * \param rateBps rate of a flow in bit/s
 * \return time between two rate updates in seconds
 */
double GetRdmaFluidUpdate(const RdmaFluidTimely& timely, double rateBps);

/**
 * \ingroup rdma
 * \param parameters the model
 * \param pastBytes past round-trip time that the flow reacts to, in bytes at the port's rate
 * \param beforeBytes round-trip time one update earlier, in bytes at the port's rate
 * \param state rate and RTT gradient of the flow
 * \param [out] derivative derivatives of \p state
 */
void DeriveRdmaFluidTimely(const RdmaFluidParameters& parameters,
                           double pastBytes,
                           double beforeBytes,
                           const double* state,
                           double* derivative);

} // namespace ns3

#endif /* RDMA_FLUID_EQUATIONS_H */
