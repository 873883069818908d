/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"

#include "qbb-int128.h"
#include "qbb-wire.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t BIT_PS_PER_BYTE_S = 8'000'000'000'000ULL; // 8 bit/B x 10^12 ps/s
constexpr int64_t MAX_TIME_PS = 1'000'000'000'000;
constexpr uint32_t MAX_FRAME_BYTES = 65535;
constexpr uint32_t MAX_OVERHEAD_BYTES = 64;
constexpr uint64_t MAX_RATE_BPS = 8'000'000'000'000ULL;

uint64_t
DivideUp(QbbUint128 dividend, uint64_t divisor)
{
    return static_cast<uint64_t>((dividend + divisor - 1) / divisor);
}

int64_t
BytesToPs(uint64_t bytes, uint64_t rateBps)
{
    return static_cast<int64_t>(
        DivideUp(static_cast<QbbUint128>(bytes) * BIT_PS_PER_BYTE_S, rateBps));
}

void
CheckRate(uint64_t rateBps, const char* whose)
{
    NS_ABORT_MSG_IF(rateBps == 0 || rateBps > MAX_RATE_BPS,
                    "rdma: PFC headroom: the rate of " << whose << " is " << rateBps
                                                       << " bit/s; accepted: 1 bit/s to 8 Tb/s");
}

void
CheckFrame(uint32_t bytes, const char* whose)
{
    NS_ABORT_MSG_IF(bytes < QbbWire::MIN_FRAME_BYTES || bytes > MAX_FRAME_BYTES,
                    "rdma: PFC headroom: largest frame of "
                        << whose << " is " << bytes << " bytes; accepted: "
                        << QbbWire::MIN_FRAME_BYTES << " to " << MAX_FRAME_BYTES);
}

void
CheckHeadroomTime(int64_t ps, const char* what)
{
    NS_ABORT_MSG_IF(ps < 0 || ps > MAX_TIME_PS,
                    "rdma: PFC headroom: " << what << " is " << ps
                                           << " ps; accepted: 0 to 1 s (10^12 ps)");
}

} // namespace

QbbPfcHeadroomTerms
QbbPfcHeadroom::GetTerms(const QbbPortProfile& port)
{
    const uint64_t peerRate = port.peerRateBps ? port.peerRateBps : port.rateBps;
    CheckRate(port.rateBps, "this port");
    CheckRate(peerRate, "the peer");
    CheckHeadroomTime(port.delayPs, "cable delay");
    CheckHeadroomTime(port.reactionPs, "reaction time of the peer");
    CheckFrame(port.maxFrameBytes, "this port");
    const uint32_t peerFrame = port.peerMaxFrameBytes ? port.peerMaxFrameBytes : port.maxFrameBytes;
    CheckFrame(peerFrame, "the peer");

    const uint32_t overhead = port.lineOverheadBytes;
    NS_ABORT_MSG_IF(overhead > MAX_OVERHEAD_BYTES,
                    "rdma: PFC headroom: preamble and gap of "
                        << overhead << " bytes; accepted: 0 to " << MAX_OVERHEAD_BYTES);
    const uint32_t preamble = std::min(overhead, QbbWire::PREAMBLE_BYTES);
    const uint32_t gap = overhead - preamble;

    QbbPfcHeadroomTerms terms;
    terms.waitPs = BytesToPs(port.maxFrameBytes + overhead, port.rateBps);
    terms.pausePs = BytesToPs(preamble + QbbWire::MIN_FRAME_BYTES, port.rateBps);
    terms.cablePs = 2 * port.delayPs;
    terms.reactionPs = port.reactionPs;

    const int64_t sumPs = terms.waitPs + terms.pausePs + terms.cablePs + terms.reactionPs;
    const uint64_t line = DivideUp(static_cast<QbbUint128>(sumPs) * peerRate, BIT_PS_PER_BYTE_S);
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
