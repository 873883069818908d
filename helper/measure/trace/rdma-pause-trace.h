/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_TRACE_H
#define RDMA_PAUSE_TRACE_H

#include "qbb-event-order.h"
#include "qbb-timer.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-pause-timeline.h"
#include "rdma-shared-run.h"

#include <ns3/nstime.h>

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Records a fabric on an RdmaPauseTimeline. The file has a process for each node and a track for
 * each port and class; received pauses are spans, and actions of watchdogs are instants. Counters
 * show the bytes in the queues of switches and slow receivers, and ECN marks.
 *
 * Pauses come from the pause frames that ports receive, and begin and end when they take effect.
 * Queues and marks are sampled at multiples of a period and written after changes. While nothing
 * changes, the sampling interval doubles, up to 64 periods. The trace does not change the results
 * of the run. The object must exist until the last event.
 *
 * If several processes share the simulation, each samples its own ports at each period, and the
 * file is written after the run from what all processes have recorded.
 *
 * Programs take the class as the instrument `pause-trace:FILE`.
 */
class RdmaPauseTrace : public RdmaInstrument
{
  public:
    /** Order of a sample among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaPauseTrace();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    /** Writes the pauses that have not ended, and completes the file. */
    void Finish() override;

    bool WatchesSharedRuns() const override
    {
        return true;
    }

  private:
    using Report = RdmaPauseTimeline::Report;
    using Values = RdmaPauseTimeline::Values;

    /** A recorded port. */
    struct Port
    {
        Ptr<QbbNetDevice> device; //!< the port
        uint32_t node{0};         //!< node id of the port
        bool isHost{false};       //!< the port belongs to a host
        Values values;            //!< values of the latest sample
    };

    void WatchPort(uint32_t link, uint32_t node);
    void WatchWatchdogs();
    void OnReceived(uint32_t place, uint8_t priority, uint16_t quanta);
    void Tell(const Report& report);
    void Take(const Report& report, QbbEventTime at);
    void RecordReports();
    void OnSample();
    void ReadPorts();
    Values ReadPort(const Port& port) const;
    void WriteSample(QbbPs now);
    void ReplayRecords();

    std::string m_path;                            //!< attribute File
    Time m_periodTime;                             //!< attribute Period
    RdmaOutputFile m_file;                         //!< output file
    std::unique_ptr<RdmaPauseTimeline> m_timeline; //!< text of the file
    Ptr<RdmaFabric> m_fabric;                      //!< the recorded fabric
    QbbPs m_period{0};                             //!< shortest interval between two samples
    QbbPs m_step{0};                               //!< current interval between two samples
    QbbPs m_firstSample{0};                        //!< instant of the first sample
    std::vector<Port> m_ports;                     //!< two ports for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< indices in m_ports by node id and port number
    std::vector<Report> m_reports;               //!< reports of one instant
    QbbEventTime m_reported;                     //!< event time of m_reports
    bool m_finished{false};                      //!< Finish() has been called
    RdmaRecordLog<QbbEventTime> m_log;           //!< records, if the run is shared
    /// Timer of the next sample
    QbbTimer<RdmaPauseTrace, &RdmaPauseTrace::OnSample, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_PAUSE_TRACE_H */
