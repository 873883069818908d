/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-icrc.h"

#include "qbb-wire.h"

#include <array>
#include <cstring>

namespace ns3
{
namespace QbbIcrc
{

namespace
{

/// The CRC-32 polynomial, reflected: bit 31 is the coefficient of x^0.
constexpr uint32_t POLYNOMIAL = 0xedb88320;

/// Runs of zeros shorter than this are cheaper byte by byte than by multiplication.
constexpr size_t SHORT_RUN_BYTES = 64;

/** \return `value` times x */
constexpr uint32_t
TimesX(uint32_t value)
{
    return (value >> 1) ^ ((0U - (value & 1)) & POLYNOMIAL);
}

/** \return the product of two polynomials, modulo the CRC's */
constexpr uint32_t
Multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (; a != 0; a <<= 1)
    {
        product ^= (0U - (a >> 31)) & b;
        b = TimesX(b);
    }
    return product;
}

/** Tables for eight bytes at a time: [k][b] is the effect of byte b with k bytes after it. */
constexpr std::array<std::array<uint32_t, 256>, 8>
MakeSlices()
{
    std::array<std::array<uint32_t, 256>, 8> slices{};
    for (uint32_t b = 0; b < 256; ++b)
    {
        uint32_t value = b;
        for (int bit = 0; bit < 8; ++bit)
        {
            value = TimesX(value);
        }
        slices[0][b] = value;
    }
    for (uint32_t k = 1; k < 8; ++k)
    {
        for (uint32_t b = 0; b < 256; ++b)
        {
            const uint32_t previous = slices[k - 1][b];
            slices[k][b] = (previous >> 8) ^ slices[0][previous & 0xff];
        }
    }
    return slices;
}

/** Entry k is x^(8 * 2^k): the effect of 2^k zero bytes. */
constexpr std::array<uint32_t, 64>
MakeZeroRuns()
{
    std::array<uint32_t, 64> runs{};
    runs[0] = 1U << 23;
    for (size_t k = 1; k < runs.size(); ++k)
    {
        runs[k] = Multiply(runs[k - 1], runs[k - 1]);
    }
    return runs;
}

constexpr auto SLICES = MakeSlices();
constexpr auto ZERO_RUNS = MakeZeroRuns();

/** \return four bytes, the first in the lowest bits */
inline uint32_t
Load(const uint8_t* at)
{
    return uint32_t{at[0]} | (uint32_t{at[1]} << 8) | (uint32_t{at[2]} << 16) |
           (uint32_t{at[3]} << 24);
}

} // namespace

uint32_t
Crc32(uint32_t crc, const uint8_t* bytes, size_t count)
{
    crc = ~crc;
    for (; count >= 8; count -= 8, bytes += 8)
    {
        const uint32_t low = crc ^ Load(bytes);
        const uint32_t high = Load(bytes + 4);
        crc = SLICES[7][low & 0xff] ^ SLICES[6][(low >> 8) & 0xff] ^ SLICES[5][(low >> 16) & 0xff] ^
              SLICES[4][low >> 24] ^ SLICES[3][high & 0xff] ^ SLICES[2][(high >> 8) & 0xff] ^
              SLICES[1][(high >> 16) & 0xff] ^ SLICES[0][high >> 24];
    }
    for (; count > 0; --count, ++bytes)
    {
        crc = (crc >> 8) ^ SLICES[0][(crc ^ *bytes) & 0xff];
    }
    return ~crc;
}

uint32_t
Crc32Zeros(uint32_t crc, size_t count)
{
    crc = ~crc;
    for (; count % SHORT_RUN_BYTES != 0; --count)
    {
        crc = (crc >> 8) ^ SLICES[0][crc & 0xff];
    }
    for (size_t k = 0; count >> k != 0; ++k)
    {
        if ((count >> k) & 1)
        {
            crc = Multiply(ZERO_RUNS[k], crc);
        }
    }
    return ~crc;
}

uint32_t
Compute(const uint8_t* ip, size_t count, size_t zeros)
{
    using namespace QbbWire;
    constexpr size_t LRH = 8;
    constexpr size_t UDP = LRH + IPV4_HEADER_BYTES;
    constexpr size_t BTH = UDP + UDP_HEADER_BYTES;
    constexpr size_t HEADERS = BTH + BTH_BYTES;

    uint8_t masked[HEADERS];
    std::memset(masked, 0xff, LRH);
    std::memcpy(masked + LRH, ip, HEADERS - LRH);
    masked[LRH + 1] = 0xff;                     // type of service
    masked[LRH + 8] = 0xff;                     // time to live
    masked[LRH + 10] = masked[LRH + 11] = 0xff; // IPv4 checksum
    masked[UDP + 6] = masked[UDP + 7] = 0xff;   // UDP checksum
    masked[BTH + 4] = 0xff;                     // FECN, BECN, six reserved bits

    const uint32_t crc = Crc32(0, masked, HEADERS);
    return Crc32Zeros(Crc32(crc, ip + HEADERS - LRH, count - (HEADERS - LRH)), zeros);
}

} // namespace QbbIcrc
} // namespace ns3
