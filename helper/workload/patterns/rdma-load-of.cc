/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-load-of.h"

#include "qbb-wire.h"
#include "rdma-int128.h"

namespace ns3
{

namespace
{

/// \return sum of ceil(k / mtu) over k = 1..n: packets of flows of 1 to n bytes
RdmaUint128
SumPackets(uint64_t n, uint32_t mtu)
{
    const RdmaUint128 full = n / mtu;
    const RdmaUint128 rest = n % mtu;
    return mtu * (full * (full + 1) / 2) + rest * (full + 1);
}

/// \return sum of the padding of packets with payloads of 0 to n bytes
RdmaUint128
SumPacketPadding(uint64_t n)
{
    constexpr uint32_t OF_REST[] = {0, 3, 5, 6}; // 3 for 1 byte, 2 for 2 bytes, 1 for 3 bytes
    return RdmaUint128{n / 4} * 6 + OF_REST[n % 4];
}

/// \return sum of the padding of flows of 1 to n bytes
RdmaUint128
SumPadding(uint64_t n, uint32_t mtu)
{
    const RdmaUint128 full = n / mtu; // a flow of n bytes has this number of full packets
    const uint64_t rest = n % mtu;
    const uint32_t ofFull = (4 - mtu % 4) % 4;
    const RdmaUint128 fullPackets = mtu * (full * (full - 1) / 2) + (rest + 1) * full;
    return (full ? fullPackets * ofFull : 0) + full * SumPacketPadding(mtu - 1) +
           SumPacketPadding(rest);
}

} // namespace

double
GetRdmaMeanLoadBytes(const RdmaFlowSizeCdf& cdf, RdmaLoadOf::Kind loadOf, uint32_t mtu)
{
    if (loadOf == RdmaLoadOf::PAYLOAD)
    {
        return cdf.GetMean();
    }
    constexpr uint32_t LINE_BYTES = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
    const uint32_t reth = GetRdmaOpcodeInfo(RdmaOpcode::RDMA_WRITE_FIRST).headerBytes;
    const RdmaOpcodeInfo& acknowledge = GetRdmaOpcodeInfo(RdmaOpcode::ACKNOWLEDGE);
    const uint32_t ofAcknowledgement =
        loadOf == RdmaLoadOf::WIRE_ACKS
            ? QbbWire::RoceFrameBytes(acknowledge, 0, false) + LINE_BYTES
            : 0;
    const uint32_t ofPacket = QbbWire::ROCE_BASE_BYTES + LINE_BYTES + ofAcknowledgement;
    return cdf.GetMeanOf([=](uint64_t n) {
        return RdmaUint128{n} * (RdmaUint128{n} + 1) / 2 + SumPadding(n, mtu) +
               ofPacket * SumPackets(n, mtu) + RdmaUint128{n} * reth;
    });
}

} // namespace ns3
