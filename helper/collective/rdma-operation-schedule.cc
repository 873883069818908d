/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-operation-schedule.h"

#include "rdma-refuse.h"
#include "rdma-run-end.h"
#include "rdma-shared-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaOperationSchedule");

NS_OBJECT_ENSURE_REGISTERED(RdmaOperationSchedule);

TypeId
RdmaOperationSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaOperationSchedule")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaOperationSchedule>()
            .AddAttribute("MemoryRate",
                          "Rate of a rank's memory, of reads and writes together, as bits per "
                          "second; 0bps: copies and reductions take no time.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaOperationSchedule::m_memoryRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "MemoryTimeStep",
                "The time of each access to memory is rounded down to a multiple of this; "
                "0s: to whole picoseconds.",
                TimeValue(PicoSeconds(1)),
                MakeTimeAccessor(&RdmaOperationSchedule::m_memoryStep),
                RdmaMakePositiveTimeChecker())
            .AddAttribute(
                "HeaderBytes",
                "Bytes that each message has on the wire for its context, tag and number.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaOperationSchedule::m_headerBytes),
                MakeUintegerChecker<uint64_t>(0, 65536))
            .AddAttribute("ControlBytes",
                          "Bytes of a rendezvous request and of its answer, without HeaderBytes.",
                          UintegerValue(24),
                          MakeUintegerAccessor(&RdmaOperationSchedule::m_controlBytes),
                          MakeUintegerChecker<uint64_t>(0, 65536));
    return tid;
}

RdmaOperationSchedule::RdmaOperationSchedule()
{
    RdmaSetTimeResolution();
    RdmaSimulatorImpl::Select();
    AddContext(RdmaScheduleMessage::NO_PRIORITY); // EDGES
}

RdmaOperationSchedule::~RdmaOperationSchedule() = default;

void
RdmaOperationSchedule::DoDispose()
{
    m_ranks.clear();
    m_network = nullptr;
    m_calls.clear();
    Object::DoDispose();
}

void
RdmaOperationSchedule::SetRanks(uint32_t count)
{
    std::vector<RdmaSchedulePlace> places(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        places[i].host = i;
    }
    SetPlaces(places);
}

void
RdmaOperationSchedule::SetPlaces(const std::vector<RdmaSchedulePlace>& places)
{
    CheckNotInstalled();
    RefuseRdmaIf(places.empty(), "a schedule of 0 ranks; accepted: 1 or more");
    RefuseRdmaIf(!m_places.empty(), "the ranks of a schedule are set twice; accepted: once");
    m_places = places;
}

void
RdmaOperationSchedule::CheckRank(uint32_t rank) const
{
    RefuseRdmaIf(rank >= m_places.size(),
                 "rank ",
                 rank,
                 "; accepted: 0 to ",
                 static_cast<int64_t>(m_places.size()) - 1);
}

void
RdmaOperationSchedule::CheckNotInstalled() const
{
    RefuseRdmaIf(m_network != nullptr,
                 "a schedule is changed after Install(); accepted: changes before");
}

uint32_t
RdmaOperationSchedule::AddCommunicator(const std::string& name,
                                       const std::vector<uint32_t>& members,
                                       uint8_t priority)
{
    CheckNotInstalled();
    RefuseRdmaIf(priority > 7 && priority != RdmaScheduleMessage::NO_PRIORITY,
                 "communicator ",
                 name,
                 " has priority ",
                 uint32_t{priority},
                 "; accepted: 0 to 7");
    RefuseRdmaIf(members.empty(), "communicator ", name, " has no ranks; accepted: 1 or more");
    Communicator communicator;
    communicator.name = name;
    communicator.members = members;
    communicator.context = AddContext(priority);
    for (const uint32_t rank : members)
    {
        CheckRank(rank);
        communicator.numbers.emplace_back(rank, communicator.numbers.size());
    }
    auto& numbers = communicator.numbers;
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 1; i < numbers.size(); ++i)
    {
        RefuseRdmaIf(numbers[i].first == numbers[i - 1].first,
                     "communicator ",
                     name,
                     " has rank ",
                     numbers[i].first,
                     " twice; accepted: once");
    }
    m_communicators.push_back(communicator);
    return static_cast<uint32_t>(m_communicators.size() - 1);
}

const std::vector<uint32_t>&
RdmaOperationSchedule::GetMembers(uint32_t communicator) const
{
    RefuseRdmaIf(communicator >= m_communicators.size(),
                 "communicator ",
                 communicator,
                 "; accepted: 0 to ",
                 static_cast<int64_t>(m_communicators.size()) - 1);
    return m_communicators[communicator].members;
}

uint32_t
RdmaOperationSchedule::GetContext(uint32_t communicator) const
{
    GetMembers(communicator);
    return m_communicators[communicator].context;
}

RdmaScheduleJob&
RdmaOperationSchedule::AddJob(const std::string& name, RdmaPs start)
{
    CheckNotInstalled();
    RefuseRdmaIf(m_jobs.size() > UINT16_MAX, "more jobs; accepted: up to ", UINT16_MAX + 1);
    return m_jobs.emplace_back(*this, name, start);
}

uint32_t
RdmaOperationSchedule::AddContext(uint8_t priority)
{
    m_priorities.push_back(priority);
    return static_cast<uint32_t>(m_priorities.size() - 1);
}

uint8_t
RdmaOperationSchedule::GetPriorityMask(uint8_t other) const
{
    uint32_t mask = 0;
    for (std::size_t context = EDGES + 1; context < m_priorities.size(); ++context)
    {
        const uint8_t priority = m_priorities[context];
        mask |= 1U << (priority == RdmaScheduleMessage::NO_PRIORITY ? other : priority);
    }
    return static_cast<uint8_t>(mask);
}

uint32_t
RdmaOperationSchedule::AddCall(uint32_t communicator,
                               Ptr<RdmaCollective> collective,
                               uint64_t bytes)
{
    CheckNotInstalled();
    Communicator& group = m_communicators[communicator];
    collective->Prepare(static_cast<uint32_t>(group.members.size()), bytes);
    const uint32_t context = AddContext(m_priorities[group.context]);
    m_calls.push_back({communicator, group.calls++, collective, bytes, context});
    return static_cast<uint32_t>(m_calls.size() - 1);
}

uint32_t
RdmaOperationSchedule::AddEdge()
{
    CheckNotInstalled();
    return m_edges++;
}

void
RdmaOperationSchedule::SetRecording(RdmaRecording recording)
{
    CheckNotInstalled();
    m_recording = recording;
}

void
RdmaOperationSchedule::SetStopWhenDone(bool stop)
{
    m_stopWhenDone = stop;
}

void
RdmaOperationSchedule::Install(Ptr<RdmaScheduleNetwork> network)
{
    CheckNotInstalled();
    RefuseRdmaIf(m_places.empty(), "a schedule of 0 ranks; accepted: 1 or more");
    for (const RdmaScheduleJob& job : m_jobs)
    {
        RefuseRdmaIf(job.m_start < RdmaNow(),
                     "job ",
                     job.m_name,
                     " begins at ",
                     job.m_start,
                     " ps; accepted: ",
                     RdmaNow(),
                     " ps or later");
    }
    m_accessRate = m_memoryRate.GetBitRate();
    m_accessStep = std::max(RdmaPs(1), RdmaToPs(m_memoryStep));
    network->Install(*this, m_places);
    for (const Call& call : m_calls)
    {
        if (call.collective->NeedsSwitch())
        {
            network->CheckReduction(m_communicators[call.communicator].members);
        }
    }
    m_network = network;
    if (m_edges > 0)
    {
        RdmaSimulatorImpl::RequireOneThread("a schedule has edges between ranks");
    }
    for (uint32_t rank = 0; rank < GetNRanks(); ++rank)
    {
        m_ranks.push_back(std::make_unique<RdmaScheduleRank>(*this, *network, rank));
        m_ranks.back()->SetRecording(m_recording);
    }
    for (uint32_t number = 0; number < m_jobs.size(); ++number)
    {
        for (auto& [rank, part] : m_jobs[number].m_parts)
        {
            ++m_programs;
            if (!network->IsLocal(rank))
            {
                continue;
            }
            ++m_localPrograms;
            ++m_running;
            std::unique_ptr<RdmaRankProgram> program = std::move(part.program);
            if (part.graph)
            {
                program = std::move(part.graph);
            }
            m_ranks[rank]->StartAt(m_jobs[number].m_start, number, std::move(program));
        }
    }
}

void
RdmaOperationSchedule::Sent(uint32_t rank, uint64_t id)
{
    m_ranks[rank]->Sent(id);
}

void
RdmaOperationSchedule::Arrived(const RdmaScheduleMessage& message)
{
    m_ranks[message.to]->Arrived(message);
}

std::vector<std::unique_ptr<RdmaRankProgram>>
RdmaOperationSchedule::MakePrograms(uint32_t call, uint32_t rank) const
{
    const Call& made = m_calls[call];
    const Communicator& communicator = m_communicators[made.communicator];
    const auto number = std::lower_bound(communicator.numbers.begin(),
                                         communicator.numbers.end(),
                                         std::pair<uint32_t, uint32_t>(rank, 0));
    RdmaCollectiveScope scope;
    scope.members = &communicator.members;
    scope.count = static_cast<uint32_t>(communicator.members.size());
    scope.index = number->second;
    scope.context = made.context;
    return made.collective->MakePrograms(scope, made.bytes);
}

void
RdmaOperationSchedule::ProgramEnded(uint32_t job, uint32_t rank)
{
    const RdmaPs now = RdmaNow();
    NS_LOG_INFO("rank " << rank << " ends job " << m_jobs[job].m_name << " at " << now << " ps");
    m_jobs[job].m_parts.find(rank)->second.end = now;
    int64_t last = m_lastEndPs;
    while (last < now.Get() && !m_lastEndPs.compare_exchange_weak(last, now.Get()))
    {
    }
    // With several threads, the last program to be counted need not be the last to end. In a shared
    // run, this process does not know the programs of the others.
    if (--m_running == 0 && m_stopWhenDone && !IsRdmaRunShared())
    {
        StopRdmaRunAt(GetRdmaRunEnd(RdmaPs(m_lastEndPs)));
    }
}

bool
RdmaOperationSchedule::IsActive() const
{
    return m_running > 0 && std::any_of(m_jobs.begin(), m_jobs.end(), [](const auto& job) {
               return job.m_start <= RdmaNow();
           });
}

RdmaPs
RdmaOperationSchedule::GetNextStart() const
{
    RdmaPs next = RDMA_NEVER;
    for (const RdmaScheduleJob& job : m_jobs)
    {
        next = job.m_start > RdmaNow() ? std::min(next, job.m_start) : next;
    }
    return next;
}

void
RdmaOperationSchedule::Share()
{
    if (!IsRdmaRunShared())
    {
        return;
    }

    struct End
    {
        uint32_t job;
        uint32_t rank;
        RdmaPs at;
    };

    std::vector<End> ends;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        for (const auto& [rank, part] : m_jobs[job].m_parts)
        {
            if (part.end != RDMA_NEVER)
            {
                ends.push_back({job, rank, part.end});
            }
        }
    }
    m_running = m_programs;
    for (const End& end : ShareRdmaValues(ends))
    {
        m_jobs[end.job].m_parts.at(end.rank).end = end.at;
        m_lastEndPs = std::max(m_lastEndPs.load(), end.at.Get());
        --m_running;
    }

    struct Recorded
    {
        uint32_t rank;
        RdmaOperationRecord record;
    };

    std::vector<Recorded> records;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        for (const RdmaOperationRecord& record : m_ranks[rank]->GetRecords())
        {
            records.push_back({rank, record});
        }
    }
    for (const Recorded& recorded : ShareRdmaValues(records))
    {
        if (!m_network->IsLocal(recorded.rank))
        {
            m_ranks[recorded.rank]->AddRecord(recorded.record);
        }
    }
    m_network->Share();
}

uint64_t
RdmaOperationSchedule::GetNActive() const
{
    uint64_t count = 0;
    for (const auto& rank : m_ranks)
    {
        count += rank->GetNActive();
    }
    return count;
}

std::size_t
RdmaOperationSchedule::GetMemory() const
{
    std::size_t bytes = 0;
    for (const auto& rank : m_ranks)
    {
        bytes += rank->GetMemory();
    }
    return bytes;
}

std::string
RdmaOperationSchedule::DescribeContext(uint32_t context) const
{
    if (context == EDGES)
    {
        return "edge";
    }
    for (const Communicator& communicator : m_communicators)
    {
        if (communicator.context == context)
        {
            return "communicator " + communicator.name;
        }
    }
    for (const Call& call : m_calls)
    {
        if (call.context == context)
        {
            return "communicator " + m_communicators[call.communicator].name + ", call " +
                   std::to_string(call.number);
        }
    }
    return "context " + std::to_string(context);
}

std::string
RdmaOperationSchedule::DescribeWait() const
{
    constexpr std::size_t MOST_RANKS = 8;
    std::vector<uint32_t> order;
    std::set<uint32_t> listed;
    const auto add = [&](uint32_t rank) {
        const bool isNew = listed.insert(rank).second;
        if (isNew)
        {
            order.push_back(rank);
        }
        return isNew;
    };
    // From the first rank that waits for a message, follow the senders.
    for (uint32_t rank = 0; rank < m_ranks.size() && order.empty(); ++rank)
    {
        RdmaScheduleRank::Awaited awaited = m_ranks[rank]->GetAwaited();
        uint32_t next = rank;
        while (awaited.isAny && add(next))
        {
            next = awaited.peer;
            awaited = m_ranks[next]->GetAwaited();
        }
        if (!order.empty())
        {
            add(next);
        }
    }
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        add(rank);
    }
    std::vector<std::string> lines;
    std::size_t ranks = 0;
    std::size_t more = 0;
    for (const uint32_t rank : order)
    {
        std::vector<std::string> own;
        m_ranks[rank]->DescribeWait(own);
        if (own.empty())
        {
            continue;
        }
        if (ranks == MOST_RANKS)
        {
            ++more;
            continue;
        }
        ++ranks;
        lines.insert(lines.end(), own.begin(), own.end());
        if (const std::string why = m_network->DescribeWait(rank); !why.empty())
        {
            lines.push_back("rank " + std::to_string(rank) + ": " + why);
        }
    }
    std::ostringstream text;
    for (const std::string& line : lines)
    {
        text << line << "\n";
    }
    if (more > 0)
    {
        text << more << " more ranks wait\n";
    }
    return text.str();
}

} // namespace ns3
