/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PART_TEXT_H
#define RDMA_PART_TEXT_H

#include <cstddef>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Brackets and quotes in the text of a part (RdmaPart). The functions that search a text throw
 * std::invalid_argument if brackets or quotes do not match, or if brackets nest over eight deep.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param text the invalid text
 * \param problem description of the error and of the accepted values
 * \throws std::invalid_argument whose message has the text and the problem
 */
[[noreturn]] void FailRdmaPart(const std::string& text, const std::string& problem);

/**
 * \ingroup rdma
 * \param text a part
 * \return position of the first bracket outside of quotes, or the length of the text
 */
std::size_t FindRdmaPartBracket(const std::string& text);

/**
 * \ingroup rdma
 * \param text a part
 * \param begin position of an opening bracket, from FindRdmaPartBracket()
 * \return the position after the matching closing bracket
 */
std::size_t FindRdmaPartBracketEnd(const std::string& text, std::size_t begin);

/**
 * \ingroup rdma
 * \param text a text
 * \param by separator
 * \return the pieces between the separators that are outside of brackets and quotes
 */
std::vector<std::string> SplitRdmaPart(const std::string& text, char by);

/**
 * \ingroup rdma
 * \param text a value, in quotes or not
 * \return the value
 */
std::string UnquoteRdmaPart(const std::string& text);

/**
 * \ingroup rdma
 * \param value a value
 * \return the value as UnquoteRdmaPart() takes it, in quotes if the value needs them
 */
std::string QuoteRdmaPart(const std::string& value);

} // namespace ns3

#endif /* RDMA_PART_TEXT_H */
