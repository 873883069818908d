/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-progress.h"

#include <ns3/simulator.h>

#include <iomanip>
#include <sstream>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Simulated time between two checks of the wall clock.
constexpr RdmaPs TICK = 20_us;
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
RdmaProgress::Start(RdmaPs first)
{
    m_begin = std::chrono::steady_clock::now();
    m_last = m_begin;
    m_event = Simulator::Schedule(RdmaToTime(first) - Simulator::Now(), &RdmaProgress::Tick, this);
}

void
RdmaProgress::Tick()
{
    m_event = Simulator::Schedule(RdmaToTime(TICK), &RdmaProgress::Tick, this);
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> sinceLast = now - m_last;
    if (sinceLast.count() < PRINT_S)
    {
        return;
    }
    m_last = now;
    const std::chrono::duration<double> elapsed = now - m_begin;
    const auto done = static_cast<double>(m_runner->GetNCountedEnded());
    const auto all = static_cast<double>(m_runner->GetNCounted());
    std::ostringstream line;
    line << std::fixed << std::setprecision(3) << '\r' << std::setw(10)
         << static_cast<double>(RdmaNow()) / 1e6 << " us simulated, "
         << m_runner->GetNCountedEnded() << " of " << m_runner->GetNCounted() << " flows, "
         << std::setprecision(2)
         << static_cast<double>(Simulator::GetEventCount()) / elapsed.count() / 1e6
         << " M events/s";
    if (done > 0 && done < all)
    {
        line << ", about " << std::setprecision(0) << elapsed.count() * (all - done) / done
             << " s left";
    }
    if (const std::string failures = m_failures.DescribeAt(RdmaNow()); !failures.empty())
    {
        line << ", failures: " << failures;
    }
    // A shorter line replaces a longer one as a whole.
    m_os << line.str() << "   " << (m_failures.IsEmpty() ? "" : "\033[K") << std::flush;
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
