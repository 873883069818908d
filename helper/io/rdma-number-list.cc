/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-number-list.h"

#include "rdma-units.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** \param text a list \param parse reads one number \return the numbers */
template <typename F>
auto
ParseNumberList(const std::string& text, F parse)
{
    std::vector<decltype(parse(text))> numbers;
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        numbers.push_back(parse(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return numbers;
}

} // namespace

std::vector<uint32_t>
ParseRdmaIntegers(const std::string& text, uint32_t min, uint32_t max)
{
    return ParseNumberList(text, [min, max](const std::string& number) {
        return static_cast<uint32_t>(ParseRdmaInteger(number, min, max));
    });
}

std::vector<double>
ParseRdmaReals(const std::string& text)
{
    return ParseNumberList(text, ParseRdmaReal);
}

} // namespace ns3
