/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GOODPUT_METER_H
#define RDMA_GOODPUT_METER_H

#include "rdma-ps.h"
#include "rdma-queue-pair.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Measures the payload rate that receivers accept between two calls of Take().
 *
 *     RdmaGoodputMeter meter({receiverOfA, receiverOfB});
 *     Simulator::Stop(MilliSeconds(5)); // warm-up
 *     Simulator::Run();
 *     meter.Take();
 *     Simulator::Stop(MilliSeconds(20));
 *     Simulator::Run();
 *     const std::vector<double> gbps = meter.Take();
 *
 * Every accepted packet counts as a full packet of the path MTU, so the meter is accurate only for
 * long messages. The meter supports RoCE.
 */
class RdmaGoodputMeter
{
  public:
    /** \param receivers queue pairs that receive long messages */
    explicit RdmaGoodputMeter(const std::vector<Ptr<RdmaQueuePair>>& receivers);

    /** \return payload rate in Gb/s by receiver since the previous call; 0 if no time has passed */
    std::vector<double> Take();

    /**
     * \param rates rates of n flows
     * \return Jain's fairness index: 1 for equal rates, 1 / n if one flow has the whole rate, 0 if
     *         all rates are 0
     */
    static double GetJainIndex(const std::vector<double>& rates);

  private:
    std::vector<Ptr<RdmaQueuePair>> m_receivers; //!< receiving queue pairs
    /// Accepted packets at the previous call of Take(), by receiver
    std::vector<uint64_t> m_packets;
    RdmaPs m_last{0}; //!< instant of the previous call of Take()
};

} // namespace ns3

#endif /* RDMA_GOODPUT_METER_H */
