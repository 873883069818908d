/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PART_LIST_H
#define RDMA_PART_LIST_H

#include "rdma-part-name.h"

#include <ns3/type-id.h>

#include <ostream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Which parts of a kind there are, for help, messages, tests and documentation.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param kind a base class
 * \return the classes of that kind that can be made, the user's own too, in alphabetical order
 */
std::vector<TypeId> GetRdmaPartTypes(TypeId kind);

/**
 * \ingroup rdma
 * \param kind a base class
 * \return the short names of parts of that kind, in alphabetical order
 */
std::vector<std::string> GetRdmaPartNames(TypeId kind);

/**
 * \ingroup rdma
 * Prints the parts of a kind, one a line: the short name, what it stands for, and what it is; then
 * the classes that have no short name.
 *
 * \param os is written to
 * \param kind a base class
 */
void PrintRdmaParts(std::ostream& os, TypeId kind);

/**
 * \ingroup rdma
 * \param entry a short name
 * \return the name with its parameters, as in "clos:Tiers[xRadix]"; what stands in brackets may be
 *         left out
 */
std::string FormatRdmaPartName(const RdmaPartName::Entry& entry);

/**
 * \ingroup rdma
 * Lists the parts of a kind, for help texts.
 *
 * \param kind a base class
 * \return the short names with their parameters, in alphabetical order: "clos:Tiers[xRadix],
 *         star:Hosts"
 */
std::string DescribeRdmaParts(TypeId kind);

/**
 * \ingroup rdma
 * Compares the names alone: parameters, from the colon or bracket on, do not count.
 *
 * \param text what somebody wrote
 * \param words what there is
 * \return the nearest of \p words, if it is so near that it may have been meant; else nothing
 */
std::string FindNearestRdmaWord(const std::string& text, const std::vector<std::string>& words);

/**
 * \ingroup rdma
 * \param words some words
 * \return the words, separated by commas
 */
std::string JoinRdmaWords(const std::vector<std::string>& words);

} // namespace ns3

#endif /* RDMA_PART_LIST_H */
