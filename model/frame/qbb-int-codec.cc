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

// First byte of an exact trailer. Padding starts with 0; an HPCC trailer starts with the bit PAPER.
constexpr uint8_t COLLECTING = 1;
constexpr uint8_t ECHOED = 2;

constexpr uint8_t OVERFLOW_FLAG = 1;
constexpr uint64_t KILOBIT = 1000; // unit of rates in exact records, in bit/s

// Two-byte header of an HPCC trailer: three flags, three zeros, and two five-bit numbers.
constexpr uint16_t PAPER = 0x8000;
constexpr uint16_t PAPER_ECHOED = 0x4000;
constexpr uint16_t PAPER_OVERFLOW = 0x2000;
constexpr uint16_t PAPER_ZEROS = 0x1c00;
constexpr uint32_t PAPER_ROOM_SHIFT = 5;
constexpr uint16_t PAPER_NUMBER = 0x1f;

// An HPCC record, from its highest bit: rate (4 bits), time (24), bytes sent (20), queue (16).
constexpr uint32_t RATE_SHIFT = 60;
constexpr uint32_t TIME_SHIFT = 36;
constexpr uint32_t TX_SHIFT = 16;
constexpr RdmaIntUnits PAPER_UNITS = GetRdmaIntUnits(RdmaIntFormat::PAPER);

void
WriteExact(QbbByteWriter& io, const RdmaIntHop& hop)
{
    io.U40(hop.rate.Get() / KILOBIT);
    io.U40(hop.txBytes);
    io.U32(static_cast<uint32_t>(hop.queueBytes));
    io.U48(static_cast<uint64_t>(hop.time.Get()));
}

void
ReadExact(QbbByteReader& io, RdmaIntHop& hop)
{
    uint64_t kilobits = 0;
    uint32_t queue = 0;
    uint64_t time = 0;
    io.U40(kilobits);
    io.U40(hop.txBytes);
    io.U32(queue);
    io.U48(time);
    hop.rate = RdmaBitRate(kilobits * KILOBIT);
    hop.queueBytes = queue;
    hop.time = RdmaPs(time);
}

void
WritePaper(QbbByteWriter& io, const RdmaIntHop& hop)
{
    const uint64_t rate = GetRdmaIntRateCode(hop.rate);
    const auto time = static_cast<uint64_t>(hop.time / PAPER_UNITS.time);
    const uint64_t txBytes = hop.txBytes / PAPER_UNITS.txBytes;
    const uint64_t queue = hop.queueBytes / PAPER_UNITS.queueBytes;
    io.U64(rate << RATE_SHIFT | time << TIME_SHIFT | txBytes << TX_SHIFT | queue);
}

/** \param io bytes of a record \param hop record to fill in \return false if the rate code is 0 */
bool
ReadPaper(QbbByteReader& io, RdmaIntHop& hop)
{
    constexpr uint64_t TIMES = PAPER_UNITS.timeWrap / PAPER_UNITS.time;
    constexpr uint64_t TX_COUNTS = PAPER_UNITS.txWrap / PAPER_UNITS.txBytes;
    uint64_t record = 0;
    io.U64(record);
    const uint64_t code = record >> RATE_SHIFT;
    if (code == 0)
    {
        return false;
    }
    hop.rate = RDMA_INT_RATES[code - 1];
    hop.time = static_cast<int64_t>(record >> TIME_SHIFT & (TIMES - 1)) * PAPER_UNITS.time;
    hop.txBytes = (record >> TX_SHIFT & (TX_COUNTS - 1)) * PAPER_UNITS.txBytes;
    hop.queueBytes = (record & PAPER_UNITS.mostQueueUnits) * PAPER_UNITS.queueBytes;
    return true;
}

/**
 * Reads the header of a telemetry trailer.
 *
 * \param io bytes of the trailer
 * \param frame frame whose telemetry format, echo flag, overflow flag and room are set
 * \param [out] used number of records in the trailer
 * \return false if the header is malformed
 */
bool
ReadHeader(QbbByteReader& io, QbbFrame& frame, uint8_t& used)
{
    uint8_t first = 0;
    uint8_t second = 0;
    io.U8(first);
    io.U8(second);
    const uint32_t word = uint32_t{first} << 8 | second;
    if (word & PAPER)
    {
        frame.intFormat = RdmaIntFormat::PAPER;
        frame.intEcho = word & PAPER_ECHOED;
        frame.intOverflow = word & PAPER_OVERFLOW;
        frame.intRoom = word >> PAPER_ROOM_SHIFT & PAPER_NUMBER;
        used = word & PAPER_NUMBER;
        return !(word & PAPER_ZEROS);
    }
    uint8_t flags = 0;
    io.U8(used);
    io.U8(flags);
    frame.intFormat = RdmaIntFormat::EXACT;
    frame.intEcho = first == ECHOED;
    frame.intOverflow = flags == OVERFLOW_FLAG;
    frame.intRoom = second;
    return (first == COLLECTING || first == ECHOED) && flags <= OVERFLOW_FLAG;
}

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
    const auto used = static_cast<uint8_t>(frame.telemetry.size());
    NS_ASSERT_MSG(frame.pint == 0, "a frame with two telemetry trailers");
    NS_ASSERT_MSG(frame.telemetry.size() <= frame.intRoom && frame.intRoom <= RDMA_INT_MAX_HOPS,
                  frame.telemetry.size() << " records with room for " << +frame.intRoom);
    NS_ASSERT_MSG(frame.intFormat != RdmaIntFormat::NONE, "a telemetry trailer without a format");
    if (frame.intFormat == RdmaIntFormat::PAPER)
    {
        const uint32_t flags =
            PAPER | (frame.intEcho ? PAPER_ECHOED : 0) | (frame.intOverflow ? PAPER_OVERFLOW : 0);
        io.U16(static_cast<uint16_t>(flags | frame.intRoom << PAPER_ROOM_SHIFT | used));
        for (const RdmaIntHop& hop : frame.telemetry)
        {
            WritePaper(io, hop);
        }
    }
    else
    {
        io.U8(frame.intEcho ? ECHOED : COLLECTING);
        io.U8(frame.intRoom);
        io.U8(used);
        io.U8(frame.intOverflow ? OVERFLOW_FLAG : 0);
        for (const RdmaIntHop& hop : frame.telemetry)
        {
            WriteExact(io, hop);
        }
    }
    io.Zeros((frame.intRoom - used) * IntRecordBytes(frame.intFormat));
}

QbbParseError
Read(QbbByteReader& io, uint32_t count, QbbFrame& frame)
{
    if (count < INT_HEADER_BYTES)
    {
        // Too short for an INT trailer: one byte of PINT, then the padding to minimum frame size.
        io.U8(frame.pint);
        return io.Zeros(count - PINT_BYTES) ? QbbParseError::NONE : QbbParseError::BAD_TELEMETRY;
    }
    uint8_t used = 0;
    if (!ReadHeader(io, frame, used) || frame.intRoom == 0 || frame.intRoom > RDMA_INT_MAX_HOPS ||
        used > frame.intRoom || count != IntTrailerBytes(frame.intFormat, frame.intRoom))
    {
        return QbbParseError::BAD_TELEMETRY;
    }
    for (uint8_t i = 0; i < used; ++i)
    {
        RdmaIntHop hop;
        if (frame.intFormat == RdmaIntFormat::EXACT)
        {
            ReadExact(io, hop);
        }
        else if (!ReadPaper(io, hop))
        {
            return QbbParseError::BAD_TELEMETRY;
        }
        frame.telemetry.push_back(hop);
    }
    return io.Zeros((frame.intRoom - used) * IntRecordBytes(frame.intFormat))
               ? QbbParseError::NONE
               : QbbParseError::BAD_TELEMETRY;
}

} // namespace QbbIntCodec
} // namespace ns3
