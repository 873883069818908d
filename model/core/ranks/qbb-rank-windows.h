/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RANK_WINDOWS_H
#define QBB_RANK_WINDOWS_H

#include "qbb-engine.h"
#include "qbb-rank-border.h"
#include "rdma-rank-alarms.h"
#include "rdma-rank-meeting.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs the events of one rank of MPI among several (RdmaRanks) on the module's own engine.
 *
 * The run goes in windows of simulated time. A window begins at the earliest pending event of all
 * ranks and lasts for the lookahead (QbbRankBorder::GetLookahead()), so that nothing that happens
 * in a window has an effect on another rank within the window. The ranks meet before each window.
 * They tell each other when their next event is due, and hand over the frames that they sent in the
 * window before. Every rank therefore makes the same plan of the next window.
 *
 * Each rank runs the events without a node that it has itself scheduled, in their order among the
 * events of its nodes.
 */
class QbbRankWindows
{
  public:
    /**
     * \param engine the rank's engine
     * \param border what the ranks send to each other; must outlive the object
     * \param alarms what the ranks ask of each other; must outlive the object
     * \param meeting where the ranks meet
     * \param rank number of this rank
     * \param ranks number of ranks, above 1
     */
    QbbRankWindows(QbbEngine& engine,
                   QbbRankBorder& border,
                   RdmaRankAlarms& alarms,
                   std::unique_ptr<RdmaRankMeeting> meeting,
                   uint32_t rank,
                   uint32_t ranks);

    /**
     * Runs until no rank has a pending event, or has been stopped. A rank that has been stopped
     * meets the others until they have ended, too. Aborts with a message if the others come to an
     * instant at which all ranks are to do something (RdmaRankAlarms).
     *
     * \param runEvents runs the rank's pending events before a limit. Its result is false if the
     *        rank has been stopped.
     */
    void Run(const std::function<bool(const Scheduler::EventKey& limit)>& runEvents);

  private:
    /** What a rank tells every other rank at a meeting. Requests and frames follow. */
    struct Report
    {
        uint64_t requestBytes{0}; //!< number of bytes of requests (RdmaRankAlarms)
        /// Time of the earliest event that the rank has or causes, in femtoseconds.
        uint64_t next{0};
        uint64_t isRunning{0}; //!< 0 if the rank has been stopped, else 1
    };

    /** What a rank knows after a meeting. */
    struct Plan
    {
        uint64_t first{0};            //!< time of the earliest event of all ranks, in femtoseconds
        bool isAnotherRunning{false}; //!< true if another rank has not been stopped
    };

    Plan Meet(bool isRunning);
    void CheckAlarms(QbbPs end) const;

    QbbEngine& m_engine;                        //!< the rank's engine
    QbbRankBorder& m_border;                    //!< what the ranks send to each other
    RdmaRankAlarms& m_alarms;                   //!< what the ranks ask of each other
    std::unique_ptr<RdmaRankMeeting> m_meeting; //!< where the ranks meet
    uint32_t m_rank;                            //!< number of this rank
    uint32_t m_ranks;                           //!< number of ranks
    std::vector<std::string> m_outgoing;        //!< bytes for each rank
    std::vector<std::string> m_incoming;        //!< bytes of each rank
};

} // namespace ns3

#endif /* QBB_RANK_WINDOWS_H */
