/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_LOG_H
#define RDMA_RANK_LOG_H

#include "rdma-rank-text.h"
#include "rdma-ranks.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Records of a rank of MPI (RdmaRanks) during a run; Gather() merges the records of all ranks.
 *
 * \tparam Place place of a record in the order of the records; trivially copyable, with operator<
 */
template <typename Place>
class RdmaRankLog
{
  public:
    /// A record: its place, and bytes that the caller interprets (RdmaRankWriter).
    using Record = std::pair<Place, std::string>;

    /** \param place place of a record of this rank \param bytes the record */
    void Add(const Place& place, std::string bytes)
    {
        m_records.emplace_back(place, std::move(bytes));
    }

    /**
     * Returns the records of all ranks on each rank, and clears the log. All ranks must call this
     * function equally often, while no simulation runs.
     *
     * \return the records by place; records at one place by rank; records of one rank at one place
     *         in the order of Add()
     */
    std::vector<Record> Gather()
    {
        RdmaRankWriter writer;
        for (const auto& [place, bytes] : m_records)
        {
            writer.Put(place);
            writer.PutText(bytes);
        }
        m_records.clear();
        std::vector<Record> all;
        ForEachRankRecord(writer, [&all](RdmaRankReader& reader) {
            const auto place = reader.Take<Place>();
            all.emplace_back(place, reader.TakeText());
        });
        std::stable_sort(all.begin(), all.end(), [](const Record& a, const Record& b) {
            return a.first < b.first;
        });
        return all;
    }

  private:
    std::vector<Record> m_records; //!< records of this rank
};

/**
 * \ingroup rdma-flow-report
 * Gives each rank the rows of all ranks. Every rank calls this function, while no simulation runs.
 *
 * \tparam Row type of the rows, trivially copyable
 * \param [in,out] rows rows; all ranks have the same number of rows
 * \param isLocal function that takes a position and returns true if this rank knows the row;
 *        exactly one rank knows each row
 */
template <typename Row, typename IsLocal>
void
GatherRdmaRows(std::vector<Row>& rows, IsLocal isLocal)
{
    if (!RdmaRanks::AreSeveral())
    {
        return;
    }
    RdmaRankLog<std::size_t> log;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        if (isLocal(i))
        {
            RdmaRankWriter writer;
            writer.Put(rows[i]);
            log.Add(i, writer.Get());
        }
    }
    for (const auto& [i, bytes] : log.Gather())
    {
        rows.at(i) = RdmaRankReader(bytes).Take<Row>();
    }
}

} // namespace ns3

#endif /* RDMA_RANK_LOG_H */
