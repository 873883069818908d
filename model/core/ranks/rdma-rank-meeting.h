/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_MEETING_H
#define RDMA_RANK_MEETING_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Exchange of bytes among the ranks of MPI during a run, between two windows of simulated time. See
 * RdmaRanks::MakeMeeting().
 */
class RdmaRankMeeting
{
  public:
    virtual ~RdmaRankMeeting() = default;

    /**
     * Sends bytes to every other rank, and waits for the bytes of every other rank. Every rank
     * calls this function as often as every other rank.
     *
     * \param outgoing bytes for each rank, by rank; the entry of this rank is not sent
     * \param incoming set to the bytes from each rank, by rank; the entry of this rank stays as it
     *        is
     */
    virtual void Meet(const std::vector<std::string>& outgoing,
                      std::vector<std::string>& incoming) = 0;
};

} // namespace ns3

#endif /* RDMA_RANK_MEETING_H */
