/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_H
#define RDMA_OPTION_H

#include "rdma-part-list.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Calls a parser and prefixes its error message with the name of an option.
 *
 * \param option name of the option
 * \param parse parser, which may throw std::invalid_argument
 * \return return value of the parser
 */
template <typename F>
auto
ParseRdmaOption(const std::string& option, F parse)
{
    try
    {
        return parse();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("--" + option + ": " + error.what());
    }
}

/**
 * \ingroup rdma
 * Checks the value of an option.
 *
 * \param option name of the option
 * \param value value of the option
 * \param accepted accepted values
 * \throws std::invalid_argument for any other value
 */
inline void
CheckRdmaChoice(const std::string& option,
                const std::string& value,
                const std::vector<std::string>& accepted)
{
    RefuseRdmaIf(std::find(accepted.begin(), accepted.end(), value) == accepted.end(),
                 "--" + option + ": unknown value \"" + value +
                     "\"; accepted: " + JoinRdmaWords(accepted));
}

/**
 * \ingroup rdma
 * Rejects an option that has no effect in combination with another option.
 *
 * \param option name of the option without effect
 * \param given the user gave that option
 * \param with the other option, for instance "--transport=iwarp"
 * \throws std::invalid_argument if \p given is true
 */
inline void
RefuseRdmaOption(const std::string& option, bool given, const std::string& with)
{
    RefuseRdmaIf(given, "--" + option + " means nothing with " + with);
}

} // namespace ns3

#endif /* RDMA_OPTION_H */
