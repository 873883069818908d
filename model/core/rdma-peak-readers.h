/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PEAK_READERS_H
#define RDMA_PEAK_READERS_H

#include <ns3/abort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Peaks of counters for several readers. Each reader gets the peaks since its own latest reading,
 * whatever other readers do.
 *
 * The owner of the counters keeps one peak of each counter, and raises the peak when the counter
 * grows. When a reader reads, the owner passes these peaks to Read() and starts them again at the
 * current values. The object keeps what every other reader has yet to read. Readers therefore cost
 * nothing while the counters change.
 */
class RdmaPeakReaders
{
  public:
    /// Values by counter, in an order that the owner defines.
    using Values = std::vector<uint64_t>;
    /// A reader: the peaks since its latest reading. A reader ends when nothing refers to it.
    using Reader = std::shared_ptr<Values>;

    /**
     * Adds a reader, whose first reading has the peaks from now on.
     *
     * \param peaks the owner's peaks, which the owner starts again at \p now
     * \param now current values of the counters
     * \return the reader
     */
    Reader Add(const Values& peaks, const Values& now)
    {
        Pass(peaks, nullptr);
        const auto reader = std::make_shared<Values>(now);
        m_readers.push_back(reader);
        return reader;
    }

    /**
     * Reads the peaks. Aborts with a message if the reader is of another object.
     *
     * \param reader a reader
     * \param peaks the owner's peaks, which the owner starts again at \p now
     * \param now current values of the counters
     * \return the peaks since the reader's latest reading, or since Add()
     */
    Values Read(const Reader& reader, const Values& peaks, const Values& now)
    {
        NS_ABORT_MSG_UNLESS(Pass(peaks, reader), "rdma: a reader of the peaks of other counters");
        return std::exchange(*reader, now);
    }

    /**
     * \param counter index of a counter
     * \return greatest of the counter's peaks that were passed to Add() and Read()
     */
    uint64_t GetPassed(std::size_t counter) const
    {
        return counter < m_passed.size() ? m_passed[counter] : 0;
    }

    /** Forgets all peaks, but not the readers. */
    void Clear()
    {
        m_passed.clear();
        for (const auto& each : m_readers)
        {
            if (const Reader reader = each.lock())
            {
                reader->clear();
            }
        }
    }

  private:
    /** Raises each value to another one. */
    static void Raise(Values& values, const Values& others)
    {
        values.resize(std::max(values.size(), others.size()));
        for (std::size_t i = 0; i < others.size(); ++i)
        {
            values[i] = std::max(values[i], others[i]);
        }
    }

    /** Passes peaks to all readers. \return true if one of them is \p reader */
    bool Pass(const Values& peaks, const Reader& reader)
    {
        Raise(m_passed, peaks);
        bool known = false;
        const auto pass = [&](const std::weak_ptr<Values>& each) {
            const Reader one = each.lock();
            if (one)
            {
                Raise(*one, peaks);
                known = known || one == reader;
            }
            return !one;
        };
        m_readers.erase(std::remove_if(m_readers.begin(), m_readers.end(), pass), m_readers.end());
        return known;
    }

    Values m_passed;                              //!< values of GetPassed()
    std::vector<std::weak_ptr<Values>> m_readers; //!< the readers
};

} // namespace ns3

#endif /* RDMA_PEAK_READERS_H */
