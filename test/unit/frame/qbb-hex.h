/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HEX_H
#define QBB_HEX_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \param text hexadecimal digits, white space between bytes allowed
 * \return the bytes
 */
inline std::vector<uint8_t>
Hex(const std::string& text)
{
    std::string digits;
    for (const char c : text)
    {
        if (c != ' ' && c != '\n')
        {
            digits += c;
        }
    }
    if (digits.size() % 2 != 0)
    {
        throw std::invalid_argument("odd number of hexadecimal digits: " + text);
    }
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < digits.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/** \return the hexadecimal digits of `count` zero bytes */
inline std::string
Zeros(size_t count)
{
    return std::string(2 * count, '0');
}

} // namespace ns3

#endif /* QBB_HEX_H */
