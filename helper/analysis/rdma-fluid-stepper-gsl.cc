/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-stepper.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdexcept>
#include <vector>

namespace ns3
{

struct RdmaFluidStepper::Method
{
    /** Deleter for objects allocated by GSL. */
    struct Free
    {
        void operator()(gsl_odeiv2_step* step) const
        {
            gsl_odeiv2_step_free(step);
        }
    };

    static int Evaluate(double timeS, const double state[], double derivative[], void* method)
    {
        static_cast<Method*>(method)->derivative(timeS, state, derivative);
        return GSL_SUCCESS;
    }

    Derivative derivative;                       //!< the function f of y' = f(t, y)
    std::vector<double> error;                   //!< error estimate of GSL, not used
    std::unique_ptr<gsl_odeiv2_step, Free> step; //!< stepping function of GSL
    gsl_odeiv2_system system{};                  //!< the function f in the form that GSL requires
};

RdmaFluidStepper::RdmaFluidStepper(std::size_t dimension, Derivative derivative)
    : m_method(std::make_unique<Method>())
{
    m_method->derivative = std::move(derivative);
    m_method->error.resize(dimension);
    m_method->step.reset(gsl_odeiv2_step_alloc(gsl_odeiv2_step_rkck, dimension));
    m_method->system = {&Method::Evaluate, nullptr, dimension, m_method.get()};
}

RdmaFluidStepper::~RdmaFluidStepper() = default;

void
RdmaFluidStepper::Step(double timeS, double stepS, double* state)
{
    const int status = gsl_odeiv2_step_apply(m_method->step.get(),
                                             timeS,
                                             stepS,
                                             state,
                                             m_method->error.data(),
                                             nullptr,
                                             nullptr,
                                             &m_method->system);
    if (status != GSL_SUCCESS)
    {
        throw std::runtime_error(std::string("fluid model: GSL: ") + gsl_strerror(status));
    }
}

} // namespace ns3
