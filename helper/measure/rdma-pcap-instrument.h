/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PCAP_INSTRUMENT_H
#define RDMA_PCAP_INSTRUMENT_H

#include "rdma-instrument.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Captures every port of all nodes to PREFIX-NODE-DEVICE.pcap (QbbHelper): `pcap:PREFIX`.
 */
class RdmaPcapInstrument : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    bool WatchesRanks() const override
    {
        return true; // each rank writes the files of its own ports
    }

  private:
    std::string m_prefix; //!< attribute Prefix
};

} // namespace ns3

#endif /* RDMA_PCAP_INSTRUMENT_H */
