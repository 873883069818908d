/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_TIMERS_H
#define RDMA_FABRIC_TIMERS_H

#include "rdma-fabric-network.h"
#include "rdma-transport.h"

#include <ns3/nstime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ns3
{

class RdmaFabric;
class RdmaPacketEngine;

/**
 * \ingroup rdma
 * Sets the retransmission timers of a fabric's queue pairs by what the network does to frames
 * (ExamineRdmaNetwork()).
 *
 * A queue pair whose packets cannot get lost has no timer. A queue pair whose packets may get lost
 * has the timeouts of RdmaTransport::GetTimeouts(). Attributes of the transport that the user has
 * set stay as they are, for all queue pairs. A user's timeout of 0 is refused with a message where
 * packets may get lost, because a flow could then wait for ever.
 *
 * The network is examined when the first queue pair is connected, and again when the simulation
 * begins (Begin()): error models, buffers and flow control may change until then. Queue pairs that
 * have not sent a packet by then get the timers of the new result.
 */
class RdmaFabricTimers
{
  public:
    /**
     * \param fabric the fabric, which outlives this object
     * \param transport transport of the fabric; queue pairs of other transports are left alone
     * \param given names of the transport's attributes that the user has set
     */
    RdmaFabricTimers(const RdmaFabric& fabric,
                     Ptr<RdmaTransport> transport,
                     std::set<std::string> given);

    /**
     * Sets the timer of a queue pair that has got the address of its peer and has sent nothing.
     *
     * \param qp packet engine of the queue pair
     */
    void Connect(RdmaPacketEngine& qp);

    /** The simulation begins: no setting of the network that matters here changes any more. */
    void Begin();

    /** \return true if the paths of the network reorder packets, as far as is known yet */
    bool IsReordering() const
    {
        return !m_reordering.empty();
    }

    /**
     * \return what reorders packets and what the transport makes of this, one sentence for
     *         reports; empty: the paths keep the order of packets
     */
    std::string DescribeReordering() const;

    /**
     * \param priority class 0..7
     * \return description of the timer of queue pairs of the class, one sentence, for reports
     */
    std::string Describe(uint8_t priority);

    /**
     * \param priority class 0..7
     * \return why a queue pair of the class would be refused, because its packets may get lost and
     *         the user has turned the timer off; empty: it is not refused
     */
    std::string GetRefusal(uint8_t priority);

  private:
    void Examine();
    /** Reads whether the user has set the timer, and whether the timer is off. */
    void ReadTimer();
    /** Turns the timer of all queue pairs off if no class needs it and the user has not set it. */
    void TurnOffUnlessNeeded();
    /** Sets the attributes of the transport. \return false if they suit the network already */
    bool SetTimeouts();
    /** \return true if queue pairs of the class need a timer */
    bool NeedsTimer(uint8_t priority) const;
    /** \return true if the user has set the attribute */
    bool IsGiven(const std::string& attribute) const;
    Time GetAttribute(const std::string& attribute) const;
    /** Sets a timeout of the transport. \param attribute its name \param value its value */
    void SetAttribute(const std::string& attribute, Time value);
    /** Finds out whether the paths of the network reorder packets. */
    void FindReordering();
    /** Tells the transport that the paths reorder packets. \return true if this is new */
    bool SetReordering();
    /** Tells once that paths reorder packets, and what the transport makes of them. */
    void NoteReordering();
    /** Computes m_times, unless this was done since Examine(). */
    void ComputeTimes();

    const RdmaFabric& m_fabric;                //!< the fabric
    Ptr<RdmaTransport> m_transport;            //!< transport of the fabric
    std::set<std::string> m_given;             //!< attributes that the user has set
    std::map<std::string, Time> m_known;       //!< latest values that the user has not set
    std::string m_timer;                       //!< attribute whose value 0 turns the timer off
    std::array<RdmaClassNetwork, 8> m_network; //!< result of Examine()
    RdmaNetworkTimes m_times;                  //!< times of the classes that need a timer
    std::string m_reordering;                  //!< selector that reorders packets; empty: none
    std::atomic<bool> m_connected{false};      //!< a queue pair has been connected
    bool m_isTimerGiven{false};                //!< the user has set m_timer
    bool m_isTimerOff{false};                  //!< the value of m_timer is 0
    bool m_wantsTimer{false};                  //!< queue pairs need the timer without loss, too
    bool m_examined{false};                    //!< m_network is valid
    bool m_isTimed{false};                     //!< m_times is valid
    bool m_set{false};                         //!< SetTimeouts() has run since Examine()
    bool m_isTold{false};                      //!< SetReordering() has run since Begin() or before
    bool m_isSpread{false};                    //!< the transport knows that paths reorder packets
    bool m_begun{false};                       //!< Begin() has run
};

} // namespace ns3

#endif /* RDMA_FABRIC_TIMERS_H */
