/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-explain-report.h"

#include "rdma-findings-text.h"
#include "rdma-flow-runner.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/uinteger.h>

#include <algorithm>
#include <map>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaExplainReport);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_explainReportName("explain",
                                       RdmaExplainReport::GetTypeId(),
                                       "",
                                       "why the run pauses, marks and drops, or why not");

/** \return the largest flow in bytes, by class */
std::map<uint8_t, uint64_t>
GetLargestFlows(const RdmaFlowRunnerBase& runner)
{
    std::map<uint8_t, uint64_t> largest;
    for (uint64_t i = 0; i < runner.GetNFlows(); ++i)
    {
        const RdmaFlow& flow = runner.GetFlow(i);
        uint64_t& bytes = largest[static_cast<uint8_t>(flow.priority & 7)];
        bytes = std::max(bytes, flow.bytes);
    }
    return largest;
}

/** \return 0 bytes for each class that any port may pause; for class 3 if there is none */
std::map<uint8_t, uint64_t>
GetLosslessClasses(const RdmaFabric& fabric)
{
    uint8_t mask = 0;
    for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
    {
        const RdmaTopologyLink ends = fabric.GetTopology().GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            mask |= fabric.GetDevice(link, node)->GetFlowControl().GetLosslessClasses();
        }
    }
    std::map<uint8_t, uint64_t> classes;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if (mask >> priority & 1)
        {
            classes[priority] = 0;
        }
    }
    if (classes.empty())
    {
        classes[3] = 0;
    }
    return classes;
}

} // namespace

TypeId
RdmaExplainReport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaExplainReport")
            .SetParent<RdmaInstrument>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaExplainReport>()
            .AddAttribute(
                "Burst",
                "Payload bytes that each host of an incast sends at line rate; 0: the largest "
                "flow of the class, or a bandwidth-delay product if no flows are known, "
                "at most the packets that the transport has in flight.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaExplainReport::m_burst),
                MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 40));
    return tid;
}

void
RdmaExplainReport::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner)
{
    const auto* flows = dynamic_cast<const RdmaFlowRunner*>(PeekPointer(runner));
    RefuseRdmaIf(runner && !flows,
                 "flows of this transport have no queue pairs; accepted: with roce or irn");
    m_fabric = fabric;
    RdmaSenderProfile senders = DescribeRdmaSenders(*fabric);
    senders.burstBytes = m_burst;
    for (const auto& [priority, bytes] :
         runner ? GetLargestFlows(*runner) : GetLosslessClasses(*fabric))
    {
        senders.flowBytes = bytes;
        m_forecasts.push_back(ForecastRdmaClass(*fabric, priority, senders, flows));
    }
    m_first = std::make_unique<RdmaFirstEvents>(*fabric);
    m_begin = runner && runner->GetNFlows() > 0 ? QBB_NEVER : 0_ps;
    for (uint64_t i = 0; runner && i < runner->GetNFlows(); ++i)
    {
        m_begin = std::min(m_begin, runner->GetFlow(i).start);
    }
}

void
RdmaExplainReport::PrintForecast(std::ostream& os)
{
    m_forecastPrinted = true;
    WriteForecasts(os);
}

void
RdmaExplainReport::WriteForecasts(std::ostream& os) const
{
    for (const RdmaClassForecast& forecast : m_forecasts)
    {
        PrintRdmaClassForecast(os, forecast);
        os << m_fabric->GetTimers().Describe(forecast.priority) << "\n\n";
    }
}

void
RdmaExplainReport::Finish()
{
    for (const RdmaClassForecast& forecast : m_forecasts)
    {
        m_findings.push_back(FindRdmaClass(*m_fabric, forecast));
    }
    m_first->Gather();
}

void
RdmaExplainReport::Print(std::ostream& os) const
{
    if (!m_forecastPrinted)
    {
        os << "\n";
        WriteForecasts(os);
    }
    if (m_findings.empty())
    {
        return;
    }
    const RdmaFirstEventTable first = m_first->GetTable().Since(m_begin);
    for (std::size_t i = 0; i < m_findings.size(); ++i)
    {
        PrintRdmaClassFindings(os, m_forecasts[i], m_findings[i], first);
    }
}

} // namespace ns3
