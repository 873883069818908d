/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-trace.h"

#include "rdma-result-table.h"
#include "rdma-units.h"

namespace ns3
{

namespace
{

/** \param text any text \return the text as a quoted JSON string */
std::string
QuoteJson(const std::string& text)
{
    std::string quoted;
    AppendRdmaField(quoted, RdmaResultFormat::JSON, text);
    return quoted;
}

} // namespace

RdmaEventTrace::RdmaEventTrace(std::ostream& os)
    : m_os(os)
{
    m_os << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

RdmaEventTrace::~RdmaEventTrace()
{
    Finish();
}

void
RdmaEventTrace::Finish()
{
    if (!m_finished)
    {
        m_finished = true;
        m_os << "\n]}\n";
        m_os.flush();
    }
}

std::ostream&
RdmaEventTrace::Begin(char phase, uint32_t process, const std::string& name)
{
    m_os << (m_first ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << process
         << ",\"name\":" << QuoteJson(name);
    m_first = false;
    return m_os;
}

void
RdmaEventTrace::NameProcess(uint32_t process, const std::string& name)
{
    Begin('M', process, "process_name") << ",\"args\":{\"name\":" << QuoteJson(name) << "}}";
}

void
RdmaEventTrace::NameTrack(uint32_t process, uint32_t track, const std::string& name)
{
    Begin('M', process, "thread_name")
        << ",\"tid\":" << track << ",\"args\":{\"name\":" << QuoteJson(name) << "}}";
}

void
RdmaEventTrace::WriteSpan(uint32_t process,
                          uint32_t track,
                          const std::string& name,
                          QbbPs start,
                          QbbPs end)
{
    Begin('X', process, name) << ",\"tid\":" << track << ",\"ts\":" << FormatRdmaUs(start)
                              << ",\"dur\":" << FormatRdmaUs(end - start) << "}";
}

void
RdmaEventTrace::WriteInstant(uint32_t process, uint32_t track, const std::string& name, QbbPs at)
{
    Begin('i', process, name) << ",\"tid\":" << track << ",\"ts\":" << FormatRdmaUs(at)
                              << ",\"s\":\"t\"}";
}

void
RdmaEventTrace::WriteCounter(uint32_t process,
                             const std::string& name,
                             const std::string& unit,
                             QbbPs at,
                             uint64_t value)
{
    Begin('C', process, name) << ",\"ts\":" << FormatRdmaUs(at) << ",\"args\":{" << QuoteJson(unit)
                              << ":" << value << "}}";
}

} // namespace ns3
