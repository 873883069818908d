/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_MONITOR_INSTRUMENT_H
#define QBB_PORT_MONITOR_INSTRUMENT_H

#include "qbb-port-monitor.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"

#include <ns3/nstime.h>

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

    bool WatchesRanks() const override
    {
        return true;
    }

  private:
    std::string m_path;                        //!< attribute File
    Time m_period;                             //!< attribute Period
    RdmaOutputFile m_file;                     //!< gets the rows
    std::unique_ptr<QbbPortMonitor> m_monitor; //!< writes the rows
};

} // namespace ns3

#endif /* QBB_PORT_MONITOR_INSTRUMENT_H */
