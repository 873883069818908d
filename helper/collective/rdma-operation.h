/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPERATION_H
#define RDMA_OPERATION_H

#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * One operation of one rank of a schedule. The functions below make operations.
 *
 * Ranks are numbered through the whole schedule, not within a communicator. A context separates the
 * messages of one communicator, or of one call of a collective, from all others:
 * RdmaOperationSchedule::GetContext().
 */
struct RdmaOperation
{
    /** What an operation does. */
    enum class Kind : uint8_t
    {
        SEND,    //!< send a message to a rank; ends when the network no longer needs the buffer
        RECEIVE, //!< receive a message from a rank; ends when the message is in memory
        COMPUTE, //!< compute for a time
        COPY,    //!< copy bytes: one access to read and one to write each byte
        REDUCE,  //!< reduce bytes into others: two accesses to read and one to write each byte
        CALL,    //!< the rank's part of a collective (RdmaScheduleJob::AddCollective())
        SIGNAL,  //!< let an operation of another rank begin (RdmaScheduleJob::AddEdge())
        COMBINE, //!< as SEND, through a switch that reduces (RdmaScheduleNetwork::ReduceInSwitch())
    };

    /// Value of unit: the operation waits for no unit.
    static constexpr uint8_t NO_UNIT = 255;

    uint64_t amount{0};       //!< bytes; COMPUTE and SIGNAL: picoseconds; CALL: unused
    uint32_t context{0};      //!< context of the message
    uint32_t peer{0};         //!< rank of the other end
    uint32_t tag{0};          //!< tag of the message; CALL: number of the call
    Kind kind{Kind::COMPUTE}; //!< what the operation does
    uint8_t unit{NO_UNIT}; //!< unit of the rank, which serves one operation at a time, or NO_UNIT
    bool isRendezvous{false}; //!< SEND: the data wait until the receive is posted
    bool tellsBegin{false};   //!< RdmaRankProgram::Begun() is called

    /**
     * \param bytes size of the message, 0 or more
     * \param to rank of the receiver
     * \param context context of the message
     * \param tag tag of the message
     * \param isRendezvous true: a request and its answer precede the data; false: the data are sent
     *        at once
     * \return the operation
     */
    static RdmaOperation Send(uint64_t bytes,
                              uint32_t to,
                              uint32_t context,
                              uint32_t tag,
                              bool isRendezvous = false)
    {
        RdmaOperation op;
        op.amount = bytes;
        op.context = context;
        op.peer = to;
        op.tag = tag;
        op.kind = Kind::SEND;
        op.isRendezvous = isRendezvous;
        return op;
    }

    /**
     * \param bytes size of the vector, 0 or more
     * \param to rank of the next member of the all-reduce, which receives as many bytes
     * \param context context of the message
     * \param tag tag of the message
     * \return the operation, which gives a vector to an all-reduce in a switch
     */
    static RdmaOperation Combine(uint64_t bytes, uint32_t to, uint32_t context, uint32_t tag)
    {
        RdmaOperation op = Send(bytes, to, context, tag);
        op.kind = Kind::COMBINE;
        return op;
    }

    /**
     * \param bytes room for the message; a larger message ends the program with an error
     * \param from rank of the sender
     * \param context context of the message
     * \param tag tag of the message
     * \return the operation
     */
    static RdmaOperation Receive(uint64_t bytes, uint32_t from, uint32_t context, uint32_t tag)
    {
        RdmaOperation op;
        op.amount = bytes;
        op.context = context;
        op.peer = from;
        op.tag = tag;
        op.kind = Kind::RECEIVE;
        return op;
    }

    /**
     * \param time duration, 0 or more
     * \param unit unit of the rank that computes, below NO_UNIT; NO_UNIT: the operation waits for
     *        no other
     * \return the operation
     */
    static RdmaOperation Compute(RdmaPs time, uint8_t unit = NO_UNIT)
    {
        RdmaOperation op;
        op.amount = static_cast<uint64_t>(time.Get());
        op.kind = Kind::COMPUTE;
        op.unit = unit;
        return op;
    }

    /**
     * \param bytes number of bytes
     * \param unit unit of the rank that copies, as for Compute()
     * \return the operation, which takes twice the time of an access at
     * RdmaOperationSchedule::MemoryRate
     */
    static RdmaOperation Copy(uint64_t bytes, uint8_t unit = NO_UNIT)
    {
        RdmaOperation op;
        op.amount = bytes;
        op.kind = Kind::COPY;
        op.unit = unit;
        return op;
    }

    /**
     * \param bytes number of bytes of one operand
     * \param unit unit of the rank that reduces, as for Compute()
     * \return the operation, which takes three times the time of an access at
     *         RdmaOperationSchedule::MemoryRate
     */
    static RdmaOperation Reduce(uint64_t bytes, uint8_t unit = NO_UNIT)
    {
        RdmaOperation op;
        op.amount = bytes;
        op.kind = Kind::REDUCE;
        op.unit = unit;
        return op;
    }
};

static_assert(sizeof(RdmaOperation) == 24, "schedules of many operations keep one for each");

/**
 * \ingroup rdma-collective
 * When an operation began and ended, and what it waited for before it began.
 */
struct RdmaOperationRecord
{
    /// Value of cause: the operation began with its job.
    static constexpr uint32_t NO_CAUSE = UINT32_MAX;

    uint64_t operation{0}; //!< number of the operation among those of its rank in the job
    RdmaPs begin{0};       //!< when it began; with a unit: when the unit took it
    RdmaPs end{0};         //!< when it ended
    uint64_t bytes{0};     //!< bytes of a message, copy or reduction
    /// Number of another record of the rank: the end of that operation let this one begin. For a
    /// CALL, the end of that operation ended the call. NO_CAUSE: there is no such operation
    uint32_t cause{NO_CAUSE};
    uint32_t peer{0};           //!< messages: rank of the other end
    uint32_t context{0};        //!< messages: context
    uint32_t tag{0};            //!< messages: tag; CALL: number of the call
    uint32_t sequence{0};       //!< messages: number, as in RdmaScheduleMessage
    uint16_t job{0};            //!< number of the job
    RdmaOperation::Kind kind{}; //!< what the operation does
    bool isPart : 1;            //!< part of a call: operation is that of the call
    bool isLate : 1;            //!< RECEIVE: the message, or its request, came first
    bool isRendezvous : 1;      //!< SEND: the data waited until the receive was posted

    RdmaOperationRecord()
        : isPart(false),
          isLate(false),
          isRendezvous(false)
    {
    }
};

static_assert(sizeof(RdmaOperationRecord) == 56, "runs of many operations keep one for each");

/**
 * \ingroup rdma-collective
 * What a schedule records of its operations.
 */
enum class RdmaRecording
{
    NOTHING,    //!< nothing
    OPERATIONS, //!< the operations of jobs; a collective is one of them
    MESSAGES,   //!< the parts of collectives, too: each message and reduction
};

} // namespace ns3

#endif /* RDMA_OPERATION_H */
