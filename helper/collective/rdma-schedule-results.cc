/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-results.h"

#include "rdma-critical-path.h"
#include "rdma-int128.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// An interval of time.
using ScheduleSpan = std::pair<RdmaPs, RdmaPs>;

/** \return true for an operation with which a rank computes */
bool
IsComputing(const RdmaOperationRecord& record)
{
    return !record.isPart &&
           (record.kind == RdmaOperation::Kind::COMPUTE ||
            record.kind == RdmaOperation::Kind::COPY || record.kind == RdmaOperation::Kind::REDUCE);
}

/** \return the time that spans cover together */
RdmaPs
GetCovered(std::vector<ScheduleSpan>& spans)
{
    std::sort(spans.begin(), spans.end());
    RdmaPs covered(0);
    RdmaPs until(0);
    for (const auto& [begin, end] : spans)
    {
        if (end > until)
        {
            covered += end - std::max(begin, until);
            until = end;
        }
    }
    return covered;
}

const RdmaResultTable<RdmaStepResult> g_stepTable = MakeRdmaFileTable<RdmaStepResult>(
    "steps",
    {{"job", "", "name of the job", &RdmaStepResult::job},
     {"step", "", "number of the step, from 0", &RdmaStepResult::step},
     {"begin_ns",
      "ns",
      "when the step before has ended at all ranks, or the job begins",
      &RdmaStepResult::begin},
     {"end_ns", "ns", "when the step has ended at all ranks", &RdmaStepResult::end},
     {"step_ns", "ns", "time of the step: end_ns - begin_ns", &RdmaStepResult::GetTime},
     {"compute_ns",
      "ns",
      "time in which a rank computes, mean over the ranks",
      &RdmaStepResult::meanComputing},
     {"exposed_ns",
      "ns",
      "exposed communication: time in which a rank only waits for messages, mean over the ranks",
      &RdmaStepResult::meanExposed},
     {"max_exposed_ns",
      "ns",
      "longest exposed communication of a rank",
      &RdmaStepResult::maxExposed},
     {"max_exposed_rank", "", "rank with max_exposed_ns", &RdmaStepResult::maxRank}});

const RdmaResultTable<RdmaCallResult> g_callTable = MakeRdmaFileTable<RdmaCallResult>(
    "calls",
    {{"job", "", "name of the job", &RdmaCallResult::job},
     {"step", "", "number of the step, from 0", &RdmaCallResult::step},
     {"name", "", "name of the operation", &RdmaCallResult::name},
     {"group", "", "name of the communicator", &RdmaCallResult::group},
     {"operation",
      "",
      "what the collective does, in the words of nccl-tests",
      &RdmaCallResult::operation},
     {"ranks", "", "number of ranks", &RdmaCallResult::ranks},
     {"bytes", "bytes", "size, as nccl-tests count it", &RdmaCallResult::bytes},
     {"begin_ns", "ns", "when the first rank enters", &RdmaCallResult::begin},
     {"entered_ns", "ns", "when the last rank enters", &RdmaCallResult::entered},
     {"end_ns", "ns", "when the last rank leaves", &RdmaCallResult::end},
     {"algbw_gb_s", "GB/s", "bytes / (end_ns - begin_ns)", &RdmaCallResult::GetAlgorithmBandwidth},
     {"busbw_gb_s",
      "GB/s",
      "algbw_gb_s times the factor of nccl-tests",
      &RdmaCallResult::GetBusBandwidth}});

/** Writes the events of a time line. */
class TimeLineWriter
{
  public:
    TimeLineWriter(const RdmaOperationSchedule& schedule, std::ostream& os)
        : m_schedule(schedule),
          m_os(os)
    {
    }

    void Write()
    {
        m_os << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
        for (uint32_t number = 0; number < m_schedule.GetJobs().size(); ++number)
        {
            WriteJob(number);
        }
        m_os << "\n]}\n";
    }

  private:
    /** What tells a message of a job from others. */
    using Message = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

    static std::string Quote(const std::string& text)
    {
        std::string quoted;
        AppendRdmaField(quoted, RdmaResultFormat::JSON, text);
        return quoted;
    }

    std::ostream& Begin(char phase, uint32_t job, uint32_t track, const std::string& name)
    {
        m_os << (m_isEmpty ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << job + 1
             << ",\"tid\":" << track << ",\"name\":" << Quote(name);
        m_isEmpty = false;
        return m_os;
    }

    void WriteJob(uint32_t number)
    {
        const RdmaScheduleJob& job = m_schedule.GetJobs()[number];
        Begin('M', number, 0, "process_name")
            << ",\"args\":{\"name\":" << Quote("job " + job.GetName()) << "}}";
        for (const uint32_t rank : job.GetRanks())
        {
            std::vector<RdmaOperationRecord> computing;
            std::vector<RdmaOperationRecord> others;
            for (const RdmaOperationRecord& record : job.GetRecords(rank))
            {
                if (record.begin < record.end || record.kind == RdmaOperation::Kind::RECEIVE)
                {
                    (IsComputing(record) ? computing : others).push_back(record);
                }
            }
            WriteTracks(number, rank, "computes", computing);
            WriteTracks(number, rank, "communicates", others);
        }
    }

    /** Writes operations of a rank, those that overlap to different tracks. */
    void WriteTracks(uint32_t number,
                     uint32_t rank,
                     const std::string& what,
                     std::vector<RdmaOperationRecord>& records)
    {
        std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
            return a.begin < b.begin;
        });
        std::vector<RdmaPs> ends; // of the last operation of each track
        const uint32_t first = m_tracks;
        for (const RdmaOperationRecord& record : records)
        {
            const auto free = std::find_if(ends.begin(), ends.end(), [&record](RdmaPs end) {
                return end <= record.begin;
            });
            const auto lane = static_cast<uint32_t>(free - ends.begin());
            if (free == ends.end())
            {
                ends.emplace_back();
                Begin('M', number, first + lane, "thread_name")
                    << ",\"args\":{\"name\":"
                    << Quote("rank " + std::to_string(rank) + " " + what +
                             (lane > 0 ? " " + std::to_string(lane + 1) : ""))
                    << "}}";
                Begin('M', number, first + lane, "thread_sort_index")
                    << ",\"args\":{\"sort_index\":" << first + lane << "}}";
            }
            ends[lane] = record.end;
            WriteOperation(number, rank, first + lane, record);
        }
        m_tracks += static_cast<uint32_t>(ends.size());
    }

    void WriteOperation(uint32_t number,
                        uint32_t rank,
                        uint32_t track,
                        const RdmaOperationRecord& record)
    {
        using Kind = RdmaOperation::Kind;
        const RdmaScheduleJob& job = m_schedule.GetJobs()[number];
        Begin('X', number, track, job.GetName(rank, record.operation))
            << ",\"ts\":" << FormatRdmaUs(record.begin)
            << ",\"dur\":" << FormatRdmaUs(record.end - record.begin)
            << ",\"args\":{\"step\":" << job.GetStep(rank, record.operation);
        if (record.kind == Kind::CALL)
        {
            const auto& call = m_schedule.GetCalls()[record.tag];
            m_os << ",\"group\":" << Quote(m_schedule.GetCommunicatorName(call.communicator))
                 << ",\"bytes\":" << call.bytes;
        }
        else if (record.kind == Kind::SEND || record.kind == Kind::RECEIVE)
        {
            m_os << ",\"peer\":" << record.peer << ",\"bytes\":" << record.bytes;
        }
        m_os << "}}";
        const bool isSend = record.kind == Kind::SEND;
        if (isSend ||
            (record.kind == Kind::RECEIVE && record.context != RdmaOperationSchedule::EDGES))
        {
            // An arrow of this id, from the send to the receive.
            const Message message{record.context,
                                  isSend ? rank : record.peer,
                                  isSend ? record.peer : rank,
                                  record.tag,
                                  record.sequence};
            const auto id = m_arrows.emplace(message, m_arrows.size()).first->second;
            Begin(isSend ? 's' : 'f', number, track, "message")
                << ",\"cat\":\"message\",\"id\":" << id
                << ",\"ts\":" << FormatRdmaUs(isSend ? record.begin : record.end)
                << (isSend ? "}" : ",\"bp\":\"e\"}");
        }
    }

    const RdmaOperationSchedule& m_schedule; //!< the schedule
    std::ostream& m_os;                      //!< takes the text
    bool m_isEmpty{true};                    //!< no event has been written yet
    uint32_t m_tracks{1};                    //!< number of the next track
    std::map<Message, std::size_t> m_arrows; //!< numbers of arrows
};

} // namespace

double
RdmaCallResult::GetAlgorithmBandwidth() const
{
    const RdmaPs time = end - begin;
    return time > RdmaPs(0) ? static_cast<double>(bytes) * 1e3 / static_cast<double>(time.Get())
                            : 0;
}

RdmaScheduleResults::RdmaScheduleResults(const RdmaOperationSchedule& schedule)
    : m_schedule(schedule)
{
    RefuseRdmaIf(schedule.GetRecording() == RdmaRecording::NOTHING,
                 "results of a schedule without a recording; accepted: SetRecording() before the "
                 "run");
    RefuseRdmaIf(!schedule.IsDone(),
                 "results of a schedule that has not ended; accepted: after its end");
    MakeSteps();
    MakeCalls();
}

void
RdmaScheduleResults::MakeSteps()
{
    for (uint32_t number = 0; number < m_schedule.GetJobs().size(); ++number)
    {
        const RdmaScheduleJob& job = m_schedule.GetJobs()[number];
        const std::vector<uint32_t> ranks = job.GetRanks();
        if (ranks.empty())
        {
            continue;
        }
        std::vector<RdmaStepResult> steps(job.GetNSteps());
        std::vector<RdmaInt128> computing(steps.size());
        std::vector<RdmaInt128> exposed(steps.size());
        for (RdmaStepResult& step : steps)
        {
            step.maxExposed = RdmaPs(-1);
        }
        for (const uint32_t rank : ranks)
        {
            std::vector<RdmaPs> ends(steps.size());
            std::vector<std::vector<ScheduleSpan>> spans(steps.size());
            for (const RdmaOperationRecord& record : m_schedule.GetRecords(rank))
            {
                if (record.job != number)
                {
                    continue;
                }
                const uint32_t step = job.GetStep(rank, record.operation);
                ends[step] = std::max(ends[step], record.end);
                if (IsComputing(record))
                {
                    spans[step].emplace_back(record.begin, record.end);
                }
            }
            RdmaPs begin = job.GetStart();
            for (std::size_t i = 0; i < steps.size(); ++i)
            {
                const RdmaPs end = std::max(begin, ends[i]);
                const RdmaPs covered = GetCovered(spans[i]);
                const RdmaPs rest = end - begin - covered;
                computing[i] += covered.Get();
                exposed[i] += rest.Get();
                if (rest > steps[i].maxExposed)
                {
                    steps[i].maxExposed = rest;
                    steps[i].maxRank = rank;
                }
                steps[i].end = std::max(steps[i].end, end);
                begin = end;
            }
        }
        RdmaPs begin = job.GetStart();
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            steps[i].job = job.GetName();
            steps[i].step = static_cast<uint32_t>(i);
            steps[i].begin = begin;
            begin = steps[i].end;
            const auto count = static_cast<int64_t>(ranks.size());
            steps[i].meanComputing = RdmaPs(static_cast<int64_t>(computing[i] / count));
            steps[i].meanExposed = RdmaPs(static_cast<int64_t>(exposed[i] / count));
            m_steps.push_back(steps[i]);
        }
    }
}

void
RdmaScheduleResults::MakeCalls()
{
    const auto& calls = m_schedule.GetCalls();
    m_calls.resize(calls.size());
    std::vector<bool> isKnown(calls.size());
    for (uint32_t rank = 0; rank < m_schedule.GetNRanks(); ++rank)
    {
        for (const RdmaOperationRecord& record : m_schedule.GetRecords(rank))
        {
            if (record.kind != RdmaOperation::Kind::CALL)
            {
                continue;
            }
            RdmaCallResult& result = m_calls[record.tag];
            if (!isKnown[record.tag])
            {
                isKnown[record.tag] = true;
                const auto& call = calls[record.tag];
                const RdmaScheduleJob& job = m_schedule.GetJobs()[record.job];
                result.job = job.GetName();
                result.step = job.GetStep(rank, record.operation);
                result.name = job.GetName(rank, record.operation);
                result.group = m_schedule.GetCommunicatorName(call.communicator);
                result.operation = call.collective->GetOperationName();
                result.bytes = call.bytes;
                result.begin = record.begin;
                result.ranks =
                    static_cast<uint32_t>(m_schedule.GetMembers(call.communicator).size());
                result.busFactor = call.collective->GetBusFactor(result.ranks);
            }
            result.begin = std::min(result.begin, record.begin);
            result.entered = std::max(result.entered, record.begin);
            result.end = std::max(result.end, record.end);
        }
    }
}

const RdmaResultTable<RdmaStepResult>&
RdmaScheduleResults::GetStepTable()
{
    return g_stepTable;
}

const RdmaResultTable<RdmaCallResult>&
RdmaScheduleResults::GetCallTable()
{
    return g_callTable;
}

std::string
RdmaScheduleResults::FormatSteps() const
{
    std::string text = g_stepTable.FormatHeader();
    for (const RdmaStepResult& step : m_steps)
    {
        g_stepTable.AppendRow(text, step);
    }
    return text;
}

std::string
RdmaScheduleResults::FormatCalls() const
{
    std::string text = g_callTable.FormatHeader();
    for (const RdmaCallResult& call : m_calls)
    {
        g_callTable.AppendRow(text, call);
    }
    return text;
}

void
RdmaScheduleResults::PrintSteps(std::ostream& os) const
{
    const auto us = [](RdmaPs time) { return static_cast<double>(time.Get()) / 1e6; };
    std::size_t width = 3;
    for (const RdmaStepResult& step : m_steps)
    {
        width = std::max(width, step.job.size());
    }
    char line[160];
    std::snprintf(line,
                  sizeof(line),
                  "  step      step us   compute us   exposed us  max exposed us  of rank\n");
    os << "job" << std::string(width - 3, ' ') << line;
    for (const RdmaStepResult& step : m_steps)
    {
        std::snprintf(line,
                      sizeof(line),
                      "  %4u %12.3f %12.3f %12.3f    %12.3f %8u\n",
                      step.step,
                      us(step.GetTime()),
                      us(step.meanComputing),
                      us(step.meanExposed),
                      us(step.maxExposed),
                      step.maxRank);
        os << step.job << std::string(width - step.job.size(), ' ') << line;
    }
}

void
RdmaScheduleResults::PrintCalls(std::ostream& os, double rate) const
{
    char line[160];
    std::snprintf(line,
                  sizeof(line),
                  "%-16s %6s %14s %12s %9s %9s %8s\n",
                  "operation",
                  "ranks",
                  "size B",
                  "time us",
                  "algbw",
                  "busbw",
                  "share %");
    os << line;
    for (const RdmaCallResult& call : m_calls)
    {
        std::snprintf(line,
                      sizeof(line),
                      "%-16s %6u %14llu %12.2f %9.2f %9.2f %8.2f\n",
                      call.operation.c_str(),
                      call.ranks,
                      static_cast<unsigned long long>(call.bytes),
                      static_cast<double>((call.end - call.begin).Get()) / 1e6,
                      call.GetAlgorithmBandwidth(),
                      call.GetBusBandwidth(),
                      100 * call.GetBusBandwidth() / rate);
        os << line;
    }
}

void
RdmaScheduleResults::PrintCriticalPaths(std::ostream& os, std::size_t most) const
{
    RdmaCriticalPath path(m_schedule);
    for (uint32_t job = 0; job < m_schedule.GetJobs().size(); ++job)
    {
        path.Print(os, job, m_schedule.GetJobs()[job].GetNSteps() - 1, most);
    }
}

void
RdmaScheduleResults::Write(RdmaRunFolder& folder) const
{
    folder.Write("steps.csv", [this](const auto& add) { add(FormatSteps()); });
    folder.Write("calls.csv", [this](const auto& add) { add(FormatCalls()); });
    if (m_schedule.GetRecording() == RdmaRecording::MESSAGES)
    {
        folder.Write("path.csv",
                     [this](const auto& add) { add(RdmaCriticalPath(m_schedule).Format()); });
    }
}

void
RdmaScheduleResults::SaveTimeLine(const std::string& path) const
{
    WriteRdmaFile(path, [this](std::ostream& os) { WriteTimeLine(os); });
}

void
RdmaScheduleResults::WriteTimeLine(std::ostream& os) const
{
    TimeLineWriter(m_schedule, os).Write();
}

} // namespace ns3
