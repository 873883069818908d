/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIME_SERIES_INSTRUMENT_H
#define RDMA_TIME_SERIES_INSTRUMENT_H

#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-time-series.h"

#include <ns3/nstime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes an RdmaTimeSeries of the flows of a run to a CSV file: `timeseries:FILE`.
 */
class RdmaTimeSeriesInstrument : public RdmaInstrument
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

    /**
     * \param text flow ids and ranges of flow ids, as in 0-9,17; auto: all
     * \return first and last id of each range, as given
     * \throws std::invalid_argument naming the accepted text
     */
    static std::vector<std::pair<uint64_t, uint64_t>> ParseFlows(const std::string& text);

  private:
    std::string m_path;                       //!< attribute File
    Time m_period;                            //!< attribute Period
    std::string m_flows;                      //!< attribute Flows
    RdmaOutputFile m_file;                    //!< output file of the rows
    std::unique_ptr<RdmaTimeSeries> m_series; //!< writes the rows
};

} // namespace ns3

#endif /* RDMA_TIME_SERIES_INSTRUMENT_H */
