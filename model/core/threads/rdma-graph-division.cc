/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-graph-division.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NO_INDEX = UINT32_MAX; // no group, or no vertex

/** A division that is being made. */
class Division
{
  public:
    explicit Division(const std::vector<RdmaGraphVertex>& vertices)
        : m_vertices(vertices),
          m_groupOf(vertices.size(), NO_INDEX),
          m_degree(vertices.size(), 0),
          m_free(static_cast<uint32_t>(vertices.size()))
    {
        for (std::size_t i = 0; i < vertices.size(); ++i)
        {
            m_left += vertices[i].load;
            m_degree[i] = static_cast<uint32_t>(vertices[i].cables.size());
        }
    }

    /** Fills a group. \param group number of the group \param others number of empty groups */
    void Fill(uint32_t group, uint32_t others)
    {
        const uint64_t share = m_left / (others + 1);
        m_group = group;
        m_load = 0;
        m_isEmpty = true;
        m_inside.assign(m_vertices.size(), 0);
        for (uint32_t i = 0; group == 0 && i < m_vertices.size(); ++i)
        {
            if (m_vertices[i].isFirst)
            {
                Take(i);
            }
        }
        while (m_free > others)
        {
            const uint32_t best = FindBest();
            if (others > 0 && !m_isEmpty && m_load + m_vertices[best].load / 2 > share)
            {
                break;
            }
            Take(best);
        }
    }

    /** \return number of the group of each vertex */
    const std::vector<uint32_t>& GetGroups() const
    {
        return m_groupOf;
    }

  private:
    void Take(uint32_t vertex)
    {
        m_groupOf[vertex] = m_group;
        m_isEmpty = false;
        --m_free;
        m_load += m_vertices[vertex].load;
        m_left -= m_vertices[vertex].load;
        for (const uint32_t neighbour : m_vertices[vertex].cables)
        {
            ++m_inside[neighbour];
        }
    }

    /** \return the vertex with the largest part of its cables in the group; the first of equals */
    uint32_t FindBest() const
    {
        uint32_t best = NO_INDEX;
        for (uint32_t i = 0; i < m_vertices.size(); ++i)
        {
            if (m_groupOf[i] == NO_INDEX &&
                (best == NO_INDEX || uint64_t{m_inside[i]} * std::max(m_degree[best], 1U) >
                                         uint64_t{m_inside[best]} * std::max(m_degree[i], 1U)))
            {
                best = i;
            }
        }
        return best;
    }

    const std::vector<RdmaGraphVertex>& m_vertices; //!< the graph
    std::vector<uint32_t> m_groupOf;                //!< group of each vertex
    std::vector<uint32_t> m_degree;                 //!< number of cables of each vertex
    std::vector<uint32_t> m_inside;                 //!< cables to the present group, by vertex
    uint32_t m_free{0};                             //!< number of vertices without a group
    uint64_t m_left{0};                             //!< load of the vertices without a group
    uint32_t m_group{0};                            //!< the present group
    uint64_t m_load{0};                             //!< load of the present group
    bool m_isEmpty{true};                           //!< the present group has no vertex
};

} // namespace

std::vector<uint32_t>
DivideRdmaGraph(const std::vector<RdmaGraphVertex>& vertices, uint32_t groups)
{
    Division division(vertices);
    for (uint32_t group = 0; group < groups; ++group)
    {
        division.Fill(group, groups - 1 - group);
    }
    return division.GetGroups();
}

} // namespace ns3
