/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAIRWISE_PROGRAM_H
#define RDMA_PAIRWISE_PROGRAM_H

#include "rdma-exchange-program.h"

#include <functional>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * All-to-all of n ranks in n - 1 steps: in step k, each rank sends to the rank at distance k + 1
 * and receives from the rank at distance -(k + 1). Pipelined sends do not wait for receives.
 */
class RdmaPairwiseProgram final : public RdmaExchangeProgram
{
  public:
    /** Returns the bytes for one rank. \param from number of the sender \param to of the receiver
     */
    using Size = std::function<uint64_t(uint32_t from, uint32_t to)>;

    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param size sizes
     */
    RdmaPairwiseProgram(const RdmaCollectiveScope& scope, const RdmaExchangeForm& form, Size size)
        : RdmaExchangeProgram(scope, form, scope.count - 1, 0),
          m_size(std::move(size))
    {
    }

  private:
    Transfer GetSend(uint64_t step) const override
    {
        const uint32_t to = GetScope().GetNeighbour(static_cast<int64_t>(step) + 1);
        return {to, m_size(GetScope().index, to)};
    }

    Transfer GetReceive(uint64_t step) const override
    {
        const uint32_t from = GetScope().GetNeighbour(-static_cast<int64_t>(step) - 1);
        return {from, m_size(from, GetScope().index)};
    }

    bool IsIndependent() const override
    {
        return true;
    }

    Size m_size; //!< sizes
};

} // namespace ns3

#endif /* RDMA_PAIRWISE_PROGRAM_H */
