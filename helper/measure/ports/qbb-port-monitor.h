/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_MONITOR_H
#define QBB_PORT_MONITOR_H

#include "rdma-event-order.h"
#include "rdma-fabric.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-port-result.h"
#include "rdma-shared-run.h"
#include "rdma-timer.h"

#include <ns3/nstime.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters and watermarks of a port and priority at one poll. Counters start at the beginning of
 * the run; watermarks are maxima since the preceding poll. Hosts have no switch buffer, and
 * therefore no values for ingress and headroom.
 */
struct QbbPortReading : RdmaPortResult
{
    RdmaPs time{0};                              //!< instant of the poll
    uint64_t queueBytes{0};                      //!< current length of the egress queue
    std::optional<uint64_t> ingressBytes{};      //!< bytes in the buffer that came in at the port
    std::optional<uint64_t> peakIngressBytes{};  //!< watermark of ingressBytes
    std::optional<uint64_t> headroomBytes{};     //!< part of ingressBytes in the PFC headroom
    std::optional<uint64_t> peakHeadroomBytes{}; //!< watermark of headroomBytes

    /**
     * \param other another reading of the same port and priority
     * \return true if all counters, lengths and watermarks are equal
     */
    bool HasValuesOf(const QbbPortReading& other) const;
};

/**
 * \ingroup rdma
 * Polls ports periodically, as a monitoring system does, and writes CSV: counters by priority,
 * paused time, and watermarks since the monitor's preceding poll.
 *
 *     auto monitor = CreateObject<QbbPortMonitor>();
 *     monitor->Watch(file, fabric, 100_us);
 *     monitor->AddNode(4);
 *     monitor->Start();
 *     Simulator::Run();
 *     monitor->Finish();
 *
 * Programs take the class as the instrument `monitor:FILE` (TypeId ns3::QbbPortMonitorInstrument),
 * which polls all ports of the fabric: Begin() in place of the first three calls.
 *
 * A poll writes a row for each port and priority whose counters have changed since the preceding
 * poll or whose queues hold frames; unused priorities cause no rows. Polling continues until the
 * simulation stops, so Simulator::Stop() is required. Finish() records the rest.
 *
 * A poll runs after all other events of its instant and does not affect the run. Any number of
 * monitors may poll a port: each has its own watermarks (RdmaPeakReaders). The monitor must exist
 * until the simulation is over.
 */
class QbbPortMonitor : public RdmaInstrument
{
  public:
    /** Order of a poll among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Observers::At<0>();

    /** \return the object TypeId */
    static TypeId GetTypeId();

    QbbPortMonitor();

    /**
     * Polls all ports of a fabric and writes to the attribute File. Calls all functions below.
     *
     * \param fabric the fabric
     * \param runner the flows; not used
     */
    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

    /**
     * Sets what is polled and where the rows go, in place of Begin(). Aborts with a message if the
     * period is not positive.
     *
     * \param os output stream of the rows, which must outlive the monitor
     * \param fabric fabric whose ports are polled
     * \param period polling interval, at least 1 ps
     */
    void Watch(std::ostream& os, Ptr<RdmaFabric> fabric, RdmaPs period);

    /**
     * Adds all ports of a node, after Watch() and before Start(). A rank of MPI polls the ports of
     * its own nodes. Aborts with a message if the fabric has no such node.
     *
     * \param node node id of a host or a switch
     */
    void AddNode(uint32_t node);

    /** Writes the header and schedules the first poll at the next multiple of the period. */
    void Start();

    /** Polls immediately, unless a poll has already run at this instant. */
    void Poll();

    /**
     * Polls once more, after the simulation. With several ranks of MPI (RdmaRanks), every rank
     * calls Finish() once; the rows of all ranks go to the stream of the first rank.
     */
    void Finish() override;

  private:
    /** A monitored port. */
    struct Port
    {
        std::shared_ptr<const RdmaFabricPort> port; //!< number and name of the port
        Ptr<QbbNetDevice> device;                   //!< device of the port
        RdmaPeakReaders::Reader peaks;              //!< reader of the peaks of the egress queues
        int64_t buffer{-1};                         //!< index in m_buffers; negative: a host
        uint64_t place;                             //!< number of ports added earlier
        std::array<QbbPortReading, 8> readings{};   //!< latest written reading by priority
    };

    /** The buffer of a monitored switch. */
    struct Buffer
    {
        Ptr<QbbBufferManager> manager;        //!< the buffer
        RdmaPeakReaders::Reader reader;       //!< reader of its peaks
        std::vector<QbbIngressPeaks> peaks{}; //!< peaks of the latest poll
    };

    void OnTick();
    QbbPortReading Read(const Port& port, uint8_t priority, uint64_t peakQueueBytes) const;

    std::string m_path;                    //!< attribute File
    Time m_periodTime;                     //!< attribute Period
    RdmaOutputFile m_file;                 //!< output file of Begin()
    std::ostream* m_os{nullptr};           //!< output stream of the header
    std::optional<RdmaOrderedRows> m_rows; //!< the rows
    Ptr<RdmaFabric> m_fabric;              //!< fabric whose ports are polled
    RdmaFabricPorts m_names;               //!< numbers and names of all ports of the fabric
    RdmaPs m_period{0};                    //!< polling interval
    RdmaPs m_last{-1};                     //!< instant of the latest poll; negative: no poll yet
    std::vector<Port> m_ports;             //!< ports in the order of the calls that added them
    uint64_t m_added{0};                   //!< number of ports that were added, local or not
    std::vector<Buffer> m_buffers;         //!< buffers of the monitored switches
    /// Timer of the next poll
    RdmaTimer<QbbPortMonitor, &QbbPortMonitor::OnTick, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* QBB_PORT_MONITOR_H */
