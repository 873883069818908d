/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client.h"

#include "rdma-compat.h"
#include "rdma-nic.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaClient");

NS_OBJECT_ENSURE_REGISTERED(RdmaClient);

TypeId
RdmaClient::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaClient")
            .SetParent<Application>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaClient>()
            .AddAttribute("RemoteAddress",
                          "IPv4 address of a port of the server's node.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&RdmaClient::m_remoteAddress),
                          MakeIpv4AddressChecker())
            .AddAttribute("RemotePort",
                          "Value of the server's attribute Port.",
                          UintegerValue(RdmaServer::DEFAULT_PORT),
                          MakeUintegerAccessor(&RdmaClient::m_remotePort),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("NicPort",
                          "Index of the port of this node's RdmaNic that the client uses.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaClient::m_nicPort),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Operation",
                          "Operation of the messages.",
                          EnumValue(Operation::WRITE),
                          RdmaMakeEnumAccessor<Operation>(&RdmaClient::m_operation),
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
                          RdmaMakeEnumAccessor<Pattern>(&RdmaClient::m_pattern),
                          MakeEnumChecker(Pattern::BULK,
                                          "Bulk",
                                          Pattern::REQUEST_RESPONSE,
                                          "RequestResponse",
                                          Pattern::PING_PONG,
                                          "PingPong"))
            .AddAttribute("MessageSize",
                          "Bytes per message, ignored for atomics, which have 8 bytes.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&RdmaClient::m_messageSize),
                          MakeUintegerChecker<uint64_t>(0, RDMA_MAX_MESSAGE_BYTES))
            .AddAttribute("ResponseSize",
                          "Bytes per answer with pattern RequestResponse.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaClient::m_responseSize),
                          MakeUintegerChecker<uint64_t>(0, RDMA_MAX_MESSAGE_BYTES))
            .AddAttribute("Iterations",
                          "Messages on each queue pair; 0: no limit until the application stops.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaClient::m_iterations),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueDepth",
                          "Messages of a queue pair that are posted and not complete (tx-depth); "
                          "always 1 with pattern PingPong.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RdmaClient::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1, 1U << 20))
            .AddAttribute("QueuePairs",
                          "Number of queue pairs. All carry the same traffic in parallel.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaClient::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 1U << 20))
            .AddAttribute("Interval",
                          "Least time between the beginnings of two messages of a queue pair.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaClient::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Priority",
                          "Class of the messages and their answers, 0 to 7; 8: from the queue "
                          "pairs' attribute Dscp.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaClient::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 8))
            .AddAttribute("KeepLatencies",
                          "Keep the latency of every iteration, 8 bytes each, for the result's "
                          "latency statistics. The trace Iteration reports it in any case.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaClient::m_keepLatencies),
                          MakeBooleanChecker())
            .AddTraceSource("Iteration",
                            "An iteration is complete",
                            MakeTraceSourceAccessor(&RdmaClient::m_iterationTrace),
                            "ns3::RdmaClient::IterationCallback")
            .AddTraceSource("Ended",
                            "All iterations are complete, or the client has stopped or failed",
                            MakeTraceSourceAccessor(&RdmaClient::m_endedTrace),
                            "ns3::RdmaClient::EndedCallback");
    return tid;
}

RdmaClient::RdmaClient()
    : m_sent(CreateObject<RdmaCompletionQueue>()),
      m_received(CreateObject<RdmaCompletionQueue>())
{
    NS_LOG_FUNCTION(this);
    m_sent->SetCallback(MakeCallback(&RdmaClient::OnSent, this));
    m_received->SetCallback(MakeCallback(&RdmaClient::OnReceive, this));
}

RdmaClient::~RdmaClient()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaClient::DoDispose()
{
    NS_LOG_FUNCTION(this);
    const bool stuck = m_state == State::RUNNING && !m_server->IsListening();
    if (m_state == State::WAITING || stuck || (m_state == State::RUNNING && m_iterations > 0))
    {
        NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << GetStatus());
    }
    m_state = State::IDLE;
    m_sent->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_received->SetCallback(RdmaCompletionQueue::CompletionCallback());
    for (auto& connection : m_connections)
    {
        connection->queuePair->TraceDisconnectWithoutContext(
            "MessageReceived",
            MakeCallback(&RdmaClient::OnMessage, this));
    }
    m_connections.clear();
    m_byQpn.clear();
    m_server = nullptr;
    Application::DoDispose();
}

std::vector<Ptr<RdmaQueuePair>>
RdmaClient::GetQueuePairs() const
{
    std::vector<Ptr<RdmaQueuePair>> queuePairs;
    for (const auto& connection : m_connections)
    {
        queuePairs.push_back(connection->queuePair);
    }
    return queuePairs;
}

void
RdmaClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    const auto nic = GetNode()->GetObject<RdmaNic>();
    NS_ABORT_MSG_IF(!nic,
                    "rdma: RdmaClient on node " << GetNode()->GetId() << ", which has no RdmaNic");
    NS_ABORT_MSG_IF(
        m_pattern == Pattern::REQUEST_RESPONSE && IsRdmaRead(GetOpcode()),
        "rdma: RdmaClient with Pattern RequestResponse and a READ or atomic as "
        "Operation, which the server's NIC answers by itself; accepted: Bulk, PingPong");
    const auto node = RdmaServer::FindNode(m_remoteAddress);
    NS_ABORT_MSG_IF(!node || node == GetNode(),
                    "rdma: RdmaClient on node "
                        << GetNode()->GetId() << " has RemoteAddress " << m_remoteAddress
                        << "; accepted: that of a port of another node's RdmaNic");
    m_state = State::WAITING;
    m_server = RdmaServer::Find(node, m_remotePort);
    if (!m_server)
    {
        return;
    }
    if (m_server->IsListening())
    {
        Begin();
    }
    else
    {
        m_server->WhenListening(MakeCallback(&RdmaClient::Begin, this));
    }
}

void
RdmaClient::Begin()
{
    if (m_state != State::WAITING)
    {
        return; // the client stopped before the server started
    }
    NS_LOG_FUNCTION(this);
    m_state = State::RUNNING;
    m_begin = QbbNow();
    for (uint32_t i = 0; i < m_queuePairs; ++i)
    {
        Connect(i);
    }
    for (const auto& connection : m_connections)
    {
        Advance(*connection);
    }
}

void
RdmaClient::Connect(uint32_t index)
{
    const auto nic = GetNode()->GetObject<RdmaNic>();
    auto connection = std::make_unique<Connection>(this);
    connection->queuePair = nic->CreateQueuePair(m_nicPort);
    connection->queuePair->SetSendCompletionQueue(m_sent);
    connection->queuePair->SetReceiveCompletionQueue(m_received);
    connection->queuePair->TraceConnectWithoutContext("MessageReceived",
                                                      MakeCallback(&RdmaClient::OnMessage, this));
    RdmaConnectionRequest request;
    request.queuePair = connection->queuePair;
    request.address = m_remoteAddress;
    request.opcode = GetOpcode();
    request.bytes = GetMessageBytes();
    request.priority = m_priority;
    if (m_priority < 8)
    {
        connection->queuePair->SetPriority(m_priority);
    }
    if (IsAnswered())
    {
        RdmaMemoryAccess access;
        access.remoteWrite = true;
        request.answer = true;
        request.answerBytes = GetAnswerBytes();
        // Payload is virtual, so all answers may be written to the same address.
        connection->key =
            nic->GetMemory().Register(0, std::max<uint64_t>(1, GetAnswerBytes()), access);
        request.answerKey = connection->key;
        for (uint32_t i = 0; m_operation != Operation::WRITE && i < GetDepth(); ++i)
        {
            connection->queuePair->PostReceive({index, GetAnswerBytes()});
        }
    }
    connection->memory = m_server->Accept(request);
    m_byQpn[connection->queuePair->GetQpn()] = m_connections.size();
    m_connections.push_back(std::move(connection));
}

void
RdmaClient::Advance(Connection& connection)
{
    const QbbPs now = QbbNow();
    while (m_state == State::RUNNING && connection.begun - connection.done < GetDepth() &&
           (m_iterations == 0 || connection.begun < m_iterations))
    {
        if (now < connection.next)
        {
            connection.timer.Arm(connection.next);
            return;
        }
        connection.next = now + QbbToPs(m_interval);
        Post(connection);
    }
}

void
RdmaClient::Post(Connection& connection)
{
    RdmaSendRequest request;
    request.id = connection.begun;
    request.opcode = GetOpcode();
    request.signaled = !IsAnswered();
    request.length = GetMessageBytes();
    request.remoteAddress = connection.memory.address;
    request.rKey = connection.memory.key;
    if (m_operation == Operation::COMPARE_AND_SWAP)
    {
        request.compareAdd = connection.begun;
        request.swap = connection.begun + 1;
    }
    else
    {
        request.compareAdd = 1;
    }
    ++connection.begun;
    connection.begins.Push(QbbNow());
    connection.queuePair->PostSend(request);
}

void
RdmaClient::OnSent(const RdmaWorkCompletion& completion)
{
    if (m_state != State::RUNNING)
    {
        return;
    }
    if (completion.status != RdmaWcStatus::SUCCESS)
    {
        Fail(completion);
        return;
    }
    Finish(*m_connections[m_byQpn.at(completion.qpn)]);
}

void
RdmaClient::OnReceive(const RdmaWorkCompletion& completion)
{
    if (m_state != State::RUNNING)
    {
        return;
    }
    if (completion.status != RdmaWcStatus::SUCCESS)
    {
        Fail(completion);
        return;
    }
    Connection& connection = *m_connections[m_byQpn.at(completion.qpn)];
    connection.queuePair->PostReceive({0, GetAnswerBytes()});
    Finish(connection);
}

void
RdmaClient::OnMessage(const RdmaMessageArrival& arrival)
{
    // All operations but WRITE are detected by their receive completion.
    if (m_state == State::RUNNING && m_operation == Operation::WRITE)
    {
        Finish(*m_connections[m_byQpn.at(arrival.qpn)]);
    }
}

void
RdmaClient::Finish(Connection& connection)
{
    RdmaIteration iteration;
    iteration.qpn = connection.queuePair->GetQpn();
    iteration.number = connection.done++;
    iteration.begin = connection.begins.Pop();
    iteration.end = QbbNow();
    iteration.latency = iteration.end - iteration.begin;
    if (m_pattern == Pattern::PING_PONG && IsAnswered())
    {
        iteration.latency /= 2;
    }
    ++m_completed;
    m_end = iteration.end;
    if (m_keepLatencies)
    {
        m_latencies.push_back(iteration.latency);
    }
    m_iterationTrace(iteration);
    if (m_iterations > 0 && m_completed == m_iterations * m_queuePairs)
    {
        End(State::DONE);
        return;
    }
    Advance(connection);
}

void
RdmaClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_state == State::WAITING)
    {
        NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << GetStatus());
        m_failure = GetStatus();
        End(State::FAILED);
    }
    else if (m_state == State::RUNNING)
    {
        End(State::STOPPED);
    }
}

void
RdmaClient::End(State state)
{
    m_state = state;
    for (const auto& connection : m_connections)
    {
        connection->timer.Disarm();
    }
    m_endedTrace(GetResult());
}

void
RdmaClient::Fail(const RdmaWorkCompletion& completion)
{
    const Connection& failed = *m_connections[m_byQpn.at(completion.qpn)];
    std::ostringstream text;
    text << completion.status << " on queue pair " << completion.qpn << " after " << failed.done
         << " iterations";
    m_failure = text.str();
    NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << m_failure);
    // In state FAILED the client ignores the completions of flushed requests.
    m_state = State::FAILED;
    RdmaQpAttributes attributes;
    attributes.state = RdmaQpState::ERR;
    for (const auto& connection : m_connections)
    {
        connection->queuePair->Modify(attributes);
        m_server->Abandon(connection->queuePair);
        if (connection->key != RdmaMemory::NO_KEY)
        {
            GetNode()->GetObject<RdmaNic>()->GetMemory().Deregister(connection->key);
        }
    }
    End(State::FAILED);
}

std::string
RdmaClient::GetStatus() const
{
    std::ostringstream text;
    switch (m_state)
    {
    case State::IDLE:
        return "not started";
    case State::WAITING:
        text << (m_server ? "the server at " : "there is no server at ") << m_remoteAddress << ":"
             << m_remotePort << (m_server ? " has not started" : "");
        return text.str();
    case State::RUNNING:
        // A queue pair does not detect a missing answer, so the server's state is reported.
        text << (m_server->IsListening() ? "running; " : "the server has stopped; ") << m_completed;
        if (m_iterations > 0)
        {
            text << " of " << m_iterations * m_queuePairs;
        }
        text << " iterations done";
        return text.str();
    case State::DONE:
        return "done";
    case State::STOPPED:
        return "stopped";
    case State::FAILED:
        break;
    }
    return m_failure;
}

RdmaClientResult
RdmaClient::GetResult() const
{
    RdmaClientResult result;
    result.status = GetStatus();
    result.iterations = m_completed;
    result.messageBytes = GetMessageBytes();
    result.bytes = m_completed * GetMessageBytes();
    result.begin = m_begin;
    result.end = m_end;
    if (m_completed > 0)
    {
        const double seconds = static_cast<double>(m_end - m_begin) / 1e12;
        result.bandwidthBps = static_cast<double>(result.bytes) * 8 / seconds;
        result.messagesPerSecond = static_cast<double>(m_completed) / seconds;
    }
    if (!m_latencies.empty())
    {
        result.latency = GetRdmaLatency(m_latencies);
    }
    return result;
}

} // namespace ns3
