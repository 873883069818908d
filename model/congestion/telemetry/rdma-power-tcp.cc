/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-power-tcp.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPowerTcp);

namespace
{

/// Names by which programs select this congestion control.
const RdmaPartName g_powertcpName("powertcp",
                                  RdmaPowerTcp::GetTypeId(),
                                  "",
                                  "PowerTCP: window from telemetry of each switch");
const RdmaPartName g_powertcpThetaName("powertcp-theta",
                                       RdmaPowerTcp::GetTypeId(),
                                       "Variant=Theta",
                                       "theta-PowerTCP: window from round-trip times");
const RdmaPartName g_powertcpPaperName("powertcp-paper",
                                       RdmaPowerTcp::GetTypeId(),
                                       "Rules=Paper",
                                       "PowerTCP as in the text of its paper");
const RdmaPartName g_powertcpThetaPaperName("powertcp-theta-paper",
                                            RdmaPowerTcp::GetTypeId(),
                                            "Variant=Theta|Rules=Paper",
                                            "theta-PowerTCP as in the text of its paper");

} // namespace

RdmaPowerTcpWindow::RdmaPowerTcpWindow(const RdmaPowerTcpParameters& parameters,
                                       const RdmaPathProfile& profile)
    : RdmaPacedWindow(profile, parameters.baseRtt),
      m_gamma(parameters.gamma),
      m_targetPower(parameters.targetPower),
      m_minCurrent(parameters.minCurrent),
      m_increase(parameters.increaseBytes),
      m_baseRttPs(static_cast<double>(parameters.baseRtt)),
      m_oldWindow(GetExactWindow()),
      m_rules(parameters.rules)
{
}

void
RdmaPowerTcpWindow::Smooth(double power, double timePs)
{
    const double weight = std::min(timePs / m_baseRttPs, 1.0);
    m_power = (1 - weight) * m_power + weight * power;
}

double
RdmaPowerTcpWindow::Mix(double oldWindow, double rest) const
{
    return m_gamma * (oldWindow * m_targetPower / m_power + m_increase) + (1 - m_gamma) * rest;
}

void
RdmaPowerTcpWindow::React(const RdmaAckSample& sample)
{
    SetWindow(Mix(m_oldWindow, m_oldWindow));
    if (EndsRound(sample))
    {
        SetOldWindow(GetExactWindow());
        BeginRound(sample);
    }
}

void
RdmaPowerTcpWindow::Update(double oldWindow)
{
    SetWindow(Mix(oldWindow, GetExactWindow()));
}

RdmaPowerTcpController::RdmaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                               const RdmaPathProfile& profile,
                                               RdmaIntFormat format)
    : RdmaPowerTcpWindow(parameters, profile),
      m_path(profile.hops, format),
      m_nextWindow(GetExactWindow())
{
}

void
RdmaPowerTcpController::OnAck(const RdmaAckSample& sample)
{
    double highest = -1;
    double timePs = 0;
    const double tau = GetBaseRttPs();
    const bool known = m_path.Advance(sample, [&](const RdmaIntStep& step) {
        // Current and voltage are divided by the port's rate b: a busy port without a queue has
        // current 1 and voltage tau.
        const double perByte = 8e12 / step.rateBps;
        const double current =
            (step.queueBytes - step.queueBefore + step.txBytes) / step.timePs * perByte;
        const double voltage = step.queueBytes * perByte + tau;
        const double power = BoundCurrent(current) * voltage / tau;
        if (power > highest)
        {
            highest = power;
            timePs = step.timePs;
        }
    });
    if (known)
    {
        Smooth(highest, timePs);
    }
    if (HasAuthorsRules())
    {
        if (known)
        {
            React(sample);
        }
        else if (IsFirstRound())
        {
            BeginRound(sample);
        }
        return;
    }
    const bool nextRound = EndsRound(sample);
    if (nextRound)
    {
        SetOldWindow(m_nextWindow);
    }
    if (known)
    {
        Update(GetOldWindow());
    }
    if (nextRound)
    {
        m_nextWindow = GetExactWindow();
        BeginRound(sample);
    }
}

RdmaThetaPowerTcpController::RdmaThetaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                                         const RdmaPathProfile& profile)
    : RdmaPowerTcpWindow(parameters, profile)
{
}

void
RdmaThetaPowerTcpController::OnAck(const RdmaAckSample& sample)
{
    const bool first = m_rtt < 0_ps;
    if (sample.rtt < 0_ps || (!first && sample.now <= m_last))
    {
        return;
    }
    const double tau = GetBaseRttPs();
    const double voltage = static_cast<double>(sample.rtt) / tau;
    if (!first)
    {
        const auto timePs = static_cast<double>(sample.now - m_last);
        const double gradient = static_cast<double>(sample.rtt - m_rtt) / timePs;
        Smooth(BoundCurrent(gradient + 1) * voltage, timePs);
    }
    else if (HasAuthorsRules())
    {
        Smooth(voltage, tau);
    }
    m_rtt = sample.rtt;
    m_last = sample.now;
    if (HasAuthorsRules())
    {
        React(sample);
    }
    else if (first)
    {
        BeginRound(sample);
    }
    else if (EndsRound(sample))
    {
        Update(GetExactWindow());
        BeginRound(sample);
    }
}

TypeId
RdmaPowerTcp::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaPowerTcp")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaPowerTcp>()
            .AddAttribute("Variant",
                          "Int: PowerTCP, with in-band telemetry. Theta: theta-PowerTCP, with "
                          "round-trip times only.",
                          EnumValue(INT),
                          RdmaMakeEnumAccessor<Variant>(&RdmaPowerTcp::m_variant),
                          MakeEnumChecker(INT, "Int", THETA, "Theta"))
            .AddAttribute("Rules",
                          "Source of the rules, and of the parameters that are not set. Authors: "
                          "the simulator with which the authors measured their paper's figures. "
                          "Paper: the algorithms in the paper's text.",
                          EnumValue(RdmaPowerTcpParameters::AUTHORS),
                          RdmaMakeEnumAccessor<Rules>(&RdmaPowerTcp::m_rules),
                          MakeEnumChecker(RdmaPowerTcpParameters::AUTHORS,
                                          "Authors",
                                          RdmaPowerTcpParameters::PAPER,
                                          "Paper"))
            .AddAttribute("Gamma",
                          "Weight of a newly computed window, up to 1; 0: from Rules (Authors 0.9, "
                          "with Theta 0.7; Paper 0.9).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("TargetPower",
                          "Power that windows steer to, where 1 is a busy port without a queue, up "
                          "to 2; 0: from Rules (Authors 0.95, with Theta 1.05; Paper 1).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_targetPower),
                          MakeDoubleChecker<double>(0, 2))
            .AddAttribute("MinCurrent",
                          "Lower bound of the current, that is of the rate of arrival over the "
                          "port's rate, and with Theta of dRTT/dt + 1, 0 to 1; 0: no bound, as in "
                          "the paper's algorithms; negative: from Rules (Authors 0.5; Paper 0, "
                          "with Theta 0.5).",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_minCurrent),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("AdditiveRate",
                          "Additive increase as a rate: beta is this rate x tau; 0: from Rules "
                          "(Authors 150 Mb/s; Paper: line rate / 10). At most one of AdditiveRate, "
                          "ExpectedFlows and AdditiveIncrease may be set.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaPowerTcp::m_increaseRate),
                          MakeDataRateChecker())
            .AddAttribute("ExpectedFlows",
                          "Expected number N of flows on a host's port, for an additive increase "
                          "beta of B x tau / N; 0: beta is from AdditiveRate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPowerTcp::m_flows),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "Additive increase beta in bytes on the line; 0: from AdditiveRate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPowerTcp::m_increaseBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("BaseRtt",
                          "Base round-trip time tau of all queue pairs; 0: with Int the longest in "
                          "the network, with Theta that of the queue pair's path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaPowerTcp::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SpreadRttGain",
                          "Theta, where packets of a queue pair take several paths: weight of a "
                          "new round trip in the mean that windows are computed from; 1: the "
                          "latest one.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_spreadRttGain),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute(
                "IntFormat",
                "Int: format of telemetry records. Paper: as in HPCC, 8 bytes per switch, in units "
                "of 1 ns, 128 bytes sent and 80 bytes queued, for common port rates. Exact: 20 "
                "bytes per switch, for any rate. Auto: Paper, or Exact in a network with a rate "
                "that Paper has no code for, or with a round trip in which the counters of Paper "
                "overflow.",
                EnumValue(RdmaIntFormat::AUTO),
                RdmaMakeEnumAccessor<RdmaIntFormat>(&RdmaPowerTcp::m_intFormat),
                MakeEnumChecker(RdmaIntFormat::AUTO,
                                "Auto",
                                RdmaIntFormat::PAPER,
                                "Paper",
                                RdmaIntFormat::EXACT,
                                "Exact"));
    return tid;
}

double
RdmaPowerTcp::GetIncreaseBytes(RdmaBitRate lineRate, RdmaPs baseRtt) const
{
    const bool hasRate = m_increaseRate.GetBitRate() > 0;
    RefuseRdmaIf(int(hasRate) + int(m_flows > 0) + int(m_increaseBytes > 0) > 1,
                 "RdmaPowerTcp: AdditiveRate ",
                 m_increaseRate,
                 ", ExpectedFlows ",
                 m_flows,
                 ", AdditiveIncrease ",
                 m_increaseBytes,
                 "; accepted: at most one of them above 0");
    if (m_increaseBytes > 0)
    {
        return static_cast<double>(m_increaseBytes);
    }
    if (hasRate || (m_flows == 0 && m_rules == RdmaPowerTcpParameters::AUTHORS))
    {
        constexpr RdmaBitRate AUTHORS_RATE = 150_mbps;
        return RdmaPacedWindow::GetMaxWindow(hasRate ? RdmaBitRate(m_increaseRate) : AUTHORS_RATE,
                                             baseRtt);
    }
    constexpr uint32_t PAPER_FLOWS = 10;
    return RdmaPacedWindow::GetMaxWindow(lineRate, baseRtt) / (m_flows > 0 ? m_flows : PAPER_FLOWS);
}

RdmaPowerTcpParameters
RdmaPowerTcp::GetParameters(const RdmaPathProfile& profile) const
{
    const bool theta = m_variant == THETA;
    RdmaPowerTcpParameters parameters;
    parameters.rules = m_rules;
    if (m_rules == RdmaPowerTcpParameters::AUTHORS)
    {
        parameters.gamma = theta ? 0.7 : 0.9;
        parameters.targetPower = theta ? 1.05 : 0.95;
        parameters.minCurrent = 0.5;
    }
    else
    {
        parameters.gamma = 0.9;
        parameters.targetPower = 1;
        parameters.minCurrent = theta ? 0.5 : 0;
    }
    parameters.gamma = m_gamma > 0 ? m_gamma : parameters.gamma;
    parameters.targetPower = m_targetPower > 0 ? m_targetPower : parameters.targetPower;
    parameters.minCurrent = m_minCurrent >= 0 ? m_minCurrent : parameters.minCurrent;
    if (!m_baseRtt.IsZero())
    {
        parameters.baseRtt = RdmaToPs(m_baseRtt);
    }
    else
    {
        // Theta compares the path's round-trip times with tau.
        parameters.baseRtt =
            theta ? profile.baseRtt : std::max(profile.baseRtt, profile.networkRtt);
    }
    RefuseRdmaIf(parameters.baseRtt <= 0_ps,
                 "RdmaPowerTcp: the base round-trip time of a queue pair is not known; "
                 "accepted: BaseRtt 1 ps and more");
    parameters.increaseBytes = GetIncreaseBytes(profile.lineRate, parameters.baseRtt);
    return parameters;
}

std::unique_ptr<RdmaRateController>
RdmaPowerTcp::MakeController(const RdmaPathProfile& profile) const
{
    const RdmaPowerTcpParameters parameters = GetParameters(profile);
    if (m_variant == THETA)
    {
        return std::make_unique<RdmaThetaPowerTcpController>(parameters, profile);
    }
    return std::make_unique<RdmaPowerTcpController>(
        parameters,
        profile,
        m_intFormat == RdmaIntFormat::AUTO ? profile.intFormat : m_intFormat);
}

} // namespace ns3
