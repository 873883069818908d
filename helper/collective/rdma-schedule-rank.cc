/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-schedule-rank.h"

#include "rdma-message-counts.h"
#include "rdma-operation-schedule.h"
#include "rdma-time.h"

#include <ns3/abort.h>

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{

/** Numbers of messages. A call of a collective has a context, and so numbers, of its own. */
struct RdmaScheduleRank::Counts
{
    RdmaMessageCounts sent;     //!< of messages that were sent
    RdmaMessageCounts received; //!< of receives that have begun
};

/** The programs of one call, or of a job. */
struct RdmaRankProgram::Group
{
    std::vector<std::unique_ptr<RdmaRankProgram>> programs; //!< the programs
    std::size_t running{0};                                 //!< number of programs not ended
    RdmaRankProgram* parent{nullptr}; //!< is told of the end; null: the schedule is told
    uint64_t id{0};                   //!< the parent's number of the call; number of the job
    RdmaScheduleRank::Counts* counts{nullptr};           //!< numbers of the messages
    std::unique_ptr<RdmaScheduleRank::Counts> ownCounts; //!< the same, of a call
    RdmaPs begin{0};                                     //!< when the programs began
    uint32_t job{0};                                     //!< number of the job
    uint64_t call{0};                                    //!< operation of the job; with isCall
    uint32_t number{0};                                  //!< number of the call
    bool isCall{false};                                  //!< the programs of a call
    std::list<Group>::iterator self;                     //!< place in the list of the rank
};

namespace
{

/** An arriving signal. */
class RdmaSignalEvent : public RdmaEvent
{
  public:
    RdmaSignalEvent(RdmaScheduleRank& rank, const RdmaScheduleMessage& signal)
        : m_rank(rank),
          m_signal(signal)
    {
    }

    void Run() override
    {
        m_rank.Signalled(m_signal);
    }

    void Prefetch(uint32_t /*step*/) const override
    {
    }

  private:
    RdmaScheduleRank& m_rank;     //!< rank that gets the signal
    RdmaScheduleMessage m_signal; //!< the signal
};

} // namespace

RdmaScheduleRank::RdmaScheduleRank(RdmaOperationSchedule& schedule,
                                   RdmaScheduleNetwork& network,
                                   uint32_t rank)
    : m_schedule(schedule),
      m_network(network),
      m_rank(rank),
      m_node(network.GetNodeId(rank)),
      m_counts(std::make_unique<Counts>()),
      m_timer(this)
{
}

RdmaScheduleRank::~RdmaScheduleRank() = default;

void
RdmaScheduleRank::StartAt(RdmaPs at, uint32_t job, std::unique_ptr<RdmaRankProgram> program)
{
    m_due.push_back({at, m_orders++, NONE - 1 - static_cast<uint32_t>(m_later.size())});
    std::push_heap(m_due.begin(), m_due.end(), std::greater<>());
    m_later.push_back({job, std::move(program)});
    m_timer.ArmNoLater(at);
}

void
RdmaScheduleRank::Begin(RdmaRankProgram& program, uint64_t id, const RdmaOperation& operation)
{
    uint32_t place = m_free;
    if (place == NONE)
    {
        place = static_cast<uint32_t>(m_active.size());
        m_active.emplace_back();
    }
    else
    {
        m_free = m_active[place].next;
    }
    ++m_nActive;
    Active& active = m_active[place];
    active.operation = operation;
    active.program = &program;
    active.id = id;
    active.order = m_orders++;
    active.next = NONE;
    if (m_recording != RdmaRecording::NOTHING)
    {
        m_marks.resize(m_active.size());
        m_marks[place] = {m_cause, false};
    }
    // The numbers of messages follow the order of this function's calls, not that of the units.
    if (operation.kind == RdmaOperation::Kind::SEND ||
        operation.kind == RdmaOperation::Kind::COMBINE)
    {
        active.sequence = program.GetGroup()->counts->sent.Count(operation.context,
                                                                 operation.peer,
                                                                 operation.tag);
    }
    else if (operation.kind == RdmaOperation::Kind::RECEIVE)
    {
        active.sequence = program.GetGroup()->counts->received.Count(operation.context,
                                                                     operation.peer,
                                                                     operation.tag);
    }
    if (operation.unit != RdmaOperation::NO_UNIT)
    {
        if (m_units.size() <= operation.unit)
        {
            m_units.resize(operation.unit + 1);
        }
        Unit& unit = m_units[operation.unit];
        if (unit.isBusy)
        {
            (unit.first == NONE ? unit.first : m_active[unit.last].next) = place;
            unit.last = place;
            return;
        }
        unit.isBusy = true;
    }
    Run(place);
}

/** Carries out an operation that need not wait for its unit any longer. */
void
RdmaScheduleRank::Run(uint32_t place)
{
    Active& active = m_active[place];
    const RdmaOperation& operation = active.operation;
    active.begin = RdmaNow();
    if (operation.tellsBegin)
    {
        m_notices.Emplace(active.program, active.id, false, m_cause);
    }
    switch (operation.kind)
    {
    case RdmaOperation::Kind::SEND:
        RunSend(place);
        break;
    case RdmaOperation::Kind::COMBINE:
        RunCombine(place);
        break;
    case RdmaOperation::Kind::RECEIVE:
        RunReceive(place);
        break;
    case RdmaOperation::Kind::COMPUTE:
        RunFor(place, RdmaPs(static_cast<int64_t>(operation.amount)));
        break;
    case RdmaOperation::Kind::COPY:
        RunFor(place, 2 * m_schedule.GetAccessTime(operation.amount));
        break;
    case RdmaOperation::Kind::REDUCE:
        RunFor(place, 3 * m_schedule.GetAccessTime(operation.amount));
        break;
    case RdmaOperation::Kind::SIGNAL:
        RunSignal(place);
        break;
    case RdmaOperation::Kind::CALL: {
        RdmaRankProgram& program = *active.program;
        const uint64_t id = active.id;
        const uint32_t call = operation.tag;
        End(place); // the programs of the call end the operation instead
        StartCall(m_schedule.MakePrograms(call, m_rank), program, id, call);
        break;
    }
    }
}

void
RdmaScheduleRank::RunFor(uint32_t place, RdmaPs time)
{
    if (time == RdmaPs(0))
    {
        End(place);
        return;
    }
    const RdmaPs at = RdmaNow() + time;
    m_due.push_back({at, m_orders++, place});
    std::push_heap(m_due.begin(), m_due.end(), std::greater<>());
    m_timer.ArmNoLater(at);
}

void
RdmaScheduleRank::RunSend(uint32_t place)
{
    const Active& active = m_active[place];
    const RdmaOperation& operation = active.operation;
    const Key key{operation.context, operation.peer, operation.tag, active.sequence};
    if (operation.isRendezvous)
    {
        m_rendezvous.emplace(key, place);
        SendControl(RdmaScheduleMessage::Kind::REQUEST, key);
        return;
    }
    m_network.Send(MakeMessage(RdmaScheduleMessage::Kind::EAGER, key, operation.amount), place);
}

void
RdmaScheduleRank::RunCombine(uint32_t place)
{
    const Active& active = m_active[place];
    const RdmaOperation& operation = active.operation;
    const Key key{operation.context, operation.peer, operation.tag, active.sequence};
    m_network.ReduceInSwitch(MakeMessage(RdmaScheduleMessage::Kind::EAGER, key, operation.amount),
                             place);
}

void
RdmaScheduleRank::RunReceive(uint32_t place)
{
    const Active& active = m_active[place];
    const RdmaOperation& operation = active.operation;
    const Key key{operation.context, operation.peer, operation.tag, active.sequence};
    const auto early = m_early.find(key);
    if (early == m_early.end())
    {
        m_receives.emplace(key, place);
        return;
    }
    const Early message = early->second;
    m_early.erase(early);
    if (m_recording != RdmaRecording::NOTHING)
    {
        m_marks[place].isLate = true;
    }
    if (message.kind == RdmaScheduleMessage::Kind::EAGER)
    {
        CheckSize(active, message.bytes);
        End(place);
        return;
    }
    m_receives.emplace(key, place);
    SendControl(RdmaScheduleMessage::Kind::CLEAR, key);
}

void
RdmaScheduleRank::RunSignal(uint32_t place)
{
    const RdmaOperation& operation = m_active[place].operation;
    RdmaScheduleMessage signal;
    signal.from = m_rank;
    signal.to = operation.peer;
    signal.context = operation.context;
    signal.tag = operation.tag;
    RdmaScheduleRank& other = m_schedule.GetRank(operation.peer);
    const RdmaEventTime now = RdmaEventNow();
    const RdmaPs at = now.GetInstant() + RdmaPs(static_cast<int64_t>(operation.amount));
    const Ptr<RdmaSignalEvent> event(new RdmaSignalEvent(other, signal), false);
    RdmaSchedule(other.GetNodeId(), RdmaEventTime(at, SIGNAL_ORDER), now, PeekPointer(event));
    End(place);
}

/** Frees the place of an operation, and lets its unit take the next one. */
void
RdmaScheduleRank::End(uint32_t place)
{
    Active& active = m_active[place];
    const uint8_t number = active.operation.unit;
    uint32_t cause = m_cause;
    if (active.operation.kind != RdmaOperation::Kind::CALL)
    {
        if (m_recording != RdmaRecording::NOTHING)
        {
            RdmaOperationRecord record;
            record.begin = active.begin;
            record.end = RdmaNow();
            record.cause = m_marks[place].cause;
            record.peer = active.operation.peer;
            record.context = active.operation.context;
            record.tag = active.operation.tag;
            record.sequence = active.sequence;
            record.kind = active.operation.kind;
            record.isLate = m_marks[place].isLate;
            record.isRendezvous = active.operation.isRendezvous;
            record.bytes = active.operation.kind == RdmaOperation::Kind::COMPUTE ||
                                   active.operation.kind == RdmaOperation::Kind::SIGNAL
                               ? 0
                               : active.operation.amount;
            cause = Record(record, *active.program, active.id);
        }
        m_notices.Emplace(active.program, active.id, true, cause);
    }
    active.program = nullptr;
    active.next = m_free;
    m_free = place;
    --m_nActive;
    if (number == RdmaOperation::NO_UNIT)
    {
        return;
    }
    Unit& unit = m_units[number];
    const uint32_t next = unit.first;
    if (next == NONE)
    {
        unit.isBusy = false;
        return;
    }
    unit.first = m_active[next].next;
    // Not Run(), which may end operation after operation.
    m_notices.Emplace(nullptr, next, false, cause);
}

/**
 * Records the end of an operation.
 *
 * \param record when the operation began and ended, and what it did
 * \param program program of the operation
 * \param id the program's number for the operation
 * \return number of the record; without a record of its own: that of the present cause
 */
uint32_t
RdmaScheduleRank::Record(const RdmaOperationRecord& record,
                         const RdmaRankProgram& program,
                         uint64_t id)
{
    const RdmaRankProgram::Group& group = *program.GetGroup();
    if (group.isCall && m_recording != RdmaRecording::MESSAGES)
    {
        return NO_CAUSE;
    }
    m_records.push_back(record);
    m_records.back().operation = group.isCall ? group.call : id;
    m_records.back().job = static_cast<uint16_t>(group.job);
    m_records.back().isPart = group.isCall;
    return static_cast<uint32_t>(m_records.size() - 1);
}

RdmaScheduleMessage
RdmaScheduleRank::MakeMessage(RdmaScheduleMessage::Kind kind,
                              const Key& key,
                              uint64_t payload) const
{
    RdmaScheduleMessage message;
    message.from = m_rank;
    message.to = key.peer;
    message.context = key.context;
    message.tag = key.tag;
    message.sequence = key.sequence;
    message.kind = kind;
    message.priority = m_schedule.GetPriority(key.context);
    message.bytes = payload + m_schedule.GetHeaderBytes();
    return message;
}

void
RdmaScheduleRank::SendControl(RdmaScheduleMessage::Kind kind, const Key& key)
{
    m_network.Send(MakeMessage(kind, key, m_schedule.GetControlBytes()), NO_ID);
}

void
RdmaScheduleRank::CheckSize(const Active& receive, uint64_t bytes) const
{
    NS_ABORT_MSG_IF(bytes > receive.operation.amount + m_schedule.GetHeaderBytes(),
                    "rdma: " << Describe(receive) << ", but the message has "
                             << bytes - m_schedule.GetHeaderBytes() << " B; accepted: up to "
                             << receive.operation.amount << " B");
}

void
RdmaScheduleRank::Sent(uint64_t id)
{
    if (id == NO_ID)
    {
        return;
    }
    End(static_cast<uint32_t>(id));
    Settle();
}

void
RdmaScheduleRank::Arrived(const RdmaScheduleMessage& message)
{
    const Key key{message.context, message.from, message.tag, message.sequence};
    if (message.kind == RdmaScheduleMessage::Kind::CLEAR)
    {
        const auto send = m_rendezvous.find(key);
        const uint32_t place = send->second;
        m_rendezvous.erase(send);
        m_network.Send(
            MakeMessage(RdmaScheduleMessage::Kind::DATA, key, m_active[place].operation.amount),
            place);
        return;
    }
    const auto receive = m_receives.find(key);
    if (receive == m_receives.end())
    {
        m_early.emplace(key, Early{message.bytes, message.kind});
        return;
    }
    if (message.kind == RdmaScheduleMessage::Kind::REQUEST)
    {
        SendControl(RdmaScheduleMessage::Kind::CLEAR, key);
        return;
    }
    const uint32_t place = receive->second;
    m_receives.erase(receive);
    CheckSize(m_active[place], message.bytes);
    End(place);
    Settle();
}

void
RdmaScheduleRank::Signalled(const RdmaScheduleMessage& message)
{
    m_signals.Emplace(message);
    m_timer.ArmNoLater(RdmaNow());
}

void
RdmaScheduleRank::Call(std::vector<std::unique_ptr<RdmaRankProgram>> programs,
                       RdmaRankProgram& parent,
                       uint64_t id)
{
    StartCall(std::move(programs), parent, id, parent.GetGroup()->number);
}

/** Starts the programs of a call, or of a part of a call. \param number number of the call */
void
RdmaScheduleRank::StartCall(std::vector<std::unique_ptr<RdmaRankProgram>> programs,
                            RdmaRankProgram& parent,
                            uint64_t id,
                            uint32_t number)
{
    const RdmaRankProgram::Group& outer = *parent.GetGroup();
    m_groups.emplace_front();
    RdmaRankProgram::Group& group = m_groups.front();
    group.self = m_groups.begin();
    group.programs = std::move(programs);
    group.parent = &parent;
    group.id = id;
    group.begin = RdmaNow();
    group.job = outer.job;
    group.call = outer.isCall ? outer.call : id;
    group.number = number;
    group.isCall = true;
    group.ownCounts = std::make_unique<Counts>();
    group.counts = group.ownCounts.get();
    StartGroup(group);
}

/** Starts programs. If nothing is to be done, the end comes in Settle(), too. */
void
RdmaScheduleRank::StartGroup(RdmaRankProgram::Group& group)
{
    group.running = group.programs.size() + 1;
    const std::size_t count = group.programs.size();
    for (std::size_t i = 0; i < count; ++i)
    {
        RdmaRankProgram& program = *group.programs[i];
        program.SetGroup(&group);
        program.Start(*this);
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        EndIfDone(*group.programs[i]);
    }
    Leave(group); // the group's own share, which kept the group until here
}

/** Ends a group with its last program. \param program a program that has been told something */
void
RdmaScheduleRank::EndIfDone(RdmaRankProgram& program)
{
    if (program.IsDone())
    {
        Leave(*program.GetGroup());
    }
}

/** A program of a group, or its start, has ended. */
void
RdmaScheduleRank::Leave(RdmaRankProgram::Group& group)
{
    if (--group.running > 0)
    {
        return;
    }
    if (group.parent)
    {
        uint32_t cause = m_cause;
        if (m_recording != RdmaRecording::NOTHING && !group.parent->GetGroup()->isCall)
        {
            RdmaOperationRecord record;
            record.begin = group.begin;
            record.end = RdmaNow();
            record.cause = m_cause;
            record.tag = group.number;
            record.kind = RdmaOperation::Kind::CALL;
            cause = Record(record, *group.parent, group.id);
        }
        m_notices.Emplace(group.parent, group.id, true, cause);
    }
    else
    {
        m_schedule.ProgramEnded(static_cast<uint32_t>(group.id), m_rank);
    }
    m_groups.erase(group.self);
}

/** Tells programs of their operations, and runs what units take, until nothing is left to do. */
void
RdmaScheduleRank::Settle()
{
    if (m_isSettling)
    {
        return;
    }
    m_isSettling = true;
    while (!m_notices.IsEmpty())
    {
        const Notice notice = m_notices.Pop();
        m_cause = notice.cause;
        if (!notice.program)
        {
            const auto place = static_cast<uint32_t>(notice.id);
            if (m_recording != RdmaRecording::NOTHING)
            {
                m_marks[place].cause = notice.cause;
            }
            Run(place);
            continue;
        }
        if (!notice.isEnd)
        {
            notice.program->Begun(*this, notice.id);
            continue;
        }
        notice.program->Ended(*this, notice.id);
        EndIfDone(*notice.program);
    }
    m_isSettling = false;
}

void
RdmaScheduleRank::OnTimer()
{
    const RdmaPs now = RdmaNow();
    if (!m_signals.IsEmpty())
    {
        std::vector<RdmaScheduleMessage> signals;
        while (!m_signals.IsEmpty())
        {
            signals.push_back(m_signals.Pop());
        }
        std::sort(signals.begin(), signals.end(), [](const auto& a, const auto& b) {
            return a.tag < b.tag;
        });
        for (const RdmaScheduleMessage& signal : signals)
        {
            Arrived(signal);
        }
    }
    while (!m_due.empty() && m_due.front().at <= now)
    {
        std::pop_heap(m_due.begin(), m_due.end(), std::greater<>());
        const Due due = m_due.back();
        m_due.pop_back();
        if (due.place >= NONE - m_later.size())
        {
            Later& later = m_later[NONE - 1 - due.place];
            m_groups.emplace_front();
            RdmaRankProgram::Group& group = m_groups.front();
            group.self = m_groups.begin();
            group.programs.push_back(std::move(later.program));
            group.id = later.job;
            group.job = later.job;
            group.counts = m_counts.get();
            m_cause = NO_CAUSE;
            StartGroup(group);
        }
        else
        {
            End(due.place);
        }
        Settle();
    }
    if (!m_due.empty())
    {
        m_timer.ArmNoLater(m_due.front().at);
    }
}

std::size_t
RdmaScheduleRank::GetMemory() const
{
    constexpr std::size_t NODE = 56; // of an unordered map
    return m_active.capacity() * sizeof(Active) + m_due.capacity() * sizeof(Due) +
           NODE * (m_receives.size() + m_early.size() + m_rendezvous.size());
}

RdmaScheduleRank::Awaited
RdmaScheduleRank::GetAwaited() const
{
    const Active* first = nullptr;
    for (const auto* waits : {&m_receives, &m_rendezvous})
    {
        for (const auto& [key, place] : *waits)
        {
            const Active& active = m_active[place];
            if (!first || active.order < first->order)
            {
                first = &active;
            }
        }
    }
    return first ? Awaited{true, first->operation.peer} : Awaited{};
}

std::string
RdmaScheduleRank::Describe(const Active& active) const
{
    const RdmaOperation& operation = active.operation;
    std::ostringstream text;
    text << "rank " << m_rank << ": " << active.program->GetName(active.id) << ", a ";
    const bool isSend = operation.kind == RdmaOperation::Kind::SEND;
    text << (isSend ? "send of " : "receive of ") << operation.amount << " B "
         << (isSend ? "to" : "from") << " rank " << operation.peer << " ("
         << m_schedule.DescribeContext(operation.context) << ", tag " << operation.tag
         << ", message " << active.sequence << ")";
    return text.str();
}

void
RdmaScheduleRank::DescribeWait(std::vector<std::string>& lines) const
{
    constexpr std::size_t MOST = 4;
    std::vector<std::pair<uint64_t, std::string>> waits;
    const auto add = [&](uint32_t place, const char* what) {
        const Active& active = m_active[place];
        waits.emplace_back(active.order, Describe(active) + what);
    };
    for (const auto& [key, place] : m_receives)
    {
        add(place, ", waits for the message");
    }
    for (const auto& [key, place] : m_rendezvous)
    {
        add(place, ", waits for the receive");
    }
    std::sort(waits.begin(), waits.end());
    for (std::size_t i = 0; i < waits.size() && i < MOST; ++i)
    {
        lines.push_back(waits[i].second);
    }
    if (waits.size() > MOST)
    {
        lines.push_back("rank " + std::to_string(m_rank) + ": " +
                        std::to_string(waits.size() - MOST) + " more messages are waited for");
    }
    std::vector<std::string> lost;
    for (const auto& [key, message] : m_early)
    {
        lost.push_back("rank " + std::to_string(m_rank) + ": message " +
                       std::to_string(key.sequence) + " from rank " + std::to_string(key.peer) +
                       " (" + m_schedule.DescribeContext(key.context) + ", tag " +
                       std::to_string(key.tag) + ") has no receive");
    }
    std::sort(lost.begin(), lost.end());
    lost.resize(std::min(lost.size(), MOST));
    lines.insert(lines.end(), lost.begin(), lost.end());
    for (const RdmaRankProgram::Group& group : m_groups)
    {
        for (const auto& program : group.programs)
        {
            std::vector<std::string> more;
            if (!program->IsDone())
            {
                program->DescribeWait(more);
            }
            for (const std::string& line : more)
            {
                lines.push_back("rank " + std::to_string(m_rank) + ": " + line);
            }
        }
    }
}

} // namespace ns3
