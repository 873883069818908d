/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_WINDOWS_H
#define RDMA_RANK_WINDOWS_H

#include "rdma-engine.h"
#include "rdma-ps.h"
#include "rdma-rank-alarms.h"
#include "rdma-ranks.h"

#include <ns3/object.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Holds what the nodes of one rank of MPI send to the nodes of other ranks, until the engine takes
 * it: RdmaRankWindows at the end of a window of simulated time. The object is aggregated to the
 * simulator.
 */
class QbbRankBorder : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** \return the shortest time from an event of a rank to its effect on another, above 0 */
    virtual RdmaPs GetLookahead() const = 0;

    /**
     * Takes out what has been sent to a rank since the previous call.
     *
     * \param rank number of the rank
     * \param bytes the bytes to send to the rank are appended here
     * \return instant of the earliest event that the bytes will cause; RDMA_NEVER if there are none
     */
    virtual RdmaPs Take(uint32_t rank, std::string& bytes) = 0;

    /** Takes over the bytes of another rank. \param bytes result of the other rank's Take() */
    virtual void Receive(std::string_view bytes) = 0;

    /**
     * Hands over what is on its way between the ranks, after a run. Every rank calls this function
     * at one instant. After a run of RdmaRankWindows, nothing is on its way.
     */
    virtual void HandOver()
    {
    }
};

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
class RdmaRankWindows
{
  public:
    /**
     * \param engine the rank's engine
     * \param border traffic between the ranks; must outlive the object
     * \param alarms requests among the ranks; must outlive the object
     * \param mail carries bytes among the ranks
     * \param rank number of this rank
     * \param ranks number of ranks, above 1
     */
    RdmaRankWindows(RdmaEngine& engine,
                    QbbRankBorder& border,
                    RdmaRankAlarms& alarms,
                    std::unique_ptr<RdmaRankMail> mail,
                    uint32_t rank,
                    uint32_t ranks);

    /**
     * Runs until every rank has been stopped or has no pending event. A rank that has been stopped
     * continues to meet the other ranks until they have ended, too. Aborts with a message if the
     * others come to an instant at which all ranks are to do something (RdmaRankAlarms).
     *
     * \param runEvents runs the rank's pending events before a limit. Its result is false if the
     *        rank has been stopped.
     */
    void Run(const std::function<bool(const Scheduler::EventKey& limit)>& runEvents);

  private:
    /** Header of the bytes that a rank sends every other rank. Requests and frames follow. */
    struct Report
    {
        uint64_t requestBytes{0}; //!< number of bytes of requests (RdmaRankAlarms)
        /// Time of the earliest event that the rank has or causes, in femtoseconds.
        uint64_t next{0};
        uint64_t isRunning{0}; //!< 0 if the rank has been stopped, else 1
    };

    uint64_t Meet(bool isRunning);
    void CheckAlarms(RdmaPs end) const;

    RdmaEngine& m_engine;                 //!< the rank's engine
    QbbRankBorder& m_border;              //!< traffic between the ranks
    RdmaRankAlarms& m_alarms;             //!< requests among the ranks
    std::unique_ptr<RdmaRankMail> m_mail; //!< carries bytes among the ranks
    uint32_t m_rank;                      //!< number of this rank
    uint32_t m_ranks;                     //!< number of ranks
    bool m_isAnotherRunning{false};       //!< another rank has not been stopped
    std::vector<std::string> m_outgoing;  //!< bytes for each rank
    std::string m_incoming;               //!< bytes from a rank
};

} // namespace ns3

#endif /* RDMA_RANK_WINDOWS_H */
