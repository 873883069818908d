/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EVENT_TRACE_H
#define RDMA_EVENT_TRACE_H

#include "qbb-ps.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes the Trace Event Format (JSON object form) that Perfetto and chrome://tracing show: tracks
 * with spans and instants on them, grouped by process, and counters.
 *
 * Streams: nothing is kept, and the text is complete JSON after Finish() or the destructor, however
 * the run ended. Times are written in microseconds, as the format wants them, to the picosecond.
 *
 * Source: "Trace Event Format", the document of the Chromium project; events X, i, C and M.
 */
class RdmaEventTrace
{
  public:
    /** \param os where to; it must outlive the object */
    explicit RdmaEventTrace(std::ostream& os);
    ~RdmaEventTrace();

    RdmaEventTrace(const RdmaEventTrace&) = delete;
    RdmaEventTrace& operator=(const RdmaEventTrace&) = delete;

    /** \param process its number, above 0 \param name its name */
    void NameProcess(uint32_t process, const std::string& name);

    /**
     * \param process its process
     * \param track its number, above 0, unique in the file
     * \param name its name
     */
    void NameTrack(uint32_t process, uint32_t track, const std::string& name);

    /**
     * \param process of the track
     * \param track where
     * \param name what
     * \param start from when
     * \param end until when
     */
    void WriteSpan(uint32_t process,
                   uint32_t track,
                   const std::string& name,
                   QbbPs start,
                   QbbPs end);

    /**
     * \param process of the track
     * \param track where
     * \param name what
     * \param at when
     */
    void WriteInstant(uint32_t process, uint32_t track, const std::string& name, QbbPs at);

    /**
     * \param process of the counter
     * \param name the counter
     * \param unit what it counts
     * \param at from when on
     * \param value its value
     */
    void WriteCounter(uint32_t process,
                      const std::string& name,
                      const std::string& unit,
                      QbbPs at,
                      uint64_t value);

    /** Ends the text. Nothing may be written after it. */
    void Finish();

  private:
    std::ostream& Begin(char phase, uint32_t process, const std::string& name);

    std::ostream& m_os;     //!< where to
    bool m_first{true};     //!< no event is written yet
    bool m_finished{false}; //!< Finish() was there
};

} // namespace ns3

#endif /* RDMA_EVENT_TRACE_H */
