/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_ROWS_H
#define RDMA_RANK_ROWS_H

#include "rdma-rank-log.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Rows of a file to which all ranks of MPI (RdmaRanks) contribute. With one rank, rows are written
 * immediately. With several ranks, a rank keeps its rows until the simulation is over, and the
 * first rank writes the rows of all ranks.
 */
class RdmaRankRows
{
  public:
    /// Place of a row in the file: rows are in ascending order of their places.
    using Place = std::array<uint64_t, 3>;

    /** \param os output stream of the file, which must outlive the object */
    explicit RdmaRankRows(std::ostream& os);

    /**
     * Adds a row.
     *
     * \param place place of the row, above the places of earlier rows of this rank
     * \param row text of the row, with the end of the line
     */
    void Add(const Place& place, const std::string& row);

    /** Writes the rows of all ranks, after the simulation. Every rank calls this function once. */
    void Finish();

  private:
    std::ostream& m_os;        //!< output stream of the file
    RdmaRankLog<Place> m_rows; //!< rows of this rank among several
};

} // namespace ns3

#endif /* RDMA_RANK_ROWS_H */
