/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-hex.h"
#include "qbb-icrc.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** \return the CRC by its definition, one bit at a time */
uint32_t
SlowCrc32(const std::vector<uint8_t>& bytes)
{
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes)
    {
        crc ^= byte;
        for (int i = 0; i < 8; ++i)
        {
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

} // namespace

TEST(QbbIcrc, Crc32CheckValue)
{
    // The check value of CRC-32 in the usual catalogues.
    const std::string text = "123456789";
    EXPECT_EQ(QbbIcrc::Crc32(0, reinterpret_cast<const uint8_t*>(text.data()), text.size()),
              0xcbf43926U);
    EXPECT_EQ(QbbIcrc::Crc32(0, nullptr, 0), 0U);
}

TEST(QbbIcrc, Crc32OfAnyLengthAndInPieces)
{
    std::vector<uint8_t> bytes;
    for (uint32_t length = 0; length < 200; ++length)
    {
        const uint32_t whole = QbbIcrc::Crc32(0, bytes.data(), length);
        ASSERT_EQ(whole, SlowCrc32(bytes)) << length;
        const uint32_t cut = length / 3;
        const uint32_t first = QbbIcrc::Crc32(0, bytes.data(), cut);
        ASSERT_EQ(QbbIcrc::Crc32(first, bytes.data() + cut, length - cut), whole) << length;
        bytes.push_back(static_cast<uint8_t>(length * 37 + 11));
    }
}

TEST(QbbIcrc, ZeroRunsAsIfWritten)
{
    const std::vector<uint8_t> zeros(70000, 0);
    const uint32_t before = 0x12345678;
    for (uint32_t length = 0; length < 600; ++length)
    {
        ASSERT_EQ(QbbIcrc::Crc32Zeros(before, length), QbbIcrc::Crc32(before, zeros.data(), length))
            << length;
    }
    for (const uint32_t length : {1000U, 1024U, 4096U, 4097U, 65535U, 70000U})
    {
        EXPECT_EQ(QbbIcrc::Crc32Zeros(before, length), QbbIcrc::Crc32(before, zeros.data(), length))
            << length;
    }
}

TEST(QbbIcrc, ZeroRunsOfAnyLengthAddUp)
{
    for (uint32_t bit = 1; bit < 32; ++bit)
    {
        const uint32_t half = 1U << (bit - 1);
        EXPECT_EQ(QbbIcrc::Crc32Zeros(1, 2 * half),
                  QbbIcrc::Crc32Zeros(QbbIcrc::Crc32Zeros(1, half), half))
            << bit;
    }
}

TEST(QbbIcrc, CnpOfARealNic)
{
    // A CNP sent by a ConnectX-4 Lx, from scapy's test/contrib/roce.uts.
    const auto ip = Hex("45c2003c 718c4000 40119161 0a001101 0a001201" // IPv4
                        "0000 12b7 0028 0000"                          // UDP
                        "8100ffff 40000118 00000000" +                 // BTH
                        Zeros(16) +
                        "82fd002a");
    const uint32_t icrc = QbbIcrc::Compute(ip.data(), ip.size() - 4, 0);
    const std::vector<uint8_t> wire{static_cast<uint8_t>(icrc),
                                    static_cast<uint8_t>(icrc >> 8),
                                    static_cast<uint8_t>(icrc >> 16),
                                    static_cast<uint8_t>(icrc >> 24)};
    EXPECT_EQ(wire, std::vector<uint8_t>(ip.end() - 4, ip.end()));
    EXPECT_EQ(QbbIcrc::Compute(ip.data(), 40, 16), icrc) << "reserved bytes as a run of zeros";
}

TEST(QbbIcrc, PayloadOfARealNic)
{
    // UC SEND only with payload, pad and UDP checksum; bytes and ICRC (78f353f3 on the wire) from
    // scapy's test/contrib/roce.uts.
    const auto ip = Hex("45010040 04784000 4011b4d5 c0a80007 c0a80007"
                        "c000 12b7 002c aca2"
                        "2460ffff 000000d3 00cf1710"
                        "4630818be28935d90e9a95505401be885e500000");
    ASSERT_EQ(ip.size(), 60U);
    EXPECT_EQ(QbbIcrc::Compute(ip.data(), ip.size(), 0), 0xf353f378U);
}

TEST(QbbIcrc, IgnoresWhatRoutersChange)
{
    auto ip = Hex("45c2003c 718c4000 40119161 0a001101 0a001201"
                  "0000 12b7 0028 0000"
                  "8100ffff 40000118 00000000");
    const uint32_t icrc = QbbIcrc::Compute(ip.data(), ip.size(), 16);
    for (size_t i = 0; i < ip.size(); ++i)
    {
        // Type of service, TTL, IPv4 checksum, UDP checksum, FECN/BECN.
        const bool masked = i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;
        ip[i] ^= 0x55;
        EXPECT_EQ(QbbIcrc::Compute(ip.data(), ip.size(), 16) == icrc, masked) << "byte " << i;
        ip[i] ^= 0x55;
    }
}
