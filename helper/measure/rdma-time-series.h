/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIME_SERIES_H
#define RDMA_TIME_SERIES_H

#include "qbb-event-order.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes the state of queue pairs periodically as CSV, with one row for each active queue pair.
 * Rates, windows and round trips are those of RdmaQueuePairSample; missing values are empty fields.
 *
 *     RdmaTimeSeries series(file, 10_us);
 *     series.Add(nic, qp, 0, 0);
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
     * \param period time between two rows of a queue pair, at least 1 ps
     */
    RdmaTimeSeries(std::ostream& os, QbbPs period);

    /**
     * Adds a queue pair that carries one flow. Rows are written from the start of the flow until
     * all data are sent and acknowledged. Call it before Start().
     *
     * \param nic NIC of the queue pair, which starts to measure round trips
     * \param qp sending queue pair of the flow
     * \param flow id of the flow, for the column flow
     * \param start start of the flow
     */
    void Add(Ptr<RdmaNic> nic, Ptr<const RdmaQueuePair> qp, uint64_t flow, QbbPs start);

    /** Schedules the first sample at the next multiple of the period. Call it once. */
    void Start();

    /** \return number of rows written */
    uint64_t GetRows() const
    {
        return m_rows;
    }

  private:
    /** A sampled queue pair. */
    struct Series
    {
        Ptr<const RdmaQueuePair> qp; //!< sending queue pair
        uint32_t node{0};            //!< node id of the queue pair
        uint64_t flow{0};            //!< id of the flow
        QbbPs start{0};              //!< start of the flow
    };

    void OnTick();
    void Write(const Series& series);

    std::ostream& m_os;            //!< output stream of the rows
    QbbPs m_period;                //!< time between two rows of a queue pair
    std::vector<Series> m_waiting; //!< queue pairs of flows that have not started, next start last
    std::vector<Series> m_active;  //!< queue pairs of active flows, by start and flow id
    uint64_t m_rows{0};            //!< number of rows written
    /// Timer of the next sample
    QbbTimer<RdmaTimeSeries, &RdmaTimeSeries::OnTick, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_TIME_SERIES_H */
