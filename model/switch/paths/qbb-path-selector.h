/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PATH_SELECTOR_H
#define QBB_PATH_SELECTOR_H

#include "qbb-forwarding-table.h"
#include "qbb-frame.h"
#include "qbb-sole-switch.h"
#include "rdma-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace ns3
{

class QbbPort;
class QbbSwitch;

/**
 * \ingroup rdma
 * Chooses among the equal-cost ports of a switch for each frame, instead of the switch's ECMP by
 * flow (QbbSwitch::SelectPath()). Each switch has its own selector.
 *
 * A simple selector implements Select() alone. A selector that measures links or talks to other
 * switches also names the moments at which it sees frames (GetMoments()) and overrides one function
 * for each moment. Frames pass a switch whose selector names no moment as fast as without a
 * selector. The functions run in this order for a frame that a port receives from a cable, all in
 * the event of its arrival:
 *
 * 1. FrameArrives(), after the checks of address, IPv4 and TTL, and before the route is looked up.
 *    The selector may read, add and remove the frame's QbbFabricHeader here, and may consume the
 *    frame. At no later moment may a selector change the frame's size.
 * 2. Select(), if the route has several ports.
 * 3. The admission to the buffer, with the frame's present size.
 * 4. FrameJoins(), before the frame is marked and joins its queue. The selector may hold the frame
 *    back here. The frame then stays charged to the buffer, to its ingress group and to its egress
 *    queue, until QbbSwitch::ReleaseHeld() or DropHeld(). Thus a frame that is held back can cause
 *    a pause, and the dynamic threshold counts the frame.
 *
 * FrameDeparts() follows when the transmission begins, perhaps in a later event. A frame may be
 * dropped between two moments (no route, refused by the buffer, too long, link down); then the
 * later functions are not called for the frame.
 *
 * **Headers between switches.** A selector adds a QbbFabricHeader with a protocol number of its own
 * by QbbFrameCodec::AddFabric() at the first switch, and removes the header by RemoveFabric() at
 * the last switch, in FrameArrives(). Hosts do not understand the header. The selector states its
 * longest header by GetHeaderBytes(), and calls RefuseOtherNeighbours() in Configure(). A fabric
 * link carries frames that exceed the MTU by the header. The protocol numbers in use: 1 CONGA,
 * 2 ConWeave.
 *
 * **Frames of a selector's own.** MakeFrame() makes a small RoCEv2 frame towards the host that has
 * sent another frame, or towards the destination of that frame; QbbSwitch::SendOwn() sends the
 * frame by a port, and QbbSwitch::GetForwardingTable() has the ports towards the frame's
 * destination. Such a frame needs a QbbFabricHeader, so that the selector at the last switch knows
 * the frame and consumes it. Switches on the way forward the frame by its destination address. The
 * frame is charged to no buffer at the switch that makes it, and may get lost like any other frame.
 *
 * **Timers.** A selector that waits has an `RdmaTimer<Selector, &Selector::Function, ORDER>`, where
 * ORDER is a place of its own in the phase RdmaEventOrder::Fabrics, and a function
 * `uint32_t GetNodeId() const`, which returns GetNodeId() of this class. The state of a selector is
 * touched by the events of its own node alone, since other switches may run on other threads.
 */
class QbbPathSelector : public Object
{
  public:
    /** Moments at which a selector sees frames; a set of moments is a bit mask. */
    enum Moment : uint8_t
    {
        ARRIVES = 1, //!< calls FrameArrives()
        JOINS = 2,   //!< calls FrameJoins()
        DEPARTS = 4, //!< calls FrameDeparts()
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * \param frame the frame to forward
     * \param ports the equal-cost ports, two or more, ascending
     * \return the chosen port
     */
    virtual uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) = 0;

    /**
     * Predicts the port of a flow's frames, for callers that need the path in advance. Several
     * threads may call the function at a time.
     *
     * \param flowHash QbbFlowHash() of the flow
     * \param ports the equal-cost ports, two or more, ascending
     * \return the port, or nothing if the choice depends on more than the flow
     */
    virtual std::optional<uint16_t> Predict(uint32_t flowHash,
                                            const QbbForwardingTable::Group& ports) const;

    /**
     * Tells whether frames of a flow may overtake each other because the selector spreads the flow
     * over several ports. A run with a transport that takes such frames for lost begins with a
     * note.
     *
     * \param roundTrip longest round trip in the empty network. A selector that moves a flow only
     *        after a gap keeps the order of its frames if the gap is not shorter.
     * \return true, the default, if frames of a flow may overtake each other
     */
    virtual bool MayReorder(RdmaPs roundTrip) const;

    /** \return bit mask of the moments at which the selector sees frames; none by default. The
     * mask is read when the switch is set up, and a selector with moments can be neither set nor
     * replaced once the switch runs */
    virtual uint8_t GetMoments() const
    {
        return 0;
    }

    /**
     * Called when the switch is set up, before the first frame; perhaps several times. All devices
     * of the fabric exist. Links may go down later, and routes may change
     * (QbbForwardingTable::GetVersion()). A selector that cannot work in this fabric ends the
     * program here with a message (RefuseRdmaIf()).
     */
    virtual void Configure()
    {
    }

    /** \return the most bytes that QbbFabricHeader adds to a frame of this selector; 0 by default.
     * The switch leaves room for the bytes in its headroom and above the MTU */
    virtual uint32_t GetHeaderBytes() const
    {
        return 0;
    }

    /**
     * Called at the moment ARRIVES, for each IPv4 frame that a port receives for this switch.
     *
     * \param ingress port that has received the frame
     * \param frame the frame; `arrival` is the time of the event. The function may change the
     *        QbbFabricHeader, and may take the frame over to end its way here: to destroy it, or to
     *        send another one in its place
     */
    virtual void FrameArrives(QbbPort& ingress, QbbFramePtr& frame);

    /**
     * Called at the moment JOINS, for each frame that has been admitted to the buffer.
     *
     * \param egress the egress port
     * \param frame the frame. The function may take the frame over to hold it back. The selector
     *        then gives the frame to QbbSwitch::ReleaseHeld() or DropHeld() once, in an event of
     *        this node, with the same egress port
     */
    virtual void FrameJoins(QbbPort& egress, QbbFramePtr& frame);

    /**
     * Visits the frames that the selector holds back, see FrameJoins(). What asks which frames wait
     * for an egress port, as the deadlock detector and the pause tree do, then sees these frames,
     * too. A selector that holds frames back overrides this function.
     *
     * \param visit called with each frame and the number of its egress port
     */
    virtual void ForEachHeld(
        const std::function<void(const QbbFrame& frame, uint16_t egress)>& visit) const;

    /**
     * Called at the moment DEPARTS, when the transmission of a frame begins; not for pause frames.
     *
     * \param egress port that sends the frame
     * \param frame the frame, which has left its queue; its QbbFabricHeader may be written but
     *        neither added nor removed
     * \param start instant of the first bit; before now if the frame cuts through
     */
    virtual void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start);

    /**
     * \param stream first random stream to use
     * \return number of random streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /**
     * Called by the switch when it receives the selector. The switch may have no ports yet. An
     * override calls this function.
     *
     * \param sw the switch, which outlives the selector's last Select()
     */
    virtual void SetSwitch(QbbSwitch* sw)
    {
        m_switch = sw;
    }

    /** \return true if a trace source of the selector has a sink; then all events of the switch run
     * on the thread of Simulator::Run() */
    virtual bool HasSinks() const
    {
        return false;
    }

    /** \return the switch that uses the selector */
    QbbSoleSwitch& GetSoleSwitch()
    {
        return m_soleSwitch;
    }

  protected:
    /** \return the switch of SetSwitch(), whose ports Select() chooses from */
    const QbbSwitch& GetSwitch() const
    {
        return *m_switch;
    }

    /** \copydoc GetSwitch() const */
    QbbSwitch& GetSwitch()
    {
        return *m_switch;
    }

    /** \return id of the switch's node */
    uint32_t GetNodeId() const;

    /**
     * \param port port number
     * \return true if the cable leads to a switch; false: to a host
     */
    bool LeadsToSwitch(uint16_t port) const;

    /**
     * Ends the program with a message if a neighbouring switch has another kind of selector, which
     * would not understand the headers of this one.
     */
    void RefuseOtherNeighbours() const;

    /**
     * Ends the program with a message if a host of the fabric has several leaves. For selectors
     * that take an address for that of one leaf.
     */
    void RefuseSharedLeaves() const;

    /**
     * Makes a frame of RoCEv2 without payload: a CNP for queue pair 0, with DSCP, ECN and UDP
     * source port of another frame and TTL 64. The caller adds a QbbFabricHeader.
     *
     * \param cause a frame
     * \param isReply true: from the destination of \p cause to its source; false: from source to
     *        destination
     * \return the frame, of 78 bytes without the header; its class is that of \p cause
     */
    QbbFramePtr MakeFrame(const QbbFrame& cause, bool isReply) const;

  private:
    QbbSwitch* m_switch{nullptr}; //!< the switch, from SetSwitch()
    QbbSoleSwitch m_soleSwitch;   //!< the switch that uses the selector
};

} // namespace ns3

#endif /* QBB_PATH_SELECTOR_H */
