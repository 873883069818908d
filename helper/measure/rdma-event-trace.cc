/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-trace.h"

#include "rdma-units.h"

#include <cstdio>

namespace ns3
{

namespace
{

/** \param text any text \return the text as a quoted JSON string */
std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (static_cast<unsigned char>(c) < 0x20)
        {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", static_cast<unsigned int>(c));
            quoted += code;
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + '"';
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
         << ",\"name\":" << Quote(name);
    m_first = false;
    return m_os;
}

void
RdmaEventTrace::NameProcess(uint32_t process, const std::string& name)
{
    Begin('M', process, "process_name") << ",\"args\":{\"name\":" << Quote(name) << "}}";
}

void
RdmaEventTrace::NameTrack(uint32_t process, uint32_t track, const std::string& name)
{
    Begin('M', process, "thread_name")
        << ",\"tid\":" << track << ",\"args\":{\"name\":" << Quote(name) << "}}";
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
    Begin('C', process, name) << ",\"ts\":" << FormatRdmaUs(at) << ",\"args\":{" << Quote(unit)
                              << ":" << value << "}}";
}

} // namespace ns3
