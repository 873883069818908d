/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CSV_H
#define RDMA_CSV_H

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * CSV as the module writes it, read by column.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A row, by the names of its columns.
 */
using RdmaCsvRow = std::map<std::string, std::string>;

/**
 * \ingroup rdma-tests
 * \param text CSV with a heading, without quotes
 * \return its rows; one with another number of cells than the heading has the column "" as well
 */
inline std::vector<RdmaCsvRow>
ReadRdmaCsv(const std::string& text)
{
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells(1);
        for (const char c : line)
        {
            if (c == ',')
            {
                cells.emplace_back();
            }
            else
            {
                cells.back().push_back(c);
            }
        }
        return cells;
    };
    std::istringstream is(text);
    std::string line;
    std::getline(is, line);
    const auto heading = split(line);
    std::vector<RdmaCsvRow> rows;
    while (std::getline(is, line))
    {
        const auto cells = split(line);
        rows.emplace_back();
        for (std::size_t i = 0; i < std::min(cells.size(), heading.size()); ++i)
        {
            rows.back()[heading[i]] = cells[i];
        }
        if (cells.size() != heading.size())
        {
            rows.back()[""] = line;
        }
    }
    return rows;
}

} // namespace ns3

#endif /* RDMA_CSV_H */
