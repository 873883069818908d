/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CONWEAVE_PATH_SELECTOR_H
#define QBB_CONWEAVE_PATH_SELECTOR_H

#include "qbb-path-selector.h"
#include "rdma-event-order.h"
#include "rdma-ps.h"
#include "rdma-trace.h"

#include <ns3/nstime.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters of a QbbConWeavePathSelector, for the connections whose sender (first group) or receiver
 * (second group) is a host of this switch.
 */
struct QbbConWeaveCounters
{
    uint64_t requests{0};       //!< epochs begun: frames sent that ask for an RTT_REPLY
    uint64_t repliesInTime{0};  //!< RTT_REPLY frames received before their deadline
    uint64_t tails{0};          //!< TAIL frames sent
    uint64_t reroutes{0};       //!< changes of path behind a TAIL
    uint64_t idleReroutes{0};   //!< changes of path after idle time, or because a path has gone
    uint64_t clears{0};         //!< CLEAR frames received of the current epoch
    uint64_t notifyReceived{0}; //!< NOTIFY frames received

    uint64_t controlSent{0};    //!< RTT_REPLY, CLEAR and NOTIFY frames sent
    uint64_t controlBytes{0};   //!< their bytes
    uint64_t notifySent{0};     //!< NOTIFY frames sent
    uint64_t heldFrames{0};     //!< rerouted frames that have waited in a queue
    uint64_t heldBytes{0};      //!< bytes that wait now
    uint64_t peakHeldBytes{0};  //!< most bytes that waited at one instant
    uint64_t queues{0};         //!< queues in use now
    uint64_t peakQueues{0};     //!< most queues in use at one instant, of all ports together
    uint64_t peakPortQueues{0}; //!< most queues of one port in use at one instant
    uint64_t noQueue{0};        //!< rerouted frames that found all queues of their port in use
    uint64_t tailResumes{0};    //!< queues that a TAIL has released
    uint64_t timerResumes{0};   //!< queues that their deadline has released
    uint64_t otherResumes{0};   //!< queues that a frame of a newer epoch has released
    uint64_t earlyResumes{0};   //!< TAILs that came after rerouted frames had gone on: disorder
    uint64_t lostTails{0};      //!< TAILs that never came although rerouted frames did

    /**
     * Adds the counters of another switch. Of peaks the larger one counts.
     *
     * \param other the counters
     * \return this object
     */
    QbbConWeaveCounters& operator+=(const QbbConWeaveCounters& other);
};

/**
 * \ingroup rdma
 * ConWeave: connections move away from slow paths without disorder at the receiver (Song et al.,
 * "Network Load Balancing with In-network Reordering Support for RDMA", SIGCOMM 2023).
 *
 * The leaf of the sender asks the leaf of the receiver for a reply about once in a round trip. If
 * the reply is late, the connection takes another path, chosen at random. It never has frames on
 * more than two paths: the last frame on the old path is marked as the TAIL, and the frames behind
 * the TAIL are marked as rerouted. At the leaf of the receiver, rerouted frames that come before
 * the TAIL wait in a queue of the connection. The TAIL releases the queue, or a deadline, if the
 * TAIL is lost. For each congestion mark that the leaf of the receiver sees, it names the path of
 * the packet to the leaf of the sender, which takes no new connections to this path for a while.
 *
 * A path is the pair of egress ports at the first two switches that have several equal-cost ports,
 * which is the whole path in fabrics of two and three tiers. Switches with a choice beyond these
 * use ECMP. All switches of the fabric have this selector.
 *
 * Which frames: RoCEv2 frames of a 5-tuple and DSCP, from host to host of another leaf. READ
 * responses, acknowledgements and requests that go in the same direction with the same DSCP stay in
 * order. A connection of which only acknowledgements go in a direction, CNPs, and packets of ns-3's
 * stack take ECMP.
 *
 * On the wire: a frame between leaves has a QbbFabricHeader of 14 bytes, 10 of them ConWeave's:
 * kind, flags and hop (1), epoch (1), path (4), departure (2), departure of the TAIL (2), in units
 * of 2^18 ps. RTT_REPLY, CLEAR and NOTIFY are frames of 78 + 14 bytes with the DSCP ControlDscp,
 * which should have a class above that of the data. On a Tofino2 the authors put the fields into 4
 * bytes and reserved bits of the BTH.
 *
 * Frames that wait stay charged to the buffer of the switch, so that they can cause pauses and
 * drops. The numbers of the default values are those of the authors' simulator for a leaf-spine
 * with cables of 1 us. For three tiers they use InactiveTime 1 ms, ResumeExtra 64 us and
 * ResumeDefault 600 us with PFC, and 16 us and 300 us without.
 *
 * Differences from the authors' simulator (github.com/conweave-project/conweave-ns3): control
 * frames and headers have bytes on the wire; a frame of a new epoch releases what waits of the
 * epoch before; a connection whose path has ceased to exist gets another one at once.
 */
class QbbConWeavePathSelector : public QbbPathSelector
{
  public:
    /// Place of the events that release queues at their deadline, behind all arrivals.
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Fabrics::At<8>();

    /// Value of the attribute Queues that stands for as many queues as needed.
    static constexpr uint16_t ALL_QUEUES = 65535;

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_leaf ? "before the simulation starts" : nullptr;
    }

    QbbConWeavePathSelector();
    ~QbbConWeavePathSelector() override;

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;
    bool MayReorder(RdmaPs roundTrip) const override;

    uint8_t GetMoments() const override
    {
        return ARRIVES | JOINS;
    }

    bool HasSinks() const override
    {
        return !m_reroute.IsEmpty() || !m_resume.IsEmpty();
    }

    void Configure() override;
    uint32_t GetHeaderBytes() const override;
    void FrameArrives(QbbPort& ingress, QbbFramePtr& frame) override;
    void FrameJoins(QbbPort& egress, QbbFramePtr& frame) override;
    void ForEachHeld(
        const std::function<void(const QbbFrame& frame, uint16_t egress)>& visit) const override;

    /** \return counters of this switch */
    const QbbConWeaveCounters& GetCounters() const
    {
        return m_counters;
    }

    /** \return id of the switch's node */
    uint32_t GetNodeId() const
    {
        return QbbPathSelector::GetNodeId();
    }

    /**
     * TracedCallback signature of Reroute.
     *
     * \param flowHash QbbFlowHash() of the connection's 5-tuple
     * \param before first port of the old path
     * \param after first port of the new path; equal if the paths differ at the second port
     */
    typedef void (*RerouteCallback)(uint32_t flowHash, uint16_t before, uint16_t after);

    /**
     * TracedCallback signature of Resume.
     *
     * \param port port towards the receiver
     * \param frames number of frames that have waited
     * \param waited waiting time of the first frame
     * \param byTail true: released by the TAIL; false: by the deadline or by a newer epoch
     */
    typedef void (*ResumeCallback)(uint16_t port, uint32_t frames, Time waited, bool byTail);

  private:
    class Leaf;

    void DoDispose() override;

    Time m_replyExtra;        //!< attribute ReplyExtra
    Time m_pathBusyTime;      //!< attribute PathBusyTime
    Time m_inactiveTime;      //!< attribute InactiveTime
    Time m_resumeExtra;       //!< attribute ResumeExtra
    Time m_resumeDefault;     //!< attribute ResumeDefault
    uint16_t m_queues{0};     //!< attribute Queues
    uint8_t m_controlDscp{0}; //!< attribute ControlDscp

    QbbConWeaveCounters m_counters;                     //!< counters of this switch
    RdmaTrace<uint32_t, uint16_t, uint16_t> m_reroute;  //!< trace source Reroute
    RdmaTrace<uint16_t, uint32_t, Time, bool> m_resume; //!< trace source Resume
    Ptr<UniformRandomVariable> m_random;                //!< random paths
    std::unique_ptr<Leaf> m_leaf; //!< connections and paths; null before Configure()
};

} // namespace ns3

#endif /* QBB_CONWEAVE_PATH_SELECTOR_H */
