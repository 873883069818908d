/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-equations.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/** \return probability that at least one of n packets is marked */
double
AnyMarked(double p, double n)
{
    return p >= 1 ? 1 : -std::expm1(n * std::log1p(-p));
}

/** \return probability that none of n packets is marked */
double
NoneMarked(double p, double n)
{
    return 1 - AnyMarked(p, n);
}

/** \return p / ((1-p)^-n - 1): frequency, per packet, of runs of n packets without a mark */
double
Runs(double p, double n)
{
    if (n <= 0 || p >= 1)
    {
        return 0;
    }
    const double exponent = -n * std::log1p(-p);
    return exponent < 1e-9 ? 1 / n : p / std::expm1(exponent);
}

/** Weight of the decrease in patched TIMELY, as a function of the RTT gradient. */
double
GetWeight(double gradient)
{
    return std::clamp(2 * gradient + 0.5, 0.0, 1.0);
}

} // namespace

RdmaFluidDcqcnTerms::RdmaFluidDcqcnTerms(const RdmaFluidParameters& parameters,
                                         double p,
                                         double rateBps)
{
    const RdmaDcqcnParameters& d = parameters.dcqcn;
    packets = rateBps / (8 * parameters.packetBytes);
    const double counter = static_cast<double>(d.counterBytes) / parameters.packetBytes;
    const double timer = 1e-12 * static_cast<double>(d.timer) * packets;
    cnp = AnyMarked(p, parameters.cnpIntervalS * packets);
    alpha = AnyMarked(p, 1e-12 * static_cast<double>(d.alphaPeriod) * packets);
    const double byBytes = Runs(p, counter);
    const double byTimer = Runs(p, timer);
    increases = byBytes + byTimer;
    additive = NoneMarked(p, d.threshold * counter) * byBytes +
               NoneMarked(p, d.threshold * timer) * byTimer;
}

void
DeriveRdmaFluidDcqcn(const RdmaFluidParameters& parameters,
                     const RdmaFluidDcqcnTerms& past,
                     const double* state,
                     double* derivative)
{
    const RdmaDcqcnParameters& d = parameters.dcqcn;
    const double alphaPeriodS = 1e-12 * static_cast<double>(d.alphaPeriod);
    const double gap = state[1] - state[0];
    derivative[0] = -state[0] * state[2] / (2 * parameters.cnpIntervalS) * past.cnp +
                    gap / 2 * past.packets * past.increases;
    derivative[1] = -gap / parameters.cnpIntervalS * past.cnp +
                    static_cast<double>(d.aiRate) * past.packets * past.additive;
    derivative[2] = d.g / alphaPeriodS * (past.alpha - state[2]);
}

double
GetRdmaFluidUpdate(const RdmaFluidTimely& timely, double rateBps)
{
    return std::max(8 * timely.segmentBytes / std::max(rateBps, 1.0), timely.minRttS);
}

void
DeriveRdmaFluidTimely(const RdmaFluidParameters& parameters,
                      double pastBytes,
                      double beforeBytes,
                      const double* state,
                      double* derivative)
{
    const RdmaFluidTimely& t = parameters.timely;
    const double bytesPerS = parameters.capacityBps / 8;
    const double lowBytes = bytesPerS * t.lowS;
    const double highBytes = bytesPerS * t.highS;
    const double rate = state[0];
    const double gradient = state[1];
    const double updateS = GetRdmaFluidUpdate(t, rate);
    derivative[1] =
        t.ewma / updateS * ((pastBytes - beforeBytes) / (bytesPerS * t.minRttS) - gradient);
    if (pastBytes < lowBytes)
    {
        derivative[0] = t.stepBps / updateS;
    }
    else if (pastBytes > highBytes)
    {
        derivative[0] = -t.beta / updateS * (1 - highBytes / pastBytes) * rate;
    }
    else if (parameters.algorithm == RdmaFluidAlgorithm::PATCHED_TIMELY)
    {
        const double weight = GetWeight(gradient);
        derivative[0] = (1 - weight) * t.stepBps / updateS -
                        weight * t.beta / updateS * rate * (pastBytes - lowBytes) / lowBytes;
    }
    else
    {
        derivative[0] = gradient <= 0 ? t.stepBps / updateS : -gradient * t.beta / updateS * rate;
    }
}

} // namespace ns3
