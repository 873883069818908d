/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-power-tcp.h"

#include "qbb-time.h"
#include "rdma-compat.h"
#include "rdma-part-name.h"

#include <ns3/abort.h>
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

} // namespace

RdmaPowerTcpWindow::RdmaPowerTcpWindow(const RdmaPowerTcpParameters& parameters,
                                       const RdmaPathProfile& profile)
    : RdmaPacedWindow(profile, parameters.baseRtt),
      m_gamma(parameters.gamma),
      m_increase(parameters.increaseBytes),
      m_baseRttPs(static_cast<double>(parameters.baseRtt))
{
}

void
RdmaPowerTcpWindow::Smooth(double power, double timePs)
{
    // A queue cannot drain faster than its port sends. Negative power is measurement noise.
    const double weight = std::min(timePs / m_baseRttPs, 1.0);
    m_power = (1 - weight) * m_power + weight * std::max(power, 0.0);
}

void
RdmaPowerTcpWindow::Update(double oldWindow)
{
    SetWindow(m_gamma * (oldWindow / m_power + m_increase) + (1 - m_gamma) * GetExactWindow());
}

RdmaPowerTcpController::RdmaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                               const RdmaPathProfile& profile,
                                               RdmaIntFormat format)
    : RdmaPowerTcpWindow(parameters, profile),
      m_path(profile.hops, format),
      m_oldWindow(GetExactWindow()),
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
        const double power = std::max(current, 0.0) * voltage / tau;
        if (power > highest)
        {
            highest = power;
            timePs = step.timePs;
        }
    });
    const bool nextRound = sample.ackedTo > m_mark;
    if (nextRound)
    {
        m_oldWindow = m_nextWindow;
    }
    if (known)
    {
        Smooth(highest, timePs);
        Update(m_oldWindow);
    }
    if (nextRound)
    {
        m_nextWindow = GetExactWindow();
        m_mark = sample.sentTo;
    }
}

RdmaThetaPowerTcpController::RdmaThetaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                                         const RdmaPathProfile& profile)
    : RdmaPowerTcpWindow(parameters, profile),
      m_minGradient(parameters.minGradient)
{
}

void
RdmaThetaPowerTcpController::OnAck(const RdmaAckSample& sample)
{
    if (sample.rtt < 0_ps || (m_rtt >= 0_ps && sample.now <= m_last))
    {
        return;
    }
    if (m_rtt < 0_ps)
    {
        m_lastUpdate = sample.sentTo;
    }
    else
    {
        const auto timePs = static_cast<double>(sample.now - m_last);
        const double gradient = static_cast<double>(sample.rtt - m_rtt) / timePs;
        const double current = std::max(gradient + 1, m_minGradient);
        Smooth(current * static_cast<double>(sample.rtt) / GetBaseRttPs(), timePs);
        if (sample.ackedTo > m_lastUpdate)
        {
            Update(GetExactWindow());
            m_lastUpdate = sample.sentTo;
        }
    }
    m_rtt = sample.rtt;
    m_last = sample.now;
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
            .AddAttribute("Gamma",
                          "Weight of a newly computed window, 0.01 to 1.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_gamma),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MinGradient",
                          "Theta: lower bound of dRTT/dt + 1, 0 to 1; 0: no bound, as in the "
                          "paper's algorithm.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaPowerTcp::m_minGradient),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ExpectedFlows",
                          "Expected number N of flows on a host's port: the additive increase beta "
                          "is B x tau / N.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&RdmaPowerTcp::m_flows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "AdditiveIncrease",
                "Additive increase beta in bytes on the line; 0: computed from ExpectedFlows.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaPowerTcp::m_increaseBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("BaseRtt",
                          "Base round-trip time tau of all queue pairs; 0: with Int the longest in "
                          "the network, with Theta that of the queue pair's path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaPowerTcp::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "IntFormat",
                "Int: format of telemetry records. Paper: as in HPCC, 8 bytes per switch, in units "
                "of 1 ns, 128 bytes sent and 80 bytes queued, for common port rates. Exact: 20 "
                "bytes per switch, for any rate.",
                EnumValue(RdmaIntFormat::PAPER),
                RdmaMakeEnumAccessor<RdmaIntFormat>(&RdmaPowerTcp::m_intFormat),
                MakeEnumChecker(RdmaIntFormat::PAPER, "Paper", RdmaIntFormat::EXACT, "Exact"));
    return tid;
}

RdmaPowerTcpParameters
RdmaPowerTcp::GetParameters(const RdmaPathProfile& profile) const
{
    RdmaPowerTcpParameters parameters;
    parameters.gamma = m_gamma;
    parameters.minGradient = m_minGradient;
    if (!m_baseRtt.IsZero())
    {
        parameters.baseRtt = QbbToPs(m_baseRtt);
    }
    else
    {
        // Theta compares the path's round-trip times with tau.
        parameters.baseRtt =
            m_variant == THETA ? profile.baseRtt : std::max(profile.baseRtt, profile.networkRtt);
    }
    NS_ABORT_MSG_IF(parameters.baseRtt <= 0_ps,
                    "rdma: RdmaPowerTcp: the base round-trip time of a queue pair is not known; "
                    "accepted: BaseRtt 1 ps and more");
    parameters.increaseBytes =
        m_increaseBytes > 0
            ? static_cast<double>(m_increaseBytes)
            : RdmaPacedWindow::GetMaxWindow(profile.lineRate, parameters.baseRtt) / m_flows;
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
    return std::make_unique<RdmaPowerTcpController>(parameters, profile, m_intFormat);
}

} // namespace ns3
