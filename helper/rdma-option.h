/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_H
#define RDMA_OPTION_H

#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs a parser and puts the option's name before its message.
 *
 * \param option the option
 * \param parse what may throw
 * \return what it returns
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
 * \param option its name
 * \param value its text
 * \param accepted what it may be
 * \throws std::invalid_argument if it is something else
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
 * Refuses an option that has no effect beside another one.
 *
 * \param option its name
 * \param given the user gave the option
 * \param with the other one, as in "--transport=iwarp"
 * \throws std::invalid_argument if it was given
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
 * Refuses an option that has no effect without another one.
 *
 * \param option its name
 * \param given the user gave the option
 * \param other the name of the other one, which the user did not give
 * \throws std::invalid_argument if it was given
 */
inline void
RefuseRdmaOptionAlone(const std::string& option, bool given, const std::string& other)
{
    if (given)
    {
        throw std::invalid_argument("--" + option + " means nothing without --" + other);
    }
}

} // namespace ns3

#endif /* RDMA_OPTION_H */
