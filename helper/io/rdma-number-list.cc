/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-number-list.h"

#include "rdma-units.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** \param text a list \param use is called with the text of each number */
template <typename Use>
void
ForEachNumberText(const std::string& text, Use use)
{
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        use(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

} // namespace

std::vector<uint32_t>
ParseRdmaIntegers(const std::string& text, uint32_t min, uint32_t max)
{
    std::vector<uint32_t> numbers;
    ForEachNumberText(text, [&](const std::string& number) {
        numbers.push_back(static_cast<uint32_t>(ParseRdmaInteger(number, min, max)));
    });
    return numbers;
}

std::vector<double>
ParseRdmaReals(const std::string& text)
{
    std::vector<double> numbers;
    ForEachNumberText(text, [&numbers](const std::string& number) {
        numbers.push_back(ParseRdmaReal(number));
    });
    return numbers;
}

} // namespace ns3
