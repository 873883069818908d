/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-message-plan.h"

#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/object-base.h>
#include <ns3/uinteger.h>

namespace ns3
{

TypeId
RdmaMessagePlan::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Operation",
                      "Operation of the messages.",
                      EnumValue(Operation::WRITE),
                      RdmaMakeEnumAccessor<Operation>(&RdmaMessagePlan::m_operation),
                      MakeEnumChecker(Operation::WRITE,
                                      "Write",
                                      Operation::WRITE_WITH_IMM,
                                      "WriteWithImm",
                                      Operation::SEND,
                                      "Send",
                                      Operation::SEND_WITH_IMM,
                                      "SendWithImm",
                                      Operation::READ,
                                      "Read",
                                      Operation::COMPARE_AND_SWAP,
                                      "CompareAndSwap",
                                      Operation::FETCH_AND_ADD,
                                      "FetchAndAdd"))
        .AddAttribute("Pattern",
                      "Bulk, RequestResponse or PingPong: rule for posting messages and ending "
                      "iterations. RequestResponse excludes READs and atomics, which the "
                      "server's NIC answers by itself.",
                      EnumValue(Pattern::BULK),
                      RdmaMakeEnumAccessor<Pattern>(&RdmaMessagePlan::m_pattern),
                      MakeEnumChecker(Pattern::BULK,
                                      "Bulk",
                                      Pattern::REQUEST_RESPONSE,
                                      "RequestResponse",
                                      Pattern::PING_PONG,
                                      "PingPong"))
        .AddAttribute("MessageSize",
                      "Bytes per message, ignored for atomics, which have 8 bytes.",
                      UintegerValue(65536),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_messageSize),
                      MakeUintegerChecker<uint64_t>(0, RDMA_MAX_MESSAGE_BYTES))
        .AddAttribute("ResponseSize",
                      "Bytes per answer with pattern RequestResponse.",
                      UintegerValue(64),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_responseSize),
                      MakeUintegerChecker<uint64_t>(0, RDMA_MAX_MESSAGE_BYTES))
        .AddAttribute("Iterations",
                      "Messages on each queue pair; 0: no limit until the application stops.",
                      UintegerValue(1000),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_iterations),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("QueueDepth",
                      "Messages of a queue pair that are posted and not complete (tx-depth); "
                      "always 1 with pattern PingPong.",
                      UintegerValue(128),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_queueDepth),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("QueuePairs",
                      "Number of queue pairs. All carry the same traffic in parallel.",
                      UintegerValue(1),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_queuePairs),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("Interval",
                      "Least time between the beginnings of two messages of a queue pair.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaMessagePlan::m_interval),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("Priority",
                      "Class of the messages and their answers, 0 to 7; 8: from the queue "
                      "pairs' attribute Dscp.",
                      UintegerValue(8),
                      MakeUintegerAccessor(&RdmaMessagePlan::m_priority),
                      MakeUintegerChecker<uint8_t>(0, 8));
}

void
RdmaMessagePlan::CheckPattern() const
{
    NS_ABORT_MSG_IF(
        m_pattern == Pattern::REQUEST_RESPONSE && IsRdmaRead(GetOpcode()),
        "rdma: RdmaClient with Pattern RequestResponse and a READ or atomic as "
        "Operation, which the server's NIC answers by itself; accepted: Bulk, PingPong");
}

} // namespace ns3
