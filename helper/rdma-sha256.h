/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_SHA256_H
#define RDMA_SHA256_H

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * SHA-256 (FIPS 180-4) of bytes that come piece by piece.
 */
class RdmaSha256
{
  public:
    /** \param data bytes behind those that were added before */
    void Add(const std::string& data);

    /** \return the hash of all bytes in 64 lower-case hexadecimal digits; nothing is added after */
    std::string Finish();

  private:
    std::array<uint32_t, 8> m_hash{0x6a09e667,
                                   0xbb67ae85,
                                   0x3c6ef372,
                                   0xa54ff53a,
                                   0x510e527f,
                                   0x9b05688c,
                                   0x1f83d9ab,
                                   0x5be0cd19}; //!< of the blocks until now
    std::string m_rest;                         //!< bytes of a block that is not full
    uint64_t m_bytes{0};                        //!< bytes added
};

/**
 * \ingroup rdma
 * SHA-256 (FIPS 180-4), so that a digest can be checked with tools that everybody has.
 * \param data any bytes
 * \return the hash in 64 lower-case hexadecimal digits
 */
std::string GetRdmaSha256(const std::string& data);

} // namespace ns3

#endif /* RDMA_SHA256_H */
