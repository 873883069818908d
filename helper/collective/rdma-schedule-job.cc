/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-job.h"

#include "rdma-operation-schedule.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaScheduleJob::RdmaScheduleJob(RdmaOperationSchedule& schedule, std::string name, RdmaPs start)
    : m_schedule(schedule),
      m_name(std::move(name)),
      m_start(start)
{
}

RdmaOperationGraph&
RdmaScheduleJob::GetGraph(uint32_t rank)
{
    m_schedule.CheckRank(rank);
    m_schedule.CheckNotInstalled();
    Part& part = m_parts[rank];
    RefuseRdmaIf(part.program != nullptr,
                 "job ",
                 m_name,
                 ": rank ",
                 rank,
                 " has a program; accepted: operations, or a program");
    if (!part.graph)
    {
        part.graph = std::make_unique<RdmaOperationGraph>();
        part.steps.resize(m_nSteps - 1);
    }
    return *part.graph;
}

uint32_t
RdmaScheduleJob::Add(uint32_t rank,
                     const RdmaOperation& operation,
                     const std::vector<uint32_t>& after)
{
    using Kind = RdmaOperation::Kind;
    if (operation.kind == Kind::SEND || operation.kind == Kind::RECEIVE ||
        operation.kind == Kind::COMBINE)
    {
        m_schedule.CheckRank(operation.peer);
        RefuseRdmaIf(operation.peer == rank,
                     "job ",
                     m_name,
                     ": rank ",
                     rank,
                     " sends to itself, or receives from itself; accepted: another rank");
    }
    else
    {
        RefuseRdmaIf(operation.kind == Kind::CALL || operation.kind == Kind::SIGNAL,
                     "job ",
                     m_name,
                     ": an operation of this kind; accepted: AddCollective(), AddEdge()");
    }
    RdmaOperationGraph& graph = GetGraph(rank);
    const uint32_t number = graph.Add(operation);
    for (const uint32_t before : after)
    {
        graph.AddDependency(number, before);
    }
    return number;
}

void
RdmaScheduleJob::AddDependency(uint32_t rank, uint32_t operation, uint32_t before, After after)
{
    GetGraph(rank).AddDependency(operation, before, after);
}

void
RdmaScheduleJob::AddEdge(uint32_t from,
                         uint32_t before,
                         uint32_t to,
                         uint32_t operation,
                         RdmaPs delay)
{
    RefuseRdmaIf(from == to,
                 "job ",
                 m_name,
                 ": an edge from rank ",
                 from,
                 " to itself; accepted: AddDependency()");
    RefuseRdmaIf(delay < RdmaPs(1),
                 "job ",
                 m_name,
                 ": an edge with a delay of ",
                 delay,
                 " ps; accepted: 1 ps or more");
    const uint32_t tag = m_schedule.AddEdge();
    RdmaOperation signal;
    signal.kind = RdmaOperation::Kind::SIGNAL;
    signal.amount = static_cast<uint64_t>(delay.Get());
    signal.peer = to;
    signal.context = RdmaOperationSchedule::EDGES;
    signal.tag = tag;
    RdmaOperationGraph& sender = GetGraph(from);
    RdmaOperationGraph& receiver = GetGraph(to);
    sender.AddDependency(sender.Add(signal), before);
    receiver.AddDependency(
        operation,
        receiver.Add(RdmaOperation::Receive(0, from, RdmaOperationSchedule::EDGES, tag)));
}

std::vector<uint32_t>
RdmaScheduleJob::AddCollective(uint32_t communicator,
                               Ptr<RdmaCollective> collective,
                               uint64_t bytes,
                               const std::vector<std::vector<uint32_t>>& after)
{
    const std::vector<uint32_t>& members = m_schedule.GetMembers(communicator);
    RefuseRdmaIf(!after.empty() && after.size() != members.size(),
                 "job ",
                 m_name,
                 ": dependencies of a collective for ",
                 after.size(),
                 " ranks; accepted: ",
                 members.size(),
                 ", or none");
    const uint32_t call = m_schedule.AddCall(communicator, collective, bytes);
    std::vector<uint32_t> numbers;
    for (std::size_t i = 0; i < members.size(); ++i)
    {
        RdmaOperationGraph& graph = GetGraph(members[i]);
        std::vector<uint32_t> before = after.empty() ? std::vector<uint32_t>() : after[i];
        if (const RdmaPs late = collective->DrawStartDelay(); late > RdmaPs(0))
        {
            const uint32_t wait = graph.Add(RdmaOperation::Compute(late));
            for (const uint32_t other : before)
            {
                graph.AddDependency(wait, other);
            }
            before = {wait};
        }
        RdmaOperation operation;
        operation.kind = RdmaOperation::Kind::CALL;
        operation.tag = call;
        numbers.push_back(graph.Add(operation));
        for (const uint32_t other : before)
        {
            graph.AddDependency(numbers.back(), other);
        }
    }
    return numbers;
}

void
RdmaScheduleJob::SetProgram(uint32_t rank, std::unique_ptr<RdmaRankProgram> program)
{
    m_schedule.CheckRank(rank);
    m_schedule.CheckNotInstalled();
    Part& part = m_parts[rank];
    RefuseRdmaIf(part.program || part.graph,
                 "job ",
                 m_name,
                 ": rank ",
                 rank,
                 " has a program already; accepted: one");
    part.program = std::move(program);
}

std::vector<uint32_t>
RdmaScheduleJob::GetRanks() const
{
    std::vector<uint32_t> ranks;
    for (const auto& [rank, part] : m_parts)
    {
        ranks.push_back(rank);
    }
    return ranks;
}

const RdmaScheduleJob::Part&
RdmaScheduleJob::GetPart(uint32_t rank) const
{
    const auto part = m_parts.find(rank);
    RefuseRdmaIf(part == m_parts.end(),
                 "job ",
                 m_name,
                 " has no rank ",
                 rank,
                 "; accepted: ranks of the job");
    return part->second;
}

void
RdmaScheduleJob::BeginStep()
{
    m_schedule.CheckNotInstalled();
    ++m_nSteps;
    for (auto& [rank, part] : m_parts)
    {
        part.steps.push_back(part.graph ? part.graph->GetCount() : 0);
    }
}

uint32_t
RdmaScheduleJob::GetStep(uint32_t rank, uint64_t operation) const
{
    const std::vector<uint32_t>& steps = GetPart(rank).steps;
    return static_cast<uint32_t>(std::upper_bound(steps.begin(), steps.end(), operation) -
                                 steps.begin());
}

void
RdmaScheduleJob::SetName(uint32_t rank, uint32_t operation, const std::string& name)
{
    RefuseRdmaIf(operation >= GetGraph(rank).GetCount(),
                 "job ",
                 m_name,
                 ": rank ",
                 rank,
                 " has no operation ",
                 operation,
                 " to be named");
    Part& part = m_parts[rank];
    part.names.resize(std::max<std::size_t>(part.names.size(), operation + 1));
    const auto [found, isNew] = m_numbers.emplace(name, m_names.size());
    if (isNew)
    {
        m_names.push_back(name);
    }
    part.names[operation] = found->second;
}

std::string
RdmaScheduleJob::GetName(uint32_t rank, uint64_t operation) const
{
    const std::vector<uint32_t>& names = GetPart(rank).names;
    return operation < names.size() && names[operation] != 0
               ? m_names[names[operation]]
               : "operation " + std::to_string(operation);
}

std::vector<RdmaOperationRecord>
RdmaScheduleJob::GetRecords(uint32_t rank) const
{
    GetPart(rank);
    std::vector<RdmaOperationRecord> records;
    for (const RdmaOperationRecord& record : m_schedule.GetRecords(rank))
    {
        if (!record.isPart && &m_schedule.GetJobs()[record.job] == this)
        {
            records.push_back(record);
        }
    }
    return records;
}

std::optional<RdmaPs>
RdmaScheduleJob::GetEnd(uint32_t rank) const
{
    const RdmaPs end = GetPart(rank).end;
    return end == RDMA_NEVER ? std::nullopt : std::optional(end);
}

std::optional<RdmaPs>
RdmaScheduleJob::GetEnd() const
{
    RdmaPs last = m_start;
    for (const auto& [rank, part] : m_parts)
    {
        if (part.end == RDMA_NEVER)
        {
            return {};
        }
        last = std::max(last, part.end);
    }
    return last;
}

} // namespace ns3
