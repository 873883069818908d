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
 * One step of an explicit Runge-Kutta method for y' = f(t, y): GSL's Cash-Karp where GSL is there,
 * else the classical method of fourth order.
 */
class RdmaFluidStepper
{
  public:
    /** f: writes the derivative at a time and a state. */
    using Derivative = std::function<void(double timeS, const double* state, double* derivative)>;

    /**
     * \param dimension size of the state
     * \param derivative f
     */
    RdmaFluidStepper(std::size_t dimension, Derivative derivative);
    ~RdmaFluidStepper();

    RdmaFluidStepper(const RdmaFluidStepper&) = delete;
    RdmaFluidStepper& operator=(const RdmaFluidStepper&) = delete;

    /**
     * \param timeS where the step begins
     * \param stepS its length
     * \param [in,out] state at its beginning, then at its end
     */
    void Step(double timeS, double stepS, double* state);

  private:
    struct Method;                    //!< what it needs
    std::unique_ptr<Method> m_method; //!< the method
};

} // namespace ns3

#endif /* RDMA_FLUID_STEPPER_H */
