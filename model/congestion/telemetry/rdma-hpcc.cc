/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-hpcc.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpcc);

namespace
{

/// Name by which programs select this congestion control.
const RdmaPartName g_hpccName("hpcc",
                              RdmaHpcc::GetTypeId(),
                              "",
                              "HPCC: window from telemetry of each switch");

} // namespace

RdmaHpccWindow::RdmaHpccWindow(const RdmaHpccParameters& parameters, const RdmaPathProfile& profile)
    : RdmaPacedWindow(profile, parameters.baseRtt),
      m_eta(parameters.eta),
      m_increase(parameters.increaseBytes),
      m_reference(GetExactWindow()),
      m_maxStage(parameters.maxStage)
{
}

RdmaCongestionState
RdmaHpccWindow::GetState() const
{
    RdmaCongestionState state;
    state.targetRateBps = ToRate(m_reference);
    return state;
}

bool
RdmaHpccWindow::Begin(const RdmaAckSample& sample)
{
    if (m_lastUpdate != 0)
    {
        return false;
    }
    m_lastUpdate = sample.sentTo;
    return true;
}

void
RdmaHpccWindow::React(double utilisation, const RdmaAckSample& sample)
{
    m_utilisation = utilisation;
    const bool jump = utilisation >= m_eta || m_stage >= m_maxStage;
    SetWindow((jump ? m_reference / (utilisation / m_eta) : m_reference) + m_increase);
    if (sample.ackedTo > m_lastUpdate)
    {
        m_stage = jump ? 0 : m_stage + 1;
        m_reference = GetExactWindow();
        m_lastUpdate = sample.sentTo;
    }
}

RdmaHpccController::RdmaHpccController(const RdmaHpccParameters& parameters,
                                       const RdmaPathProfile& profile,
                                       RdmaIntFormat format)
    : RdmaHpccWindow(parameters, profile),
      m_baseRttPs(static_cast<double>(parameters.baseRtt)),
      m_path(profile.hops, format)
{
}

void
RdmaHpccController::OnAck(const RdmaAckSample& sample)
{
    double highest = -1;
    double tau = 0;
    const bool known = m_path.Advance(sample, [&](const RdmaIntStep& step) {
        const double queue = std::min(step.queueBytes, step.queueBefore);
        const double u = 8e12 / step.rateBps * (queue / m_baseRttPs + step.txBytes / step.timePs);
        if (u > highest)
        {
            highest = u;
            tau = step.timePs;
        }
    });
    if (!known)
    {
        Begin(sample);
        return;
    }
    const double weight = std::min(tau / m_baseRttPs, 1.0);
    React((1 - weight) * GetUtilisation() + weight * highest, sample);
}

TypeId
RdmaHpcc::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaHpcc")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaHpcc>()
            .AddAttribute("Eta",
                          "Target utilisation of the busiest link, 0.01 to 1.",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&RdmaHpcc::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "Additive increases, one per round trip, after which the window is set "
                          "from the utilisation even if the utilisation is below Eta.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaHpcc::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ExpectedFlows",
                          "Expected number N of flows on a link: the additive increase is B x T x "
                          "(1 - Eta) / N.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&RdmaHpcc::m_flows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "AdditiveIncrease",
                "Additive increase W_AI in bytes on the line; 0: computed from ExpectedFlows.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaHpcc::m_increaseBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("BaseRtt",
                          "Base round-trip time T of all queue pairs; 0: the longest in the "
                          "network or, if that is not known, that of the queue pair's path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaHpcc::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "IntFormat",
                "Format of telemetry records. Paper: 8 bytes per switch, in units of 1 ns, 128 "
                "bytes sent and 80 bytes queued, for common port rates. Exact: 20 bytes per "
                "switch, for any rate. Auto: Paper, or Exact in a network with a rate that Paper "
                "has no code for, or with a round trip in which the counters of Paper overflow. "
                "RdmaHpccPint ignores this attribute and uses one byte in all.",
                EnumValue(RdmaIntFormat::AUTO),
                RdmaMakeEnumAccessor<RdmaIntFormat>(&RdmaHpcc::m_intFormat),
                MakeEnumChecker(RdmaIntFormat::AUTO,
                                "Auto",
                                RdmaIntFormat::PAPER,
                                "Paper",
                                RdmaIntFormat::EXACT,
                                "Exact"));
    return tid;
}

RdmaHpccParameters
RdmaHpcc::GetParameters(const RdmaPathProfile& profile) const
{
    RdmaHpccParameters parameters;
    parameters.eta = m_eta;
    parameters.maxStage = m_maxStage;
    parameters.baseRtt =
        m_baseRtt.IsZero() ? std::max(profile.baseRtt, profile.networkRtt) : RdmaToPs(m_baseRtt);
    RefuseRdmaIf(parameters.baseRtt <= 0_ps,
                 "RdmaHpcc: the base round-trip time of a queue pair is not known; ",
                 "accepted: BaseRtt 1 ps and more");
    RefuseRdmaIf(m_eta == 1 && m_increaseBytes == 0,
                 "RdmaHpcc: Eta 1 leaves nothing for an additive increase; ",
                 "accepted: AdditiveIncrease 1 byte and more, or Eta below 1");
    const double window = RdmaPacedWindow::GetMaxWindow(profile.lineRate, parameters.baseRtt);
    parameters.increaseBytes =
        m_increaseBytes > 0 ? static_cast<double>(m_increaseBytes) : window * (1 - m_eta) / m_flows;
    return parameters;
}

std::unique_ptr<RdmaRateController>
RdmaHpcc::MakeController(const RdmaPathProfile& profile) const
{
    return std::make_unique<RdmaHpccController>(
        GetParameters(profile),
        profile,
        m_intFormat == RdmaIntFormat::AUTO ? profile.intFormat : m_intFormat);
}

} // namespace ns3
