/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NUMBER_LIST_H
#define RDMA_NUMBER_LIST_H

#include <cstdint>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Lists of numbers as text, where 'x' separates the numbers: "3x1".
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \param text whole numbers, each as ParseRdmaInteger() takes it
 * \param min smallest accepted number
 * \param max largest accepted number
 * \return the numbers, one or more
 * \throws std::invalid_argument with the wrong number and the accepted numbers
 */
std::vector<uint32_t> ParseRdmaIntegers(const std::string& text, uint32_t min, uint32_t max);

/**
 * \ingroup rdma
 * \param text real numbers, each as ParseRdmaReal() takes it
 * \return the numbers, one or more, finite and not negative
 * \throws std::invalid_argument with the wrong number and the accepted numbers
 */
std::vector<double> ParseRdmaReals(const std::string& text);

} // namespace ns3

#endif /* RDMA_NUMBER_LIST_H */
