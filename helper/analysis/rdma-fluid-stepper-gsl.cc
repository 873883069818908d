/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-stepper.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

int
EvaluateFluid(double timeS, const double state[], double derivative[], void* function)
{
    (*static_cast<RdmaFluidDerivative*>(function))(timeS, state, derivative);
    return GSL_SUCCESS;
}

} // namespace

RdmaFluidStepper
MakeRdmaFluidStepper(std::size_t dimension, RdmaFluidDerivative derivative)
{
    // A copy of the result shares what GSL allocates, and GSL keeps the address of the function.
    const std::shared_ptr<gsl_odeiv2_step> step(
        gsl_odeiv2_step_alloc(gsl_odeiv2_step_rkck, dimension),
        gsl_odeiv2_step_free);
    const auto function = std::make_shared<RdmaFluidDerivative>(std::move(derivative));
    std::vector<double> error(dimension); // error estimate of GSL, not used
    return [=](double timeS, double stepS, double* state) mutable {
        const gsl_odeiv2_system system{&EvaluateFluid, nullptr, dimension, function.get()};
        const int status = gsl_odeiv2_step_apply(step.get(),
                                                 timeS,
                                                 stepS,
                                                 state,
                                                 error.data(),
                                                 nullptr,
                                                 nullptr,
                                                 &system);
        if (status != GSL_SUCCESS)
        {
            throw std::runtime_error(std::string("fluid model: GSL: ") + gsl_strerror(status));
        }
    };
}

} // namespace ns3
