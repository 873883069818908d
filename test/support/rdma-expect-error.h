/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_EXPECT_ERROR_H
#define RDMA_EXPECT_ERROR_H

#include <gtest/gtest.h>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Expect that a call throws an error of a type, with parts of its message.
 * \tparam Error the type
 * \param call the call
 * \param parts what the message must contain
 */
template <typename Error, typename Call>
void
ExpectError(Call call, const std::vector<std::string>& parts)
{
    try
    {
        call();
    }
    catch (const Error& e)
    {
        for (const auto& part : parts)
        {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
                << "'" << part << "' is not in: " << e.what();
        }
        return;
    }
    ADD_FAILURE() << "no error; expected one that says '" << parts.front() << "'";
}

/**
 * \ingroup rdma-tests
 * Expect that a call throws std::invalid_argument with a message (RefuseRdmaIf()).
 * \tparam Call type of the call
 * \param call the call
 * \param message regular expression that the message must contain
 */
template <typename Call>
void
ExpectRefusal(Call call, const std::string& message)
{
    try
    {
        call();
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_TRUE(std::regex_search(error.what(), std::regex(message)))
            << "'" << message << "' is not in: " << error.what();
        return;
    }
    ADD_FAILURE() << "no refusal; expected one that says '" << message << "'";
}

} // namespace ns3

#endif /* RDMA_EXPECT_ERROR_H */
