/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-stepper.h"

#include <array>
#include <utility>
#include <vector>

namespace ns3
{

RdmaFluidStepper
MakeRdmaFluidStepper(std::size_t dimension, RdmaFluidDerivative derivative)
{
    std::array<std::vector<double>, 4> slope; // f at the four stages of a step
    slope.fill(std::vector<double>(dimension));
    std::vector<double> point(dimension); // state at the current stage
    return [slope, point, derivative = std::move(derivative)](double timeS,
                                                              double stepS,
                                                              double* state) mutable {
        constexpr std::array<double, 4> PART{0, 0.5, 0.5, 1};
        for (std::size_t k = 0; k < PART.size(); ++k)
        {
            for (std::size_t i = 0; i < point.size(); ++i)
            {
                point[i] = state[i] + (k > 0 ? PART[k] * stepS * slope[k - 1][i] : 0);
            }
            derivative(timeS + PART[k] * stepS, point.data(), slope[k].data());
        }
        for (std::size_t i = 0; i < point.size(); ++i)
        {
            state[i] += stepS / 6 * (slope[0][i] + 2 * slope[1][i] + 2 * slope[2][i] + slope[3][i]);
        }
    };
}

} // namespace ns3
