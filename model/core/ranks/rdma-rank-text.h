/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_TEXT_H
#define RDMA_RANK_TEXT_H

#include "rdma-ranks.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes values for RdmaRanks::Exchange() as raw memory, because all ranks run the same binary.
 */
class RdmaRankWriter
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
 * Reads the values of an RdmaRankWriter, in the order in which they were written.
 */
class RdmaRankReader
{
  public:
    /** \param text all values; must outlive the reader */
    explicit RdmaRankReader(const std::string& text)
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
 * Reads the records of all ranks, by rank. Every rank calls this function as often as every other
 * rank.
 *
 * \param own records of this rank
 * \param take function that takes one record from the reader that it is given
 */
template <typename Take>
void
ForEachRankRecord(const RdmaRankWriter& own, const Take& take)
{
    for (const std::string& text : RdmaRanks::Exchange(own.Get()))
    {
        for (RdmaRankReader reader(text); !reader.IsAtEnd();)
        {
            take(reader);
        }
    }
}

/**
 * \ingroup rdma
 * Tells each rank the values of all ranks. Every rank calls this function as often as every other
 * rank, while no simulation runs or in an event of one instant on all ranks (RdmaRankAlarms).
 *
 * \tparam T a trivially copyable type
 * \param own values of this rank
 * \return values of all ranks, by rank; with one rank, the values of this rank
 */
template <typename T>
std::vector<T>
ShareRdmaValues(const std::vector<T>& own)
{
    if (!RdmaRanks::AreSeveral())
    {
        return own;
    }
    RdmaRankWriter writer;
    for (const T& value : own)
    {
        writer.Put(value);
    }
    std::vector<T> all;
    ForEachRankRecord(writer, [&all](RdmaRankReader& reader) { all.push_back(reader.Take<T>()); });
    return all;
}

} // namespace ns3

#endif /* RDMA_RANK_TEXT_H */
