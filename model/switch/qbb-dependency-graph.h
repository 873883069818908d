/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEPENDENCY_GRAPH_H
#define QBB_DEPENDENCY_GRAPH_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Who waits for whom: a directed graph over the numbers from 0, and its cycles.
 *
 * Sees numbers only. Both questions take time and memory in proportion to vertices and edges.
 */
class QbbDependencyGraph
{
  public:
    /** \param vertices how many there are */
    explicit QbbDependencyGraph(uint32_t vertices);

    /**
     * An edge that is there already does no harm.
     *
     * \param from who waits, below the number of vertices
     * \param to whom it waits for, below the number of vertices
     */
    void AddEdge(uint32_t from, uint32_t to);

    /** \return the vertices that lie on some cycle, ascending */
    std::vector<uint32_t> GetCyclic() const;

    /**
     * \return the vertices of one cycle, each waiting for the next and the last for the first: a
     *         shortest one through the lowest vertex that lies on any, which it begins with; empty
     *         if there is no cycle
     */
    std::vector<uint32_t> FindCycle() const;

  private:
    /** The edges, by the vertex that they leave. */
    struct Adjacency
    {
        std::vector<uint32_t> first; //!< where the edges of a vertex begin; one more at the end
        std::vector<uint32_t> to;    //!< where they lead
    };

    Adjacency MakeAdjacency() const;
    std::vector<uint32_t> GetCyclic(const Adjacency& edges) const;

    uint32_t m_vertices;                                //!< how many
    std::vector<std::pair<uint32_t, uint32_t>> m_edges; //!< from, to
};

} // namespace ns3

#endif /* QBB_DEPENDENCY_GRAPH_H */
