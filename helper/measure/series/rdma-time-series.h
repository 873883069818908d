/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIME_SERIES_H
#define RDMA_TIME_SERIES_H

#include "qbb-event-order.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-fabric.h"
#include "rdma-flow.h"
#include "rdma-queue-pair.h"
#include "rdma-shared-run.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes the state of queue pairs periodically as CSV, with one row for each active queue pair.
 * Rates, windows and round trips come from RdmaQueuePairSample; missing values are empty fields.
 *
 *     RdmaTimeSeries series(file, fabric, 10_us);
 *     series.Add(flow, qp);
 *     series.Start();
 *     Simulator::Run();
 *
 * Samples are taken after all other events of their instant and do not change the run. The object
 * must exist until the simulation is over. CPU time and memory are proportional to the number of
 * active flows.
 */
class RdmaTimeSeries
{
  public:
    /** Order of a sample among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * Aborts with a message if the period is not positive.
     *
     * \param os output stream; the header precedes the first row
     * \param fabric fabric of the queue pairs
     * \param period time between two rows of a queue pair, at least 1 ps
     */
    RdmaTimeSeries(std::ostream& os, Ptr<RdmaFabric> fabric, QbbPs period);

    /**
     * Adds a queue pair that carries one flow. Rows are written from the start of the flow until
     * all data are sent and acknowledged. The NIC of the sender starts to measure round trips. A
     * queue pair on a node of another process (IsRdmaNodeLocal()) is left to that process. Call it
     * before Start().
     *
     * \param flow the flow
     * \param qp sending queue pair of the flow
     */
    void Add(const RdmaFlow& flow, Ptr<const RdmaQueuePair> qp);

    /** Schedules the first sample at the next multiple of the period. Call it once. */
    void Start();

    /**
     * Completes the rows, after the simulation (RdmaOrderedRows::Finish()). Call it once.
     */
    void Finish();

  private:
    /** A sampled queue pair. */
    struct Series
    {
        Ptr<const RdmaQueuePair> qp; //!< sending queue pair
        uint32_t node{0};            //!< node id of the sender
        uint64_t flow{0};            //!< id of the flow
        QbbPs start{0};              //!< start of the flow
    };

    void OnTick();
    void Write(const Series& series);

    std::ostream& m_os;            //!< output stream of the header
    RdmaOrderedRows m_rows;        //!< the rows
    Ptr<RdmaFabric> m_fabric;      //!< fabric of the queue pairs
    QbbPs m_period;                //!< time between two rows of a queue pair
    std::vector<Series> m_waiting; //!< queue pairs of flows that have not started, next start last
    std::vector<Series> m_active;  //!< queue pairs of active flows, by start and flow id
    /// Timer of the next sample
    QbbTimer<RdmaTimeSeries, &RdmaTimeSeries::OnTick, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_TIME_SERIES_H */
