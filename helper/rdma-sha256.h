/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_SHA256_H
#define RDMA_SHA256_H

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * SHA-256 (FIPS 180-4), so that a digest can be checked with tools that everybody has.
 * \param data any bytes
 * \return the hash in 64 lower-case hexadecimal digits
 */
std::string GetRdmaSha256(const std::string& data);

} // namespace ns3

#endif /* RDMA_SHA256_H */
