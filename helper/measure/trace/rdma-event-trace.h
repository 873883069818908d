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
 * Writes the Trace Event Format (JSON object form) for Perfetto and chrome://tracing: tracks with
 * spans and instants, grouped by process, and counters.
 *
 * Events are written immediately and not stored. The output is complete JSON after Finish() or the
 * destructor, however the run ended. The format requires times in microseconds; they are written
 * with picosecond resolution.
 *
 * Source: "Trace Event Format", document of the Chromium project; event types X, i, C and M.
 */
class RdmaEventTrace
{
  public:
    /** \param os output stream, which must outlive the object */
    explicit RdmaEventTrace(std::ostream& os);
    ~RdmaEventTrace();

    RdmaEventTrace(const RdmaEventTrace&) = delete;
    RdmaEventTrace& operator=(const RdmaEventTrace&) = delete;

    /** \param process number of the process, above 0 \param name name of the process */
    void NameProcess(uint32_t process, const std::string& name);

    /**
     * \param process number of the process that contains the track
     * \param track number of the track, above 0, unique in the file
     * \param name name of the track
     */
    void NameTrack(uint32_t process, uint32_t track, const std::string& name);

    /**
     * \param process number of the process that contains the track
     * \param track number of the track
     * \param name name of the span
     * \param start start of the span
     * \param end end of the span
     */
    void WriteSpan(uint32_t process,
                   uint32_t track,
                   const std::string& name,
                   QbbPs start,
                   QbbPs end);

    /**
     * \param process number of the process that contains the track
     * \param track number of the track
     * \param name name of the event
     * \param at instant of the event
     */
    void WriteInstant(uint32_t process, uint32_t track, const std::string& name, QbbPs at);

    /**
     * \param process number of the process that contains the counter
     * \param name name of the counter
     * \param unit counted unit
     * \param at instant from which the value applies
     * \param value value of the counter
     */
    void WriteCounter(uint32_t process,
                      const std::string& name,
                      const std::string& unit,
                      QbbPs at,
                      uint64_t value);

    /** Completes the JSON text. No events may follow. */
    void Finish();

  private:
    std::ostream& Begin(char phase, uint32_t process, const std::string& name);

    std::ostream& m_os;     //!< output stream
    bool m_first{true};     //!< no event has been written yet
    bool m_finished{false}; //!< Finish() has been called
};

} // namespace ns3

#endif /* RDMA_EVENT_TRACE_H */
