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

/// CRC-32 polynomial, reflected: bit 31 is the coefficient of x^0.
constexpr uint32_t POLYNOMIAL = 0xedb88320;

/** \return `value` times x */
constexpr uint32_t
TimesX(uint32_t value)
{
    return (value >> 1) ^ ((0U - (value & 1)) & POLYNOMIAL);
}

/** \return the product of two polynomials, modulo the CRC polynomial */
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

/** Slicing-by-8 tables: [k][b] is the CRC contribution of byte b followed by k bytes. */
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

/// CRC effect of a run of zero bytes: entry [n][v] is for value v of the register's nth nibble.
using ZeroRun = std::array<std::array<uint32_t, 16>, 8>;

/** Tables for runs of 2^k zero bytes (entry k), which multiply the register by x^(8 * 2^k). */
constexpr std::array<ZeroRun, 32>
MakeZeroRuns()
{
    std::array<ZeroRun, 32> runs{};
    uint32_t factor = 1U << 23; // x^8
    for (ZeroRun& run : runs)
    {
        uint32_t effect = factor; // effect of bit 31, the coefficient of x^0
        for (uint32_t bit = 32; bit-- > 0; effect = TimesX(effect))
        {
            for (uint32_t value = 0; value < 16; ++value)
            {
                run[bit / 4][value] ^= (value >> (bit % 4)) & 1 ? effect : 0;
            }
        }
        factor = Multiply(factor, factor);
    }
    return runs;
}

constexpr auto SLICES = MakeSlices();
constexpr auto ZERO_RUNS = MakeZeroRuns();

/** \return four bytes as a little-endian number */
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
Crc32Zeros(uint32_t crc, uint32_t count)
{
    crc = ~crc;
    for (size_t k = 0; count != 0; ++k, count >>= 1)
    {
        if (count & 1)
        {
            uint32_t next = 0;
            for (size_t n = 0; n < 8; ++n)
            {
                next ^= ZERO_RUNS[k][n][(crc >> (4 * n)) & 0xf];
            }
            crc = next;
        }
    }
    return ~crc;
}

uint32_t
Compute(const uint8_t* ip, size_t count, uint32_t zeros)
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
