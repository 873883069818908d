/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_H
#define RDMA_OPTION_H

#include "rdma-part.h"

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
    std::string list;
    for (const auto& choice : accepted)
    {
        if (value == choice)
        {
            return;
        }
        list += (list.empty() ? "" : ", ") + choice;
    }
    throw std::invalid_argument("--" + option + ": unknown value \"" + value +
                                "\"; accepted: " + list);
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
    if (given)
    {
        throw std::invalid_argument("--" + option + " means nothing with " + with);
    }
}

/**
 * \ingroup rdma
 * Rejects an option that has no effect without another option.
 *
 * \param option name of the option without effect
 * \param given the user gave that option
 * \param other name of the required option, which the user did not give
 * \throws std::invalid_argument if \p given is true
 */
inline void
RefuseRdmaOptionAlone(const std::string& option, bool given, const std::string& other)
{
    if (given)
    {
        throw std::invalid_argument("--" + option + " means nothing without --" + other);
    }
}

/**
 * \ingroup rdma
 * Sets the attribute of a part that corresponds to an option.
 *
 * \param part the part
 * \param attribute name of the attribute
 * \param value value of the attribute
 * \param option name of the option that the user gave
 * \param with option that names the part, for instance "--transport=irn"
 * \throws std::invalid_argument if the part has no such attribute, or its text already sets the
 *         attribute
 */
inline void
SetRdmaPartOption(RdmaPart& part,
                  const std::string& attribute,
                  const AttributeValue& value,
                  const std::string& option,
                  const std::string& with)
{
    RefuseRdmaOption(option, !part.HasAttribute(attribute), with);
    if (part.Has(attribute))
    {
        throw std::invalid_argument("--" + option + " with " + with + "; accepted: " + attribute +
                                    " by one of the two");
    }
    part.Set(attribute, value);
}

} // namespace ns3

#endif /* RDMA_OPTION_H */
