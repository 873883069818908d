/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_WARN_ONCE_H
#define RDMA_WARN_ONCE_H

#include <ostream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes a warning, unless this process has written a warning of the same text. A script that
 * builds many fabrics is warned once. Any thread may call the function.
 *
 * \param os output stream
 * \param text the warning, with its end of line
 */
void RdmaWarnOnce(std::ostream& os, const std::string& text);

} // namespace ns3

#endif /* RDMA_WARN_ONCE_H */
