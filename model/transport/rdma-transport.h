/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "qbb-ps.h"
#include "rdma-opcode.h"
#include "rdma-retry-limits.h"
#include "rdma-verbs.h"

#include <ns3/object.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

class RdmaEndpoint;
class RdmaRequester;
class RdmaResponder;

/**
 * \ingroup rdma
 * What an acknowledgement or a timeout means for the queue pair that sends.
 */
struct RdmaSenderEvent
{
    bool mayBegin{false};                       //!< CanSend() may have become true
    bool failed{false};                         //!< the QP goes into error with `status`
    RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< why
};

/**
 * \ingroup rdma
 * The sending half of a reliable packet stream: which packet goes next, what is acknowledged, and
 * when to give up waiting.
 *
 * Sees packet numbers (rdma-psn.h) and picoseconds, no packets. Life of one: Extend() for each
 * message; CanSend(), GetNext() and Sent() whenever the port has room; OnAck(), OnNak(), OnRnrNak()
 * and OnTimeout() as they happen. After each of these the queue pair looks at GetAcked() and
 * GetDeadline().
 *
 * A queue pair's requests are one such stream. With IRN its responses to READs and atomics are
 * another, in the same direction, whose requests came from the peer.
 */
class RdmaSender
{
  public:
    static constexpr QbbPs NO_DEADLINE = QBB_NEVER;                           //!< none
    static constexpr int64_t NO_PACKET = std::numeric_limits<int64_t>::min(); //!< none

    virtual ~RdmaSender() = default;

    /** \param packets the next message has this many packets */
    virtual void Extend(uint64_t packets) = 0;

    /** \return true if a packet may go out now */
    virtual bool CanSend() const = 0;

    /** \return the packet that goes next; only if CanSend() */
    virtual uint64_t GetNext() const = 0;

    /**
     * The packet of GetNext() begins its transmission.
     *
     * \param packets how many numbers it stands for: 1, but for a READ request whose responses are
     *        numbered with the requests (IBA Vol. 1, 9.7.3.1)
     * \param now the instant
     * \return true if it has been sent before
     */
    virtual bool Sent(uint64_t packets, QbbPs now) = 0;

    /**
     * \param packet everything up to this one has arrived; -1 and below: nothing has
     * \param now the instant
     * \return what follows
     */
    virtual RdmaSenderEvent OnAck(int64_t packet, QbbPs now) = 0;

    /**
     * The receiver saw a gap (NAK, PSN sequence error).
     *
     * \param expected the packet that it waits for; all before it have arrived
     * \param selective the packet behind the gap that made it say so, if the receiver has kept
     *        that; else NO_PACKET
     * \param now the instant
     * \return what follows
     */
    virtual RdmaSenderEvent OnNak(int64_t expected, int64_t selective, QbbPs now) = 0;

    /**
     * The receiver had no receive request (RNR NAK).
     *
     * \param expected the packet that found none; all before it have arrived
     * \param wait how long to wait before sending again
     * \param now the instant
     * \return what follows
     */
    virtual RdmaSenderEvent OnRnrNak(int64_t expected, QbbPs wait, QbbPs now) = 0;

    /** The deadline has come. \param now the instant \return what follows */
    virtual RdmaSenderEvent OnTimeout(QbbPs now) = 0;

    /** \return how many packets from the first on are acknowledged */
    virtual uint64_t GetAcked() const = 0;

    /** \return one more than the highest packet ever sent */
    virtual uint64_t GetHighestSent() const = 0;

    /** \return when OnTimeout() wants to be called, or NO_DEADLINE */
    virtual QbbPs GetDeadline() const = 0;

    /** \return packets sent again */
    virtual uint64_t GetRetransmissions() const = 0;

    /** \return times that the retransmission timer ran out */
    virtual uint64_t GetTimeouts() const = 0;
};

/**
 * \ingroup rdma
 * What the receiving half of a stream makes of a packet.
 */
enum class RdmaReceiverVerdict : uint8_t
{
    ACCEPT,    //!< the next packet in order: execute it, then Accept()
    RESTART,   //!< the first packet of the present message once more, and all that has come of that
               //!< message counts for nothing: execute it, then Accept()
    EARLY,     //!< packets before it are missing, but it may be kept: Accept(), and tell the sender
    DUPLICATE, //!< seen before: acknowledge again, do not execute
    GAP,       //!< packets before it are missing, and the sender must be told
    IGNORE,    //!< the same, but the sender has been told
};

/**
 * \ingroup rdma
 * The receiving half of a reliable packet stream: which packets are executed, and what the sender
 * is told.
 *
 * Sees packet numbers only. Check() for each packet that comes in; then Accept() if it is executed
 * or kept, Refuse() if the next one in order cannot be executed for want of a receive request, or
 * neither for a packet that is thrown away.
 */
class RdmaReceiver
{
  public:
    virtual ~RdmaReceiver() = default;

    /** \param packet a packet that has come in \return what to do with it */
    virtual RdmaReceiverVerdict Check(int64_t packet) = 0;

    /**
     * A packet of verdict ACCEPT, RESTART or EARLY counts as received.
     *
     * \param packet its number
     * \param packets how many numbers it stands for, as in RdmaSender::Sent()
     * \param endsMessage it is the last packet of its message
     */
    virtual void Accept(uint64_t packet, uint64_t packets, bool endsMessage) = 0;

    /**
     * The packet of verdict ACCEPT or RESTART finds no receive request: it counts as not received,
     * and what follows it is no gap, for the sender sends it all again after the wait.
     */
    virtual void Refuse() = 0;

    /**
     * Begins where another receiver of the stream ended: all packets before have been received, and
     * the next one begins a message.
     *
     * \param packet number of the next packet
     */
    virtual void Resume(uint64_t packet) = 0;

    /** \return the packet that comes next in order: all before it have been received */
    virtual uint64_t GetExpected() const = 0;

    /** \return the packet that a NAK asks for */
    virtual uint64_t GetMissing() const = 0;
};

/**
 * \ingroup rdma
 * What others need to know of a transport's packets. Two transports understand each other if they
 * have the same object.
 */
struct RdmaPacketFormat
{
    RdmaOpcode write;        //!< a full packet in the middle of a WRITE
    RdmaOpcode acknowledge;  //!< an acknowledgement of requests
    uint32_t extensionBytes; //!< upper bound of the header bytes between BTH and payload
};

/**
 * \ingroup rdma
 * A reliable transport: makes requester and responder for each queue pair, and both halves of each
 * packet stream. One object, with its attributes, serves any number of queue pairs.
 */
class RdmaTransport : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param limits what the queue pair wants otherwise \return a sending half */
    virtual std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const = 0;

    /** \return a receiving half */
    virtual std::unique_ptr<RdmaReceiver> MakeReceiver() const = 0;

    /**
     * \return packets after which the requester asks for an acknowledgement; it always does for the
     *         last packet of a message
     */
    virtual uint32_t GetAckInterval() const = 0;

    /** \return the packet format */
    virtual const RdmaPacketFormat& GetPacketFormat() const = 0;

    /** \param endpoint a queue pair whose connection names this transport \return its requester */
    virtual std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const = 0;

    /** \param endpoint a queue pair whose connection names this transport \return its responder */
    virtual std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const = 0;

    /** \return timeouts in a row before a queue pair fails; UINT32_MAX means no limit */
    virtual uint32_t GetRetryCount() const = 0;
};

} // namespace ns3

#endif /* RDMA_TRANSPORT_H */
