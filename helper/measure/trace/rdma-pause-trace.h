/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_TRACE_H
#define RDMA_PAUSE_TRACE_H

#include "qbb-event-order.h"
#include "qbb-timer.h"
#include "rdma-event-trace.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-rank-log.h"

#include <ns3/nstime.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Records a fabric on a timeline. The RdmaEventTrace has a process for each node and a track for
 * each port and class; received pauses are spans, and actions of watchdogs are instants. Counters
 * show the bytes in the queues of switches and slow receivers, and ECN marks.
 *
 * Pauses come from the pause frames that ports receive, and begin and end when they take effect.
 * Queues and marks are sampled at multiples of a period and written after changes. While nothing
 * changes, the sampling interval doubles, up to 64 periods. The trace does not change the results
 * of the run. The object must exist until the last event.
 *
 * With several ranks of MPI (RdmaRanks), each rank samples its own ports at each period. After the
 * run, the first rank writes the file from what all ranks have recorded.
 *
 * Programs take the class as the instrument `pause-trace:FILE`.
 */
class RdmaPauseTrace : public RdmaInstrument
{
  public:
    /** Order of a sample among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPauseTrace();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    /** Writes the pauses that have not ended, and completes the file. */
    void Finish() override;

    bool WatchesRanks() const override
    {
        return true;
    }

  private:
    /** Sampled values of a port, by traffic class. */
    struct Values
    {
        std::array<uint64_t, 8> queueBytes{}; //!< bytes in the queues; at a host, of slow receivers
        std::array<uint64_t, 8> marks{};      //!< ECN marks

        bool operator==(const Values& other) const
        {
            return queueBytes == other.queueBytes && marks == other.marks;
        }
    };

    /** State of a port and class. */
    struct Track
    {
        bool named{false};  //!< the track has a name in the file
        bool paused{false}; //!< a pause is in effect
        QbbPs start{0};     //!< start of the pause
        QbbPs until{0};     //!< expiry of the pause
    };

    /** A recorded port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;       //!< the port
        uint32_t node{0};               //!< node id of the port
        std::string name;               //!< name of the port, for instance "port 2 to host-5"
        bool isHost{false};             //!< the port belongs to a host
        std::array<Track, 8> classes{}; //!< state by traffic class
        Values values;                  //!< values of the latest sample
        Values written;                 //!< values that are in the file
    };

    /** What a port or a watchdog has told. */
    struct Report
    {
        /** What has happened. */
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

        Kind kind{Kind::PAUSE}; //!< what has happened
        uint32_t place{0};      //!< index of the port in m_ports
        uint8_t priority{0};    //!< the class
        QbbPs effect{0};        //!< when it takes effect
        QbbPs until{0};         //!< PAUSE: expiry of the pause
    };

    void WatchPort(uint32_t link, uint32_t node);
    void WatchWatchdogs();
    void OnReceived(uint32_t place, uint8_t priority, uint16_t quanta);
    void Tell(const Report& report);
    void Take(const Report& report, QbbEventTime at);
    void RecordReports();
    void Record(const Report& report);
    void RecordPause(const Report& report);
    void ClosePause(uint32_t place, uint8_t priority, QbbPs at);
    void OnSample();
    void ReadPorts();
    Values ReadPort(const Port& port) const;
    bool WritePort(uint32_t place, QbbPs now);
    void WriteSample(QbbPs now);
    void ReplayRanks();
    void Name(uint32_t place, uint8_t priority);

    std::string m_path;                          //!< attribute File
    Time m_periodTime;                           //!< attribute Period
    RdmaOutputFile m_file;                       //!< output file
    std::unique_ptr<RdmaEventTrace> m_trace;     //!< text of the file
    Ptr<RdmaFabric> m_fabric;                    //!< the recorded fabric
    QbbPs m_period{0};                           //!< shortest interval between two samples
    QbbPs m_step{0};                             //!< current interval between two samples
    QbbPs m_firstSample{0};                      //!< instant of the first sample
    std::vector<Port> m_ports;                   //!< two ports for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< indices in m_ports by node id and port number
    std::vector<bool> m_named;                   //!< by node id: the process has a name in the file
    std::vector<Report> m_reports;               //!< reports of one instant
    QbbEventTime m_reported;                     //!< event time of these reports
    bool m_finished{false};                      //!< Finish() has been called
    RdmaRankLog<QbbEventTime> m_log;             //!< records of this rank among several
    /// Timer of the next sample
    QbbTimer<RdmaPauseTrace, &RdmaPauseTrace::OnSample, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_PAUSE_TRACE_H */
