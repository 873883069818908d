/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-monitor.h"
#include "qbb-time.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-part-name.h"

#include <ns3/nstime.h>
#include <ns3/string.h>

#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes a QbbPortMonitor of all ports of a fabric to a CSV file: `monitor:FILE`.
 */
class QbbPortMonitorInstrument : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Finish() override;

    bool WatchesSharedRuns() const override
    {
        return true;
    }

  private:
    std::string m_path;                        //!< attribute File
    Time m_period;                             //!< attribute Period
    RdmaOutputFile m_file;                     //!< output file of the rows
    std::unique_ptr<QbbPortMonitor> m_monitor; //!< writes the rows
};

NS_OBJECT_ENSURE_REGISTERED(QbbPortMonitorInstrument);

/// Names under which programs take the class.
const RdmaPartName g_monitorName("monitor",
                                 QbbPortMonitorInstrument::GetTypeId(),
                                 "",
                                 "CSV file: counters, pauses, watermarks of all ports",
                                 {"File"});

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
    m_file.OpenForRun(m_path);
    m_monitor->Start();
}

void
QbbPortMonitorInstrument::Finish()
{
    m_monitor->Poll();
    m_monitor->Finish();
    m_file.Close(IsCut());
}

} // namespace ns3
