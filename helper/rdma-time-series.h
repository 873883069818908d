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
 * Writes how queue pairs stand, at a period, as CSV: one row for each queue pair that has
 * something to do. Rates, windows and round trips are RdmaQueuePairSample's; what there is not is
 * left empty.
 *
 *     RdmaTimeSeries series(file, 10'000'000);
 *     series.Add(nic, qp, 0, 0);
 *     series.Start();
 *     Simulator::Run();
 *
 * It only looks, after everything else of an instant, so that the run is the same without it. It
 * must live until the simulation is over. Time and memory go with the flows that are on their way.
 */
class RdmaTimeSeries
{
  public:
    /** When at an instant it looks: at the end, as it changes nothing. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * Aborts with a message if the period is not positive.
     *
     * \param os gets the rows, and a heading with the first
     * \param period time from row to row, in picoseconds, 1 and above
     */
    RdmaTimeSeries(std::ostream& os, QbbPs period);

    /**
     * Watches a queue pair that carries one flow: from the flow's start until nothing is left of
     * it to be sent or acknowledged. Before Start().
     *
     * \param nic its NIC, which measures round trips from now on
     * \param qp the sending queue pair
     * \param flow the flow's id, for the column flow
     * \param start the flow's start
     */
    void Add(Ptr<RdmaNic> nic, Ptr<const RdmaQueuePair> qp, uint64_t flow, QbbPs start);

    /** Begins, at the next multiple of the period. Once. */
    void Start();

    /** \return rows written */
    uint64_t GetRows() const
    {
        return m_rows;
    }

  private:
    /** A queue pair that is watched. */
    struct Series
    {
        Ptr<const RdmaQueuePair> qp; //!< the queue pair
        uint32_t node{0};            //!< its node
        uint64_t flow{0};            //!< id of its flow
        QbbPs start{0};              //!< start of its flow
    };

    void OnTick();
    void Write(const Series& series);

    std::ostream& m_os;            //!< gets the rows
    QbbPs m_period;                //!< from row to row
    std::vector<Series> m_waiting; //!< not started yet; the next one last
    std::vector<Series> m_active;  //!< started and not ended, by start and flow
    uint64_t m_rows{0};            //!< rows written
    QbbTimer<RdmaTimeSeries, &RdmaTimeSeries::OnTick, EVENT_ORDER> m_timer; //!< the next row
};

} // namespace ns3

#endif /* RDMA_TIME_SERIES_H */
