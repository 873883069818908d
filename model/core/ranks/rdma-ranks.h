/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANKS_H
#define RDMA_RANKS_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Carries bytes among the ranks of MPI (RdmaRanks::MakeMail()). All bytes that cross from rank to
 * rank travel in this way, whichever simulator runs: frames, requests and results.
 */
class RdmaRankMail
{
  public:
    virtual ~RdmaRankMail() = default;

    /**
     * Sends bytes. Does not wait for the other rank.
     *
     * \param rank number of another rank
     * \param bytes the bytes
     */
    virtual void Send(uint32_t rank, std::string_view bytes) = 0;

    /**
     * Waits for bytes. Each call returns the bytes of one Send(), in the order of the other rank's
     * calls.
     *
     * \param rank number of another rank
     * \param [out] bytes bytes that the rank has sent
     */
    virtual void Receive(uint32_t rank, std::string& bytes) = 0;
};

/**
 * \ingroup rdma
 * The ranks of MPI that share one simulation. Each rank is a process. Every rank builds the whole
 * fabric, and runs the events of its own nodes, whose Node::GetSystemId() is the number of the
 * rank.
 *
 * Without MPI, and in an ns-3 that was built without its module mpi, there is one rank, which runs
 * all nodes. With the global value "simulator=mpi", RdmaSimulatorImpl::Select() starts MPI.
 */
class RdmaRanks
{
  public:
    /**
     * Starts MPI. The standard output of all ranks but the first is discarded. Repeated calls are
     * harmless, and so is a call after ns3::MpiInterface::Enable(). ns-3's global value
     * "SimulatorImplementationType" stays as it is.
     *
     * Aborts with a message if ns-3 has no module mpi.
     *
     * \return true if several ranks share the simulation
     */
    static bool Begin();

    /** \return number of ranks; 1 without MPI */
    static uint32_t GetNumber();

    /** \return number of this rank, from 0 */
    static uint32_t GetRank();

    /** \return true on exactly one rank, which writes the results for the user */
    static bool IsFirst()
    {
        return GetRank() == 0;
    }

    /** \return true if several ranks share the simulation */
    static bool AreSeveral()
    {
        return GetNumber() > 1;
    }

    /**
     * Tells each rank the texts of all ranks. Every rank calls this function as often as every
     * other rank, while no simulation runs or in an event of one instant on all ranks
     * (RdmaRankAlarms).
     *
     * \param text bytes of this rank
     * \return the bytes of each rank, by rank
     */
    static std::vector<std::string> Exchange(const std::string& text);

    /**
     * Makes a mail of its own. Every rank makes its mails in the same order as every other rank.
     *
     * \return the mail; only for AreSeveral()
     */
    static std::unique_ptr<RdmaRankMail> MakeMail();
};

} // namespace ns3

#endif /* RDMA_RANKS_H */
