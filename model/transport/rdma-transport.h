/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "rdma-verbs.h"

#include <ns3/object.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * What an acknowledgement or a timeout means for the requester's queue pair.
 */
struct RdmaRequesterEvent
{
    bool mayBegin{false};                       //!< CanSend() may have become true
    bool failed{false};                         //!< the QP goes into error with `status`
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< why
};

/**
 * \ingroup rdma
 * The sending half of a transport for one queue pair: which packet goes next, what is acknowledged,
 * and when to give up waiting.
 *
 * Sees packet numbers (rdma-psn.h) and picoseconds, no packets. Life of one: Extend() when work is
 * posted; CanSend(), GetNext() and Sent() whenever the port has room; OnAck(), OnNak(), OnRnrNak()
 * and OnTimeout() as they happen. After each of these the queue pair looks at GetAcked() and
 * GetDeadlinePs().
 */
class RdmaRequester
{
  public:
    static constexpr int64_t NO_DEADLINE = std::numeric_limits<int64_t>::max(); //!< none

    virtual ~RdmaRequester() = default;

    /** \param packets more packets were posted */
    virtual void Extend(uint64_t packets) = 0;

    /** \return true if a packet may go out now */
    virtual bool CanSend() const = 0;

    /** \return the packet that goes next; only if CanSend() */
    virtual uint64_t GetNext() const = 0;

    /**
     * The packet of GetNext() begins its transmission.
     *
     * \param nowPs the instant
     * \return true if it has been sent before
     */
    virtual bool Sent(int64_t nowPs) = 0;

    /**
     * \param packet everything up to this one has arrived; -1 and below: nothing has
     * \param nowPs the instant
     * \return what follows
     */
    virtual RdmaRequesterEvent OnAck(int64_t packet, int64_t nowPs) = 0;

    /**
     * The responder saw a gap (NAK, PSN sequence error).
     *
     * \param expected the packet that it waits for; all before it have arrived
     * \param nowPs the instant
     * \return what follows
     */
    virtual RdmaRequesterEvent OnNak(int64_t expected, int64_t nowPs) = 0;

    /**
     * The responder had no receive request (RNR NAK).
     *
     * \param expected the packet that found none; all before it have arrived
     * \param waitPs how long to wait before sending again
     * \param nowPs the instant
     * \return what follows
     */
    virtual RdmaRequesterEvent OnRnrNak(int64_t expected, int64_t waitPs, int64_t nowPs) = 0;

    /** The deadline has come. \param nowPs the instant \return what follows */
    virtual RdmaRequesterEvent OnTimeout(int64_t nowPs) = 0;

    /** \return how many packets from the first on are acknowledged */
    virtual uint64_t GetAcked() const = 0;

    /** \return one more than the highest packet ever sent */
    virtual uint64_t GetHighestSent() const = 0;

    /** \return when OnTimeout() wants to be called, or NO_DEADLINE */
    virtual int64_t GetDeadlinePs() const = 0;

    /** \return packets sent again */
    virtual uint64_t GetRetransmissions() const = 0;

    /** \return times that the retransmission timer ran out */
    virtual uint64_t GetTimeouts() const = 0;
};

/**
 * \ingroup rdma
 * What the responder does with a packet.
 */
enum class RdmaResponderVerdict : uint8_t
{
    ACCEPT,    //!< the next packet in order: execute it
    DUPLICATE, //!< seen before: acknowledge again, do not execute
    GAP,       //!< packets before it are missing, and the requester must be told
    IGNORE,    //!< the same, but the requester has been told
};

/**
 * \ingroup rdma
 * The receiving half of a transport for one queue pair: which packets are executed, and what the
 * requester is told.
 *
 * Sees packet numbers only.
 */
class RdmaResponder
{
  public:
    virtual ~RdmaResponder() = default;

    /** \param packet a packet that has come in \return what to do with it */
    virtual RdmaResponderVerdict OnPacket(int64_t packet) = 0;

    /**
     * The packet that was just accepted cannot be executed for want of a receive request: it counts
     * as not received.
     */
    virtual void Refuse() = 0;

    /** \return the packet that comes next in order: all before it have been executed */
    virtual uint64_t GetExpected() const = 0;
};

/**
 * \ingroup rdma
 * A reliable transport: makes both halves for each queue pair. One object, with its attributes,
 * serves any number of queue pairs.
 */
class RdmaTransport : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return the sending half for a new queue pair */
    virtual std::unique_ptr<RdmaRequester> MakeRequester() const = 0;

    /** \return the receiving half for a new queue pair */
    virtual std::unique_ptr<RdmaResponder> MakeResponder() const = 0;

    /**
     * \return packets after which the requester asks for an acknowledgement; it always does for the
     *         last packet of a message
     */
    virtual uint32_t GetAckInterval() const = 0;
};

} // namespace ns3

#endif /* RDMA_TRANSPORT_H */
