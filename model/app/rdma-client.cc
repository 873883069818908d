/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client.h"

#include "qbb-time.h"
#include "rdma-nic.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaClient");

NS_OBJECT_ENSURE_REGISTERED(RdmaClient);

TypeId
RdmaClient::GetTypeId()
{
    static TypeId tid =
        AddAttributes(TypeId("ns3::RdmaClient")
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
                                        MakeUintegerChecker<uint32_t>()))
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
    CheckPattern();
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
    m_meter.Begin(QbbNow());
    const RdmaConnectionEnd::Setup setup{*GetNode()->GetObject<RdmaNic>(),
                                         m_nicPort,
                                         GetPriority(),
                                         m_sent,
                                         m_received,
                                         MakeCallback(&RdmaClient::OnMessage, this)};
    for (uint32_t i = 0; i < m_queuePairs; ++i)
    {
        auto connection = std::make_unique<RdmaClientConnection>(*this, setup);
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
        RdmaClientConnection& connection = *m_byQpn.at(completion.qpn);
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
RdmaClient::Finish(RdmaClientConnection& connection)
{
    const RdmaIteration iteration = connection.Finish();
    m_meter.Add(iteration, m_keepLatencies);
    m_iterationTrace(iteration);
    if (GetTotal() > 0 && m_meter.GetIterations() == GetTotal())
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
        text << (m_server->IsListening() ? "running; " : "the server has stopped; ")
             << m_meter.GetIterations();
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
    RdmaClientResult result = m_meter.GetResult(GetMessageBytes());
    result.status = GetStatus();
    return result;
}

} // namespace ns3
