/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-int-codec.h"

#include "qbb-wire.h"

#include <ns3/assert.h>

namespace ns3
{
namespace QbbIntCodec
{

using namespace QbbWire;

namespace
{

// First byte of a trailer. Padding has 0 there.
constexpr uint8_t COLLECTING = 1;
constexpr uint8_t ECHOED = 2;

constexpr uint8_t OVERFLOW_FLAG = 1;
constexpr uint64_t KILOBIT = 1000; // unit of rates

} // namespace

void
Write(QbbByteWriter& io, const QbbFrame& frame)
{
    if (frame.intRoom == 0)
    {
        if (frame.pint != 0)
        {
            io.U8(frame.pint);
        }
        return;
    }
    NS_ASSERT_MSG(frame.pint == 0, "a frame with two telemetry trailers");
    NS_ASSERT_MSG(frame.telemetry.size() <= frame.intRoom && frame.intRoom <= RDMA_INT_MAX_HOPS,
                  frame.telemetry.size() << " records with room for " << +frame.intRoom);
    io.U8(frame.intEcho ? ECHOED : COLLECTING);
    io.U8(frame.intRoom);
    io.U8(static_cast<uint8_t>(frame.telemetry.size()));
    io.U8(frame.intOverflow ? OVERFLOW_FLAG : 0);
    for (const RdmaIntHop& hop : frame.telemetry)
    {
        io.U40(hop.rateBps / KILOBIT);
        io.U40(hop.txBytes);
        io.U32(static_cast<uint32_t>(hop.queueBytes));
        io.U48(static_cast<uint64_t>(hop.timePs));
    }
    io.Zeros((frame.intRoom - frame.telemetry.size()) * INT_RECORD_BYTES);
}

QbbParseError
Read(QbbByteReader& io, uint32_t count, QbbFrame& frame)
{
    if (count < INT_HEADER_BYTES)
    {
        // What follows is the padding of a frame of minimum size.
        io.U8(frame.pint);
        return io.Zeros(count - PINT_BYTES) ? QbbParseError::NONE : QbbParseError::BAD_TELEMETRY;
    }
    uint8_t kind = 0;
    uint8_t used = 0;
    uint8_t flags = 0;
    io.U8(kind);
    io.U8(frame.intRoom);
    io.U8(used);
    io.U8(flags);
    if ((kind != COLLECTING && kind != ECHOED) || frame.intRoom == 0 ||
        frame.intRoom > RDMA_INT_MAX_HOPS || used > frame.intRoom || flags > OVERFLOW_FLAG ||
        count != IntTrailerBytes(frame.intRoom))
    {
        return QbbParseError::BAD_TELEMETRY;
    }
    frame.intEcho = kind == ECHOED;
    frame.intOverflow = flags == OVERFLOW_FLAG;
    for (uint8_t i = 0; i < used; ++i)
    {
        RdmaIntHop hop;
        uint64_t kilobits = 0;
        uint32_t queue = 0;
        uint64_t time = 0;
        io.U40(kilobits);
        io.U40(hop.txBytes);
        io.U32(queue);
        io.U48(time);
        hop.rateBps = kilobits * KILOBIT;
        hop.queueBytes = queue;
        hop.timePs = static_cast<int64_t>(time);
        frame.telemetry.push_back(hop);
    }
    return io.Zeros((frame.intRoom - used) * INT_RECORD_BYTES) ? QbbParseError::NONE
                                                               : QbbParseError::BAD_TELEMETRY;
}

} // namespace QbbIntCodec
} // namespace ns3
