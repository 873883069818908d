/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FUZZ_H
#define RDMA_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Aborts if a condition does not hold, for libFuzzer to report the input.
 * \param holds the condition, which must be true \param what description of the condition
 */
inline void
RequireInFuzz(bool holds, const char* what)
{
    if (!holds)
    {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::abort();
    }
}

/**
 * \ingroup rdma-tests
 * Discards the warnings of readers, which nearly every input would cause.
 * \return true
 */
inline bool
DiscardWarnings()
{
    std::cerr.rdbuf(nullptr);
    return true;
}

/**
 * \ingroup rdma-tests
 * Call a reader of text, which may refuse its input with an error of one type and no other.
 * \tparam Error the type
 * \param call the call
 */
template <typename Error, typename Call>
void
AllowError(Call call)
{
    try
    {
        call();
    }
    catch (const Error& e)
    {
        const std::string message(e.what());
        RequireInFuzz(!message.empty(), "an error has a message");
        for (const char c : message)
        {
            RequireInFuzz(c >= 0x20 && c < 0x7f, "a message is one line of printable ASCII");
        }
    }
}

} // namespace ns3

#endif /* RDMA_FUZZ_H */
