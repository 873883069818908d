/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCHEDULE_RANK_H
#define RDMA_SCHEDULE_RANK_H

#include "rdma-event-order.h"
#include "rdma-message-key.h"
#include "rdma-operation.h"
#include "rdma-ps.h"
#include "rdma-rank-program.h"
#include "rdma-ring-buffer.h"
#include "rdma-schedule-network.h"
#include "rdma-timer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaOperationSchedule;

/**
 * \ingroup rdma-collective
 * One rank of a schedule: its operations in progress, its messages, its units and its programs.
 *
 * All that happens to a rank happens in events of its node, so ranks can run on different threads.
 *
 * Messages are matched in posting order: among the messages with the same sender, context and tag,
 * the receive that begins as the k-th one gets the message that is sent as the k-th one, whatever
 * overtakes on the way. A message without a receive waits in memory. A rendezvous message is sent
 * in three steps: a request, the receiver's answer once the receive has begun, and the data.
 *
 * A unit serves one operation at a time, in the order in which they are begun. Other operations of
 * a rank do not wait for each other.
 *
 * What ends at one instant ends in this order: sends and messages in the order in which the network
 * reports them, then computing, copies and reductions in the order in which they began.
 */
class RdmaScheduleRank
{
  public:
    /** Order of arriving signals (RdmaScheduleJob::AddEdge()) among the events of one instant. */
    static constexpr uint32_t SIGNAL_ORDER = RdmaEventOrder::Programs::At<4>();
    /** Order of the ends of operations that take a time among the events of one instant. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<6>();

    /**
     * \param schedule the schedule of the rank
     * \param network carries the messages
     * \param rank number of the rank
     */
    RdmaScheduleRank(RdmaOperationSchedule& schedule, RdmaScheduleNetwork& network, uint32_t rank);
    ~RdmaScheduleRank();

    RdmaScheduleRank(const RdmaScheduleRank&) = delete;
    RdmaScheduleRank& operator=(const RdmaScheduleRank&) = delete;

    /** \return number of the rank */
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /** \return id of the node in whose events the rank acts */
    uint32_t GetNodeId() const
    {
        return m_node;
    }

    /** Numbers of messages. */
    struct Counts;

    // For programs

    /**
     * Begins an operation: at once, or when its unit is free.
     *
     * \param program is told of the end of the operation, after this call
     * \param id the program's number for the operation
     * \param operation the operation
     */
    void Begin(RdmaRankProgram& program, uint64_t id, const RdmaOperation& operation);

    /**
     * Starts programs, whose end is the end of one operation of another program.
     *
     * \param programs the programs, which are destroyed when all of them have ended
     * \param parent is told of the end, after this call
     * \param id the parent's number for the operation
     */
    void Call(std::vector<std::unique_ptr<RdmaRankProgram>> programs,
              RdmaRankProgram& parent,
              uint64_t id);

    // For the schedule

    /**
     * Starts a program in an event of the rank.
     *
     * \param at when the program starts, not in the past
     * \param job number of the job, for RdmaOperationSchedule
     * \param program the program
     */
    void StartAt(RdmaPs at, uint32_t job, std::unique_ptr<RdmaRankProgram> program);

    /** Records operations from now on. \param recording what is recorded */
    void SetRecording(RdmaRecording recording)
    {
        m_recording = recording;
    }

    /** \return the recorded operations, in the order of their ends */
    const std::deque<RdmaOperationRecord>& GetRecords() const
    {
        return m_records;
    }

    /** Adds a record of another process that runs the rank. \param record the record */
    void AddRecord(const RdmaOperationRecord& record)
    {
        m_records.push_back(record);
    }

    /** The network no longer needs the buffer of a message. \param id number of the message */
    void Sent(uint64_t id);

    /** A message has arrived. \param message the message */
    void Arrived(const RdmaScheduleMessage& message);

    /**
     * A signal has arrived; the receive that waits for it ends later at this instant.
     * \param message the signal
     */
    void Signalled(const RdmaScheduleMessage& message);

    /** \return number of operations in progress */
    std::size_t GetNActive() const
    {
        return m_nActive;
    }

    /** \return bytes of memory for what is in progress, without the programs */
    std::size_t GetMemory() const;

    /** A message that a rank waits for. */
    struct Awaited
    {
        bool isAny{false}; //!< the rank waits for a message
        uint32_t peer{0};  //!< rank of the other end
    };

    /** \return the first message that the rank waits for, in the order in which the waits began */
    Awaited GetAwaited() const;

    /**
     * \param [in,out] lines takes a few lines that say what the rank waits for
     */
    void DescribeWait(std::vector<std::string>& lines) const;

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no place
    /// Number of a message whose end nobody waits for.
    static constexpr uint64_t NO_ID = RdmaScheduleNetwork::NOBODY_WAITS;
    static constexpr uint32_t NO_CAUSE = RdmaOperationRecord::NO_CAUSE; //!< no cause

    /** An operation in progress. */
    struct Active
    {
        RdmaOperation operation;           //!< the operation
        RdmaRankProgram* program{nullptr}; //!< program of the operation; null: the place is free
        uint64_t id{0};                    //!< the program's number for the operation
        uint64_t order{0};                 //!< number of the operation among those of the rank
        RdmaPs begin{0};                   //!< when it began: when its unit took it
        uint32_t sequence{0};              //!< number of the message
        uint32_t next{NONE};               //!< next one that waits for the unit, or next free place
    };

    using Key = RdmaMessageKey; //!< what tells a message from others

    /** A message that has arrived without a receive. */
    struct Early
    {
        uint64_t bytes{0};                                                //!< size
        RdmaScheduleMessage::Kind kind{RdmaScheduleMessage::Kind::EAGER}; //!< EAGER or REQUEST
    };

    /** An operation or a start with its time. */
    struct Due
    {
        RdmaPs at{0};      //!< the time
        uint64_t order{0}; //!< order among those of one time
        uint32_t place{0}; //!< place of the operation; NONE: the start of a program

        bool operator>(const Due& other) const
        {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    /** A program is to be told of its operation, or an operation has got its unit. */
    struct Notice
    {
        RdmaRankProgram* program{nullptr}; //!< the program; null: an operation has got its unit
        uint64_t id{0};                    //!< its number for the operation; place of the operation
        bool isEnd{false};                 //!< the operation has ended; else: it has begun
        uint32_t cause{NO_CAUSE};          //!< cause of what begins now
    };

    /** What is recorded of an operation in progress. */
    struct Mark
    {
        uint32_t cause{NO_CAUSE}; //!< its cause
        bool isLate{false};       //!< a receive whose message, or its request, came first
    };

    /** A program that starts later. */
    struct Later
    {
        uint32_t job{0};                          //!< number of the job
        std::unique_ptr<RdmaRankProgram> program; //!< the program
    };

    /** The operations that a unit serves. */
    struct Unit
    {
        bool isBusy{false};   //!< an operation is in progress
        uint32_t first{NONE}; //!< first one that waits
        uint32_t last{NONE};  //!< last one that waits
    };

    void Run(uint32_t place);
    void RunSend(uint32_t place);
    void RunCombine(uint32_t place);
    void RunReceive(uint32_t place);
    void RunFor(uint32_t place, RdmaPs time);
    void RunSignal(uint32_t place);
    void End(uint32_t place);
    uint32_t Record(const RdmaOperationRecord& record, const RdmaRankProgram& program, uint64_t id);
    void SendControl(RdmaScheduleMessage::Kind kind, const Key& key);
    RdmaScheduleMessage MakeMessage(RdmaScheduleMessage::Kind kind,
                                    const Key& key,
                                    uint64_t payload) const;
    void CheckSize(const Active& receive, uint64_t bytes) const;
    void StartCall(std::vector<std::unique_ptr<RdmaRankProgram>> programs,
                   RdmaRankProgram& parent,
                   uint64_t id,
                   uint32_t number);
    void StartGroup(RdmaRankProgram::Group& group);
    void Settle();
    void EndIfDone(RdmaRankProgram& program);
    void Leave(RdmaRankProgram::Group& group);
    void OnTimer();
    std::string Describe(const Active& active) const;

    RdmaOperationSchedule& m_schedule; //!< the schedule of the rank
    RdmaScheduleNetwork& m_network;    //!< carries the messages
    uint32_t m_rank;                   //!< number of the rank
    uint32_t m_node;                   //!< id of the rank's node

    std::vector<Active> m_active;     //!< operations in progress, and free places
    uint32_t m_free{NONE};            //!< first free place
    std::size_t m_nActive{0};         //!< number of operations in progress
    uint64_t m_orders{0};             //!< number of operations and starts so far
    std::vector<Due> m_due;           //!< heap of operations that take a time, and of starts
    std::vector<Later> m_later;       //!< programs that have not started
    RdmaRingBuffer<Notice> m_notices; //!< in the order of their causes
    RdmaRingBuffer<RdmaScheduleMessage> m_signals;             //!< signals of this instant
    std::unordered_map<Key, uint32_t, Key::Hash> m_receives;   //!< receives without a message
    std::unordered_map<Key, Early, Key::Hash> m_early;         //!< messages without a receive
    std::unordered_map<Key, uint32_t, Key::Hash> m_rendezvous; //!< sends that wait for the receiver
    std::vector<Unit> m_units;                                 //!< units by number
    std::list<RdmaRankProgram::Group> m_groups;                //!< programs that run
    std::unique_ptr<Counts> m_counts;                          //!< numbers of the messages of jobs
    bool m_isSettling{false};                                  //!< Settle() is going on
    RdmaRecording m_recording{RdmaRecording::NOTHING};         //!< what is recorded
    uint32_t m_cause{NO_CAUSE};                                //!< cause of what begins now
    std::vector<Mark> m_marks;                                 //!< by place, with a recording
    std::deque<RdmaOperationRecord> m_records;                 //!< operations that have ended
    /// Next end of an operation that takes a time
    RdmaTimer<RdmaScheduleRank, &RdmaScheduleRank::OnTimer, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_SCHEDULE_RANK_H */
