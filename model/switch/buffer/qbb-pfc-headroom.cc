/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"

#include "qbb-wire.h"
#include "rdma-int128.h"
#include "rdma-refuse.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t BIT_PS_PER_BYTE_S = 8'000'000'000'000ULL; // 8 bit/B x 10^12 ps/s
constexpr RdmaPs MAX_TIME = 1'000'000'000'000_ps;
constexpr uint32_t MAX_FRAME_BYTES = 65535;
constexpr uint32_t MAX_OVERHEAD_BYTES = 64;
constexpr RdmaBitRate MAX_RATE = 8'000_gbps;

uint64_t
DivideUp(RdmaUint128 dividend, uint64_t divisor)
{
    return static_cast<uint64_t>((dividend + divisor - 1) / divisor);
}

RdmaPs
BytesToPs(uint64_t bytes, RdmaBitRate rate)
{
    return RdmaPs(DivideUp(static_cast<RdmaUint128>(bytes) * BIT_PS_PER_BYTE_S, rate.Get()));
}

void
CheckRate(RdmaBitRate rate, const char* whose)
{
    RefuseRdmaIf(rate == 0_bps || rate > MAX_RATE,
                 "PFC headroom: the rate of ",
                 whose,
                 " is ",
                 rate,
                 " bit/s; accepted: 1 bit/s to 8 Tb/s");
}

void
CheckFrame(uint32_t bytes, const char* whose)
{
    RefuseRdmaIf(bytes < QbbWire::MIN_FRAME_BYTES || bytes > MAX_FRAME_BYTES,
                 "PFC headroom: largest frame of ",
                 whose,
                 " is ",
                 bytes,
                 " bytes; accepted: ",
                 QbbWire::MIN_FRAME_BYTES,
                 " to ",
                 MAX_FRAME_BYTES);
}

void
CheckHeadroomTime(RdmaPs ps, const char* what)
{
    RefuseRdmaIf(ps < 0_ps || ps > MAX_TIME,
                 "PFC headroom: ",
                 what,
                 " is ",
                 ps,
                 " ps; accepted: 0 to 1 s (10^12 ps)");
}

} // namespace

QbbPfcHeadroom
QbbPfcHeadroom::GetTerms(const QbbPortProfile& port)
{
    const RdmaBitRate peerRate = port.peerRate != 0_bps ? port.peerRate : port.rate;
    CheckRate(port.rate, "this port");
    CheckRate(peerRate, "the peer");
    CheckHeadroomTime(port.delay, "cable delay");
    CheckHeadroomTime(port.reaction, "reaction time of the peer");
    CheckFrame(port.maxFrameBytes, "this port");
    const uint32_t peerFrame = port.peerMaxFrameBytes ? port.peerMaxFrameBytes : port.maxFrameBytes;
    CheckFrame(peerFrame, "the peer");

    const uint32_t overhead = port.lineOverheadBytes;
    RefuseRdmaIf(overhead > MAX_OVERHEAD_BYTES,
                 "PFC headroom: preamble and gap of ",
                 overhead,
                 " bytes; accepted: 0 to ",
                 MAX_OVERHEAD_BYTES);
    const uint32_t preamble = std::min(overhead, QbbWire::PREAMBLE_BYTES);
    const uint32_t gap = overhead - preamble;

    QbbPfcHeadroom terms;
    terms.wait = BytesToPs(port.maxFrameBytes + overhead, port.rate);
    terms.pause = BytesToPs(preamble + QbbWire::MIN_FRAME_BYTES, port.rate);
    terms.cable = 2 * port.delay;
    terms.reaction = port.reaction;

    const RdmaPs sum = terms.wait + terms.pause + terms.cable + terms.reaction;
    const uint64_t line =
        DivideUp(static_cast<RdmaUint128>(sum.Get()) * peerRate.Get(), BIT_PS_PER_BYTE_S);
    terms.lineBytes = line - std::min<uint64_t>(line, gap);

    const uint64_t perFrame = peerFrame + overhead;
    const uint64_t rest = terms.lineBytes % perFrame;
    terms.crossingBytes = peerFrame;
    terms.inFlightBytes =
        terms.lineBytes / perFrame * peerFrame + (rest > overhead ? rest - overhead : 0);
    terms.lastBytes = peerFrame;
    terms.totalBytes = terms.crossingBytes + terms.inFlightBytes + terms.lastBytes;
    return terms;
}

} // namespace ns3
