/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIME_SERIES_H
#define RDMA_TIME_SERIES_H

#include "rdma-event-order.h"
#include "rdma-fabric.h"
#include "rdma-flow.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-queue-pair.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes the state of queue pairs periodically as CSV, with one row for each active queue pair.
 * Rates, windows and round trips come from RdmaQueuePairSample; missing values are empty fields.
 *
 *     auto series = CreateObject<RdmaTimeSeries>();
 *     series->Watch(file, fabric, 10_us);
 *     series->Add(flow, qp);
 *     series->Start();
 *     Simulator::Run();
 *     series->Finish();
 *
 * Programs take the class as the instrument `timeseries:FILE` (TypeId
 * ns3::RdmaTimeSeriesInstrument), which samples the flows of a run: Begin() in place of the first
 * three calls.
 *
 * Samples are taken after all other events of their instant and do not change the run. The object
 * must exist until the simulation is over. CPU time and memory are proportional to the number of
 * active flows.
 */
class RdmaTimeSeries : public RdmaInstrument
{
  public:
    /** Order of a sample among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Observers::At<0>();

    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaTimeSeries();

    /**
     * Samples the flows of the attribute Flows and writes to File. Calls all functions below.
     *
     * \param fabric the fabric
     * \param runner the flows, an RdmaFlowRunner
     */
    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

    /**
     * \param text flow ids and ranges of flow ids, as in 0-9,17; auto: all
     * \return first and last id of each range, as given
     * \throws std::invalid_argument naming the accepted text
     */
    static std::vector<std::pair<uint64_t, uint64_t>> ParseFlows(const std::string& text);

    /**
     * Sets whose queue pairs are sampled and where the rows go, in place of Begin(). Aborts with a
     * message if the period is not positive.
     *
     * \param os output stream, which must outlive the object; the header precedes the first row
     * \param fabric fabric of the queue pairs
     * \param period time between two rows of a queue pair, at least 1 ps
     */
    void Watch(std::ostream& os, Ptr<RdmaFabric> fabric, RdmaPs period);

    /**
     * Adds a queue pair that carries one flow. Rows are written from the start of the flow until
     * all data are sent and acknowledged. The NIC of the sender starts to measure round trips. A
     * rank of MPI samples the queue pairs of its own hosts. Call it after Watch() and before
     * Start().
     *
     * \param flow the flow
     * \param qp sending queue pair of the flow
     */
    void Add(const RdmaFlow& flow, Ptr<const RdmaQueuePair> qp);

    /** Schedules the first sample at the next multiple of the period. Call it once. */
    void Start();

    /**
     * Completes the rows, after the simulation. With several ranks of MPI (RdmaRanks), every rank
     * calls Finish() once; the rows of all ranks go to the stream of the first rank.
     */
    void Finish() override;

  private:
    /** A sampled queue pair. */
    struct Series
    {
        Ptr<const RdmaQueuePair> qp; //!< sending queue pair
        uint32_t node{0};            //!< node id of the sender
        uint64_t flow{0};            //!< id of the flow
        RdmaPs start{0};             //!< start of the flow
    };

    void OnTick();
    void Write(const Series& series);

    std::string m_path;                    //!< attribute File
    Time m_periodTime;                     //!< attribute Period
    std::string m_flows;                   //!< attribute Flows
    RdmaOutputFile m_file;                 //!< output file of Begin()
    std::ostream* m_os{nullptr};           //!< output stream of the header
    std::optional<RdmaOrderedRows> m_rows; //!< the rows
    Ptr<RdmaFabric> m_fabric;              //!< fabric of the queue pairs
    RdmaPs m_period{0};                    //!< time between two rows of a queue pair
    /// Queue pairs of flows that have not started, next start last
    std::vector<Series> m_waiting;
    std::vector<Series> m_active; //!< queue pairs of active flows, by start and flow id
    /// Timer of the next sample
    RdmaTimer<RdmaTimeSeries, &RdmaTimeSeries::OnTick, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_TIME_SERIES_H */
