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

#include <algorithm>
#include <map>
#include <set>
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
    const RdmaFailurePlan& plan = fabric->GetFailures();
    if (plan.IsEmpty())
    {
        return;
    }
    fabric->GetRouting()->TraceConnectWithoutContext("RoutesChanged",
                                                     Callback<void>([times = m_routeChanges] {
                                                         if (times->empty() ||
                                                             times->back() != RdmaNow())
                                                         {
                                                             times->push_back(RdmaNow());
                                                         }
                                                     }));
    std::set<uint32_t> links;
    for (const std::vector<uint32_t>& more : plan.GetLinks(fabric->GetTopology()))
    {
        links.insert(more.begin(), more.end());
    }
    // Each port writes to its own entry, perhaps on a thread of its own.
    m_lastLosses->resize(fabric->GetTopology().GetNLinks());
    for (const uint32_t link : links)
    {
        const RdmaTopologyLink& ends = fabric->GetTopology().GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            fabric->GetDevice(link, node)
                ->AddDropWatcher([last = m_lastLosses,
                                  link,
                                  isB = node == ends.b](QbbDropReason reason, RdmaEventTime at) {
                    if (reason == QbbDropReason::LINK_DOWN)
                    {
                        RdmaPs& latest = (*last)[link][isB ? 1 : 0];
                        latest = std::max(latest, at.GetInstant());
                    }
                });
        }
    }
}

void
RdmaFailureReport::PrintFailures(std::ostream& os) const
{
    const auto formatUs = [](RdmaPs time) {
        return FormatRdmaReal(static_cast<double>(time) / 1e6) + "us";
    };
    const RdmaFailurePlan& plan = m_fabric->GetFailures();
    const auto links = plan.GetLinks(m_fabric->GetTopology());
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        uint64_t down = 0;
        uint64_t errors = 0;
        std::vector<RdmaPs> last(1);
        for (const uint32_t link : links[i])
        {
            const RdmaTopologyLink& ends = m_fabric->GetTopology().GetLink(link);
            for (const uint32_t node : {ends.a, ends.b})
            {
                const auto& drops = m_fabric->GetDevice(link, node)->GetCounters().dropsByReason;
                down += drops[static_cast<std::size_t>(QbbDropReason::LINK_DOWN)];
                errors += drops[static_cast<std::size_t>(QbbDropReason::CORRUPTED)];
            }
            last[0] = std::max({last[0], (*m_lastLosses)[link][0], (*m_lastLosses)[link][1]});
        }
        down = SumRdmaValues(down);
        errors = SumRdmaValues(errors);
        const std::vector<RdmaPs> lasts = ShareRdmaValues(last);
        os << "failure: " << RdmaFailurePlan::Describe(plan.GetFailures()[i]) << ": its links lost "
           << down << " frames while down"
           << (down == 0
                   ? ""
                   : ", the last at " + formatUs(*std::max_element(lasts.begin(), lasts.end())))
           << ", and " << errors << " by errors\n";
    }
    if (!m_routeChanges->empty())
    {
        os << "routes changed at";
        for (const RdmaPs at : *m_routeChanges)
        {
            os << (at == m_routeChanges->front() ? " " : ", ") << formatUs(at);
        }
        os << "\n";
    }
}

std::string
RdmaFailureReport::DescribeStorms(uint32_t node) const
{
    const Ptr<QbbSwitch> sw = m_fabric->GetSwitch(node);
    const auto watchdog = sw->GetObject<QbbPfcWatchdog>();
    if (!watchdog)
    {
        return "";
    }
    std::ostringstream text;
    for (uint32_t port = 0; port < sw->GetNPorts(); ++port)
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
    std::string texts;
    const auto nic = m_fabric->GetNic(host);
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        const auto buffer =
            nic->GetPort(port)->GetObject<RdmaReceiveBuffer>(RdmaReceiveBuffer::GetTypeId());
        if (!buffer)
        {
            continue;
        }
        std::ostringstream text;
        text << "slow receiver: " << m_fabric->GetTopology().GetNode(host).name << ": "
             << buffer->GetFrames() << " frames handed on, " << buffer->GetDrops()
             << " dropped, at most " << buffer->GetPeakBytes() << " bytes, XOFF above "
             << buffer->GetXoffBytes() << "\n";
        texts += text.str();
    }
    return texts;
}

std::string
RdmaFailureReport::DescribeWatchdog(uint32_t host) const
{
    const auto nic = m_fabric->GetNic(host);
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        const auto watchdog =
            nic->GetPort(port)->GetObject<RdmaNicWatchdog>(RdmaNicWatchdog::GetTypeId());
        if (watchdog && watchdog->HasFired())
        {
            return "NIC watchdog: " + m_fabric->GetTopology().GetNode(host).name +
                   " may not generate pause frames any more\n";
        }
    }
    return "";
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
        const auto add = [&texts, node](uint32_t section, std::string text) {
            if (!text.empty())
            {
                texts[{section, node}] = std::move(text);
            }
        };
        if (!topology.IsNic(node))
        {
            add(0, DescribeStorms(node));
            continue;
        }
        add(1, DescribeReceiver(node));
        add(2, DescribeWatchdog(node));
    }
    os << JoinRdmaTexts(texts);
}

} // namespace ns3
