/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-mac-control-codec.h"

#include "qbb-bytes.h"

#include <ns3/mac48-address.h>

namespace ns3
{
namespace QbbMacControlCodec
{

using namespace QbbWire;

namespace
{

constexpr uint8_t DESTINATION[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

} // namespace

void
Serialize(const QbbFrame& frame, uint8_t* out)
{
    QbbByteWriter io(out);
    if (frame.type == QbbFrameType::PFC)
    {
        io.U16(MAC_CONTROL_PFC);
        io.U16(frame.classEnable);
        for (const uint16_t quanta : frame.quanta)
        {
            io.U16(quanta);
        }
    }
    else
    {
        io.U16(MAC_CONTROL_PAUSE);
        io.U16(frame.quanta[0]);
    }
    io.Zeros(out + SERIALIZED_BYTES - io.At());
}

QbbParseError
Parse(const uint8_t* sdu, uint32_t count, QbbFrame& frame)
{
    QbbByteReader io(sdu);
    uint16_t opcode = 0;
    uint16_t classes = 0;
    io.U16(opcode);
    if (opcode == MAC_CONTROL_PFC)
    {
        frame.type = QbbFrameType::PFC;
        io.U16(classes);
        frame.classEnable = static_cast<uint8_t>(classes);
        for (uint16_t& quanta : frame.quanta)
        {
            io.U16(quanta);
        }
    }
    else if (opcode == MAC_CONTROL_PAUSE)
    {
        frame.type = QbbFrameType::PAUSE;
        io.U16(frame.quanta[0]);
    }
    else
    {
        return QbbParseError::UNKNOWN_MAC_CONTROL;
    }
    Mac48Address destination;
    destination.CopyFrom(DESTINATION);
    if (frame.tagged || classes > 0xff || count != SERIALIZED_BYTES || frame.dstMac != destination)
    {
        return QbbParseError::BAD_MAC_CONTROL;
    }
    return io.Zeros(sdu + count - io.At()) ? QbbParseError::NONE : QbbParseError::BAD_PADDING;
}

} // namespace QbbMacControlCodec
} // namespace ns3
