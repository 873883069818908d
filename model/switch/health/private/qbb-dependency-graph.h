/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEPENDENCY_GRAPH_H
#define QBB_DEPENDENCY_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A directed graph of dependencies (who waits for whom) over vertices numbered from 0, and its
 * cycles.
 *
 * Both queries take time and memory in proportion to the number of vertices and edges.
 */
class QbbDependencyGraph
{
  public:
    /** \param vertices number of vertices */
    explicit QbbDependencyGraph(uint32_t vertices);

    /**
     * Adds an edge. An edge may be added more than once.
     *
     * \param from the waiting vertex, below the number of vertices
     * \param to the vertex that \p from waits for, below the number of vertices
     */
    void AddEdge(uint32_t from, uint32_t to);

    /** \return the vertices that lie on a cycle, ascending */
    std::vector<uint32_t> GetCyclic() const;

    /**
     * \return the vertices of one cycle, each waiting for the next and the last for the first;
     *         empty if there is no cycle. The cycle is a shortest one through the lowest vertex
     *         that lies on any cycle, and begins with this vertex
     */
    std::vector<uint32_t> FindCycle() const;

  private:
    std::vector<std::vector<uint32_t>> m_targets; //!< by vertex, targets of the edges that leave it
};

} // namespace ns3

#endif /* QBB_DEPENDENCY_GRAPH_H */
