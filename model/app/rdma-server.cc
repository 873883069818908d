/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-server.h"

#include "rdma-nic.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/node-list.h>
#include <ns3/node.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaServer");

NS_OBJECT_ENSURE_REGISTERED(RdmaServer);

namespace
{

/// Lowest bit of the server's port in addresses of its memory: servers use separate addresses.
constexpr uint32_t PORT_SHIFT = 47;
/// Alignment of memory regions in bytes.
constexpr uint64_t PAGE_BYTES = 4096;

} // namespace

TypeId
RdmaServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaServer")
            .SetParent<Application>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaServer>()
            .AddAttribute("Port",
                          "Port that clients find the server by on its node (in perftest, the TCP "
                          "port for setting up connections).",
                          UintegerValue(DEFAULT_PORT),
                          MakeUintegerAccessor(&RdmaServer::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("ReceiveDepth",
                          "Receive requests posted for each queue pair, or in the shared receive "
                          "queue; a used request is posted again.",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaServer::m_receiveDepth),
                          MakeUintegerChecker<uint32_t>(1, 1U << 20))
            .AddAttribute("ReceiveSize",
                          "Size in bytes of the buffer of a receive request.",
                          UintegerValue(RDMA_MAX_MESSAGE_BYTES),
                          MakeUintegerAccessor(&RdmaServer::m_receiveSize),
                          MakeUintegerChecker<uint64_t>(0, RDMA_MAX_MESSAGE_BYTES))
            .AddAttribute("SharedReceiveQueue",
                          "All queue pairs take receive requests from one shared receive queue.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaServer::m_shared),
                          MakeBooleanChecker())
            .AddTraceSource("Rx",
                            "A message has been received completely",
                            MakeTraceSourceAccessor(&RdmaServer::m_rx),
                            "ns3::RdmaQueuePair::MessageCallback")
            .AddTraceSource("Failed",
                            "A queue pair has failed with the given completion",
                            MakeTraceSourceAccessor(&RdmaServer::m_failures),
                            "ns3::RdmaCompletionQueue::CompletionTracedCallback");
    return tid;
}

RdmaServer::RdmaServer()
    : m_sent(CreateObject<RdmaCompletionQueue>()),
      m_received(CreateObject<RdmaCompletionQueue>())
{
    m_sent->SetCallback(MakeCallback(&RdmaServer::OnSent, this));
    m_received->SetCallback(MakeCallback(&RdmaServer::OnReceive, this));
}

void
RdmaServer::DoDispose()
{
    m_sent->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_received->SetCallback(RdmaCompletionQueue::CompletionCallback());
    m_byQpn.clear();
    m_connections.clear();
    m_waiting.clear();
    m_receives = nullptr;
    Application::DoDispose();
}

Ptr<RdmaQueuePair>
RdmaServer::GetQueuePair(uint32_t index) const
{
    NS_ABORT_MSG_IF(index >= m_connections.size(),
                    "rdma: connection " << index << " of an RdmaServer with "
                                        << m_connections.size());
    return m_connections[index].GetQueuePair();
}

Ptr<Node>
RdmaServer::FindNode(Ipv4Address address)
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto nic = (*node)->GetObject<RdmaNic>();
        for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
        {
            if (nic->GetAddress(port) == address)
            {
                return *node;
            }
        }
    }
    return nullptr;
}

Ptr<RdmaServer>
RdmaServer::Find(Ptr<Node> node, uint16_t port)
{
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        const auto server = DynamicCast<RdmaServer>(node->GetApplication(i));
        if (server && server->GetPort() == port)
        {
            return server;
        }
    }
    return nullptr;
}

void
RdmaServer::WhenListening(Callback<void> callback)
{
    if (m_listening)
    {
        callback();
        return;
    }
    m_waiting.push_back(callback);
}

void
RdmaServer::StartApplication()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!GetNode()->GetObject<RdmaNic>(),
                    "rdma: RdmaServer on node " << GetNode()->GetId() << ", which has no RdmaNic");
    m_listening = true;
    m_nextAddress = uint64_t{m_port} << PORT_SHIFT;
    if (m_shared)
    {
        m_receives = CreateObject<RdmaSharedReceiveQueue>();
        for (uint32_t i = 0; i < m_receiveDepth; ++i)
        {
            m_receives->PostReceive({i, m_receiveSize});
        }
    }
    for (const auto& callback : std::exchange(m_waiting, {}))
    {
        callback();
    }
}

void
RdmaServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_listening = false;
    for (auto& connection : m_connections)
    {
        connection.Close();
    }
}

RdmaConnectionReply
RdmaServer::RegisterMemory(Connection& connection)
{
    const RdmaConnectionRequest& request = connection.request;
    RdmaMemoryAccess access;
    access.remoteWrite = !IsRdmaRead(request.opcode);
    access.remoteRead = request.opcode == RdmaWrOpcode::RDMA_READ;
    access.remoteAtomic = !access.remoteWrite && !access.remoteRead;
    const uint64_t bytes =
        access.remoteAtomic ? RDMA_ATOMIC_BYTES : std::max<uint64_t>(1, request.bytes);
    RdmaConnectionReply reply;
    reply.address = m_nextAddress;
    reply.key = connection.Register(reply.address, bytes, access);
    if (access.remoteAtomic)
    {
        GetNode()->GetObject<RdmaNic>()->GetMemory().SetWord(reply.address, 0);
    }
    m_nextAddress += (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return reply;
}

RdmaConnectionReply
RdmaServer::Accept(const RdmaConnectionRequest& request)
{
    NS_LOG_FUNCTION(this << request.address);
    NS_ABORT_MSG_IF(!m_listening, "rdma: RdmaServer::Accept() of a server that does not listen");
    const auto nic = GetNode()->GetObject<RdmaNic>();
    uint32_t port = 0;
    while (nic->GetAddress(port) != request.address)
    {
        ++port;
    }
    const RdmaConnectionEnd::Setup setup{*nic,
                                         port,
                                         request.priority,
                                         m_sent,
                                         m_received,
                                         MakeCallback(&RdmaServer::OnMessage, this)};
    Connection& connection = m_connections.emplace_back(setup, request);
    const auto& queuePair = connection.GetQueuePair();
    m_byQpn[queuePair->GetQpn()] = &connection;
    if (m_receives)
    {
        queuePair->SetSharedReceiveQueue(m_receives);
    }
    const RdmaConnectionReply reply = RegisterMemory(connection);
    const bool receives = request.opcode != RdmaWrOpcode::RDMA_WRITE && !IsRdmaRead(request.opcode);
    for (uint32_t i = 0; receives && !m_receives && i < m_receiveDepth; ++i)
    {
        PostReceive(connection);
    }
    RdmaQueuePair::ConnectPair(request.queuePair, queuePair);
    return reply;
}

void
RdmaServer::Abandon(Ptr<RdmaQueuePair> client)
{
    NS_LOG_FUNCTION(this);
    for (auto& connection : m_connections)
    {
        const auto& queuePair = connection.GetQueuePair();
        if (queuePair->GetRemoteAddress() == client->GetLocalAddress() &&
            queuePair->GetRemoteQpn() == client->GetQpn())
        {
            connection.Close();
        }
    }
}

void
RdmaServer::PostReceive(Connection& connection)
{
    if (m_receives)
    {
        m_receives->PostReceive({0, m_receiveSize});
    }
    else
    {
        connection.GetQueuePair()->PostReceive({0, m_receiveSize});
    }
}

void
RdmaServer::OnMessage(const RdmaMessageArrival& arrival)
{
    ++m_messages;
    m_bytes += arrival.bytes;
    m_rx(arrival);
    Connection& connection = *m_byQpn.at(arrival.qpn);
    // A WRITE has no receive completion; OnReceive() handles all other messages.
    if (connection.IsOpen() && connection.request.opcode == RdmaWrOpcode::RDMA_WRITE)
    {
        Answer(connection);
    }
}

void
RdmaServer::OnReceive(const RdmaWorkCompletion& completion)
{
    Connection& connection = *m_byQpn.at(completion.qpn);
    if (!connection.IsOpen())
    {
        return;
    }
    if (completion.status != RdmaWcStatus::SUCCESS)
    {
        Fail(connection, completion);
        return;
    }
    PostReceive(connection);
    Answer(connection);
}

void
RdmaServer::Answer(Connection& connection)
{
    if (!connection.request.answer)
    {
        return;
    }
    RdmaSendRequest answer;
    answer.opcode = connection.request.opcode;
    answer.length = connection.request.answerBytes;
    answer.remoteAddress = connection.request.answerAddress;
    answer.rKey = connection.request.answerKey;
    answer.signaled = false;
    connection.GetQueuePair()->PostSend(answer);
}

void
RdmaServer::OnSent(const RdmaWorkCompletion& completion)
{
    // Answers are not signaled, so a completion reports an error.
    Connection& connection = *m_byQpn.at(completion.qpn);
    if (connection.IsOpen())
    {
        Fail(connection, completion);
    }
}

void
RdmaServer::Fail(Connection& connection, const RdmaWorkCompletion& completion)
{
    NS_LOG_WARN("RdmaServer on node " << GetNode()->GetId() << ": queue pair " << completion.qpn
                                      << ": " << completion.status);
    ++m_failed;
    connection.Close();
    m_failures(completion);
}

} // namespace ns3
