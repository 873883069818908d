/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAIR_SERVERS_H
#define RDMA_FAIR_SERVERS_H

#include "rdma-int128.h"
#include "rdma-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Servers that transfers share max-min fairly. Each transfer occupies all of its servers at one
 * rate: no transfer could have a higher rate unless another one, with at most the same rate, got
 * less (Bertsekas and Gallager, "Data Networks", 2nd edition, section 6.5.2). Rates change when
 * transfers begin and end.
 *
 * All numbers are integers, so that results are the same on all machines: rates are whole bit/s,
 * rounded down, and a transfer ends at the first whole picosecond at which its work is done.
 *
 * The user moves the servers on to each instant at which something happens:
 *
 *     ended = servers.AdvanceTo(now);
 *     servers.Begin(...);
 *     next = servers.Divide(); // and again at this instant at the latest
 */
class RdmaFairServers
{
  public:
    /// Work of a byte: a transfer of 1 bit/s does a unit of work in a picosecond.
    static constexpr uint64_t WORK_OF_BYTE = 8'000'000'000'000;

    /** \param rates rate of each server in bit/s, above the number of transfers at a time */
    explicit RdmaFairServers(const std::vector<uint64_t>& rates);

    /**
     * Lets transfers work until an instant.
     *
     * \param now the instant, at most that of the latest Divide()
     * \return numbers of the transfers that have ended, in the order in which they began
     */
    std::vector<uint64_t> AdvanceTo(RdmaPs now);

    /**
     * Begins a transfer at the instant of the latest AdvanceTo().
     *
     * \param id the user's number for the transfer
     * \param servers numbers of its servers, each once; at least one
     * \param work bytes times WORK_OF_BYTE, above 0
     */
    void Begin(uint64_t id, std::vector<uint32_t> servers, RdmaUint128 work);

    /**
     * Divides the servers among the transfers.
     * \return instant of the next end; RDMA_NEVER: there are no transfers, or none ends in a time
     *         that can be counted
     */
    RdmaPs Divide();

    /** A transfer in progress. */
    struct Transfer
    {
        uint64_t id{0};                //!< the user's number
        std::vector<uint32_t> servers; //!< numbers of its servers
        RdmaUint128 work{0};           //!< work that is left
        uint64_t rate{0};              //!< rate in bit/s since the latest Divide()
    };

    /** \return the transfers in progress, in the order in which they began */
    const std::vector<Transfer>& GetTransfers() const
    {
        return m_transfers;
    }

  private:
    /** What a server has left for transfers that have no rate yet. */
    struct Server
    {
        uint64_t rate{0};    //!< rate of the server
        uint64_t left{0};    //!< rate that is left
        uint64_t share{0};   //!< part of a transfer in the rate that is left
        uint32_t waiting{0}; //!< number of transfers without a rate
    };

    std::vector<Server> m_servers;     //!< by number
    std::vector<Transfer> m_transfers; //!< in the order in which they began
    std::vector<uint32_t> m_waiting;   //!< places of transfers without a rate, in Divide()
    RdmaPs m_now{0};                   //!< instant of the latest AdvanceTo()
};

} // namespace ns3

#endif /* RDMA_FAIR_SERVERS_H */
