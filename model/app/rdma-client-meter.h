/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_METER_H
#define RDMA_CLIENT_METER_H

#include "rdma-client-result.h"

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Counts the iterations of an RdmaClient and keeps their latencies.
 */
class RdmaClientMeter
{
  public:
    /** \param now time at which the first message is posted */
    void Begin(QbbPs now)
    {
        m_begin = now;
    }

    /** \param iteration a complete iteration \param keepLatency keep its latency for the result */
    void Add(const RdmaIteration& iteration, bool keepLatency)
    {
        ++m_iterations;
        m_end = iteration.end;
        if (keepLatency)
        {
            m_latencies.push_back(iteration.latency);
        }
    }

    /** \return number of complete iterations */
    uint64_t GetIterations() const
    {
        return m_iterations;
    }

    /** \param messageBytes bytes per message \return the measurements so far, without a status */
    RdmaClientResult GetResult(uint64_t messageBytes) const;

  private:
    RdmaLatency GetLatency() const;

    QbbPs m_begin{0};               //!< time at which the first message was posted
    QbbPs m_end{0};                 //!< time at which the last iteration was complete
    uint64_t m_iterations{0};       //!< number of complete iterations
    std::vector<QbbPs> m_latencies; //!< latencies of the iterations, in the order of their ends
};

} // namespace ns3

#endif /* RDMA_CLIENT_METER_H */
