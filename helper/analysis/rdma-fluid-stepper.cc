/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-stepper.h"

#include <array>
#include <vector>

namespace ns3
{

struct RdmaFluidStepper::Method
{
    Derivative derivative;                    //!< the function f of y' = f(t, y)
    std::array<std::vector<double>, 4> slope; //!< f at the four stages of a step
    std::vector<double> point;                //!< state at the current stage
};

RdmaFluidStepper::RdmaFluidStepper(std::size_t dimension, Derivative derivative)
    : m_method(std::make_unique<Method>())
{
    m_method->derivative = std::move(derivative);
    m_method->point.resize(dimension);
    for (auto& slope : m_method->slope)
    {
        slope.resize(dimension);
    }
}

RdmaFluidStepper::~RdmaFluidStepper() = default;

void
RdmaFluidStepper::Step(double timeS, double stepS, double* state)
{
    Method& m = *m_method;
    constexpr std::array<double, 4> PART{0, 0.5, 0.5, 1};
    for (std::size_t k = 0; k < PART.size(); ++k)
    {
        for (std::size_t i = 0; i < m.point.size(); ++i)
        {
            m.point[i] = state[i] + (k > 0 ? PART[k] * stepS * m.slope[k - 1][i] : 0);
        }
        m.derivative(timeS + PART[k] * stepS, m.point.data(), m.slope[k].data());
    }
    for (std::size_t i = 0; i < m.point.size(); ++i)
    {
        state[i] +=
            stepS / 6 * (m.slope[0][i] + 2 * m.slope[1][i] + 2 * m.slope[2][i] + m.slope[3][i]);
    }
}

} // namespace ns3
