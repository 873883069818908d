/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-progress.h"

#include <ns3/simulator.h>

#include <cstdio>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Simulated time between two checks of the wall clock.
constexpr QbbPs TICK = 20_us;
/// Minimum wall-clock time between two outputs, in seconds.
constexpr double PRINT_S = 0.5;

} // namespace

RdmaProgress::RdmaProgress(Ptr<const RdmaFlowRunnerBase> runner, std::ostream& os)
    : m_runner(runner),
      m_os(os)
{
}

RdmaProgress::~RdmaProgress()
{
    Simulator::Cancel(m_event);
}

bool
RdmaProgress::IsTerminal()
{
    return isatty(STDERR_FILENO) != 0;
}

void
RdmaProgress::Start(QbbPs first)
{
    m_begin = std::chrono::steady_clock::now();
    m_last = m_begin;
    m_event = Simulator::Schedule(QbbToTime(first) - Simulator::Now(), &RdmaProgress::Tick, this);
}

void
RdmaProgress::Tick()
{
    m_event = Simulator::Schedule(QbbToTime(TICK), &RdmaProgress::Tick, this);
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> sinceLast = now - m_last;
    if (sinceLast.count() < PRINT_S)
    {
        return;
    }
    m_last = now;
    const std::chrono::duration<double> elapsed = now - m_begin;
    const auto done = static_cast<double>(m_runner->GetNEnded());
    const auto all = static_cast<double>(m_runner->GetNFlows());
    char line[160];
    const int written =
        std::snprintf(line,
                      sizeof(line),
                      "\r%10.3f us simulated, %llu of %llu flows, %.2f M events/s",
                      static_cast<double>(QbbNow()) / 1e6,
                      static_cast<unsigned long long>(m_runner->GetNEnded()),
                      static_cast<unsigned long long>(m_runner->GetNFlows()),
                      static_cast<double>(Simulator::GetEventCount()) / elapsed.count() / 1e6);
    m_os.write(line, written);
    if (done > 0 && done < all)
    {
        const int more = std::snprintf(line,
                                       sizeof(line),
                                       ", about %.0f s left",
                                       elapsed.count() * (all - done) / done);
        m_os.write(line, more);
    }
    m_os << "   " << std::flush;
    m_printed = true;
}

void
RdmaProgress::Finish()
{
    Simulator::Cancel(m_event);
    if (m_printed)
    {
        m_os << "\r\033[K" << std::flush;
    }
}

} // namespace ns3
