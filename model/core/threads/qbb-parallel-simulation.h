/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PARALLEL_SIMULATION_H
#define QBB_PARALLEL_SIMULATION_H

#include "qbb-engine.h"
#include "qbb-node-groups.h"
#include "qbb-parallel-run.h"

#include <ns3/ptr.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Divides the nodes of a simulation among threads, and runs them (QbbParallelRun). The nodes are
 * divided again once their loads have been measured, and later at growing intervals.
 */
class QbbParallelSimulation
{
  public:
    /**
     * \param engine engine with all pending events
     * \param interrupted set by any thread that asks for a call of takeForeign
     */
    QbbParallelSimulation(QbbEngine& engine, std::atomic<bool>& interrupted);

    /** \param type name of a class that derives from QbbNodeGroups, which divides the nodes */
    void SetGrouping(const std::string& type)
    {
        m_grouping = type;
    }

    /** \return name of the class that divides the nodes */
    const std::string& GetGrouping() const
    {
        return m_grouping;
    }

    /** \param defers true: sinks of trace sources are called while all groups of nodes rest */
    void SetDefersSinks(bool defers)
    {
        m_defersSinks = defers;
    }

    /** \return true if sinks of trace sources are called while all groups of nodes rest */
    bool DefersSinks() const
    {
        return m_defersSinks;
    }

    /** Handles the notes that an exception has left over. The clock stays as it is. */
    void HandleNotes();

    /** Checks nodes of different ranks of MPI (QbbNodeGroups::CheckRanks()). */
    void CheckRanks()
    {
        GetGroups().CheckRanks();
    }

    /** \param reason why all nodes are to run on one thread; empty: they need not */
    void KeepOneThread(const std::string& reason)
    {
        m_demand = reason;
    }

    /**
     * Runs on several threads, if that is possible. Throws what an event has thrown. Aborts with a
     * message if SetGrouping() has not named a class that derives from QbbNodeGroups.
     *
     * \param threads largest number of threads
     * \param takeForeign takes over the events that threads outside of the run have scheduled, or
     *        calls QbbParallelRun::Stop()
     * \return false if the rest of the run needs one thread, for the reason of GetReason()
     */
    bool Run(uint32_t threads, const std::function<void()>& takeForeign);

    /** \return the run, while groups of nodes run apart; null otherwise */
    QbbParallelRun* GetRun() const
    {
        return m_run.get();
    }

    /**
     * \return why the latest Run() has returned false, in one sentence; empty if Run() has returned
     * true
     */
    const std::string& GetReason() const
    {
        return m_reason;
    }

  private:
    QbbNodeGroups& GetGroups();
    std::set<uint32_t> FindForeignNodes();
    uint32_t DivideNodes(uint32_t threads);
    bool RunFor(uint32_t groups, const std::function<void()>& takeForeign, uint64_t events);

    QbbEngine& m_engine;                   //!< engine with all pending events
    std::atomic<bool>& m_interrupted;      //!< a thread has asked for a call of takeForeign
    bool m_defersSinks{false};             //!< sinks are called while all groups rest
    std::string m_grouping;                //!< class that divides the nodes
    std::string m_demand;                  //!< reason of KeepOneThread()
    std::string m_reason;                  //!< why one thread runs all nodes
    Ptr<QbbNodeGroups> m_groups;           //!< groups of nodes, once a run has asked for them
    std::unique_ptr<QbbParallelRun> m_run; //!< the run, while groups of nodes run apart
    QbbParallelRun::Notes m_notes;         //!< notes of events that have run
};

} // namespace ns3

#endif /* QBB_PARALLEL_SIMULATION_H */
