/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPERATION_GRAPH_H
#define RDMA_OPERATION_GRAPH_H

#include "rdma-operation.h"
#include "rdma-rank-program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A program of listed operations, each of which begins when the operations that it depends on have
 * ended, or begun.
 *
 * An operation takes 32 bytes, and each dependency 8 bytes. The memory of operations is given back
 * in blocks: when all operations of a block have ended.
 */
class RdmaOperationGraph : public RdmaRankProgram
{
  public:
    /** What an operation waits for in another one. */
    enum class After : uint8_t
    {
        END,   //!< the end
        BEGIN, //!< the begin
    };

    /**
     * Adds an operation.
     * \param operation the operation
     * \return number of the operation, from 0
     */
    uint32_t Add(const RdmaOperation& operation);

    /**
     * Lets an operation wait for another one. Dependencies may form a circle; the operations in it
     * then never begin.
     *
     * \param operation number of the operation that waits
     * \param before number of the other operation
     * \param after what the operation waits for
     * \throws std::invalid_argument if an operation does not exist, or waits for itself
     */
    void AddDependency(uint32_t operation, uint32_t before, After after = After::END);

    /** \return number of operations */
    uint32_t GetCount() const
    {
        return m_count;
    }

    /** \return bytes of memory that the operations and dependencies take */
    std::size_t GetMemory() const;

    // Inherited from RdmaRankProgram
    void Start(RdmaScheduleRank& rank) override;
    void Begun(RdmaScheduleRank& rank, uint64_t id) override;
    void Ended(RdmaScheduleRank& rank, uint64_t id) override;
    std::string GetName(uint64_t id) const override;
    void DescribeWait(std::vector<std::string>& lines) const override;

    bool IsDone() const override
    {
        return m_ended == m_count;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;        //!< no dependency; an operation has ended
    static constexpr uint32_t BLOCK = 4096;             //!< entries of a block
    static constexpr uint32_t MOST = uint32_t{1} << 31; //!< number of operations that are too many

    /** An operation and what it waits for. */
    struct Entry
    {
        RdmaOperation operation; //!< the operation
        uint32_t waits{0};       //!< number of dependencies that are not met; NONE: has ended
        uint32_t first{NONE};    //!< latest added dependency on this operation
    };

    /** Entries of consecutive numbers. */
    struct Block
    {
        std::array<Entry, BLOCK> entries; //!< the entries
        uint32_t left{0};                 //!< number of operations that have not ended
    };

    /** A dependency. */
    struct Edge
    {
        uint32_t target{0}; //!< twice the number of the operation that waits; 1 more: for the begin
        uint32_t next{NONE}; //!< dependency on the same operation that was added before
    };

    static constexpr uint32_t EDGES = 8192; //!< dependencies of a block
    /** Dependencies of consecutive numbers. */
    using EdgeBlock = std::array<Edge, EDGES>;

    Entry& GetEntry(uint32_t number) const
    {
        return m_blocks[number / BLOCK]->entries[number % BLOCK];
    }

    const Edge& GetEdge(uint32_t number) const
    {
        return (*m_edges[number / EDGES])[number % EDGES];
    }

    void Meet(RdmaScheduleRank& rank, uint32_t number, bool begun);
    void BeginOne(RdmaScheduleRank& rank, uint32_t number);

    std::vector<std::unique_ptr<Block>> m_blocks;    //!< operations; null: all have ended
    std::vector<std::unique_ptr<EdgeBlock>> m_edges; //!< dependencies
    uint32_t m_count{0};                             //!< number of operations
    uint32_t m_nEdges{0};                            //!< number of dependencies
    uint32_t m_ended{0};                             //!< number of operations that have ended
    std::vector<uint32_t> m_ready;                   //!< scratch space of Meet()
};

} // namespace ns3

#endif /* RDMA_OPERATION_GRAPH_H */
