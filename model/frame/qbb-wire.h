/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_WIRE_H
#define QBB_WIRE_H

#include "rdma-int-format.h"
#include "rdma-opcode.h"

#include <algorithm>
#include <cstdint>

/**
 * \file
 * \ingroup rdma
 * Sizes and well-known numbers of the wire formats.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Sizes in bytes and well-known numbers of Ethernet, IP, UDP and RoCEv2.
 */
namespace QbbWire
{

constexpr uint32_t PREAMBLE_BYTES = 8;             //!< preamble and start frame delimiter
constexpr uint32_t GAP_BYTES = 12;                 //!< minimum inter-packet gap
constexpr uint32_t MAC_HEADER_BYTES = 14;          //!< two addresses and the EtherType
constexpr uint32_t VLAN_TAG_BYTES = 4;             //!< 802.1Q tag
constexpr uint32_t FCS_BYTES = 4;                  //!< frame check sequence
constexpr uint32_t MIN_FRAME_BYTES = 64;           //!< smallest frame, FCS included
constexpr uint32_t IPV4_HEADER_BYTES = 20;         //!< IPv4 header without options
constexpr uint32_t UDP_HEADER_BYTES = 8;           //!< UDP header
constexpr uint32_t BTH_BYTES = 12;                 //!< InfiniBand base transport header
constexpr uint32_t ICRC_BYTES = 4;                 //!< invariant CRC
constexpr uint32_t ROCE_EXTENSION_BYTES = 20;      //!< longest headers with payload: RETH, ImmDt
constexpr uint32_t IRN_EXTENSION_BYTES = 28;       //!< as above, for IRN: RETH, ImmDt, IRN message
constexpr uint32_t CNP_RESERVED_BYTES = 16;        //!< reserved bytes after a CNP's BTH
constexpr uint32_t INT_HEADER_BYTES = 4;           //!< header of an exact telemetry trailer
constexpr uint32_t INT_RECORD_BYTES = 20;          //!< exact telemetry record of a hop
constexpr uint32_t PAPER_INT_HEADER_BYTES = 2;     //!< header of an HPCC telemetry trailer
constexpr uint32_t PAPER_INT_RECORD_BYTES = 8;     //!< HPCC telemetry record of a hop
constexpr uint32_t PINT_BYTES = 1;                 //!< PINT trailer: utilisation in one byte
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;        //!< EtherType of IPv4
constexpr uint16_t ETHERTYPE_ARP = 0x0806;         //!< EtherType of ARP
constexpr uint16_t ETHERTYPE_VLAN = 0x8100;        //!< EtherType (TPID) of an 802.1Q tag
constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808; //!< EtherType of MAC control
constexpr uint16_t ETHERTYPE_FABRIC = 0x88b5;      //!< EtherType of a QbbFabricHeader
constexpr uint16_t MAC_CONTROL_PAUSE = 0x0001;     //!< MAC control opcode of 802.3x PAUSE
constexpr uint16_t MAC_CONTROL_PFC = 0x0101;       //!< MAC control opcode of PFC
constexpr uint16_t ROCE_UDP_PORT = 4791;           //!< UDP destination port of RoCEv2
constexpr uint8_t IP_PROTOCOL_TCP = 6;             //!< IP protocol number of TCP
constexpr uint8_t IP_PROTOCOL_UDP = 17;            //!< IP protocol number of UDP
constexpr uint32_t PAUSE_QUANTUM_BITS = 512;       //!< bit times in one pause quantum
constexpr uint32_t MASK24 = 0xffffff;              //!< mask of 24-bit fields (PSN, QPN, MSN)

/// Bytes of a RoCEv2 frame without extended headers, payload, pad, telemetry trailer and tag.
constexpr uint32_t ROCE_BASE_BYTES =
    MAC_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES + ICRC_BYTES + FCS_BYTES;

/**
 * \param info properties of the opcode
 * \param payload payload bytes
 * \param tagged true with an 802.1Q tag
 * \param trailer bytes of the telemetry trailer
 * \return bytes from destination MAC to FCS; the payload is padded to a multiple of four
 */
constexpr uint32_t
RoceFrameBytes(const RdmaOpcodeInfo& info, uint32_t payload, bool tagged, uint32_t trailer = 0)
{
    return std::max(MIN_FRAME_BYTES,
                    ROCE_BASE_BYTES + info.headerBytes + ((payload + 3) & ~3U) + trailer +
                        (tagged ? VLAN_TAG_BYTES : 0));
}

/** \param format telemetry format \return bytes of a telemetry record */
constexpr uint32_t
IntRecordBytes(RdmaIntFormat format)
{
    return format == RdmaIntFormat::PAPER ? PAPER_INT_RECORD_BYTES : INT_RECORD_BYTES;
}

/**
 * \param format telemetry format
 * \param room maximum number of telemetry records in the frame
 * \return bytes of the telemetry trailer
 */
constexpr uint32_t
IntTrailerBytes(RdmaIntFormat format, uint32_t room)
{
    if (room == 0)
    {
        return 0;
    }
    return (format == RdmaIntFormat::PAPER ? PAPER_INT_HEADER_BYTES : INT_HEADER_BYTES) +
           room * IntRecordBytes(format);
}

/**
 * \param sdu bytes of the MAC client's data (after the EtherType)
 * \param tagged true with an 802.1Q tag
 * \return bytes from destination MAC to FCS, padding included
 */
constexpr uint32_t
FrameBytes(uint32_t sdu, bool tagged)
{
    return std::max(MIN_FRAME_BYTES,
                    MAC_HEADER_BYTES + sdu + FCS_BYTES + (tagged ? VLAN_TAG_BYTES : 0));
}

} // namespace QbbWire

} // namespace ns3

#endif /* QBB_WIRE_H */
