/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_ALARMS_H
#define RDMA_RANK_ALARMS_H

#include "rdma-ps.h"

#include <ns3/object.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Lets one rank of MPI ask all ranks to do something at one instant of a run.
 *
 * An object that uses alarms has a twin on each other rank. A twin that asks for an instant sets
 * its own timer. The other twins hear of the instant between two windows (RdmaRankWindows), and set
 * their timers. When the timers expire, every rank is at that instant, and the twins may tell each
 * other what they see by RdmaRanks::Exchange().
 *
 * The object is aggregated to the simulator.
 */
class RdmaRankAlarms : public Object
{
  public:
    /** Called with the instant for which another rank has asked. */
    using Listener = std::function<void(RdmaPs at)>;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * \return the object of the process's simulator; null unless several ranks run on
     *         RdmaSimulatorImpl
     */
    static Ptr<RdmaRankAlarms> Get();

    /**
     * Adds an object that has a twin on each other rank. All ranks add twins in the same order.
     *
     * \param listener called between two windows if another rank's twin asks for an instant
     * \return number of the object, equal on all ranks
     */
    uint32_t Add(Listener listener);

    /**
     * Tells all other ranks of an instant. Aborts with a message if the instant is so near that
     * another rank may have passed it.
     *
     * \param number number of the object that asks
     * \param at the instant, more than two cable delays between ranks ahead
     */
    void Request(uint32_t number, RdmaPs at);

    // For RdmaRankWindows

    /** \param lookahead length of a window */
    void SetLookahead(RdmaPs lookahead)
    {
        m_lookahead = lookahead;
    }

    /**
     * \param from an instant
     * \return the first instant at or after \p from for which a rank has asked; RDMA_NEVER if there
     *         is none
     */
    RdmaPs GetNext(RdmaPs from) const;

    /** \return the requests since the latest call, as bytes for other ranks */
    std::string Take();

    /** Calls the listeners. \param requests result of another rank's Take() */
    void Tell(std::string_view requests);

  private:
    void Note(RdmaPs at);

    /** A request of a rank. */
    struct Alarm
    {
        uint32_t number{0}; //!< number of the object
        RdmaPs at{0};       //!< the instant
    };

    RdmaPs m_lookahead{0};       //!< length of a window
    std::set<RdmaPs> m_instants; //!< instants for which ranks have asked; old ones are left out
    std::vector<Listener> m_listeners; //!< by number
    std::vector<Alarm> m_requests;     //!< requests of this rank that the others do not know
};

} // namespace ns3

#endif /* RDMA_RANK_ALARMS_H */
