/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEXT_CHECKER_H
#define RDMA_TEXT_CHECKER_H

#include <ns3/attribute.h>

#include <functional>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Makes a checker for an attribute of type StringValue whose text must have a certain form.
 *
 * \param read reads the text, and throws std::invalid_argument for a text that is not accepted
 * \param accepted the accepted texts, for messages, as in "none, or numbers as in 3x1"
 * \return the checker
 */
Ptr<const AttributeChecker> MakeRdmaTextChecker(std::function<void(const std::string&)> read,
                                                const std::string& accepted);

} // namespace ns3

#endif /* RDMA_TEXT_CHECKER_H */
