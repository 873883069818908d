/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_H
#define QBB_FRAME_H

#include "qbb-event-time.h"
#include "rdma-int-format.h"
#include "rdma-opcode.h"

#include <ns3/mac48-address.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class QbbFrameArena;
struct QbbFrame;

/**
 * \ingroup rdma
 * What a QbbFrame is; decides which of its fields mean something.
 */
enum class QbbFrameType : uint8_t
{
    ROCE,   //!< RoCEv2: Ethernet, IPv4, UDP to port 4791, BTH and what its opcode demands
    PACKET, //!< traffic of ns-3's own stack: Ethernet around a `Ptr<Packet>`
    PFC,    //!< priority-based flow control frame (IEEE 802.1Q clause 36, 802.3 Annex 31D)
    PAUSE,  //!< IEEE 802.3 Annex 31B PAUSE frame
};

/**
 * \ingroup rdma
 * The headers of a frame from Ethernet to the base transport header: 64 bytes, in which all frames
 * of a connection differ by few fields.
 */
struct QbbFrameHeaders
{
    // local: valid at the present node only

    QbbFrameType type{QbbFrameType::ROCE}; //!< which groups are in use
    uint8_t priority{0};                   //!< class at this node, 0..7
    uint16_t ingressPort{0};               //!< switch port that it came in through
    uint32_t size{0};     //!< bytes from destination MAC to FCS, padding included; 64 and more
    uint32_t flowHash{0}; //!< QbbFlowHash() of the headers below, for path selection

    // Ethernet

    uint16_t etherType{0}; //!< EtherType after the tag; 0x0800 for RoCEv2
    bool tagged{false};    //!< carries an 802.1Q tag
    uint16_t tci{0};       //!< tag control information: PCP (3 bits), DEI, VLAN id (12 bits)
    Mac48Address dstMac;   //!< destination of this hop
    Mac48Address srcMac;   //!< source of this hop

    // IPv4: RoCE, and PACKET with etherType 0x0800. There dscp, ecn and ttl replace those of the
    // packet's own header; the others are copies of it and stay as they are.

    bool ipv4{false};    //!< the IPv4 fields are in use
    uint8_t dscp{0};     //!< differentiated services code point, 0..63
    uint8_t ecn{0};      //!< 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE
    uint8_t ttl{0};      //!< time to live
    uint8_t protocol{0}; //!< IP protocol; 17 for RoCEv2
    uint32_t srcIp{0};   //!< source address, host byte order
    uint32_t dstIp{0};   //!< destination address, host byte order

    // UDP (RoCE); for PACKET the ports of TCP or UDP, 0 when there are none

    uint16_t srcPort{0}; //!< the QP's entropy for ECMP
    uint16_t dstPort{0}; //!< 4791 for RoCEv2

    // Base transport header (RoCE)

    uint8_t opcode{0};     //!< an RdmaOpcode
    bool solicited{false}; //!< solicited event
    bool migReq{true};     //!< MigReq; set as long as no path migration is under way
    bool fecn{false};      //!< forward explicit congestion notification
    bool becn{false};      //!< backward explicit congestion notification
    bool ackReq{false};    //!< the requester asks for an acknowledgement
    uint16_t pKey{0xffff}; //!< partition key
    uint32_t destQp{0};    //!< destination queue pair, 24 bits
    uint32_t psn{0};       //!< packet sequence number, 24 bits
};

/**
 * \ingroup rdma
 * The contents of a frame: the headers as parsed fields, payload bytes only where they exist.
 *
 * This is what moves between devices, switches and NICs in place of an ns-3 `Packet`: RDMA payload
 * is virtual (its length is kept, its bytes are zero), and traffic of ns-3's stack is carried as a
 * `Ptr<Packet>`. QbbFrameCodec turns a frame into exactly the bytes that a wire would carry and
 * back; everything in the groups Ethernet, IPv4, UDP, RoCE and MAC control is in those bytes.
 * The group "local" is not: each node computes it for itself and nothing of it crosses a link.
 *
 * 24-bit fields (PSN, QPN, MSN, WQE sequence number) hold values below 2^24.
 */
struct QbbFrameFields : public QbbFrameHeaders
{
    // Extended transport headers, as the opcode demands (RoCE)

    uint32_t payload{0};        //!< bytes of payload without the pad
    uint32_t rKey{0};           //!< RETH, AtomicETH: remote key
    uint64_t virtualAddress{0}; //!< RETH, AtomicETH: remote address
    uint32_t dmaLength{0};      //!< RETH: bytes of the whole message
    uint32_t msn{0};            //!< AETH: message sequence number, 24 bits

    // PACKET

    /// The bytes after the Ethernet header, with the padding of a minimum-size frame.
    Ptr<Packet> packet;

    // More extended transport headers

    uint32_t wqeSn{0};        //!< IRN message: sequence number of the WQE it is for, 24 bits
    uint32_t offset{0};       //!< IRN message: where in its message the payload stands, bytes
    uint32_t selectivePsn{0}; //!< IRN selective: PSN that caused this (N)ACK, 24 bits
    uint8_t syndrome{0};      //!< AETH: ACK and credits, RNR NAK and timer, or NAK and code

    // Telemetry trailer (RoCE); its records are QbbFrame::telemetry

    RdmaIntFormat intFormat{RdmaIntFormat::NONE}; //!< how the records are written
    uint8_t intRoom{0};      //!< records that there is room for, 0..16; 0: no trailer
    bool intEcho{false};     //!< the records are those of another packet, sent back
    bool intOverflow{false}; //!< a switch found no room
    uint8_t pint{0};         //!< a trailer of one byte, a utilisation by RdmaPintCode; 0: none

    // MAC control (PFC, PAUSE)

    uint8_t classEnable{0};           //!< PFC: bit p set if quanta[p] is valid
    std::array<uint16_t, 8> quanta{}; //!< pause times in units of 512 bit times; PAUSE uses [0]

    // Immediate data and atomics

    uint32_t immediate{0}; //!< ImmDt: immediate data; IETH: the key to invalidate
    uint64_t swapOrAdd{0}; //!< AtomicETH: swap or add operand
    uint64_t compare{0};   //!< AtomicETH: compare operand; AtomicAckETH: original value

    /// \return true for pause frames (PFC and 802.3x), which belong to no class
    bool IsMacControl() const
    {
        return type == QbbFrameType::PFC || type == QbbFrameType::PAUSE;
    }
};

/**
 * \ingroup rdma
 * What the simulator keeps with a frame, and no wire carries.
 */
class QbbFrameLinks
{
  public:
    /// When the frame came to the present node; 0: the node has made it.
    QbbEventTime arrival;

  private:
    friend class QbbFrameArena;
    friend struct QbbFrameDeleter;

    QbbFrameArena* m_arena{nullptr}; //!< where it returns to
};

/**
 * \ingroup rdma
 * A frame on its way through the fabric. Frames come from a QbbFramePool and go back to it when
 * their QbbFramePtr ends.
 */
struct alignas(64) QbbFrame : public QbbFrameLinks, public QbbFrameFields
{
    // The order of the bases and of the fields puts what a switch needs into the first cache line,
    // and what a NIC needs beside it into the second.

    std::vector<RdmaIntHop> telemetry; //!< records of the switches so far, at most intRoom

    QbbFrame() = default;
    QbbFrame(const QbbFrame&) = delete;
    QbbFrame& operator=(const QbbFrame&) = delete;
};

/**
 * \ingroup rdma
 * Gives a frame back to the pool that it came from.
 */
struct QbbFrameDeleter
{
    /** \param frame the frame to give back */
    void operator()(QbbFrame* frame) const;
};

/**
 * \ingroup rdma
 * The one owner of a frame. Moving it is how a frame goes from queue to link to switch.
 */
using QbbFramePtr = std::unique_ptr<QbbFrame, QbbFrameDeleter>;

/**
 * \ingroup rdma
 * A source of frames that allocates only while it grows.
 *
 * Each node's NIC and each device has one. Frames may outlive their pool (in a queue elsewhere when
 * a node is disposed): the memory behind the pool lives until its last frame is back.
 */
class QbbFramePool
{
  public:
    QbbFramePool();
    ~QbbFramePool();
    QbbFramePool(const QbbFramePool&) = delete;
    QbbFramePool& operator=(const QbbFramePool&) = delete;

    /** \return a frame with every field at its default */
    QbbFramePtr Allocate();

    /** \param headers of the frame \return a frame with every other field at its default */
    QbbFramePtr Allocate(const QbbFrameHeaders& headers);

    /** \return frames made so far, in use or free: the high-water mark of frames in use, rounded up
     */
    uint32_t GetCapacity() const;

    /** \return frames that are out at present */
    uint32_t GetInUse() const;

  private:
    QbbFrameArena* m_arena; //!< shared with the frames that are out; deletes itself after the last
};

/**
 * \ingroup rdma
 * The hash that path selection starts from: the 5-tuple, mixed well in all 32 bits.
 *
 * Every node computes it from the headers alone. Switches combine it with a seed of their own.
 *
 * \param srcIp source address
 * \param dstIp destination address
 * \param protocol IP protocol
 * \param srcPort source port, 0 where there is none
 * \param dstPort destination port, 0 where there is none
 * \return the hash
 */
uint32_t QbbFlowHash(uint32_t srcIp,
                     uint32_t dstIp,
                     uint8_t protocol,
                     uint16_t srcPort,
                     uint16_t dstPort);

} // namespace ns3

#endif /* QBB_FRAME_H */
