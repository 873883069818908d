/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-exchange-program.h"
#include "rdma-part-name.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * The vector has n blocks. In halving step k, rank i keeps the half of its blocks that has block i,
 * and sends the other half to the rank at distance n / 2^(k + 1), which keeps that one. The
 * doubling steps go the same way back.
 */
class RdmaHalvingProgram final : public RdmaExchangeProgram
{
  public:
    RdmaHalvingProgram(const RdmaCollectiveScope& scope,
                       const RdmaExchangeForm& form,
                       uint64_t bytes,
                       uint32_t log)
        : RdmaExchangeProgram(scope, form, 2 * log, log),
          m_bytes(bytes),
          m_log(log)
    {
    }

  private:
    /** \return distance to the other rank of a step */
    uint32_t GetDistance(uint64_t step) const
    {
        return step < m_log ? GetScope().count >> (step + 1) : 1U << (step - m_log);
    }

    /** \return bytes of the blocks of a range of \p size ranks that has rank \p index */
    uint64_t GetBytes(uint32_t index, uint32_t size) const
    {
        const uint64_t n = GetScope().count;
        const uint64_t first = index & ~(size - 1);
        const uint64_t larger = m_bytes % n; // the first so many blocks have one byte more
        return m_bytes / n * size + std::min(larger, first + size) - std::min(larger, first);
    }

    Transfer GetSend(uint64_t step) const override
    {
        const uint32_t distance = GetDistance(step);
        const uint32_t other = GetScope().index ^ distance;
        return {other, GetBytes(step < m_log ? other : GetScope().index, distance)};
    }

    Transfer GetReceive(uint64_t step) const override
    {
        const uint32_t distance = GetDistance(step);
        const uint32_t other = GetScope().index ^ distance;
        return {other, GetBytes(step < m_log ? GetScope().index : other, distance)};
    }

    /**
     * A halving step sends a half of what the step before has received, and that half came first or
     * last. The first doubling step sends what the last halving step has received. The others send
     * what the rank had before the step before, and then what that step has received.
     */
    uint64_t GetNeed(uint64_t step, uint64_t chunk) const override
    {
        const uint64_t chunks = GetChunks();
        if (step < m_log)
        {
            const bool sendsLower = GetScope().index & GetDistance(step);
            return (chunk + 2 + (sendsLower ? 0 : chunks)) / 2;
        }
        if (step == m_log)
        {
            return chunk + 1;
        }
        return std::max(2 * (chunk + 1), chunks) - chunks;
    }

    uint64_t m_bytes; //!< bytes of the vector
    uint32_t m_log;   //!< number of halving steps
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-halving-doubling`: reduce-scatter by recursive halving, then all-gather by
 * recursive doubling; 2 log2 n steps (Rabenseifner, "Optimization of Collective Reduction
 * Operations", 2004).
 */
class RdmaHalvingAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaHalvingAllReduce")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaHalvingAllReduce>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check((ranks & (ranks - 1)) == 0, std::to_string(ranks) + " ranks", "a power of two");
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaHalvingProgram>(scope,
                                                    GetForm(),
                                                    bytes,
                                                    GetRdmaLog2(scope.count));
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaHalvingAllReduce);

const RdmaPartName g_halvingAllReduceName("all-reduce-halving-doubling",
                                          RdmaHalvingAllReduce::GetTypeId(),
                                          "",
                                          "all-reduce that halves, then doubles");

} // namespace ns3
