/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-critical-path.h"

#include "rdma-refuse.h"
#include "rdma-units.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ns3
{

namespace
{

/** \return a time in microseconds, for people */
std::string
FormatPathTime(RdmaPs time)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f us", static_cast<double>(time.Get()) / 1e6);
    return text;
}

/** \return a share as percentage */
std::string
FormatPathShare(RdmaPs part, RdmaPs whole)
{
    char text[32];
    std::snprintf(text,
                  sizeof(text),
                  "%5.1f%%",
                  whole > RdmaPs(0)
                      ? 100 * static_cast<double>(part.Get()) / static_cast<double>(whole.Get())
                      : 0.0);
    return text;
}

/** \return true for an operation that takes a time of its rank alone */
bool
IsPathWork(RdmaOperation::Kind kind)
{
    return kind == RdmaOperation::Kind::COMPUTE || kind == RdmaOperation::Kind::COPY ||
           kind == RdmaOperation::Kind::REDUCE;
}

using PathRow = RdmaCriticalPath::Row;

const RdmaResultTable<PathRow> g_pathTable = MakeRdmaFileTable<PathRow>(
    "path",
    {{"job", "", "name of the job", &PathRow::job},
     {"step", "", "number of the step, from 0", &PathRow::step},
     {"begin_ns", "ns", "when the part begins: the end of the part before", &PathRow::begin},
     {"end_ns", "ns", "when the part ends", &PathRow::end},
     {"rank", "", "rank at which the part ends", &PathRow::rank},
     {"from", "", "rank at which it begins: the sender of a message", &PathRow::from},
     {"waited_ns", "ns", "time for which the receiver of a message has waited", &PathRow::waited},
     {"operation", "", "name of the operation", &PathRow::operation},
     {"text", "", "what happens, in words", &PathRow::text}});

} // namespace

RdmaCriticalPath::RdmaCriticalPath(const RdmaOperationSchedule& schedule)
    : m_schedule(schedule)
{
    RefuseRdmaIf(schedule.GetRecording() != RdmaRecording::MESSAGES,
                 "a critical path of a schedule without records of messages; accepted: "
                 "SetRecording(RdmaRecording::MESSAGES) before the run");
}

const RdmaCriticalPath::Messages&
RdmaCriticalPath::GetMessages(uint32_t rank)
{
    const auto [found, isNew] = m_messages.try_emplace(rank);
    if (isNew)
    {
        const auto& records = m_schedule.GetRecords(rank);
        for (uint32_t i = 0; i < records.size(); ++i)
        {
            const RdmaOperationRecord& record = records[i];
            const bool isSend = record.kind == RdmaOperation::Kind::SEND ||
                                record.kind == RdmaOperation::Kind::COMBINE ||
                                record.kind == RdmaOperation::Kind::SIGNAL;
            if (isSend || record.kind == RdmaOperation::Kind::RECEIVE)
            {
                (isSend ? found->second.sent : found->second.received)
                    .emplace(
                        RdmaMessageKey{record.context, record.peer, record.tag, record.sequence},
                        i);
            }
        }
    }
    return found->second;
}

/** \return the record of the other end of a message */
const RdmaOperationRecord&
RdmaCriticalPath::FindOther(uint32_t rank, const RdmaOperationRecord& record)
{
    const bool isSend = record.kind == RdmaOperation::Kind::SEND;
    const Messages& messages = GetMessages(record.peer);
    const Places& places = isSend ? messages.received : messages.sent;
    const auto found =
        places.find(RdmaMessageKey{record.context, rank, record.tag, record.sequence});
    RefuseRdmaIf(found == places.end(),
                 "a critical path to rank ",
                 record.peer,
                 ", whose operation has not ended; accepted: a schedule that has ended");
    return m_schedule.GetRecords(record.peer)[found->second];
}

/**
 * \return rank and operation that a received message comes from; for a sum that a switch has made,
 *         those of the rank that came last
 */
std::pair<uint32_t, RdmaOperationRecord>
RdmaCriticalPath::FindSender(uint32_t rank, const RdmaOperationRecord& received)
{
    std::pair<uint32_t, RdmaOperationRecord> last(received.peer, FindOther(rank, received));
    if (last.second.kind != RdmaOperation::Kind::COMBINE)
    {
        return last;
    }
    for (const RdmaOperationSchedule::Call& call : m_schedule.GetCalls())
    {
        if (call.context != received.context)
        {
            continue;
        }
        const std::vector<uint32_t>& members = m_schedule.GetMembers(call.communicator);
        for (std::size_t i = 0; i < members.size(); ++i)
        {
            RdmaOperationRecord other = received;
            other.peer = members[i];
            const RdmaOperationRecord& record = FindOther(members[(i + 1) % members.size()], other);
            if (record.begin > last.second.begin)
            {
                last = {members[i], record};
            }
        }
    }
    return last;
}

RdmaPs
RdmaCriticalPath::GetEnd(uint32_t job, uint32_t step) const
{
    const RdmaScheduleJob& of = m_schedule.GetJobs()[job];
    RdmaPs end = of.GetStart();
    for (const uint32_t rank : of.GetRanks())
    {
        for (const RdmaOperationRecord& record : m_schedule.GetRecords(rank))
        {
            if (record.job == job && of.GetStep(rank, record.operation) == step)
            {
                end = std::max(end, record.end);
            }
        }
    }
    return end;
}

std::vector<RdmaPathPart>
RdmaCriticalPath::Find(uint32_t job, uint32_t step)
{
    const RdmaPs begin = m_schedule.GetJobs()[job].GetStart();
    return FindLast(job, step, step == 0 ? begin : GetEnd(job, step - 1));
}

std::vector<RdmaPathPart>
RdmaCriticalPath::Find(uint32_t job)
{
    return FindLast(job, {}, m_schedule.GetJobs()[job].GetStart());
}

/**
 * Goes back from the operation that ended last.
 *
 * \param job number of a job
 * \param step number of the step of the operation; no value: any step
 * \param limit where the path begins
 * \return the path in the order of time
 */
std::vector<RdmaPathPart>
RdmaCriticalPath::FindLast(uint32_t job, std::optional<uint32_t> step, RdmaPs limit)
{
    const RdmaScheduleJob& of = m_schedule.GetJobs()[job];
    uint32_t rank = 0;
    uint32_t place = RdmaOperationRecord::NO_CAUSE;
    RdmaPs last(-1);
    for (const uint32_t each : of.GetRanks())
    {
        const auto& records = m_schedule.GetRecords(each);
        for (uint32_t i = 0; i < records.size(); ++i)
        {
            if (records[i].job == job && records[i].end > last &&
                (!step || of.GetStep(each, records[i].operation) == *step))
            {
                last = records[i].end;
                rank = each;
                place = i;
            }
        }
    }
    return FindFrom(rank, place, limit);
}

/**
 * Goes back from an operation.
 *
 * \param rank rank of the operation
 * \param place number of the operation among the records of the rank, or NO_CAUSE
 * \param limit where the path begins
 * \return the path in the order of time
 */
std::vector<RdmaPathPart>
RdmaCriticalPath::FindFrom(uint32_t rank, uint32_t place, RdmaPs limit)
{
    using Kind = RdmaOperation::Kind;
    std::vector<RdmaPathPart> parts;
    while (place != RdmaOperationRecord::NO_CAUSE)
    {
        const RdmaOperationRecord& record = m_schedule.GetRecords(rank)[place];
        if (record.end <= limit)
        {
            break;
        }
        RdmaPathPart part{record.begin, record.end, rank, rank, RdmaPs(0), record};
        uint32_t cause = record.cause;
        if (record.kind == Kind::RECEIVE && !record.isLate)
        {
            const auto [sender, sent] = FindSender(rank, record);
            part.begin = sent.begin;
            part.from = sender;
            part.waited = record.end - record.begin;
            rank = sender;
            cause = sent.cause;
        }
        else if (record.kind == Kind::SEND && record.isRendezvous)
        {
            const RdmaOperationRecord& received = FindOther(rank, record);
            if (received.isLate)
            {
                part.begin = received.begin;
                part.from = record.peer;
                rank = record.peer;
                cause = received.cause;
            }
        }
        else if (record.kind == Kind::CALL)
        {
            part.begin = part.end; // the parts of the call follow
        }
        part.begin = std::max(part.begin, limit);
        if (part.begin < part.end)
        {
            parts.push_back(part);
        }
        place = cause;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::string
RdmaCriticalPath::Describe(const RdmaPathPart& part) const
{
    using Kind = RdmaOperation::Kind;
    const RdmaOperationRecord& operation = part.operation;
    const RdmaScheduleJob& job = m_schedule.GetJobs()[operation.job];
    const std::string name = job.GetName(part.rank, operation.operation);
    const std::string rank = "rank " + std::to_string(part.rank);
    const std::string peer =
        "rank " + std::to_string(part.from != part.rank ? part.from : operation.peer);
    const std::string in = " (" + name + "; " + m_schedule.DescribeContext(operation.context) + ")";
    const std::string message =
        "message " + std::to_string(operation.sequence) +
        (operation.tag > 0 ? " with tag " + std::to_string(operation.tag) : std::string());
    if (IsPathWork(operation.kind))
    {
        return rank +
               (operation.kind == Kind::COMPUTE ? " computed "
                : operation.kind == Kind::COPY  ? " copied in "
                                                : " reduced in ") +
               name + " for " + FormatPathTime(operation.end - operation.begin);
    }
    if (operation.kind == Kind::SEND || operation.kind == Kind::COMBINE)
    {
        return part.from != part.rank ? peer + " was late to receive " + message + " of " +
                                            std::to_string(operation.bytes) + " B from " + rank + in
                                      : rank + " sent " + message + " of " +
                                            std::to_string(operation.bytes) + " B to " + peer + in;
    }
    RdmaScheduleMessage sent;
    sent.from = operation.peer;
    sent.to = part.rank;
    sent.context = operation.context;
    sent.tag = operation.tag;
    sent.sequence = operation.sequence;
    sent.kind = RdmaScheduleMessage::Kind::EAGER;
    sent.priority = m_schedule.GetPriority(operation.context);
    sent.bytes = operation.bytes + m_schedule.GetHeaderBytes();
    std::string why;
    if (const auto network = m_schedule.GetNetwork())
    {
        why = network->DescribeDelay(sent, part.begin, part.end);
    }
    if (part.from == part.rank)
    {
        return rank + " was late to receive " + message + " of " + std::to_string(operation.bytes) +
               " B from " + peer + in + (why.empty() ? "" : ", which " + why);
    }
    return rank + " waited " + FormatPathTime(part.waited) + " for " + message + " of " +
           std::to_string(operation.bytes) + " B from " + peer + in + ", which was on its way " +
           FormatPathTime(part.end - part.begin) + (why.empty() ? "" : " and " + why);
}

const RdmaResultTable<RdmaCriticalPath::Row>&
RdmaCriticalPath::GetTable()
{
    return g_pathTable;
}

std::string
RdmaCriticalPath::Format()
{
    std::string text = g_pathTable.FormatHeader();
    for (uint32_t number = 0; number < m_schedule.GetJobs().size(); ++number)
    {
        const RdmaScheduleJob& job = m_schedule.GetJobs()[number];
        for (const RdmaPathPart& part : Find(number))
        {
            const RdmaScheduleJob& owner = m_schedule.GetJobs()[part.operation.job];
            g_pathTable.AppendRow(text,
                                  {job.GetName(),
                                   owner.GetStep(part.rank, part.operation.operation),
                                   part.begin,
                                   part.end,
                                   part.rank,
                                   part.from,
                                   part.waited,
                                   owner.GetName(part.rank, part.operation.operation),
                                   Describe(part)});
        }
    }
    return text;
}

void
RdmaCriticalPath::Print(std::ostream& os, uint32_t job, uint32_t step, std::size_t most)
{
    std::vector<RdmaPathPart> parts = Find(job, step);
    RdmaPs whole(0);
    RdmaPs computing(0);
    std::map<std::string, RdmaPs> messages;
    for (const RdmaPathPart& part : parts)
    {
        const RdmaPs time = part.end - part.begin;
        whole += time;
        if (IsPathWork(part.operation.kind))
        {
            computing += time;
        }
        else
        {
            const auto& owner = m_schedule.GetJobs()[part.operation.job];
            messages[owner.GetName(part.rank, part.operation.operation)] += time;
        }
    }
    os << "critical path of job " << m_schedule.GetJobs()[job].GetName() << ", step " << step
       << ": " << parts.size() << " parts in " << FormatPathTime(whole) << "\n"
       << "  " << FormatPathShare(computing, whole) << "  " << FormatPathTime(computing)
       << "  computing\n";
    std::vector<std::pair<RdmaPs, std::string>> sums;
    for (const auto& [name, time] : messages)
    {
        sums.emplace_back(time, name);
    }
    std::sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (std::size_t i = 0; i < sums.size() && i < most; ++i)
    {
        os << "  " << FormatPathShare(sums[i].first, whole) << "  " << FormatPathTime(sums[i].first)
           << "  messages of " << sums[i].second << "\n";
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
        return a.end - a.begin > b.end - b.begin;
    });
    parts.resize(std::min(parts.size(), most));
    if (!parts.empty())
    {
        os << (parts.size() > 1 ? "longest parts:\n" : "longest part:\n");
    }
    for (const RdmaPathPart& part : parts)
    {
        os << "  " << FormatPathShare(part.end - part.begin, whole) << "  at "
           << FormatPathTime(part.begin) << ": " << Describe(part) << "\n";
    }
}

} // namespace ns3
