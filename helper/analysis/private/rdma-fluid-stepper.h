/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_STEPPER_H
#define RDMA_FLUID_STEPPER_H

#include <cstddef>
#include <functional>

namespace ns3
{

/// The function f of y' = f(t, y): writes the derivative for a time and a state.
using RdmaFluidDerivative =
    std::function<void(double timeS, const double* state, double* derivative)>;

/// One step from a time in seconds: replaces the state at its start by the state at its end.
using RdmaFluidStepper = std::function<void(double timeS, double stepS, double* state)>;

/**
 * \ingroup rdma
 * Makes an explicit Runge-Kutta method for y' = f(t, y): GSL's Cash-Karp method if GSL is
 * available, otherwise the classical fourth-order method.
 *
 * \param dimension number of state variables
 * \param derivative the function f
 * \return the method
 */
RdmaFluidStepper MakeRdmaFluidStepper(std::size_t dimension, RdmaFluidDerivative derivative);

} // namespace ns3

#endif /* RDMA_FLUID_STEPPER_H */
