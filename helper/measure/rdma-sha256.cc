/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-sha256.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <locale>
#include <sstream>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace ns3
{

namespace
{

constexpr std::size_t BLOCK_BYTES = 64;
constexpr std::size_t ROUNDS = 64;

/// FIPS 180-4, section 4.2.2: fractional parts of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, ROUNDS> K{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

constexpr uint32_t
Rotate(uint32_t x, unsigned n)
{
    return (x >> n) | (x << (32 - n));
}

/// Processes one block (FIPS 180-4, section 6.2.2).
void
CompressBlock(std::array<uint32_t, 8>& hash, const unsigned char* block)
{
    std::array<uint32_t, ROUNDS> w{};
    for (std::size_t t = 0; t < 16; ++t)
    {
        const unsigned char* p = block + 4 * t;
        w[t] = uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
    }
    for (std::size_t t = 16; t < ROUNDS; ++t)
    {
        const uint32_t s0 = Rotate(w[t - 15], 7) ^ Rotate(w[t - 15], 18) ^ (w[t - 15] >> 3);
        const uint32_t s1 = Rotate(w[t - 2], 17) ^ Rotate(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t t = 0; t < ROUNDS; ++t)
    {
        const uint32_t choice = (e & f) ^ (~e & g);
        const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        const uint32_t t1 =
            h + (Rotate(e, 6) ^ Rotate(e, 11) ^ Rotate(e, 25)) + choice + K[t] + w[t];
        const uint32_t t2 = (Rotate(a, 2) ^ Rotate(a, 13) ^ Rotate(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<uint32_t, 8> add{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < hash.size(); ++i)
    {
        hash[i] += add[i];
    }
}

#if defined(__x86_64__)

/// Returns true if the processor has instructions for SHA-256.
bool
HasSha256Instructions()
{
    constexpr unsigned SSSE3 = 1U << 9;
    constexpr unsigned SSE41 = 1U << 19;
    constexpr unsigned SHA = 1U << 29;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool hasVectors = __get_cpuid(1, &a, &b, &c, &d) && (c & SSSE3) && (c & SSE41);
    return hasVectors && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & SHA);
}

/// Processes one block by the instructions (Intel, "New Instructions Supporting SHA", 2013).
[[gnu::target("sha,sse4.1,ssse3")]] void
CompressByInstructions(std::array<uint32_t, 8>& hash, const unsigned char* block)
{
    auto* const words = reinterpret_cast<__m128i*>(hash.data());
    // The instructions take the state as the words ABEF and CDGH, high word first.
    const __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
    __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, dcba, 0xf0);
    const __m128i abefBefore = abef;
    const __m128i cdghBefore = cdgh;
    const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i w[4];
    for (std::size_t i = 0; i < ROUNDS / 4; ++i)
    {
        __m128i& four = w[i % 4];
        if (i < 4)
        {
            const auto* const from = reinterpret_cast<const __m128i*>(block) + i;
            four = _mm_shuffle_epi8(_mm_loadu_si128(from), bigEndian);
        }
        else
        {
            const __m128i last = w[(i + 3) % 4];
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(four, w[(i + 1) % 4]),
                                              _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
            four = _mm_sha256msg2_epu32(sum, last);
        }
        const auto* const constants = reinterpret_cast<const __m128i*>(K.data()) + i;
        const __m128i added = _mm_add_epi32(four, _mm_loadu_si128(constants));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abefBefore), 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdghBefore), 0xb1);
    _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#else

/// Returns true if the processor has instructions for SHA-256.
bool
HasSha256Instructions()
{
    return false;
}

/// Not called.
void
CompressByInstructions(std::array<uint32_t, 8>&, const unsigned char*)
{
}

#endif

} // namespace

RdmaSha256::RdmaSha256(bool usesInstructions)
{
    static const bool hasInstructions = HasSha256Instructions();
    m_usesInstructions = usesInstructions && hasInstructions;
}

void
RdmaSha256::Compress(const unsigned char* block)
{
    m_usesInstructions ? CompressByInstructions(m_hash, block) : CompressBlock(m_hash, block);
}

void
RdmaSha256::Add(const std::string& data)
{
    m_bytes += data.size();
    std::size_t at = 0;
    if (!m_rest.empty())
    {
        at = std::min(BLOCK_BYTES - m_rest.size(), data.size());
        m_rest.append(data, 0, at);
        if (m_rest.size() < BLOCK_BYTES)
        {
            return;
        }
        Compress(reinterpret_cast<const unsigned char*>(m_rest.data()));
    }
    for (; data.size() - at >= BLOCK_BYTES; at += BLOCK_BYTES)
    {
        Compress(reinterpret_cast<const unsigned char*>(data.data()) + at);
    }
    m_rest.assign(data, at, std::string::npos);
}

std::string
RdmaSha256::Finish()
{
    // Padding: a one bit, zeros, and the data length in bits in the last eight bytes.
    const uint64_t bits = 8 * m_bytes;
    std::string tail = "\x80";
    const std::size_t used = (m_rest.size() + 1 + 8) % BLOCK_BYTES;
    tail.append(used == 0 ? 0 : BLOCK_BYTES - used, '\0');
    for (int shift = 56; shift >= 0; shift -= 8)
    {
        tail += static_cast<char>(bits >> shift & 0xff);
    }
    Add(tail);
    std::ostringstream digits;
    digits.imbue(std::locale::classic());
    digits << std::hex << std::setfill('0');
    for (const uint32_t word : m_hash)
    {
        digits << std::setw(8) << word;
    }
    return digits.str();
}

} // namespace ns3
