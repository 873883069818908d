/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FABRIC_PORTS_H
#define QBB_FABRIC_PORTS_H

#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "rdma-ps.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The ports of all nodes and where their cables lead. A division of the nodes needs the ports
 * several times, and the search for them reads memory all over the heap.
 */
class QbbFabricPorts
{
  public:
    /// Stands for no node.
    static constexpr uint32_t NO_NODE = std::numeric_limits<uint32_t>::max();

    /** A port and its cable. */
    struct Place
    {
        QbbNetDevice* port;      //!< the port
        QbbChannel* cable;       //!< the port's cable; null: none
        QbbLine* line;           //!< direction of the cable on which the port sends; null: none
        uint32_t peer;           //!< id of the node at the other end; NO_NODE: none
        RdmaPs shortestCrossing; //!< shortest time from an event of the port to its effect there
    };

    /** The ports of a node, in the order of their devices. */
    class Range
    {
      public:
        /** \param first first port \param end one after the last port */
        Range(const Place* first, const Place* end)
            : m_first(first),
              m_end(end)
        {
        }

        /** \return the first port */
        const Place* begin() const
        {
            return m_first;
        }

        /** \return one after the last port */
        const Place* end() const
        {
            return m_end;
        }

        /** \return number of ports */
        std::size_t size() const
        {
            return m_end - m_first;
        }

      private:
        const Place* m_first; //!< first port
        const Place* m_end;   //!< one after the last port
    };

    /** Finds the ports of all nodes that exist. */
    QbbFabricPorts();

    /** \param node id of a node \return the node's ports */
    Range Of(uint32_t node) const
    {
        return {m_places.data() + m_firstOf[node], m_places.data() + m_firstOf[node + 1]};
    }

    /** \return number of nodes */
    uint32_t GetNNodes() const
    {
        return static_cast<uint32_t>(m_isSwitch.size());
    }

    /** \param node id of a node \return true if the node is a switch (QbbSwitch) */
    bool IsSwitch(uint32_t node) const
    {
        return m_isSwitch[node];
    }

    /** \return true if frames cross a cable as bytes (QbbChannel, attribute SerializeFrames) */
    bool HasSerializedCable() const;

  private:
    std::vector<Place> m_places;     //!< the ports, by the id of their node
    std::vector<uint32_t> m_firstOf; //!< first port of each node, by node id, and the end
    std::vector<bool> m_isSwitch;    //!< nodes that are switches, by node id
};

} // namespace ns3

#endif /* QBB_FABRIC_PORTS_H */
