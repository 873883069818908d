/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-monitor-instrument.h"

#include "qbb-time.h"
#include "rdma-part-name.h"
#include "rdma-ranks.h"

#include <ns3/string.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPortMonitorInstrument);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_monitorName("monitor",
                                 QbbPortMonitorInstrument::GetTypeId(),
                                 "",
                                 "CSV file: counters, pauses, watermarks of all ports",
                                 {"File"});

} // namespace

TypeId
QbbPortMonitorInstrument::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPortMonitorInstrument")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbPortMonitorInstrument>()
                            .AddAttribute("File",
                                          "The CSV file.",
                                          StringValue(""),
                                          MakeStringAccessor(&QbbPortMonitorInstrument::m_path),
                                          MakeStringChecker())
                            .AddAttribute("Period",
                                          "Time between polls.",
                                          TimeValue(MicroSeconds(100)),
                                          MakeTimeAccessor(&QbbPortMonitorInstrument::m_period),
                                          QbbMakePositiveTimeChecker());
    return tid;
}

void
QbbPortMonitorInstrument::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_monitor = std::make_unique<QbbPortMonitor>(m_file.GetStream(), fabric, QbbToPs(m_period));
    for (uint32_t node = 0; node < fabric->GetTopology().GetNNodes(); ++node)
    {
        m_monitor->AddNode(node);
    }
    if (RdmaRanks::IsFirst())
    {
        m_file.Open(m_path);
    }
    m_monitor->Start();
}

void
QbbPortMonitorInstrument::Finish()
{
    m_monitor->Poll();
    m_monitor->Finish();
    if (RdmaRanks::IsFirst())
    {
        m_file.Close();
    }
}

} // namespace ns3
