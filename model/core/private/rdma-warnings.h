/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_WARNINGS_H
#define RDMA_WARNINGS_H

#include <ostream>
#include <string>

/**
 * \file
 * \ingroup rdma
 * Warnings and notes for the user.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \return stream for what every process that shares the simulation would print: std::cerr in one
 *         of the processes
 */
std::ostream& GetRdmaWarnings();

/**
 * \ingroup rdma
 * Writes a warning, unless this process has written a warning of the same text. A script that
 * builds many fabrics is warned once. Any thread may call the function.
 *
 * \param os output stream
 * \param text the warning, with its end of line
 */
void RdmaWarnOnce(std::ostream& os, const std::string& text);

/**
 * \ingroup rdma
 * Prints "rdma: warning: TEXT" on standard error, for the first warning of its kind in a
 * simulation. Any thread of a run may call the function.
 *
 * \param kind what the warning is about; a further warning of this kind is not printed
 * \param text the warning, without a full stop
 */
void RdmaWarnOncePerSimulation(const std::string& kind, const std::string& text);

} // namespace ns3

#endif /* RDMA_WARNINGS_H */
