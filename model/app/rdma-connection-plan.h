/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_PLAN_H
#define RDMA_CONNECTION_PLAN_H

#include "rdma-ps.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * How connections between hosts use their NICs, ports and queue pairs.
 *
 * A lane of a connection is a queue pair at a port of the source together with its peer at a port
 * of the destination. Each pair of ports has as many lanes as QueuePairs says. NIC k of the source
 * is paired with NIC k of the destination, and a port with the port of the same number, as rails
 * and planes are cabled; where no path joins these, with the nearest port.
 */
class RdmaConnectionPlan : public Object
{
  public:
    /** How messages spread over the lanes of a connection. */
    enum Spread : uint8_t
    {
        /// Each message takes one lane; messages take the lanes in turn
        IN_TURN,
        /// Each message takes one lane: the one with the fewest bytes outstanding
        OUTSTANDING,
        /// Each message is divided into chunks; a chunk takes the lane with the fewest bytes
        /// outstanding
        CHUNKS,
    };

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** \return number of lanes for each pair of ports */
    uint32_t GetQueuePairs() const
    {
        return m_queuePairs;
    }

    /** \return how messages spread over the lanes */
    Spread GetSpread() const
    {
        return m_spread;
    }

    /** \return longest chunk, in bytes */
    uint64_t GetChunkBytes() const
    {
        return m_chunkBytes;
    }

    /** \return most chunks outstanding on a lane */
    uint32_t GetDepth() const
    {
        return m_depth;
    }

    /** \return time after which a queue pair without traffic is destroyed; 0: never */
    RdmaPs GetIdleTimeout() const;

    /**
     * \param nic number of a NIC in its host
     * \return true if connections use the NIC
     */
    bool UsesNic(uint32_t nic) const
    {
        return Has(m_nics, nic);
    }

    /**
     * \param port number of a port at its NIC
     * \return true if connections use the port
     */
    bool UsesPort(uint32_t port) const
    {
        return Has(m_ports, port);
    }

    /** \return attribute Nics */
    std::string GetNics() const
    {
        return m_nicsText;
    }

    /** \return attribute Ports */
    std::string GetPorts() const
    {
        return m_portsText;
    }

    /**
     * \param nics numbers of NICs with "+" between them, or "all"
     * \throws std::invalid_argument for another text
     */
    void SetNics(std::string nics);

    /**
     * \param ports numbers of ports with "+" between them, or "all"
     * \throws std::invalid_argument for another text
     */
    void SetPorts(std::string ports);

  private:
    /** \return the numbers of a text, ascending; empty: all */
    static std::vector<uint32_t> Parse(const std::string& attribute, const std::string& text);

    static bool Has(const std::vector<uint32_t>& numbers, uint32_t number);

    uint32_t m_queuePairs{1};       //!< attribute QueuePairs
    Spread m_spread{CHUNKS};        //!< attribute Spread
    uint64_t m_chunkBytes{0};       //!< attribute ChunkBytes
    uint32_t m_depth{4};            //!< attribute Depth
    Time m_idleTimeout;             //!< attribute IdleTimeout
    std::string m_nicsText{"all"};  //!< attribute Nics
    std::string m_portsText{"all"}; //!< attribute Ports
    std::vector<uint32_t> m_nics;   //!< NICs of attribute Nics; empty: all
    std::vector<uint32_t> m_ports;  //!< ports of attribute Ports; empty: all
};

} // namespace ns3

#endif /* RDMA_CONNECTION_PLAN_H */
