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
 * Incremental computation of SHA-256 (FIPS 180-4). Tools such as sha256sum verify the hash.
 */
class RdmaSha256
{
  public:
    /**
     * \param usesInstructions false: the processor's instructions for SHA-256, if it has them, are
     *        not used
     */
    explicit RdmaSha256(bool usesInstructions = true);

    /** \param data bytes to append to the hashed data */
    void Add(const std::string& data);

    /** \return the hash in 64 lower-case hexadecimal digits; no data may be added afterwards */
    std::string Finish();

  private:
    void Compress(const unsigned char* block);

    std::array<uint32_t, 8> m_hash{0x6a09e667,
                                   0xbb67ae85,
                                   0x3c6ef372,
                                   0xa54ff53a,
                                   0x510e527f,
                                   0x9b05688c,
                                   0x1f83d9ab,
                                   0x5be0cd19}; //!< hash of the complete blocks
    std::string m_rest;                         //!< bytes of the incomplete block
    uint64_t m_bytes{0};                        //!< total number of bytes added
    bool m_usesInstructions{false};             //!< the processor has instructions for SHA-256
};

} // namespace ns3

#endif /* RDMA_SHA256_H */
