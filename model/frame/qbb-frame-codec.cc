/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"

#include "qbb-bytes.h"
#include "qbb-ipv4.h"
#include "qbb-mac-control-codec.h"
#include "qbb-raw-header.h"
#include "qbb-roce-codec.h"
#include "qbb-wire.h"

#include <ns3/assert.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

using namespace QbbWire;

namespace
{

constexpr uint32_t ADDRESS_BYTES = 6;
constexpr uint32_t MOST_HEADER_BYTES =
    MAC_HEADER_BYTES + VLAN_TAG_BYTES + QbbFabricHeader::FIXED_BYTES + QbbFabricHeader::MAX_BYTES;
constexpr uint32_t MIN_BYTES = MIN_FRAME_BYTES - FCS_BYTES;
constexpr uint32_t MAX_SDU_BYTES = 0xffff;
constexpr uint16_t MIN_ETHERTYPE = 0x0600;

uint32_t
HeaderBytes(const QbbFrame& frame)
{
    return MAC_HEADER_BYTES + (frame.tagged ? VLAN_TAG_BYTES : 0) + frame.GetFabricBytes();
}

/** \return number of zero bytes that pad a frame to the minimum size */
uint32_t
PaddingBytes(const QbbFrame& frame, uint32_t sduBytes)
{
    const uint32_t bytes = HeaderBytes(frame) + sduBytes;
    return bytes < MIN_BYTES ? MIN_BYTES - bytes : 0;
}

/** \return the EtherType that belongs to the frame's type */
uint16_t
EtherType(const QbbFrame& frame)
{
    switch (frame.type)
    {
    case QbbFrameType::ROCE:
        return ETHERTYPE_IPV4;
    case QbbFrameType::PACKET:
        return frame.etherType;
    default:
        return ETHERTYPE_MAC_CONTROL;
    }
}

/** \return number of bytes between the Ethernet header and the padding */
uint32_t
SduBytes(const QbbFrame& frame)
{
    switch (frame.type)
    {
    case QbbFrameType::ROCE:
        return QbbRoceCodec::SerializedSize(frame) +
               IntTrailerBytes(frame.intFormat, frame.intRoom) + (frame.pint != 0 ? PINT_BYTES : 0);
    case QbbFrameType::PACKET:
        return frame.packet->GetSize();
    default:
        return QbbMacControlCodec::SERIALIZED_BYTES;
    }
}

void
WriteEthernet(QbbByteWriter& io, const QbbFrame& frame)
{
    NS_ASSERT_MSG(!(frame.tagged && frame.IsMacControl()), "MAC control frames carry no tag");
    NS_ASSERT_MSG(EtherType(frame) >= MIN_ETHERTYPE && EtherType(frame) != ETHERTYPE_VLAN,
                  "EtherType " << frame.etherType << " cannot be sent");
    uint8_t addresses[2 * ADDRESS_BYTES];
    frame.dstMac.CopyTo(addresses);
    frame.srcMac.CopyTo(addresses + ADDRESS_BYTES);
    for (const uint8_t byte : addresses)
    {
        io.U8(byte);
    }
    if (frame.tagged)
    {
        io.U16(ETHERTYPE_VLAN);
        io.U16(frame.tci);
    }
    if (frame.hasFabric)
    {
        NS_ASSERT_MSG(!frame.IsMacControl(), "MAC control frames carry no header of switches");
        io.U16(ETHERTYPE_FABRIC);
        io.U8(frame.fabric.protocol);
        io.U8(frame.fabric.count);
        for (uint32_t i = 0; i < frame.fabric.count; ++i)
        {
            io.U8(frame.fabric.bytes[i]);
        }
    }
    io.U16(EtherType(frame));
}

/** Reads the Ethernet header. \return address of the first byte after the header */
const uint8_t*
ReadEthernet(const uint8_t* bytes, QbbFrame& frame)
{
    frame.dstMac.CopyFrom(bytes);
    frame.srcMac.CopyFrom(bytes + ADDRESS_BYTES);
    QbbByteReader io(bytes + 2 * ADDRESS_BYTES);
    io.U16(frame.etherType);
    if (frame.etherType == ETHERTYPE_VLAN)
    {
        frame.tagged = true;
        io.U16(frame.tci);
        io.U16(frame.etherType);
    }
    return io.At();
}

/**
 * Reads the header of switches and the EtherType behind it.
 *
 * \param bytes the bytes behind the EtherType of the header
 * \param frame frame to fill in
 * \return address of the first byte behind the frame's own EtherType; null if the header is bad
 */
const uint8_t*
ReadFabric(const uint8_t* bytes, QbbFrame& frame)
{
    frame.hasFabric = true;
    frame.fabric = {};
    QbbByteReader io(bytes);
    io.U8(frame.fabric.protocol);
    io.U8(frame.fabric.count);
    if (frame.fabric.protocol == 0 || frame.fabric.count > QbbFabricHeader::MAX_BYTES)
    {
        return nullptr;
    }
    for (uint32_t i = 0; i < frame.fabric.count; ++i)
    {
        io.U8(frame.fabric.bytes[i]);
    }
    io.U16(frame.etherType);
    const bool isAllowed =
        frame.etherType != ETHERTYPE_FABRIC && frame.etherType != ETHERTYPE_MAC_CONTROL;
    return isAllowed ? io.At() : nullptr;
}

/**
 * Determines the type of a frame and reads its IPv4 fields.
 *
 * MAC control frames get the type PAUSE; QbbMacControlCodec::Parse() tells PFC and PAUSE apart.
 *
 * \param sdu the first QbbIpv4::READ_BYTES bytes after the Ethernet header, or all bytes if fewer
 * \param count number of bytes after the Ethernet header, padding included
 * \param frame frame to fill in; its Ethernet fields must be set
 * \return NONE, or the error
 */
QbbParseError
Classify(const uint8_t* sdu, uint32_t count, QbbFrame& frame)
{
    if (count > MAX_SDU_BYTES)
    {
        return QbbParseError::TOO_LONG;
    }
    if (frame.etherType == ETHERTYPE_VLAN)
    {
        return QbbParseError::BAD_TAG;
    }
    if (frame.etherType < MIN_ETHERTYPE)
    {
        return QbbParseError::BAD_ETHERTYPE;
    }
    frame.size = HeaderBytes(frame) + count + FCS_BYTES;
    frame.type = QbbFrameType::PACKET;
    if (frame.etherType == ETHERTYPE_MAC_CONTROL)
    {
        frame.type = QbbFrameType::PAUSE;
    }
    else if (frame.etherType == ETHERTYPE_IPV4)
    {
        const QbbParseError error = QbbIpv4::Read(sdu, count, frame);
        if (error != QbbParseError::NONE)
        {
            return error;
        }
        if (QbbRoceCodec::IsRoce(frame))
        {
            frame.type = QbbFrameType::ROCE;
        }
    }
    return QbbParseError::NONE;
}

/** Parses the bytes after the Ethernet header. */
QbbParseError
ReadSdu(const uint8_t* sdu, uint32_t count, QbbFrame& frame)
{
    QbbParseError error = Classify(sdu, count, frame);
    if (error != QbbParseError::NONE)
    {
        return error;
    }
    switch (frame.type)
    {
    case QbbFrameType::ROCE:
        error = QbbRoceCodec::Parse(sdu, count, frame);
        if (error == QbbParseError::NONE &&
            frame.size != QbbFrameCodec::SerializedSize(frame) + FCS_BYTES)
        {
            error = QbbParseError::BAD_PADDING;
        }
        return error;
    case QbbFrameType::PACKET:
        frame.packet = Create<Packet>(sdu, count);
        return QbbParseError::NONE;
    default:
        return QbbMacControlCodec::Parse(sdu, count, frame);
    }
}

QbbParseResult
MakeResult(QbbFramePtr frame, QbbParseError error)
{
    QbbParseResult result;
    result.error = error;
    if (error == QbbParseError::NONE)
    {
        result.frame = std::move(frame);
    }
    else if (frame)
    {
        // Malformed bytes may have set fields that the frame's type and opcode do not have.
        static_cast<QbbFrameRareFields&>(*frame) = QbbFrameRareFields();
    }
    return result;
}

void
AddPadding(const Ptr<Packet>& sdu, uint32_t count)
{
    if (count > 0)
    {
        // Packet::AddPaddingAtEnd() would leave the padding bytes uninitialised.
        sdu->AddAtEnd(Create<Packet>(count));
    }
}

} // namespace

namespace QbbFrameCodec
{

uint32_t
SerializedSize(const QbbFrame& frame)
{
    return std::max(MIN_BYTES, HeaderBytes(frame) + SduBytes(frame));
}

void
Serialize(const QbbFrame& frame, uint8_t* out)
{
    const uint32_t sduBytes = SduBytes(frame);
    const uint32_t padding = PaddingBytes(frame, sduBytes);
    NS_ASSERT_MSG(frame.size == HeaderBytes(frame) + sduBytes + padding + FCS_BYTES,
                  "frame of " << SerializedSize(frame) + FCS_BYTES << " bytes says it has "
                              << frame.size);
    QbbByteWriter io(out);
    WriteEthernet(io, frame);
    uint8_t* sdu = io.At();
    switch (frame.type)
    {
    case QbbFrameType::ROCE:
        QbbRoceCodec::Serialize(frame, sdu);
        break;
    case QbbFrameType::PACKET:
        frame.packet->CopyData(sdu, sduBytes);
        if (frame.ipv4)
        {
            QbbIpv4::Update(sdu, frame);
        }
        break;
    default:
        QbbMacControlCodec::Serialize(frame, sdu);
        break;
    }
    QbbByteWriter(sdu + sduBytes).Zeros(padding);
}

Ptr<Packet>
ToPacket(const QbbFrame& frame)
{
    if (frame.type == QbbFrameType::PACKET)
    {
        uint8_t header[MOST_HEADER_BYTES];
        QbbByteWriter io(header);
        WriteEthernet(io, frame);
        Ptr<Packet> packet = ToSdu(frame);
        packet->AddHeader(QbbRawHeader(header, HeaderBytes(frame)));
        return packet;
    }
    std::vector<uint8_t> bytes(SerializedSize(frame));
    Serialize(frame, bytes.data());
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

Ptr<Packet>
ToSdu(const QbbFrame& frame)
{
    if (frame.type != QbbFrameType::PACKET)
    {
        Ptr<Packet> packet = ToPacket(frame);
        packet->RemoveAtStart(HeaderBytes(frame));
        return packet;
    }
    Ptr<Packet> sdu = frame.packet->Copy();
    if (frame.ipv4)
    {
        uint8_t header[QbbIpv4::MAX_HEADER_BYTES];
        sdu->CopyData(header, sizeof(header));
        if (QbbIpv4::Update(header, frame))
        {
            sdu->RemoveAtStart(IPV4_HEADER_BYTES);
            sdu->AddHeader(QbbRawHeader(header, IPV4_HEADER_BYTES));
        }
    }
    AddPadding(sdu, PaddingBytes(frame, sdu->GetSize()));
    return sdu;
}

QbbParseResult
Parse(const uint8_t* bytes, size_t count, QbbFramePool& pool)
{
    if (count < MIN_BYTES)
    {
        return MakeResult(nullptr, QbbParseError::TOO_SHORT);
    }
    if (count > MOST_HEADER_BYTES + MAX_SDU_BYTES)
    {
        return MakeResult(nullptr, QbbParseError::TOO_LONG);
    }
    QbbFramePtr frame = pool.Allocate();
    const uint8_t* sdu = ReadEthernet(bytes, *frame);
    if (frame->etherType == ETHERTYPE_FABRIC)
    {
        sdu = ReadFabric(sdu, *frame);
        if (!sdu)
        {
            return MakeResult(nullptr, QbbParseError::BAD_FABRIC_HEADER);
        }
    }
    const QbbParseError error = ReadSdu(sdu, static_cast<uint32_t>(bytes + count - sdu), *frame);
    return MakeResult(std::move(frame), error);
}

QbbParseResult
FromSdu(Ptr<const Packet> packet,
        uint16_t etherType,
        const Mac48Address& src,
        const Mac48Address& dst,
        const std::optional<uint16_t>& tci,
        QbbFramePool& pool)
{
    if (etherType == ETHERTYPE_FABRIC)
    {
        return MakeResult(nullptr, QbbParseError::BAD_FABRIC_HEADER);
    }
    QbbFramePtr frame = pool.Allocate();
    frame->etherType = etherType;
    frame->srcMac = src;
    frame->dstMac = dst;
    frame->tagged = tci.has_value();
    frame->tci = tci.value_or(0);
    const uint32_t padding = PaddingBytes(*frame, packet->GetSize());
    const uint32_t count = packet->GetSize() + padding;

    uint8_t head[QbbIpv4::READ_BYTES] = {};
    packet->CopyData(head, sizeof(head));
    QbbParseError error = Classify(head, count, *frame);
    if (error == QbbParseError::NONE)
    {
        if (frame->type == QbbFrameType::PACKET)
        {
            frame->packet = packet->Copy();
            AddPadding(frame->packet, padding);
        }
        else
        {
            std::vector<uint8_t> bytes(count, 0);
            packet->CopyData(bytes.data(), count);
            error = ReadSdu(bytes.data(), count, *frame);
        }
    }
    return MakeResult(std::move(frame), error);
}

void
AddFabric(QbbFrame& frame, uint8_t protocol, uint8_t count)
{
    NS_ASSERT_MSG(!frame.hasFabric && !frame.IsMacControl(), "no place for a header of switches");
    NS_ASSERT_MSG(protocol != 0 && count <= QbbFabricHeader::MAX_BYTES,
                  "protocol " << +protocol << ", " << +count << " bytes");
    frame.hasFabric = true;
    frame.fabric = {protocol, count, {}};
    // A frame of the minimum size may have padding, which the header takes the place of.
    frame.size = frame.size > MIN_FRAME_BYTES ? frame.size + frame.GetFabricBytes()
                                              : SerializedSize(frame) + FCS_BYTES;
}

void
RemoveFabric(QbbFrame& frame)
{
    NS_ASSERT_MSG(frame.hasFabric, "a frame without a header of switches");
    frame.size = std::max(MIN_FRAME_BYTES, frame.size - frame.GetFabricBytes());
    frame.hasFabric = false;
    frame.quanta = {};
}

} // namespace QbbFrameCodec
} // namespace ns3
