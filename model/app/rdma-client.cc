/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client.h"

#include "qbb-net-device.h"
#include "rdma-compat.h"
#include "rdma-connection-end.h"
#include "rdma-flow-calendar.h"
#include "rdma-nic.h"
#include "rdma-quantile.h"
#include "rdma-ring-buffer.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaClient");

NS_OBJECT_ENSURE_REGISTERED(RdmaClient);

namespace
{

/** \param latencies latencies, at least one \return their statistics */
RdmaLatency
MakeLatency(const std::vector<RdmaPs>& latencies)
{
    std::vector<double> values;
    for (const RdmaPs latency : latencies)
    {
        values.push_back(static_cast<double>(latency));
    }
    const auto count = static_cast<double>(values.size());
    RdmaLatency result;
    for (const double value : values)
    {
        result.meanPs += value / count;
    }
    double squares = 0;
    for (const double value : values)
    {
        squares += (value - result.meanPs) * (value - result.meanPs);
    }
    result.stdevPs = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    const auto [min, max] = std::minmax_element(latencies.begin(), latencies.end());
    result.min = *min;
    result.max = *max;
    std::sort(values.begin(), values.end());
    result.medianPs = RdmaSortedQuantile(values, 0.5);
    result.p99Ps = RdmaSortedQuantile(values, 0.99);
    result.p999Ps = RdmaSortedQuantile(values, 0.999);
    return result;
}

} // namespace

RdmaClientResult
MakeRdmaClientResult(RdmaPs begin,
                     RdmaPs end,
                     uint64_t iterations,
                     uint64_t messageBytes,
                     const std::vector<RdmaPs>& latencies)
{
    RdmaClientResult result;
    result.iterations = iterations;
    result.messageBytes = messageBytes;
    result.bytes = iterations * messageBytes;
    result.begin = begin;
    result.end = end;
    if (iterations > 0)
    {
        const double seconds = static_cast<double>(end - begin) / 1e12;
        result.bandwidthBps = static_cast<double>(result.bytes) * 8 / seconds;
        result.messagesPerSecond = static_cast<double>(iterations) / seconds;
    }
    if (!latencies.empty())
    {
        result.latency = MakeLatency(latencies);
    }
    return result;
}

/** Posts the messages of a queue pair as the client's attributes say, and tracks iterations. */
class RdmaClient::Connection : public RdmaConnectionEnd
{
  public:
    /**
     * \param client the client, which outlives the connection
     * \param setup resources of the client
     */
    Connection(const RdmaClient& client, const Setup& setup)
        : RdmaConnectionEnd(setup),
          m_client(client),
          m_timer(this)
    {
    }

    /**
     * Connects to a listening server.
     *
     * \param server the server
     * \param address IPv4 address of the server's port
     * \param id identifier of the receive requests
     */
    void Connect(RdmaServer& server, Ipv4Address address, uint64_t id);

    /** Posts all messages that may begin. */
    void Advance();

    /** Posts the receive request of an answer. \param id identifier of the request */
    void PostReceive(uint64_t id);

    /** Ends the oldest iteration. \return the iteration */
    RdmaIteration Finish();

    /** No further message begins. */
    void Stop();

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

    /** \return number of complete iterations */
    uint64_t GetDone() const
    {
        return m_done;
    }

  private:
    void Post();

    const RdmaClient& m_client;      //!< the client
    RdmaConnectionReply m_remote;    //!< address and key of the server's memory
    bool m_stopped{false};           //!< no further message begins
    uint64_t m_begun{0};             //!< number of iterations begun
    uint64_t m_done{0};              //!< number of complete iterations
    RdmaPs m_next{0};                //!< earliest begin of the next iteration
    RdmaRingBuffer<RdmaPs> m_begins; //!< begin times of incomplete iterations
    RdmaTimer<Connection, &Connection::Advance, RdmaFlowCalendar::EVENT_ORDER>
        m_timer; //!< expires when the next iteration may begin
};

void
RdmaClient::Connection::Connect(RdmaServer& server, Ipv4Address address, uint64_t id)
{
    RdmaConnectionRequest request;
    request.queuePair = GetQueuePair();
    request.address = address;
    request.opcode = m_client.GetOpcode();
    request.bytes = m_client.GetMessageBytes();
    request.priority = m_client.GetPriority();
    if (m_client.IsAnswered())
    {
        RdmaMemoryAccess access;
        access.remoteWrite = true;
        request.answer = true;
        request.answerBytes = m_client.GetAnswerBytes();
        // Payload is virtual, so all answers may be written to the same address.
        request.answerKey = Register(0, request.answerBytes, access);
        const bool receives = request.opcode != RdmaWrOpcode::RDMA_WRITE;
        for (uint32_t i = 0; receives && i < m_client.GetDepth(); ++i)
        {
            PostReceive(id);
        }
    }
    m_remote = server.Accept(request);
}

void
RdmaClient::Connection::PostReceive(uint64_t id)
{
    GetQueuePair()->PostReceive({id, m_client.GetAnswerBytes()});
}

void
RdmaClient::Connection::Advance()
{
    const RdmaPs now = RdmaNow();
    while (!m_stopped && m_begun - m_done < m_client.GetDepth() && m_client.HasNext(m_begun))
    {
        if (now < m_next)
        {
            m_timer.Arm(m_next);
            return;
        }
        m_next = now + RdmaToPs(m_client.GetInterval());
        Post();
    }
}

void
RdmaClient::Connection::Post()
{
    RdmaSendRequest request;
    request.id = m_begun;
    request.opcode = m_client.GetOpcode();
    request.signaled = !m_client.IsAnswered();
    request.length = m_client.GetMessageBytes();
    request.remoteAddress = m_remote.address;
    request.rKey = m_remote.key;
    // An atomic counts up a word that begins at 0.
    const bool swaps = request.opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP;
    request.compareAdd = swaps ? m_begun : 1;
    request.swap = swaps ? m_begun + 1 : 0;
    ++m_begun;
    m_begins.Push(RdmaNow());
    GetQueuePair()->PostSend(request);
}

RdmaIteration
RdmaClient::Connection::Finish()
{
    RdmaIteration iteration;
    iteration.qpn = GetQueuePair()->GetQpn();
    iteration.number = m_done++;
    iteration.begin = m_begins.Pop();
    iteration.end = RdmaNow();
    iteration.latency = iteration.end - iteration.begin;
    if (m_client.IsPingPong() && m_client.IsAnswered())
    {
        iteration.latency /= 2;
    }
    return iteration;
}

uint32_t
RdmaClient::Connection::GetNodeId() const
{
    return GetQueuePair()->GetPort()->GetNodeId();
}

void
RdmaClient::Connection::Stop()
{
    m_stopped = true;
    m_timer.Disarm();
}

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
                          "Index of the port of this node's RdmaNic that the client "
                          "uses.",
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
    m_sent->SetCallback(MakeCallback(&RdmaClient::OnSent, this));
    m_received->SetCallback(MakeCallback(&RdmaClient::OnReceive, this));
}

RdmaClient::~RdmaClient() = default;

void
RdmaClient::DoDispose()
{
    const bool stuck = m_state == State::RUNNING && !m_server->IsListening();
    if (m_state == State::WAITING || stuck || (m_state == State::RUNNING && GetTotal() > 0))
    {
        NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << GetStatus());
    }
    m_state = State::IDLE;
    m_sent->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_received->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_byQpn.clear();
    m_connections.clear();
    m_server = nullptr;
    Application::DoDispose();
}

std::vector<Ptr<RdmaQueuePair>>
RdmaClient::GetQueuePairs() const
{
    std::vector<Ptr<RdmaQueuePair>> queuePairs;
    for (const auto& connection : m_connections)
    {
        queuePairs.push_back(connection->GetQueuePair());
    }
    return queuePairs;
}

void
RdmaClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!GetNode()->GetObject<RdmaNic>(),
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
    if (m_server)
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
    m_begin = RdmaNow();
    const RdmaConnectionEnd::Setup setup{*GetNode()->GetObject<RdmaNic>(),
                                         m_nicPort,
                                         GetPriority(),
                                         m_sent,
                                         m_received,
                                         MakeCallback(&RdmaClient::OnMessage, this)};
    for (uint32_t i = 0; i < m_queuePairs; ++i)
    {
        auto connection = std::make_unique<Connection>(*this, setup);
        connection->Connect(*m_server, m_remoteAddress, i);
        m_byQpn[connection->GetQueuePair()->GetQpn()] = connection.get();
        m_connections.push_back(std::move(connection));
    }
    for (const auto& connection : m_connections)
    {
        connection->Advance();
    }
}

bool
RdmaClient::CheckCompletion(const RdmaWorkCompletion& completion)
{
    if (m_state != State::RUNNING)
    {
        return false;
    }
    if (completion.status != RdmaWcStatus::SUCCESS)
    {
        Fail(completion);
        return false;
    }
    return true;
}

void
RdmaClient::OnSent(const RdmaWorkCompletion& completion)
{
    if (CheckCompletion(completion))
    {
        Finish(*m_byQpn.at(completion.qpn));
    }
}

void
RdmaClient::OnReceive(const RdmaWorkCompletion& completion)
{
    if (CheckCompletion(completion))
    {
        Connection& connection = *m_byQpn.at(completion.qpn);
        connection.PostReceive(0);
        Finish(connection);
    }
}

void
RdmaClient::OnMessage(const RdmaMessageArrival& arrival)
{
    // A WRITE has no receive completion; OnReceive() handles all other answers.
    if (m_state == State::RUNNING && GetOpcode() == RdmaWrOpcode::RDMA_WRITE)
    {
        Finish(*m_byQpn.at(arrival.qpn));
    }
}

void
RdmaClient::Finish(Connection& connection)
{
    const RdmaIteration iteration = connection.Finish();
    ++m_done;
    m_end = iteration.end;
    if (m_keepLatencies)
    {
        m_latencies.push_back(iteration.latency);
    }
    m_iterationTrace(iteration);
    if (GetTotal() > 0 && m_done == GetTotal())
    {
        End(State::DONE);
        return;
    }
    connection.Advance();
}

void
RdmaClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_state == State::WAITING)
    {
        m_failure = GetStatus();
        NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << m_failure);
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
        connection->Stop();
    }
    m_endedTrace(GetResult());
}

void
RdmaClient::Fail(const RdmaWorkCompletion& completion)
{
    std::ostringstream text;
    text << completion.status << " on queue pair " << completion.qpn << " after "
         << m_byQpn.at(completion.qpn)->GetDone() << " iterations";
    m_failure = text.str();
    NS_LOG_UNCOND("RdmaClient on node " << GetNode()->GetId() << ": " << m_failure);
    // In state FAILED the client ignores the completions of flushed requests.
    m_state = State::FAILED;
    for (const auto& connection : m_connections)
    {
        connection->Close();
        m_server->Abandon(connection->GetQueuePair());
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
        break;
    case State::RUNNING:
        // A queue pair does not detect a missing answer, so the server's state is reported.
        text << (m_server->IsListening() ? "running; " : "the server has stopped; ") << m_done;
        if (GetTotal() > 0)
        {
            text << " of " << GetTotal();
        }
        text << " iterations done";
        break;
    case State::DONE:
        return "done";
    case State::STOPPED:
        return "stopped";
    case State::FAILED:
        return m_failure;
    }
    return text.str();
}

RdmaClientResult
RdmaClient::GetResult() const
{
    RdmaClientResult result =
        MakeRdmaClientResult(m_begin, m_end, m_done, GetMessageBytes(), m_latencies);
    result.status = GetStatus();
    return result;
}

} // namespace ns3
