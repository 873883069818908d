/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GOODPUT_METER_H
#define RDMA_GOODPUT_METER_H

#include "qbb-ps.h"
#include "rdma-queue-pair.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Payload per second that receivers accept, between one look and the next.
 *
 *     RdmaGoodputMeter meter({receiverOfA, receiverOfB});
 *     Simulator::Stop(MilliSeconds(5)); // let it settle
 *     Simulator::Run();
 *     meter.Take();
 *     Simulator::Stop(MilliSeconds(20));
 *     Simulator::Run();
 *     const std::vector<double> gbps = meter.Take();
 *
 * A packet counts as one of the largest size, so that it is meant for long messages. RoCE.
 */
class RdmaGoodputMeter
{
  public:
    /** \param receivers queue pairs that get long messages */
    explicit RdmaGoodputMeter(const std::vector<Ptr<RdmaQueuePair>>& receivers);

    /** \return Gb/s of payload of each receiver since the last call, or the start; 0 at no time */
    std::vector<double> Take();

    /**
     * \param rates of n flows
     * \return Jain's index: 1 if all are equal, 1 / n if one has everything; 0 if all are 0
     */
    static double GetJainIndex(const std::vector<double>& rates);

  private:
    std::vector<Ptr<RdmaQueuePair>> m_receivers; //!< the queue pairs
    std::vector<uint64_t> m_packets;             //!< accepted up to the last look
    QbbPs m_last{0};                             //!< instant of the last look
};

} // namespace ns3

#endif /* RDMA_GOODPUT_METER_H */
