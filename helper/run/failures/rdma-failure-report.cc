/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-report.h"

#include "qbb-pfc-watchdog.h"
#include "rdma-nic-watchdog.h"
#include "rdma-part-name.h"
#include "rdma-receive-buffer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFailureReport);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_failureReportName("failures",
                                       RdmaFailureReport::GetTypeId(),
                                       "",
                                       "report of storms, slow receivers and watchdogs");

} // namespace

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
}

void
RdmaFailureReport::PrintStorms(std::ostream& os, uint32_t node) const
{
    const Ptr<QbbSwitch> sw = m_fabric->GetSwitch(node);
    const auto watchdog = sw->GetObject<QbbPfcWatchdog>();
    for (uint32_t port = 0; watchdog && port < sw->GetNPorts(); ++port)
    {
        for (uint8_t p = 0; p < 8; ++p)
        {
            const QbbStormCounters counters = watchdog->GetCounters(port, p);
            if (counters.detected)
            {
                os << "PFC watchdog: " << m_fabric->GetTopology().GetNode(node).name << " port "
                   << port << " class " << +p << ": " << counters.detected << " storms detected, "
                   << counters.restored << " restored; tx ok/drop " << counters.all.txOk << "/"
                   << counters.all.txDrop << ", rx ok/drop " << counters.all.rxOk << "/"
                   << counters.all.rxDrop << "\n";
            }
        }
    }
}

void
RdmaFailureReport::Print(std::ostream& os) const
{
    const RdmaTopology& topology = m_fabric->GetTopology();
    for (const uint32_t node : topology.GetSwitches())
    {
        PrintStorms(os, node);
    }
    for (const uint32_t host : topology.GetHosts())
    {
        if (const auto buffer = m_fabric->GetNic(host)->GetPort(0)->GetObject<RdmaReceiveBuffer>())
        {
            os << "slow receiver: " << topology.GetNode(host).name << ": " << buffer->GetFrames()
               << " frames handed on, " << buffer->GetDrops() << " dropped, at most "
               << buffer->GetPeakBytes() << " bytes, XOFF above " << buffer->GetXoffBytes() << "\n";
        }
    }
    for (const uint32_t host : topology.GetHosts())
    {
        const auto watchdog = m_fabric->GetNic(host)->GetPort(0)->GetObject<RdmaNicWatchdog>();
        if (watchdog && watchdog->HasFired())
        {
            os << "NIC watchdog: " << topology.GetNode(host).name
               << " may not generate pause frames any more\n";
        }
    }
}

} // namespace ns3
