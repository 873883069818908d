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
 * Lists of the parts of a kind, for help texts, messages, tests and documentation.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param kind a base class
 * \return the classes of the kind that have a constructor, including user classes, in
 *         alphabetical order
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
 * Prints one line for each part of a kind: short name, class with settings, and description.
 * Classes without a short name follow.
 *
 * \param os output stream
 * \param kind a base class
 */
void PrintRdmaParts(std::ostream& os, TypeId kind);

/**
 * \ingroup rdma
 * \param entry a short name
 * \return the name with its parameters, as in "clos:Tiers[xRadix]"; parameters in brackets are
 *         optional
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
 * Finds the word that a user probably meant. Parameters after a colon or bracket are ignored.
 *
 * \param text a word written by a user
 * \param words the known words
 * \return the nearest of \p words; empty if no word is near enough
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
