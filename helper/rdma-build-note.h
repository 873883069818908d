/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BUILD_NOTE_H
#define RDMA_BUILD_NOTE_H

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * What a build costs that checks or logs more than a long run needs.
 *
 * \param asserts ns-3's asserts are compiled in
 * \param logs ns-3's logging is compiled in
 * \return one line for the user; empty if neither is compiled in
 */
std::string GetRdmaBuildNote(bool asserts, bool logs);

/**
 * \ingroup rdma
 * \return the note on the ns-3 that this module is compiled against
 */
std::string GetRdmaBuildNote();

} // namespace ns3

#endif /* RDMA_BUILD_NOTE_H */
