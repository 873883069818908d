/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_H
#define QBB_FRAME_H

#include "rdma-event-time.h"
#include "rdma-int-format.h"
#include "rdma-opcode.h"
#include "rdma-prefetch.h"

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
class QbbFrameList;
struct QbbFrame;

/**
 * \ingroup rdma
 * Type of a QbbFrame, which determines the fields in use.
 */
enum class QbbFrameType : uint8_t
{
    ROCE,   //!< RoCEv2: Ethernet, IPv4, UDP to port 4791, BTH, headers of the opcode, payload
    PACKET, //!< packet of ns-3's stack: Ethernet header and a `Ptr<Packet>`
    PFC,    //!< priority-based flow control frame (IEEE 802.1Q clause 36, 802.3 Annex 31D)
    PAUSE,  //!< IEEE 802.3 Annex 31B PAUSE frame
};

/**
 * \ingroup rdma
 * Headers of a frame from Ethernet to the base transport header. The struct has 64 bytes, of which
 * only a few fields differ between the frames of a connection.
 */
struct QbbFrameHeaders
{
    // Local fields, valid at the current node only

    QbbFrameType type{QbbFrameType::ROCE}; //!< frame type, which determines the fields in use
    uint8_t priority{0};                   //!< traffic class at the current node, 0..7
    uint16_t ingressPort{0};               //!< port through which the frame entered the node
    uint32_t size{0};     //!< bytes from destination MAC to FCS, padding included; at least 64
    uint32_t flowHash{0}; //!< QbbFlowHash() of the 5-tuple, for path selection

    // Ethernet

    uint16_t etherType{0}; //!< EtherType after the tag; 0x0800 for RoCEv2
    bool tagged{false};    //!< true if the frame carries an 802.1Q tag
    bool hasFabric{false}; //!< true if the frame carries the header `fabric`, between switches
    uint16_t tci{0};       //!< tag control information: PCP (3 bits), DEI, VLAN id (12 bits)
    Mac48Address dstMac;   //!< destination MAC address on this hop
    Mac48Address srcMac;   //!< source MAC address on this hop

    // IPv4: RoCE, and PACKET with etherType 0x0800. In a PACKET frame dscp, ecn and ttl override
    // the header of the packet; the other IPv4 fields are unchanging copies of that header.

    bool ipv4{false};    //!< true if the IPv4 fields are in use
    uint8_t dscp{0};     //!< differentiated services code point, 0..63
    uint8_t ecn{0};      //!< ECN codepoint: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE
    uint8_t ttl{0};      //!< time to live
    uint8_t protocol{0}; //!< IP protocol; 17 (UDP) for RoCEv2

    // The number of records stands here because every switch reads it.
    uint8_t intRoom{0}; //!< telemetry trailer: room for records, 0..16; 0: no trailer (RoCE)

    uint32_t srcIp{0}; //!< source IPv4 address, host byte order
    uint32_t dstIp{0}; //!< destination IPv4 address, host byte order

    // UDP ports of RoCE; TCP or UDP ports of PACKET, 0 if there are none

    uint16_t srcPort{0}; //!< source port; for RoCEv2 the QP's entropy for ECMP
    uint16_t dstPort{0}; //!< destination port; 4791 for RoCEv2

    // Base transport header (RoCE)

    uint8_t opcode{0};     //!< BTH opcode, an RdmaOpcode
    bool solicited{false}; //!< BTH solicited event bit
    bool migReq{true};     //!< BTH MigReq bit; set unless a path migration is under way
    bool fecn{false};      //!< BTH FECN bit: forward explicit congestion notification
    bool becn{false};      //!< BTH BECN bit: backward explicit congestion notification
    bool ackReq{false};    //!< BTH AckReq bit: the requester asks for an acknowledgement
    uint16_t pKey{0xffff}; //!< partition key
    uint32_t destQp{0};    //!< destination queue pair, 24 bits
    uint32_t psn{0};       //!< packet sequence number, 24 bits
};

/**
 * \ingroup rdma
 * Contents of a frame of type PACKET.
 */
struct QbbFramePacket
{
    /// Bytes after the Ethernet header, including the padding of a minimum-size frame.
    Ptr<Packet> packet;
};

/**
 * \ingroup rdma
 * Headers behind the base transport header that the frames of a connection use.
 */
struct QbbFrameExtensions
{
    // Extended transport headers of the opcode (RoCE)

    uint32_t payload{0};        //!< payload bytes, without the pad
    uint32_t rKey{0};           //!< RETH, AtomicETH: remote key
    uint64_t virtualAddress{0}; //!< RETH, AtomicETH: remote address
    uint32_t dmaLength{0};      //!< RETH: bytes of the whole message
    uint32_t msn{0};            //!< AETH: message sequence number, 24 bits

    // Further extended transport headers (RoCE)

    uint32_t wqeSn{0}; //!< IRN message header: sequence number of the WQE, 24 bits
    /// IRN message header: byte offset of the payload in its message. IRN selective header: bit i:
    /// the packet i + 1 before the selective one has arrived, 8 bits
    uint32_t offset{0};
    uint32_t selectivePsn{0}; //!< IRN selective header: PSN that caused the (N)ACK, 24 bits
    uint8_t syndrome{0};      //!< AETH: ACK with credits, RNR NAK with timer, or NAK with code

    // Telemetry trailers (RoCE)

    RdmaIntFormat intFormat{RdmaIntFormat::NONE}; //!< wire format of the telemetry records
    bool intEcho{false}; //!< the trailer echoes the records of a received packet
    uint8_t pint{0};     //!< PINT trailer: utilisation in one byte by RdmaPintCode; 0: none
};

/**
 * \ingroup rdma
 * Header that a switch adds to a frame for other switches; see QbbPathSelector. On the wire it
 * stands behind the MAC addresses and the 802.1Q tag, if any: the EtherType 0x88B5 (IEEE 802,
 * local experiments), the protocol, the count, the bytes, and then the frame's own EtherType. It
 * adds FIXED_BYTES + count bytes to the frame. Only the path selectors that exchange the header
 * know what its bytes mean. QbbFrameCodec::AddFabric() adds the header and RemoveFabric() removes
 * it; both change QbbFrame::size.
 */
struct QbbFabricHeader
{
    static constexpr uint32_t MAX_BYTES = 14;  //!< largest count
    static constexpr uint32_t FIXED_BYTES = 4; //!< bytes on the wire besides those of `bytes`

    uint8_t protocol;                     //!< number of the selector's protocol, not 0
    uint8_t count;                        //!< number of bytes in use, 0..MAX_BYTES
    std::array<uint8_t, MAX_BYTES> bytes; //!< the selector's own bytes; zeros from `count` on
};

/**
 * \ingroup rdma
 * Fields that few frames use: immediate data, atomics, a full telemetry trailer, pause frames, and
 * the header of switches. All other frames must leave these fields at their defaults
 * (QbbFrameFields::UsesRareFields()), and nobody may read the fields of such a frame: their cache
 * line is then never loaded.
 */
struct QbbFrameRareFields
{
    // Telemetry trailer (RoCE) if intRoom is not 0; QbbFrame::telemetry holds its records

    bool intOverflow{false}; //!< a switch found no room for its telemetry record

    // MAC control (PFC, PAUSE)

    uint8_t classEnable{0}; //!< PFC class-enable vector: bit p set if quanta[p] is valid

    union {
        /// MAC control: pause times in units of 512 bit times; PAUSE uses [0].
        std::array<uint16_t, 8> quanta{};
        QbbFabricHeader fabric; //!< other frames: header of switches, if hasFabric is true
    };

    uint16_t unusedTwoBytes{0}; //!< in place of padding, whose bytes would be arbitrary

    // Immediate data and atomics

    uint32_t immediate{0}; //!< ImmDt: immediate data; IETH: remote key to invalidate
    uint64_t swapOrAdd{0}; //!< AtomicETH: swap or add operand
    uint64_t compare{0};   //!< AtomicETH: compare operand; AtomicAckETH: original value
};

/**
 * \ingroup rdma
 * Contents of a frame: the headers as parsed fields, and payload bytes only where they exist.
 *
 * Devices, switches and NICs exchange frames instead of ns-3 `Packet`s. RDMA payload is virtual:
 * its length is kept, and its bytes are zero. Traffic of ns-3's stack is carried as a
 * `Ptr<Packet>`. QbbFrameCodec converts a frame to exactly the bytes that a wire would carry, and
 * back. These bytes contain all fields of the groups Ethernet, IPv4, UDP, RoCE and MAC control. The
 * local fields never cross a link: each node computes its own.
 *
 * 24-bit fields (PSN, QPN, MSN, WQE sequence number) hold values below 2^24.
 */
struct QbbFrameFields : public QbbFrameHeaders,
                        public QbbFramePacket,
                        public QbbFrameExtensions,
                        public QbbFrameRareFields
{
    /// \return true for pause frames (PFC and 802.3x), which belong to no traffic class
    bool IsMacControl() const
    {
        return type == QbbFrameType::PFC || type == QbbFrameType::PAUSE;
    }

    /// \return bytes that the header of switches adds to the frame; 0: the frame has none
    uint32_t GetFabricBytes() const
    {
        return hasFabric ? QbbFabricHeader::FIXED_BYTES + fabric.count : 0;
    }

    /// \return true if the wire carries some of QbbFrameRareFields, telemetry records or a packet
    bool UsesRareFields() const;
};

/**
 * \ingroup rdma
 * Simulator data attached to a frame, which no wire carries.
 */
class QbbFrameLinks
{
  public:
    /// Arrival time of the frame at the current node; 0: the node created the frame. A frame in
    /// flight has its arrival time at the node to which it flies.
    RdmaEventTime arrival;

  private:
    friend class QbbFrameList;

    QbbFrame* m_next{nullptr}; //!< the frame behind this one in a QbbFrameList
};

/**
 * \ingroup rdma
 * A frame on its way through the fabric. Frames are allocated from a QbbFramePool and return to it
 * when their QbbFramePtr is destroyed.
 */
struct alignas(64) QbbFrame : public QbbFrameLinks, public QbbFrameFields
{
    // The order of bases and fields puts the fields that a switch needs into the first cache line,
    // and the additional fields that a NIC needs into the second.

    std::vector<RdmaIntHop> telemetry; //!< records of the switches passed, at most intRoom

    /** Fetches the first two cache lines into the CPU caches. */
    void Prefetch() const
    {
        RdmaPrefetchLines(this, 2);
    }

    QbbFrame() = default;
    QbbFrame(const QbbFrame&) = delete;
    QbbFrame& operator=(const QbbFrame&) = delete;
};

/**
 * \ingroup rdma
 * Deleter that returns a frame to its QbbFramePool.
 */
struct QbbFrameDeleter
{
    /** \param frame the frame to return to its pool */
    void operator()(QbbFrame* frame) const
    {
        // A static function does not need the address of the QbbFramePtr, so that the compiler can
        // keep the pointer in a register.
        GiveBack(frame);
    }

  private:
    static void GiveBack(QbbFrame* frame);
};

/**
 * \ingroup rdma
 * Sole owner of a frame. A frame passes from queue to link to switch by moving its QbbFramePtr.
 */
using QbbFramePtr = std::unique_ptr<QbbFrame, QbbFrameDeleter>;

/**
 * \ingroup rdma
 * A pool of frames, which allocates memory only when its high-water mark rises.
 *
 * Each NIC and each device has a pool. The pools of a simulation share memory, so that a new frame
 * gets the memory of a frame that has been returned just now, which is still in the CPU caches. If
 * several threads run groups of nodes, each thread has free frames of its own (SetThreads()).
 *
 * Frames may outlive their pool, for instance in the queue of another node when a node is disposed.
 * Memory is freed once its last pool is destroyed and its last frame has returned.
 */
class QbbFramePool
{
  public:
    /** Initial memory of a pool. */
    enum class Memory
    {
        OWN,           //!< memory of its own
        OF_SIMULATION, //!< memory of OfSimulation(), from the first frame on
    };

    /** \param memory initial memory of the pool */
    explicit QbbFramePool(Memory memory = Memory::OWN);
    ~QbbFramePool();
    QbbFramePool(const QbbFramePool&) = delete;
    QbbFramePool& operator=(const QbbFramePool&) = delete;

    /** \return a frame with every field at its default */
    QbbFramePtr Allocate();

    /** \param headers headers of the frame \return a frame with all other fields at defaults */
    QbbFramePtr Allocate(const QbbFrameHeaders& headers)
    {
        return Allocate(headers, QbbFrameExtensions());
    }

    /**
     * \param headers headers of the frame
     * \param extensions further headers of the frame
     * \return a frame with all other fields at defaults
     */
    QbbFramePtr Allocate(const QbbFrameHeaders& headers, const QbbFrameExtensions& extensions);

    /**
     * \return a pool that lasts as long as the simulator, for others to share its memory. If there
     *         is no simulator, this function makes one.
     */
    static QbbFramePool& OfSimulation();

    /**
     * Makes further frames from the memory of another pool. The frames in use return to the memory
     * that they came from. Not while several threads run.
     *
     * \param other a pool with memory
     */
    void Share(const QbbFramePool& other);

    /**
     * \return number of frames in the memory of the pool: the high-water mark of frames in use,
     *         rounded up
     */
    uint32_t GetCapacity() const;

    /** \return number of frames in use, of all pools that share the memory of this one */
    uint32_t GetInUse() const;

    /**
     * Divides the free frames among threads. A frame may be allocated on one thread and destroyed
     * on another: the frame is free for that thread then. A thread whose free frames become many
     * more than the frames that it has allocated gives some to threads that have none.
     * RdmaEngine::GetThread() of the running engine tells the thread; without an engine, the thread
     * is 0. Not while several threads run.
     *
     * \param threads number of threads that may allocate and destroy frames at one time; 1 unless
     *        this function has been called
     */
    void SetThreads(uint32_t threads);

  private:
    void Leave();

    QbbFrameArena* m_arena{nullptr}; //!< memory of the pool; null: OfSimulation(), once needed
};

/**
 * \ingroup rdma
 * Releases a packet of ns-3. If the running event's node runs on a thread of its own
 * (RdmaSimulatorImpl), the packet is freed later, while no thread makes or frees packets.
 *
 * \param packet the packet; null afterwards
 */
void QbbFreePacket(Ptr<Packet>& packet);

/**
 * \ingroup rdma
 * Hash of the 5-tuple for path selection, mixed well in all 32 bits.
 *
 * The hash depends on the headers alone. Each switch combines the hash with its seed.
 *
 * \param srcIp source IPv4 address
 * \param dstIp destination IPv4 address
 * \param protocol IP protocol
 * \param srcPort source port, 0 if there is none
 * \param dstPort destination port, 0 if there is none
 * \return the hash
 */
uint32_t QbbFlowHash(uint32_t srcIp,
                     uint32_t dstIp,
                     uint8_t protocol,
                     uint16_t srcPort,
                     uint16_t dstPort);

} // namespace ns3

#endif /* QBB_FRAME_H */
