/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_STEPPER_H
#define RDMA_FLUID_STEPPER_H

#include <cstddef>
#include <functional>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * One step of an explicit Runge-Kutta method for y' = f(t, y): GSL's Cash-Karp method if GSL is
 * available, otherwise the classical fourth-order method.
 */
class RdmaFluidStepper
{
  public:
    /** The function f: writes the derivative for a time and a state. */
    using Derivative = std::function<void(double timeS, const double* state, double* derivative)>;

    /** \param dimension number of state variables \param derivative the function f */
    RdmaFluidStepper(std::size_t dimension, Derivative derivative);
    ~RdmaFluidStepper();

    RdmaFluidStepper(const RdmaFluidStepper&) = delete;
    RdmaFluidStepper& operator=(const RdmaFluidStepper&) = delete;

    /**
     * \param timeS start time of the step in seconds
     * \param stepS length of the step in seconds
     * \param [in,out] state state at the start of the step, replaced by the state at its end
     */
    void Step(double timeS, double stepS, double* state);

  private:
    struct Method;                    //!< state of the numerical method
    std::unique_ptr<Method> m_method; //!< the numerical method
};

} // namespace ns3

#endif /* RDMA_FLUID_STEPPER_H */
