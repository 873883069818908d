/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REFUSE_H
#define RDMA_REFUSE_H

#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Rejects a user's request that cannot be met.
 *
 * \param isWrong true if the request cannot be met
 * \param message one line, "problem; accepted: ..."
 * \throws std::invalid_argument with the message if \p isWrong is true
 */
inline void
RefuseRdmaIf(bool isWrong, const std::string& message)
{
    if (isWrong)
    {
        throw std::invalid_argument(message);
    }
}

} // namespace ns3

#endif /* RDMA_REFUSE_H */
