/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_WARN_ONCE_H
#define QBB_WARN_ONCE_H

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Prints "rdma: warning: TEXT" on standard error, for the first warning of its kind in a
 * simulation. May be called from any thread of a run.
 *
 * \param kind what the warning is about; a further warning of this kind is not printed
 * \param text the warning, without a full stop
 */
void QbbWarnOnce(const std::string& kind, const std::string& text);

} // namespace ns3

#endif /* QBB_WARN_ONCE_H */
