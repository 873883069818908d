/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RING_PROGRAM_H
#define RDMA_RING_PROGRAM_H

#include "rdma-exchange-program.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Reduce-scatter and all-gather of n ranks in a ring, or both. The vector has n blocks. After the
 * n - 1 steps of the reduce-scatter, rank i has block i of the sum. The all-gather of n - 1 steps
 * begins with block i at rank i.
 */
class RdmaRingProgram final : public RdmaExchangeProgram
{
  public:
    /** What the ring does. */
    enum class Part
    {
        REDUCE_SCATTER,
        ALL_GATHER,
        BOTH, //!< all-reduce
    };

    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param bytes bytes of the vector
     * \param part what the ring does
     */
    RdmaRingProgram(const RdmaCollectiveScope& scope,
                    const RdmaExchangeForm& form,
                    uint64_t bytes,
                    Part part)
        : RdmaExchangeProgram(scope,
                              form,
                              (part == Part::BOTH ? 2 : 1) * uint64_t{scope.count - 1},
                              part == Part::ALL_GATHER ? 0 : scope.count - 1),
          m_bytes(bytes),
          m_firstGather(part == Part::ALL_GATHER ? 0 : scope.count - 1)
    {
    }

  private:
    Transfer GetSend(uint64_t step) const override
    {
        return {GetScope().GetNeighbour(1), GetBlock(step, 0)};
    }

    Transfer GetReceive(uint64_t step) const override
    {
        return {GetScope().GetNeighbour(-1), GetBlock(step, 1)};
    }

    /** \return bytes of the block that the rank at a distance behind this one sends in a step */
    uint64_t GetBlock(uint64_t step, int64_t behind) const
    {
        const auto k = static_cast<int64_t>(step);
        const auto gather = static_cast<int64_t>(m_firstGather);
        const int64_t offset = k < gather ? -1 - k : gather - k;
        return GetRdmaShare(m_bytes, GetScope().count, GetScope().GetNeighbour(offset - behind));
    }

    uint64_t m_bytes;       //!< bytes of the vector
    uint64_t m_firstGather; //!< first step of the all-gather
};

} // namespace ns3

#endif /* RDMA_RING_PROGRAM_H */
