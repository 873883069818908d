/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SHARED_RUN_H
#define RDMA_SHARED_RUN_H

#include "rdma-ranks.h"

#include <ns3/node.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * What workloads, instruments and results need to know of the processes that share a simulation,
 * the ranks of MPI (RdmaRanks).
 *
 * A process knows what happens at the nodes whose events it runs (IsRdmaNodeLocal()). The other
 * functions and classes tell each process what all processes know. Every process calls them as
 * often as every other process, in the same order, while no simulation runs or in an event of one
 * instant in all processes (RdmaRankAlarms). With one process, they give back what they are given,
 * so that their callers need not distinguish the two cases.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * \return true if several processes share the simulation
 */
inline bool
IsRdmaRunShared()
{
    return RdmaRanks::AreSeveral();
}

/**
 * \ingroup rdma
 * \param node a node
 * \return true if this process runs the events of the node
 */
inline bool
IsRdmaNodeLocal(const Node& node)
{
    return !IsRdmaRunShared() || node.GetSystemId() == RdmaRanks::GetRank();
}

/**
 * \ingroup rdma
 * Writes values for other processes as raw memory, because all processes run the same binary.
 */
class RdmaRecordWriter
{
  public:
    /** \tparam T a trivially copyable type \param value the next value */
    template <typename T>
    void Put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "the bytes in memory are the value");
        m_text.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }

    /** \param value the next value, a text */
    void PutText(std::string_view value)
    {
        Put(static_cast<uint64_t>(value.size()));
        m_text += value;
    }

    /** \return all values */
    const std::string& Get() const
    {
        return m_text;
    }

  private:
    std::string m_text; //!< all values
};

/**
 * \ingroup rdma
 * Reads the values of an RdmaRecordWriter, in the order in which they were written.
 */
class RdmaRecordReader
{
  public:
    /** \param text all values; must outlive the reader */
    explicit RdmaRecordReader(std::string_view text)
        : m_rest(text)
    {
    }

    /** \return true if all values have been read */
    bool IsAtEnd() const
    {
        return m_rest.empty();
    }

    /** \tparam T a trivially copyable type \return the next value */
    template <typename T>
    T Take()
    {
        static_assert(std::is_trivially_copyable_v<T>, "the bytes in memory are the value");
        T value;
        std::memcpy(&value, TakeBytes(sizeof(value)).data(), sizeof(value));
        return value;
    }

    /** \return the next value, a text */
    std::string TakeText()
    {
        const auto size = Take<uint64_t>();
        return std::string(TakeBytes(size));
    }

  private:
    std::string_view TakeBytes(std::size_t count)
    {
        const std::string_view bytes = m_rest.substr(0, count);
        m_rest.remove_prefix(count);
        return bytes;
    }

    std::string_view m_rest; //!< values that have not been read
};

/**
 * \ingroup rdma
 * Reads the records of all processes, one process after the other.
 *
 * \param own records of this process
 * \param take function that takes one record from the reader that it is given
 */
template <typename Take>
void
ForEachRdmaRecord(const RdmaRecordWriter& own, const Take& take)
{
    for (const std::string& text : RdmaRanks::Exchange(own.Get()))
    {
        for (RdmaRecordReader reader(text); !reader.IsAtEnd();)
        {
            take(reader);
        }
    }
}

/**
 * \ingroup rdma
 * \tparam T a trivially copyable type
 * \param own values of this process
 * \return values of all processes, one process after the other
 */
template <typename T>
std::vector<T>
ShareRdmaValues(const std::vector<T>& own)
{
    if (!IsRdmaRunShared())
    {
        return own;
    }
    RdmaRecordWriter writer;
    for (const T& value : own)
    {
        writer.Put(value);
    }
    std::vector<T> all;
    ForEachRdmaRecord(writer,
                      [&all](RdmaRecordReader& reader) { all.push_back(reader.Take<T>()); });
    return all;
}

/**
 * \ingroup rdma
 * \param number a number of this process \return sum of the numbers of all processes
 */
inline uint64_t
SumRdmaValues(uint64_t number)
{
    const std::vector<uint64_t> all = ShareRdmaValues(std::vector<uint64_t>{number});
    return std::accumulate(all.begin(), all.end(), uint64_t{0});
}

/**
 * \ingroup rdma
 * Records of this process during a run; Gather() merges the records of all processes.
 *
 * \tparam Place place of a record in the order of the records; trivially copyable, with operator<
 */
template <typename Place>
class RdmaRecordLog
{
  public:
    /// A record: its place, and bytes that the caller interprets (RdmaRecordWriter).
    using Record = std::pair<Place, std::string>;

    /** \param place place of a record of this process \param bytes the record */
    void Add(const Place& place, std::string bytes)
    {
        m_records.emplace_back(place, std::move(bytes));
    }

    /**
     * Gives each process the records of all processes, and clears the log.
     *
     * \return the records by place; records at one place by process; records of one process at one
     *         place in the order of Add()
     */
    std::vector<Record> Gather()
    {
        RdmaRecordWriter writer;
        for (const auto& [place, bytes] : m_records)
        {
            writer.Put(place);
            writer.PutText(bytes);
        }
        m_records.clear();
        std::vector<Record> all;
        ForEachRdmaRecord(writer, [&all](RdmaRecordReader& reader) {
            const auto place = reader.Take<Place>();
            all.emplace_back(place, reader.TakeText());
        });
        std::stable_sort(all.begin(), all.end(), [](const Record& a, const Record& b) {
            return a.first < b.first;
        });
        return all;
    }

  private:
    std::vector<Record> m_records; //!< records of this process
};

/**
 * \ingroup rdma
 * Gives each process the rows of all processes.
 *
 * \tparam Row type of the rows, trivially copyable
 * \param [in,out] rows rows; all processes have the same number of rows
 * \param isLocal function that takes a position and returns true if this process knows the row;
 *        exactly one process knows each row
 */
template <typename Row, typename IsLocal>
void
GatherRdmaRows(std::vector<Row>& rows, IsLocal isLocal)
{
    if (!IsRdmaRunShared())
    {
        return;
    }
    RdmaRecordLog<std::size_t> log;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        if (isLocal(i))
        {
            RdmaRecordWriter writer;
            writer.Put(rows[i]);
            log.Add(i, writer.Get());
        }
    }
    for (const auto& [i, bytes] : log.Gather())
    {
        rows.at(i) = RdmaRecordReader(bytes).Take<Row>();
    }
}

/**
 * \ingroup rdma
 * Rows of a file to which all processes contribute. With one process, rows are written immediately.
 * Otherwise a process keeps its rows until the simulation is over, and one process writes all rows.
 */
class RdmaOrderedRows
{
  public:
    /// Place of a row in the file: rows are in ascending order of their places.
    using Place = std::array<uint64_t, 3>;

    /** \param os output stream of the file, which must outlive the object */
    explicit RdmaOrderedRows(std::ostream& os)
        : m_os(os)
    {
    }

    /**
     * Adds a row.
     *
     * \param place place of the row, above the places of earlier rows of this process
     * \param row text of the row, with the end of the line
     */
    void Add(const Place& place, const std::string& row)
    {
        if (IsRdmaRunShared())
        {
            m_rows.Add(place, row);
            return;
        }
        m_os << row;
    }

    /** Writes the rows of all processes, after the simulation. Every process calls it once. */
    void Finish()
    {
        for (const auto& [place, row] : m_rows.Gather())
        {
            if (RdmaRanks::IsFirst())
            {
                m_os << row;
            }
        }
    }

  private:
    std::ostream& m_os;          //!< output stream of the file
    RdmaRecordLog<Place> m_rows; //!< rows of this process among several
};

} // namespace ns3

#endif /* RDMA_SHARED_RUN_H */
