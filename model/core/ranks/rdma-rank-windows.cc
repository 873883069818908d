/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-windows.h"

#include "rdma-event-time.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t NO_EVENT_FS = RdmaEngine::NO_EVENT.m_ts; // time of no event

} // namespace

NS_OBJECT_ENSURE_REGISTERED(QbbRankBorder);

TypeId
QbbRankBorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRankBorder").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

RdmaRankWindows::RdmaRankWindows(RdmaEngine& engine,
                                 QbbRankBorder& border,
                                 RdmaRankAlarms& alarms,
                                 std::unique_ptr<RdmaRankMail> mail,
                                 uint32_t rank,
                                 uint32_t ranks)
    : m_engine(engine),
      m_border(border),
      m_alarms(alarms),
      m_mail(std::move(mail)),
      m_rank(rank),
      m_ranks(ranks),
      m_outgoing(ranks)
{
}

void
RdmaRankWindows::Run(const std::function<bool(const Scheduler::EventKey& limit)>& runEvents)
{
    m_alarms.SetLookahead(m_border.GetLookahead());
    bool isRunning = true;
    for (uint64_t first = Meet(isRunning); first != NO_EVENT_FS; first = Meet(isRunning))
    {
        const RdmaPs begin{static_cast<int64_t>(first / RDMA_FS_PER_PS)};
        const RdmaPs end = begin + m_border.GetLookahead();
        if (isRunning)
        {
            const auto limit = static_cast<uint64_t>(RdmaEventTime(end, 0).GetFs());
            isRunning = runEvents({limit, 0, Simulator::NO_CONTEXT});
        }
        else if (m_isAnotherRunning)
        {
            CheckAlarms(end);
        }
    }
}

void
RdmaRankWindows::CheckAlarms(RdmaPs end) const
{
    const RdmaPs stopped = m_engine.GetTime().GetInstant();
    const RdmaPs alarm = m_alarms.GetNext(stopped);
    NS_ABORT_MSG_IF(alarm < end,
                    "rdma: rank " << m_rank << " of MPI was stopped at " << stopped
                                  << " ps, and something is to happen on all ranks at " << alarm
                                  << " ps, as a search for deadlocks; accepted: Simulator::Stop() "
                                     "on all ranks for one instant");
}

/** Meets the other ranks. \return time of the earliest event of all ranks, in femtoseconds */
uint64_t
RdmaRankWindows::Meet(bool isRunning)
{
    static_assert(std::is_trivially_copyable_v<Report>, "the bytes in memory are the value");
    Report own;
    own.isRunning = isRunning ? 1 : 0;
    own.next = isRunning ? m_engine.GetNextKey().m_ts : NO_EVENT_FS;
    const std::string requests = m_alarms.Take();
    own.requestBytes = requests.size();
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        if (rank == m_rank)
        {
            continue;
        }
        m_outgoing[rank].resize(sizeof(own));
        m_outgoing[rank] += requests;
        const RdmaPs caused = m_border.Take(rank, m_outgoing[rank]);
        if (caused != RDMA_NEVER)
        {
            own.next = std::min(own.next, static_cast<uint64_t>(RdmaEventTime(caused, 0).GetFs()));
        }
    }
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        if (rank != m_rank)
        {
            std::memcpy(m_outgoing[rank].data(), &own, sizeof(own));
            m_mail->Send(rank, m_outgoing[rank]);
        }
    }
    uint64_t first = own.next;
    m_isAnotherRunning = false;
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        if (rank == m_rank)
        {
            continue;
        }
        m_mail->Receive(rank, m_incoming);
        Report other;
        std::memcpy(&other, m_incoming.data(), sizeof(other));
        first = std::min(first, other.next);
        m_isAnotherRunning |= other.isRunning != 0;
        const auto rest = std::string_view(m_incoming).substr(sizeof(other));
        m_alarms.Tell(rest.substr(0, other.requestBytes));
        m_border.Receive(rest.substr(other.requestBytes));
    }
    return first;
}

} // namespace ns3
