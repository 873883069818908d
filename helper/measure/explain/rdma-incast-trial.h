/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INCAST_TRIAL_H
#define RDMA_INCAST_TRIAL_H

#include "qbb-bit-rate.h"
#include "qbb-buffer-manager.h"
#include "qbb-ecn-marker.h"
#include "qbb-ps.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * A hypothetical incast: senders behind ports of a switch send to one other port of the switch, at
 * line rate, in step, from one instant on.
 */
struct RdmaIncast
{
    std::vector<uint16_t> inputs; //!< ingress ports, one for each sender
    uint16_t output{0};           //!< egress port
    uint8_t priority{3};          //!< class of the frames, 0..7
    QbbBitRate inputRate{0};      //!< line rate of the ingress ports
    QbbBitRate outputRate{0};     //!< line rate of the egress port
    uint32_t frameBytes{0};       //!< size of every frame, with FCS
    uint32_t lineBytes{0};        //!< size of every frame with preamble and gap
    uint64_t frames{0};           //!< frames that each sender sends
    /// Frames of each sender, in the order of inputs; empty: `frames` of each
    std::vector<uint64_t> framesOf{};
    /// Rate of each sender as a share of inputRate, above 0 to 1; empty: 1 for each
    std::vector<double> shares{};
    uint64_t framesAfterPause{UINT64_MAX}; //!< frames that still arrive after XOFF
    std::vector<QbbMarkCurve> marks;       //!< marking of the egress queue
    uint64_t signalBytes{UINT64_MAX};      //!< senders that measure delay react to a longer queue
    /// Senders react to marks; false: to a queue above signalBytes
    bool reactToMarks{false};
    /// Time from the departure of the packet with the signal until its sender slows down;
    /// QBB_NEVER: senders do not slow down
    QbbPs feedback{QBB_NEVER};
    QbbPs inputDelay{0}; //!< time from a sender to the switch
};

/**
 * \ingroup rdma-explain
 * First mark, congestion signal, pause or drop of an RdmaIncast.
 */
struct RdmaIncastEvent
{
    QbbPs at{0};             //!< time since the first frames arrived
    uint64_t queueBytes{0};  //!< bytes in the egress queue
    uint64_t senderBytes{0}; //!< bytes of the sender's frames that the switch holds
};

/**
 * \ingroup rdma-explain
 * First events that an RdmaIncast causes.
 */
struct RdmaIncastOutcome
{
    std::optional<RdmaIncastEvent> mayMark; //!< the first packet with a chance of a mark
    std::optional<RdmaIncastEvent> mark;    //!< the expected number of marks reaches 1
    std::optional<RdmaIncastEvent> signal;  //!< the queue exceeds RdmaIncast::signalBytes
    std::optional<RdmaIncastEvent> pause;   //!< the first pause
    std::optional<RdmaIncastEvent> drop;    //!< the first drop
    QbbPs slowedAt{QBB_NEVER};              //!< congestion control slows the first sender
};

/**
 * \ingroup rdma-explain
 * Passes the frames of an incast to a buffer manager, in the order in which they would arrive and
 * leave, and records the manager's first decisions. The incast ends when its frames have been sent,
 * when the first frames of a slowed sender would arrive, or when nothing new can happen. Until
 * then, senders react to nothing but pauses, and the pauses do not end.
 *
 * A wave of frames, one from each sender, arrives every lineBytes x 8 / inputRate; a sender with a
 * smaller share takes part in that share of the waves. A frame leaves
 * every lineBytes x 8 / outputRate, from the first arrival on. Among simultaneous events, a frame
 * arrives before another one leaves, as in a QbbSwitch.
 *
 * \param buffer an empty and configured buffer manager; frames may remain in it
 * \param incast the incast
 * \return the first events
 */
RdmaIncastOutcome TryRdmaIncast(QbbBufferManager& buffer, const RdmaIncast& incast);

/**
 * \ingroup rdma-explain
 * Bytes that a switch holds for one sender while the egress port sends nothing.
 */
struct RdmaIngressRoom
{
    uint64_t holdsBytes{0}; //!< most bytes without a pause or drop
    bool pauses{false};     //!< the next frame causes a pause; false: a drop
    /// Bytes held when the pause ends; no value without a pause
    std::optional<uint64_t> xonBytes;
};

/**
 * \ingroup rdma-explain
 * Fills an ingress port with frames until a pause or a drop occurs, then lets the frames leave.
 *
 * \param buffer an empty and configured buffer manager; it may keep frames
 * \param input ingress port
 * \param output egress port
 * \param priority class of the frames, 0..7
 * \param frameBytes size of every frame
 * \return what the ingress port holds
 */
RdmaIngressRoom TryRdmaIngress(QbbBufferManager& buffer,
                               uint16_t input,
                               uint16_t output,
                               uint8_t priority,
                               uint32_t frameBytes);

} // namespace ns3

#endif /* RDMA_INCAST_TRIAL_H */
