/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_TRACE_H
#define RDMA_PAUSE_TRACE_H

#include "rdma-event-order.h"
#include "rdma-event-time.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-ps.h"
#include "rdma-shared-run.h"
#include "rdma-timer.h"

#include <ns3/nstime.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Records the pauses of a fabric in a file for Perfetto and chrome://tracing. The file has a
 * process for each node and a track for each port and class; received pauses are spans, and actions
 * of watchdogs are instants. Counters show the bytes in the queues of switches and slow receivers,
 * and ECN marks. Nodes and ports get their names in the file when they first appear.
 *
 * The text is the Trace Event Format (JSON object form). Events are written at once and not stored.
 * The format requires times in microseconds; they are written with picosecond resolution. Source:
 * "Trace Event Format", document of the Chromium project; event types X, i, C and M.
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
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Observers::At<0>();

    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaPauseTrace();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    /** Writes the pauses that have not ended, and completes the file. */
    void Finish() override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

  private:
    /** Sampled values of a port, by traffic class. */
    struct Values
    {
        std::array<uint64_t, 8> queueBytes{}; //!< queued bytes; at a host, in its slow receiver
        std::array<uint64_t, 8> marks{};      //!< ECN marks

        /** \param other other values \return true if all values are equal */
        bool operator==(const Values& other) const
        {
            return queueBytes == other.queueBytes && marks == other.marks;
        }
    };

    /** Report of a port or a watchdog. */
    struct Report
    {
        /** Kind of a report. */
        enum class Kind
        {
            PAUSE,     //!< a pause or its refreshment takes effect
            RESUME,    //!< the end of a pause takes effect
            LINK,      //!< the link of the port goes up or down
            DETECTED,  //!< a watchdog detects a storm, and goes on honouring pauses
            IGNORED,   //!< a watchdog detects a storm, and ignores pauses
            RESTORED,  //!< a storm has ended
            NIC_SILENT //!< a NIC's watchdog has disabled its pause frames
        };

        Kind kind{Kind::PAUSE}; //!< kind of the report
        uint32_t place{0};      //!< index of the port
        uint8_t priority{0};    //!< traffic class
        RdmaPs effect{0};       //!< instant at which the report takes effect
        RdmaPs until{0};        //!< PAUSE: expiry of the pause
    };

    /** Pauses of a port and class. */
    struct Track
    {
        bool named{false};  //!< the track has a name in the file
        bool paused{false}; //!< a pause is in effect
        RdmaPs start{0};    //!< start of the pause
        RdmaPs until{0};    //!< expiry of the pause
    };

    /** A recorded port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;      //!< the port
        uint32_t node{0};              //!< node id of the port
        std::string name;              //!< name of the port, for instance "port 2 to host-5"
        bool isHost{false};            //!< the port belongs to a host
        Values values;                 //!< values of the latest sample
        Values written;                //!< values that are in the file
        std::array<Track, 8> tracks{}; //!< pauses by traffic class
    };

    void WatchPort(uint32_t link, uint32_t node);
    void WatchWatchdogs();
    void OnReceived(uint32_t place, uint8_t priority, uint16_t quanta);
    void QueueReport(const Report& report);
    void AddReport(const Report& report, RdmaEventTime at);
    void RecordReports();
    void OnSample();
    void ReadPorts();
    Values ReadPort(const Port& port) const;
    void WriteSample(RdmaPs now);
    void ReplayRecords();

    std::ostream& BeginEvent(char phase, uint32_t process, const std::string& name);
    void Record(const Report& report);
    void RecordPause(const Report& report);
    void EndPause(uint32_t place, uint8_t priority, RdmaPs at);
    void EndPauses(uint32_t place, RdmaPs at);
    void Name(uint32_t place, uint8_t priority);
    bool WriteValues(uint32_t place, RdmaPs now);

    std::string m_path;                          //!< attribute File
    Time m_periodTime;                           //!< attribute Period
    RdmaOutputFile m_file;                       //!< output file
    bool m_isEmpty{true};                        //!< no event has been written yet
    std::vector<bool> m_named;                   //!< by node id: the process has a name in the file
    Ptr<RdmaFabric> m_fabric;                    //!< the recorded fabric
    RdmaPs m_period{0};                          //!< shortest interval between two samples
    RdmaPs m_step{0};                            //!< current interval between two samples
    RdmaPs m_firstSample{0};                     //!< instant of the first sample
    std::vector<Port> m_ports;                   //!< two ports for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< indices in m_ports by node id and port number
    std::vector<Report> m_reports;               //!< reports of one instant
    RdmaEventTime m_reported;                    //!< event time of m_reports
    bool m_finished{false};                      //!< Finish() has been called
    RdmaRecordLog<RdmaEventTime> m_log;          //!< records, if the run is shared
    /// Timer of the next sample
    RdmaTimer<RdmaPauseTrace, &RdmaPauseTrace::OnSample, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_PAUSE_TRACE_H */
