/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BUILD_NOTE_H
#define RDMA_BUILD_NOTE_H

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Describes the cost of assertions and logging in the build of ns-3.
 *
 * \param asserts the build contains ns-3's assertions
 * \param logs the build contains ns-3's logging
 * \return one line for the user; empty if the build contains neither
 */
std::string GetRdmaBuildNote(bool asserts, bool logs);

/**
 * \ingroup rdma
 * \return the note for the ns-3 build against which this module is compiled
 */
std::string GetRdmaBuildNote();

} // namespace ns3

#endif /* RDMA_BUILD_NOTE_H */
