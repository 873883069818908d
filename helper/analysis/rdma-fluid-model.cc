/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-model.h"

#include "rdma-fluid-stepper.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * Terms of the DCQCN equations for a marking probability and a rate.
 */
struct FluidDcqcnTerms
{
    /** \param parameters the model \param p marking probability \param rateBps rate in bit/s */
    FluidDcqcnTerms(const RdmaFluidParameters& parameters, double p, double rateBps);

    double packets;   //!< rate in packets per second
    double cnp;       //!< probability of a CNP within a CNP interval
    double alpha;     //!< equilibrium value of alpha
    double increases; //!< number of rate increases per packet
    double additive;  //!< number of rate increases per packet beyond fast recovery
};

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

FluidDcqcnTerms::FluidDcqcnTerms(const RdmaFluidParameters& parameters, double p, double rateBps)
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

/**
 * \param parameters the model
 * \param past terms for the past values that the flow reacts to
 * \param state rate, target rate and alpha of the flow
 * \param [out] derivative derivatives of \p state
 */
void
DeriveFluidDcqcn(const RdmaFluidParameters& parameters,
                 const FluidDcqcnTerms& past,
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

/**
 * \param timely parameters of TIMELY
 * \param rateBps rate of a flow in bit/s
 * \return time between two rate updates in seconds
 */
double
GetFluidUpdate(const RdmaFluidTimely& timely, double rateBps)
{
    return std::max(8 * timely.segmentBytes / std::max(rateBps, 1.0), timely.minRttS);
}

/**
 * \param parameters the model
 * \param pastBytes past round-trip time that the flow reacts to, in bytes at the port's rate
 * \param beforeBytes round-trip time one update earlier, in bytes at the port's rate
 * \param state rate and RTT gradient of the flow
 * \param [out] derivative derivatives of \p state
 */
void
DeriveFluidTimely(const RdmaFluidParameters& parameters,
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
    const double updateS = GetFluidUpdate(t, rate);
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

/// Longest look-back, in seconds, for delays that depend on the queue or on 1 / rate.
constexpr double LONGEST_LOOK_BACK_S = 10e-3;

double
GetMarking(const QbbEcnThresholds& ecn, double queueBytes)
{
    return ecn.GetProbability(static_cast<uint64_t>(std::max(queueBytes, 0.0)));
}

} // namespace

RdmaFluidAlgorithm
ParseRdmaFluidAlgorithm(const std::string& name)
{
    static const std::map<std::string, RdmaFluidAlgorithm> algorithms{
        {"dcqcn", RdmaFluidAlgorithm::DCQCN},
        {"timely", RdmaFluidAlgorithm::TIMELY},
        {"patched-timely", RdmaFluidAlgorithm::PATCHED_TIMELY}};
    const auto found = algorithms.find(name);
    RefuseRdmaIf(found == algorithms.end(),
                 "fluid model: \"" + name + "\"; accepted: dcqcn, timely, patched-timely");
    return found->second;
}

const RdmaFluidParameters&
CheckRdmaFluidParameters(const RdmaFluidParameters& p)
{
    std::ostringstream wrong;
    auto positive = [&wrong](double value, const char* name) {
        if (!(value > 0))
        {
            wrong << name << " " << value << "; accepted: above 0";
        }
    };
    positive(p.flows, "flows");
    positive(p.capacityBps, "capacity in bit/s");
    positive(p.packetBytes, "packet bytes");
    positive(p.delayS, "delay in s");
    positive(p.cnpIntervalS, "CNP interval in s");
    positive(p.stepS, "step in s");
    if (p.lineRateBps < 0)
    {
        wrong << "line rate " << p.lineRateBps << " bit/s; accepted: above 0, or 0 for the port's";
    }
    positive(p.timely.minRttS, "TIMELY's minimum RTT in s");
    if (p.stepS > p.delayS)
    {
        wrong << "step " << p.stepS << " s; accepted: at most the delay, " << p.delayS << " s";
    }
    RefuseRdmaIf(!wrong.str().empty(), "fluid model: " + wrong.str());
    return p;
}

RdmaFluidModel::RdmaFluidModel(const RdmaFluidParameters& parameters)
    : m_p(CheckRdmaFluidParameters(parameters)),
      m_lineBps(parameters.lineRateBps > 0 ? parameters.lineRateBps : parameters.capacityBps),
      m_width(parameters.algorithm == RdmaFluidAlgorithm::DCQCN ? 3 : 2),
      m_state(1 + m_width * parameters.flows),
      m_started(parameters.flows),
      m_horizon(static_cast<std::size_t>(
                    (parameters.algorithm == RdmaFluidAlgorithm::DCQCN && !parameters.markAtArrival
                         ? parameters.delayS
                         : LONGEST_LOOK_BACK_S) /
                    parameters.stepS) +
                3),
      m_history(m_horizon * (1 + parameters.flows)),
      m_step(MakeRdmaFluidStepper(m_state.size(),
                                  [this](double timeS, const double* state, double* derivative) {
                                      Derive(timeS, state, derivative);
                                  }))
{
    StartFlows();
    KeepHistory();
}

bool
RdmaFluidModel::HasStarted(uint32_t flow, double timeS) const
{
    return flow >= m_p.startS.size() || timeS >= m_p.startS[flow] - m_p.stepS / 2;
}

void
RdmaFluidModel::StartFlows()
{
    const bool dcqcn = m_p.algorithm == RdmaFluidAlgorithm::DCQCN;
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        if (m_started[i] || !HasStarted(i, static_cast<double>(m_steps) * m_p.stepS))
        {
            continue;
        }
        m_started[i] = true;
        double* flow = &m_state[1 + i * m_width];
        // DCQCN flows start at line rate, TIMELY flows at C / (started flows, including this one).
        const auto others = std::count(m_started.begin(), m_started.end(), true);
        const double usual = dcqcn ? m_lineBps : m_p.capacityBps / static_cast<double>(others);
        flow[0] = i < m_p.startBps.size() ? m_p.startBps[i] : usual;
        if (dcqcn)
        {
            flow[1] = flow[0];
            flow[2] = m_p.dcqcn.initialAlpha;
        }
    }
}

void
RdmaFluidModel::KeepHistory()
{
    double* at = &m_history[m_steps % m_horizon * (1 + m_p.flows)];
    at[0] = m_state[0];
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        at[1 + i] = m_state[1 + i * m_width];
    }
}

double
RdmaFluidModel::GetPast(double timeS, std::size_t index) const
{
    // Interpolate linearly between steps; use the oldest step for times before the history.
    const std::size_t oldest = m_steps + 1 > m_horizon ? m_steps + 1 - m_horizon : 0;
    const double step =
        std::clamp(timeS / m_p.stepS, static_cast<double>(oldest), static_cast<double>(m_steps));
    const auto before = static_cast<std::size_t>(step);
    const std::size_t after = std::min<std::size_t>(before + 1, m_steps);
    const std::size_t width = 1 + m_p.flows;
    const double low = m_history[before % m_horizon * width + index];
    const double high = m_history[after % m_horizon * width + index];
    return low + (step - static_cast<double>(before)) * (high - low);
}

double
RdmaFluidModel::GetArrival(double leftS) const
{
    // The queue drains at most at the port rate, so departure times increase with arrival times.
    const double perByteS = 8 / m_p.capacityBps;
    const std::size_t width = 1 + m_p.flows;
    auto leaves = [&](std::size_t step) {
        return static_cast<double>(step) * m_p.stepS +
               m_history[step % m_horizon * width] * perByteS;
    };
    std::size_t low = m_steps + 1 > m_horizon ? m_steps + 1 - m_horizon : 0;
    std::size_t high = m_steps;
    if (leaves(high) <= leftS)
    {
        return leftS;
    }
    while (high - low > 1)
    {
        const std::size_t middle = (low + high) / 2;
        (leaves(middle) <= leftS ? low : high) = middle;
    }
    const double before = leaves(low);
    const double part = std::clamp((leftS - before) / (leaves(high) - before), 0.0, 1.0);
    return (static_cast<double>(low) + (high > low ? part : 0)) * m_p.stepS;
}

void
RdmaFluidModel::Derive(double timeS, const double* state, double* derivative) const
{
    double sumBps = 0;
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        sumBps += m_started[i] ? state[1 + i * m_width] : 0;
    }
    const double growth = (sumBps - m_p.capacityBps) / 8;
    derivative[0] = state[0] <= 0 ? std::max(growth, 0.0) : growth;
    const bool dcqcn = m_p.algorithm == RdmaFluidAlgorithm::DCQCN;
    const double bytesPerS = m_p.capacityBps / 8;
    const double leftS = timeS - m_p.delayS - (dcqcn ? 0 : m_p.packetBytes / bytesPerS);
    const double pastS = dcqcn && !m_p.markAtArrival ? leftS : GetArrival(leftS);
    const double queueBytes = GetPast(pastS, 0);
    const double marking = dcqcn ? GetMarking(m_p.ecn, queueBytes) : 0;
    // Delayed round-trip time without queueing, expressed in bytes at the rate of the port.
    const double baseBytes = bytesPerS * m_p.timely.baseRttS;
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        const double* flow = state + 1 + i * m_width;
        double* out = derivative + 1 + i * m_width;
        if (!m_started[i])
        {
            std::fill_n(out, m_width, 0);
        }
        else if (dcqcn)
        {
            const FluidDcqcnTerms past(m_p, marking, GetPast(pastS, 1 + i));
            DeriveFluidDcqcn(m_p, past, flow, out);
        }
        else
        {
            const double beforeS = pastS - GetFluidUpdate(m_p.timely, flow[0]);
            const double beforeBytes = GetPast(beforeS, 0) + baseBytes;
            DeriveFluidTimely(m_p, queueBytes + baseBytes, beforeBytes, flow, out);
        }
    }
}

void
RdmaFluidModel::Bound()
{
    m_state[0] = std::max(m_state[0], 0.0);
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        if (!m_started[i])
        {
            continue;
        }
        double* flow = &m_state[1 + i * m_width];
        const auto minBps = static_cast<double>(m_p.dcqcn.minRate);
        flow[0] = std::clamp(flow[0], std::min(minBps, m_lineBps), m_lineBps);
        if (m_p.algorithm == RdmaFluidAlgorithm::DCQCN)
        {
            flow[1] = std::clamp(flow[1], flow[0], m_lineBps);
        }
    }
}

RdmaFluidSample
RdmaFluidModel::GetSample() const
{
    RdmaFluidSample sample;
    sample.timeS = static_cast<double>(m_steps) * m_p.stepS;
    sample.queueBytes = m_state[0];
    const bool dcqcn = m_p.algorithm == RdmaFluidAlgorithm::DCQCN;
    sample.marking = dcqcn ? GetMarking(m_p.ecn, m_state[0]) : 0;
    for (uint32_t i = 0; i < m_p.flows; ++i)
    {
        sample.rateBps.push_back(m_state[1 + i * m_width]);
        sample.alpha.push_back(m_state[(i + 1) * m_width]);
    }
    return sample;
}

std::vector<RdmaFluidSample>
RdmaFluidModel::Run(double durationS, double sampleS)
{
    if (!(durationS >= 0) || !(sampleS >= m_p.stepS))
    {
        std::ostringstream wrong;
        wrong << "fluid model: duration " << durationS << " s, samples every " << sampleS
              << " s; accepted: a duration of 0 or more, samples a step or more apart, which is "
              << m_p.stepS << " s";
        throw std::invalid_argument(wrong.str());
    }
    const auto every = static_cast<uint64_t>(std::llround(sampleS / m_p.stepS));
    const auto steps = static_cast<uint64_t>(std::llround(durationS / m_p.stepS));
    std::vector<RdmaFluidSample> samples;
    samples.reserve(steps / every + 1);
    for (uint64_t i = 0; i < steps; ++i)
    {
        if (i % every == 0)
        {
            samples.push_back(GetSample());
        }
        m_step(static_cast<double>(m_steps) * m_p.stepS, m_p.stepS, m_state.data());
        ++m_steps;
        Bound();
        StartFlows();
        KeepHistory();
    }
    return samples;
}

RdmaFluidFixedPoint
RdmaFluidModel::GetDcqcnFixedPoint(const RdmaFluidParameters& parameters)
{
    CheckRdmaFluidParameters(parameters);
    const double rateBps = parameters.capacityBps / parameters.flows;
    auto excess = [&parameters, rateBps](double p) {
        const FluidDcqcnTerms terms(parameters, p, rateBps);
        return terms.alpha * terms.cnp * terms.cnp -
               std::pow(parameters.cnpIntervalS * terms.packets, 2) / rateBps *
                   static_cast<double>(parameters.dcqcn.aiRate) * terms.additive * terms.increases;
    };
    double low = 0;
    double high = 1;
    for (int i = 0; i < 200; ++i)
    {
        const double middle = (low + high) / 2;
        (excess(middle) < 0 ? low : high) = middle;
    }
    RdmaFluidFixedPoint point;
    point.marking = high;
    point.alpha = FluidDcqcnTerms(parameters, high, rateBps).alpha;
    const QbbEcnThresholds& ecn = parameters.ecn;
    const double queue = static_cast<double>(ecn.kminBytes) + high / ecn.slope;
    point.reached = queue <= static_cast<double>(ecn.kmaxBytes);
    point.queueBytes = std::min(queue, static_cast<double>(ecn.kmaxBytes));
    return point;
}

double
RdmaFluidModel::GetPatchedTimelyQueue(const RdmaFluidParameters& parameters)
{
    CheckRdmaFluidParameters(parameters);
    const RdmaFluidTimely& t = parameters.timely;
    const double excess = parameters.flows * t.stepBps / (t.beta * parameters.capacityBps);
    return parameters.capacityBps / 8 * (t.lowS * (1 + excess) - t.baseRttS);
}

} // namespace ns3
