/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "rdma-fixed-type-id.h"
#include "rdma-gap-rule.h"
#include "rdma-network-times.h"
#include "rdma-opcode.h"
#include "rdma-ps.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-sender.h"
#include "rdma-verbs.h"

#include <ns3/object.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaEndpoint;
class RdmaRequester;
class RdmaResponder;

/**
 * \ingroup rdma
 * Verdict of a receiver on a received packet.
 */
enum class RdmaReceiverVerdict : uint8_t
{
    ACCEPT, //!< the next packet in order: execute it, then Accept()
    /// The first packet of the current message again, which voids all received packets of the
    /// message: execute the packet, then Accept()
    RESTART,
    EARLY,     //!< earlier packets are missing: buffer the packet by Accept(), send a NAK
    DUPLICATE, //!< already received: acknowledge again, do not execute
    GAP,       //!< earlier packets are missing: send a NAK
    IGNORE,    //!< earlier packets are missing, but no NAK is due: drop silently
};

/**
 * \ingroup rdma
 * The receiver of a reliable packet stream: decides which packets are executed and what is
 * acknowledged.
 *
 * The receiver works on packet numbers only. Its user calls Check() for each received packet, then
 * Accept() if the packet is executed or buffered, or Refuse() if the next packet in order lacks a
 * receive request. For any other packet, Check() is the only call. The user of the stream of
 * requests is the RdmaResponder (RoceResponder, IrnResponder). IRN's responses form a stream of
 * their own, whose user is the RdmaRequester (IrnRequester).
 */
class RdmaReceiver
{
  public:
    virtual ~RdmaReceiver() = default;

    /** \param packet number of a received packet \return what to do with the packet */
    virtual RdmaReceiverVerdict Check(int64_t packet) = 0;

    /**
     * Marks a packet with verdict ACCEPT, RESTART or EARLY as received.
     *
     * \param packet packet number
     * \param packets packet numbers that the packet takes, as in RdmaSender::Sent()
     * \param endsMessage true for the last packet of a message
     */
    virtual void Accept(uint64_t packet, uint64_t packets, bool endsMessage) = 0;

    /**
     * Marks a packet with verdict ACCEPT or RESTART as refused for lack of a receive request. The
     * packet counts as not received. Packets that follow it cause no NAK, because the sender
     * retransmits them after the RNR wait.
     */
    virtual void Refuse() = 0;

    /**
     * Continues the stream where another receiver ended: all earlier packets have been received,
     * and the next packet begins a message.
     *
     * \param packet number of the next packet
     */
    virtual void Resume(uint64_t packet) = 0;

    /** \return the next packet in order; all earlier packets have been received */
    virtual uint64_t GetExpected() const = 0;

    /** \return number of packets that have arrived and wait for an earlier one; by default 0 */
    virtual uint32_t CountKept() const
    {
        return 0;
    }

    /** \return the packet that a NAK requests; by default the next packet in order */
    virtual uint64_t GetMissing() const
    {
        return GetExpected();
    }

    /**
     * \param packet number of a packet that has arrived
     * \return bit i: packet `packet` - 1 - i has arrived, too; 0, the default, tells nothing
     */
    virtual uint8_t GetArrivedBefore(int64_t /*packet*/) const
    {
        return 0;
    }

    /** \return what the receiver has seen of packets that overtake each other; by default nothing
     */
    virtual RdmaReordering GetReordering() const
    {
        return {};
    }
};

/**
 * \ingroup rdma
 * Properties of a transport's packets. Two transports interoperate if both return the same
 * RdmaPacketFormat object.
 */
struct RdmaPacketFormat
{
    RdmaOpcode write;        //!< opcode of a full packet in the middle of a WRITE
    RdmaOpcode acknowledge;  //!< opcode of an acknowledgement of requests
    uint32_t extensionBytes; //!< most header bytes between BTH and payload
};

/**
 * \ingroup rdma
 * Per-queue-pair overrides of the transport's retry attributes (ibv_qp_attr: timeout, retry_cnt,
 * rnr_retry).
 */
struct RdmaRetryLimits
{
    std::optional<RdmaPs> timeout;         //!< retransmission timeout; 0 turns the timer off
    std::optional<uint32_t> retryCount;    //!< timeouts in a row before the QP fails
    std::optional<uint32_t> rnrRetryCount; //!< RNR NAKs in a row before the QP fails; 7: no limit
};

/**
 * \ingroup rdma
 * A reliable transport: factory of the requester and responder of each queue pair, and of the
 * sender and receiver of each packet stream. One object serves any number of queue pairs, and the
 * first queue pair fixes its attributes (RdmaFixedTypeId).
 */
class RdmaTransport : public Object, public RdmaFixedByUse
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param limits per-queue-pair overrides of the retry attributes \return a new sender */
    virtual std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const = 0;

    /** \return a new receiver */
    virtual std::unique_ptr<RdmaReceiver> MakeReceiver() const = 0;

    /**
     * \return packets after which the requester asks for an acknowledgement; the last packet of a
     *         message always asks for one
     */
    virtual uint32_t GetAckInterval() const = 0;

    /** \return the packet format */
    virtual const RdmaPacketFormat& GetPacketFormat() const = 0;

    /** \param endpoint a queue pair that uses this transport \return a new requester */
    virtual std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const = 0;

    /** \param endpoint a queue pair that uses this transport \return a new responder */
    virtual std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const = 0;

    /** \return timeouts in a row before a queue pair fails; UINT32_MAX means no limit */
    virtual uint32_t GetRetryCount() const = 0;

    /** \return most packets of a queue pair in flight; UINT32_MAX, the default: no limit */
    virtual uint32_t GetMaxInFlight() const
    {
        return std::numeric_limits<uint32_t>::max();
    }

    /** \return true if the transport needs the bandwidth-delay product of the network */
    virtual bool NeedsNetworkBdp() const
    {
        return false;
    }

    /** \param packets bandwidth-delay product of the network's longest path, in full packets */
    virtual void SetNetworkBdp(uint32_t packets)
    {
    }

    /** Names of attributes, each with a timeout. */
    using Timeouts = std::vector<std::pair<std::string, RdmaPs>>;

    /**
     * States the timeouts that suit a network. RdmaFabricHelper sets these attributes where frames
     * may get lost, unless the user has set them. The value 0 of the first attribute turns the
     * timer off.
     *
     * \param times times of the network
     * \return the attributes and their values; none, the default: the transport has no timer that
     *         depends on the network
     */
    virtual Timeouts GetTimeouts(const RdmaNetworkTimes& times) const
    {
        return {};
    }

    /**
     * Tells whether the paths of the network reorder packets. RdmaFabricHelper calls this function
     * before the first packet, for senders that follow.
     *
     * \param times times of the network. `spread` is above 0 if the paths reorder packets, and
     *        RDMA_NEVER if the network loses none of them
     */
    virtual void SetReordering(const RdmaNetworkTimes& times)
    {
    }

    /** \return when receivers take a gap for a loss, if the transport stands packets out of order
     */
    virtual RdmaGapLimits GetGapLimits() const
    {
        return {};
    }

    /**
     * \return what the transport does about packets that overtake each other, for reports; empty,
     *         the default: nothing
     */
    virtual std::string DescribeReordering() const
    {
        return "";
    }

    /** \return true if queue pairs need their timer also where no frame can get lost */
    virtual bool WantsTimer() const
    {
        return false;
    }

    /**
     * \return true, the default, if a packet that overtakes another one of its queue pair causes
     *         retransmissions, because the transport takes the other packet for lost
     */
    virtual bool TakesReorderingForLoss() const
    {
        return true;
    }
};

} // namespace ns3

#endif /* RDMA_TRANSPORT_H */
