/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-load-of.h"

#include <algorithm>
#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Mean bytes of a flow on the wire, against sums by hand.
 */

namespace ns3
{
namespace
{

/// Headers, FCS, preamble and gap of a packet without RETH: 14 + 20 + 8 + 12 + 4 + 4 + 8 + 12.
constexpr uint64_t PACKET_BYTES = 82;
constexpr uint64_t RETH_BYTES = 16;
constexpr uint64_t ACK_BYTES = PACKET_BYTES + 4;

/// \return bytes of a flow on the wire, packet by packet
double
GetFlowBytes(uint64_t bytes, uint32_t mtu, bool acks)
{
    uint64_t sum = RETH_BYTES;
    for (uint64_t left = bytes; left > 0;)
    {
        const uint64_t payload = std::min<uint64_t>(left, mtu);
        sum += (payload + 3) / 4 * 4 + PACKET_BYTES + (acks ? ACK_BYTES : 0);
        left -= payload;
    }
    return static_cast<double>(sum);
}

/// \return mean of a segment from low to high, whose ends take half a byte each
double
GetSegmentMean(uint64_t low, uint64_t high, uint32_t mtu, bool acks)
{
    double sum = 0;
    for (uint64_t bytes = low; bytes <= high; ++bytes)
    {
        const double weight = bytes == low || bytes == high ? 0.5 : 1;
        sum += weight * GetFlowBytes(std::max<uint64_t>(bytes, 1), mtu, acks);
    }
    return sum / static_cast<double>(high - low);
}

} // namespace

TEST(RdmaLoadOfTest, OneSize)
{
    const RdmaFlowSizeCdf cdf({{2500, 0}, {2500, 1}});
    EXPECT_DOUBLE_EQ(GetRdmaMeanLoadBytes(cdf, RdmaLoadOf::PAYLOAD, 1000), 2500);
    // Packets of 1000, 1000 and 500 B of payload: 1098 + 1082 + 582 B.
    EXPECT_DOUBLE_EQ(GetRdmaMeanLoadBytes(cdf, RdmaLoadOf::WIRE, 1000), 2762);
    EXPECT_DOUBLE_EQ(GetRdmaMeanLoadBytes(cdf, RdmaLoadOf::WIRE_ACKS, 1000), 2762 + 3 * 86);
}

TEST(RdmaLoadOfTest, SegmentsAgainstSums)
{
    for (const uint32_t mtu : {256U, 1000U, 1001U, 1023U, 4096U})
    {
        for (const bool acks : {false, true})
        {
            const auto of = acks ? RdmaLoadOf::WIRE_ACKS : RdmaLoadOf::WIRE;
            const RdmaFlowSizeCdf from0({{0, 0}, {5000, 1}});
            EXPECT_NEAR(GetRdmaMeanLoadBytes(from0, of, mtu),
                        GetSegmentMean(0, 5000, mtu, acks),
                        1e-6)
                << mtu;
            const RdmaFlowSizeCdf mixed({{32, 0}, {1000, 0.5}, {1000, 0.6}, {20001, 1}});
            EXPECT_NEAR(GetRdmaMeanLoadBytes(mixed, of, mtu),
                        0.5 * GetSegmentMean(32, 1000, mtu, acks) +
                            0.1 * GetFlowBytes(1000, mtu, acks) +
                            0.4 * GetSegmentMean(1000, 20001, mtu, acks),
                        1e-6)
                << mtu;
        }
    }
}

TEST(RdmaLoadOfTest, LargestSizes)
{
    // Sizes up to 2^53 B: the sums need 106 bits.
    const RdmaFlowSizeCdf cdf({{0, 0}, {uint64_t{1} << 53, 1}});
    const double mean = GetRdmaMeanLoadBytes(cdf, RdmaLoadOf::WIRE, 4096);
    EXPECT_NEAR(mean / cdf.GetMean(), 1 + 82.0 / 4096, 1e-9);
}

} // namespace ns3
