/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-report.h"

#include "qbb-pfc-watchdog.h"
#include "rdma-nic-watchdog.h"
#include "rdma-part-name.h"
#include "rdma-receive-buffer.h"
#include "rdma-shared-results.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <map>
#include <sstream>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFailureReport);

/// Names under which programs take the class.
const RdmaPartName g_failureReportName("failures",
                                       RdmaFailureReport::GetTypeId(),
                                       "",
                                       "report of failures, storms, slow receivers and watchdogs");

TypeId
RdmaFailureReport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFailureReport")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFailureReport>();
    return tid;
}

void
RdmaFailureReport::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_fabric = fabric;
    if (!fabric->GetFailures().IsEmpty())
    {
        fabric->GetRouting()->TraceConnectWithoutContext("RoutesChanged",
                                                         Callback<void>([times = m_routeChanges] {
                                                             if (times->empty() ||
                                                                 times->back() != RdmaNow())
                                                             {
                                                                 times->push_back(RdmaNow());
                                                             }
                                                         }));
    }
}

void
RdmaFailureReport::PrintFailures(std::ostream& os) const
{
    for (const RdmaFailurePlan::Failure& failure : m_fabric->GetFailures().GetFailures())
    {
        uint64_t down = 0;
        uint64_t corrupted = 0;
        for (const uint32_t link : RdmaFailurePlan::GetLinks(failure, m_fabric->GetTopology()))
        {
            const RdmaTopologyLink& ends = m_fabric->GetTopology().GetLink(link);
            for (const uint32_t node : {ends.a, ends.b})
            {
                const auto& drops = m_fabric->GetDevice(link, node)->GetCounters().dropsByReason;
                down += drops[static_cast<std::size_t>(QbbDropReason::LINK_DOWN)];
                corrupted += drops[static_cast<std::size_t>(QbbDropReason::CORRUPTED)];
            }
        }
        os << "failure: " << RdmaFailurePlan::Describe(failure) << ": its links lost "
           << SumRdmaValues(down) << " frames while down and " << SumRdmaValues(corrupted)
           << " by errors\n";
    }
    if (!m_routeChanges->empty())
    {
        os << "routes changed at";
        for (const RdmaPs at : *m_routeChanges)
        {
            os << (at == m_routeChanges->front() ? " " : ", ")
               << FormatRdmaReal(static_cast<double>(at) / 1e6) << "us";
        }
        os << "\n";
    }
}

std::string
RdmaFailureReport::DescribeStorms(uint32_t node) const
{
    std::ostringstream text;
    const Ptr<QbbSwitch> sw = m_fabric->GetSwitch(node);
    const auto watchdog = sw->GetObject<QbbPfcWatchdog>();
    for (uint32_t port = 0; watchdog && port < sw->GetNPorts(); ++port)
    {
        for (uint8_t p = 0; p < 8; ++p)
        {
            const QbbStormCounters counters = watchdog->GetCounters(port, p);
            if (counters.detected)
            {
                text << "PFC watchdog: " << m_fabric->GetTopology().GetNode(node).name << " port "
                     << port << " class " << +p << ": " << counters.detected << " storms detected, "
                     << counters.restored << " restored; tx ok/drop " << counters.all.txOk << "/"
                     << counters.all.txDrop << ", rx ok/drop " << counters.all.rxOk << "/"
                     << counters.all.rxDrop << "\n";
            }
        }
    }
    return text.str();
}

std::string
RdmaFailureReport::DescribeReceiver(uint32_t host) const
{
    std::ostringstream text;
    if (const auto buffer = m_fabric->GetNic(host)->GetPort(0)->GetObject<RdmaReceiveBuffer>())
    {
        text << "slow receiver: " << m_fabric->GetTopology().GetNode(host).name << ": "
             << buffer->GetFrames() << " frames handed on, " << buffer->GetDrops()
             << " dropped, at most " << buffer->GetPeakBytes() << " bytes, XOFF above "
             << buffer->GetXoffBytes() << "\n";
    }
    return text.str();
}

std::string
RdmaFailureReport::DescribeWatchdog(uint32_t host) const
{
    const auto watchdog = m_fabric->GetNic(host)->GetPort(0)->GetObject<RdmaNicWatchdog>();
    return watchdog && watchdog->HasFired()
               ? "NIC watchdog: " + m_fabric->GetTopology().GetNode(host).name +
                     " may not generate pause frames any more\n"
               : "";
}

void
RdmaFailureReport::Print(std::ostream& os) const
{
    PrintFailures(os);
    const RdmaTopology& topology = m_fabric->GetTopology();
    std::map<std::pair<uint32_t, uint32_t>, std::string> texts; // texts by section and node
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        if (!IsRdmaNodeLocal(*m_fabric->GetNode(node)))
        {
            continue; // the node's own process knows the node
        }
        if (!topology.IsHost(node))
        {
            texts[{0, node}] = DescribeStorms(node);
            continue;
        }
        texts[{1, node}] = DescribeReceiver(node);
        texts[{2, node}] = DescribeWatchdog(node);
    }
    os << JoinRdmaTexts(texts);
}

} // namespace ns3
