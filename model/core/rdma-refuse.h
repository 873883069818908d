/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REFUSE_H
#define RDMA_REFUSE_H

#include <sstream>
#include <stdexcept>

namespace ns3
{

/**
 * \ingroup rdma
 * Rejects a user's request that cannot be met: an option, a file or an attribute. Programs print
 * the message and end with status 2. A script that does not catch the exception ends with the
 * message.
 *
 * \param isWrong true if the request cannot be met
 * \param message one line, "problem; accepted: ...", as values that are printed one after the
 *        other. The caller computes the values for right requests, too, so they must be valid there
 * \throws std::invalid_argument with the message if \p isWrong is true
 */
template <typename... Values>
void
RefuseRdmaIf(bool isWrong, const Values&... message)
{
    if (isWrong)
    {
        std::ostringstream text;
        (text << ... << message);
        throw std::invalid_argument(text.str());
    }
}

} // namespace ns3

#endif /* RDMA_REFUSE_H */
