/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_PLAN_H
#define RDMA_MESSAGE_PLAN_H

#include "rdma-verbs.h"

#include <ns3/nstime.h>
#include <ns3/type-id.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The messages of an RdmaClient: operation, sizes, number and rate. The values are attributes of
 * the client.
 */
class RdmaMessagePlan
{
  public:
    /** Operation of the messages. */
    enum Operation : uint8_t
    {
        WRITE,            //!< RDMA_WRITE
        WRITE_WITH_IMM,   //!< RDMA_WRITE_WITH_IMM
        SEND,             //!< SEND
        SEND_WITH_IMM,    //!< SEND_WITH_IMM
        READ,             //!< RDMA_READ
        COMPARE_AND_SWAP, //!< ATOMIC_CMP_AND_SWP
        FETCH_AND_ADD,    //!< ATOMIC_FETCH_AND_ADD
    };

    /** Traffic pattern: how many messages are outstanding, and when an iteration is complete. */
    enum Pattern : uint8_t
    {
        BULK,             //!< QueueDepth messages outstanding, each until its completion
        REQUEST_RESPONSE, //!< QueueDepth messages outstanding, each until its answer
        PING_PONG,        //!< one message outstanding, until its answer
    };

    /** Aborts with a message if the pattern excludes the operation. */
    void CheckPattern() const;

    /** \return operation of the messages */
    RdmaWrOpcode GetOpcode() const
    {
        return static_cast<RdmaWrOpcode>(m_operation);
    }

    /** \return true if a message of the server answers each message and ends the iteration */
    bool IsAnswered() const
    {
        return m_pattern != Pattern::BULK && !IsRdmaRead(GetOpcode());
    }

    /** \return true if one message at a time is outstanding, until its answer */
    bool IsPingPong() const
    {
        return m_pattern == Pattern::PING_PONG;
    }

    /** \return largest number of incomplete iterations of a queue pair */
    uint32_t GetDepth() const
    {
        return IsPingPong() ? 1 : m_queueDepth;
    }

    /** \return bytes per message */
    uint64_t GetMessageBytes() const
    {
        return m_operation >= Operation::COMPARE_AND_SWAP ? RDMA_ATOMIC_BYTES : m_messageSize;
    }

    /** \return bytes per answer */
    uint64_t GetAnswerBytes() const
    {
        return IsPingPong() ? m_messageSize : m_responseSize;
    }

    /** \param begun number of messages begun on a queue pair \return true if another one follows */
    bool HasNext(uint64_t begun) const
    {
        return m_iterations == 0 || begun < m_iterations;
    }

    /** \return number of messages on all queue pairs together; 0: no limit */
    uint64_t GetTotal() const
    {
        return m_iterations * m_queuePairs;
    }

    /** \return least time between the beginnings of two messages of a queue pair */
    const Time& GetInterval() const
    {
        return m_interval;
    }

    /** \return class of the messages and answers, 0 to 7; 8: from the queue pair's DSCP */
    uint8_t GetPriority() const
    {
        return m_priority;
    }

  protected:
    ~RdmaMessagePlan() = default;

    /** \param tid type of a class derived from the plan \return the type with the attributes */
    static TypeId AddAttributes(TypeId tid);

    uint32_t m_queuePairs{0}; //!< attribute QueuePairs

  private:
    Operation m_operation{Operation::WRITE}; //!< attribute Operation
    Pattern m_pattern{Pattern::BULK};        //!< attribute Pattern
    uint64_t m_messageSize{0};               //!< attribute MessageSize
    uint64_t m_responseSize{0};              //!< attribute ResponseSize
    uint64_t m_iterations{0};                //!< attribute Iterations
    uint32_t m_queueDepth{0};                //!< attribute QueueDepth
    uint8_t m_priority{0};                   //!< attribute Priority
    Time m_interval;                         //!< attribute Interval
};

} // namespace ns3

#endif /* RDMA_MESSAGE_PLAN_H */
