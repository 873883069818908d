/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SERVER_H
#define RDMA_SERVER_H

#include "rdma-completion-queue.h"
#include "rdma-connection-end.h"
#include "rdma-queue-pair.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-trace.h"
#include "rdma-verbs.h"

#include <ns3/application.h>
#include <ns3/callback.h>
#include <ns3/ipv4-address.h>

#include <deque>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Request of a client to a server to connect a queue pair.
 */
struct RdmaConnectionRequest
{
    Ptr<RdmaQueuePair> queuePair;                  //!< the client's queue pair, in state INIT
    Ipv4Address address;                           //!< IPv4 address of the server's port
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< operation of the client's messages
    uint64_t bytes{0};                             //!< bytes per message of the client
    bool answer{false};        //!< the server answers each message by a message of the same kind
    uint64_t answerBytes{0};   //!< bytes per answer
    uint64_t answerAddress{0}; //!< memory address that answers are written to
    uint32_t answerKey{0};     //!< key of the memory that answers are written to
    uint8_t priority{8};       //!< class of the answers, 0..7; 8: from the queue pair's DSCP
};

/**
 * \ingroup rdma
 * Reply of a server to a connection request.
 */
struct RdmaConnectionReply
{
    uint64_t address{0}; //!< address of the memory that the client may access
    uint32_t key{0};     //!< key of the memory that the client may access
};

/**
 * \ingroup rdma
 * Peer of RdmaClient: registers memory, posts receives and, if the client's pattern requires it,
 * answers each message that arrives.
 *
 * A client finds the server by the address of a port of the server's node and by the attribute
 * Port. They connect as soon as both have started; connection set-up is out of band and takes no
 * time. When the server stops, its queue pairs go to ERR and its memory is deregistered, as at the
 * end of a process. Unfinished requests of clients then fail, so a server should stop after its
 * clients.
 */
class RdmaServer : public Application
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaServer();

    /// Default port of clients and servers, the port of perftest.
    static constexpr uint16_t DEFAULT_PORT = 18515;

    /** \return the server's port, attribute Port */
    uint16_t GetPort() const
    {
        return m_port;
    }

    /** \return messages received, without READs and atomics, which the NIC answers */
    uint64_t GetMessagesReceived() const
    {
        return m_messages;
    }

    /** \return bytes of the messages received, without READs and atomics */
    uint64_t GetBytesReceived() const
    {
        return m_bytes;
    }

    /** \return number of queue pairs that clients have connected so far */
    uint32_t GetNConnections() const
    {
        return static_cast<uint32_t>(m_connections.size());
    }

    /** \return number of connected queue pairs that failed */
    uint32_t GetNFailed() const
    {
        return m_failed;
    }

    /**
     * \param index number of a connection, from 0 in the order of Accept()
     * \return the server's queue pair
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t index) const;

    // Functions for RdmaClient

    /** \param address of a port of an RdmaNic \return node with this port; null if there is none */
    static Ptr<Node> FindNode(Ipv4Address address);

    /**
     * \param node the node to search
     * \param port value of the attribute Port
     * \return the server with this port on the node; null if there is none
     */
    static Ptr<RdmaServer> Find(Ptr<Node> node, uint16_t port);

    /** \return true from start to stop of the server */
    bool IsListening() const
    {
        return m_listening;
    }

    /**
     * Calls a function when the server begins to listen, or immediately if the server listens.
     *
     * \param callback the function
     */
    void WhenListening(Callback<void> callback);

    /**
     * Creates a queue pair and connects it with the client's. Accepted only while IsListening().
     *
     * \param request the client's request
     * \return the server's reply
     */
    RdmaConnectionReply Accept(const RdmaConnectionRequest& request);

    /** Closes the connection of a client that has failed. \param client the client's queue pair */
    void Abandon(Ptr<RdmaQueuePair> client);

  protected:
    void DoDispose() override;

  private:
    /** The server's end of a connection. */
    struct Connection : public RdmaConnectionEnd
    {
        Connection(const Setup& setup, const RdmaConnectionRequest& from)
            : RdmaConnectionEnd(setup),
              request(from)
        {
            request.queuePair = nullptr; // the connection does not own the client's queue pair
        }

        RdmaConnectionRequest request; //!< the client's request, without its queue pair
    };

    void StartApplication() override;
    void StopApplication() override;

    RdmaConnectionReply RegisterMemory(Connection& connection);
    void OnMessage(const RdmaMessageArrival& arrival);
    void OnReceive(const RdmaWorkCompletion& completion);
    void OnSent(const RdmaWorkCompletion& completion);
    void PostReceive(Connection& connection);
    void Answer(Connection& connection);
    void Fail(Connection& connection, const RdmaWorkCompletion& completion);

    uint16_t m_port{DEFAULT_PORT};                     //!< attribute Port
    uint32_t m_receiveDepth{512};                      //!< attribute ReceiveDepth
    uint64_t m_receiveSize{RDMA_MAX_MESSAGE_BYTES};    //!< attribute ReceiveSize
    bool m_shared{false};                              //!< attribute SharedReceiveQueue
    bool m_listening{false};                           //!< the server has started and not stopped
    uint64_t m_nextAddress{0};                         //!< address of the next memory region
    uint64_t m_messages{0};                            //!< messages received
    uint64_t m_bytes{0};                               //!< bytes of the messages received
    uint32_t m_failed{0};                              //!< number of failed connections
    std::deque<Connection> m_connections;              //!< connections in the order of Accept()
    std::unordered_map<uint32_t, Connection*> m_byQpn; //!< connections by queue pair number
    std::vector<Callback<void>> m_waiting;             //!< callbacks to call when the server starts
    /// Shared receive queue; null: one queue per queue pair
    Ptr<RdmaSharedReceiveQueue> m_receives;
    Ptr<RdmaCompletionQueue> m_sent;                 //!< completions of answers
    Ptr<RdmaCompletionQueue> m_received;             //!< completions of receive requests
    RdmaTrace<const RdmaMessageArrival&> m_rx;       //!< trace Rx
    RdmaTrace<const RdmaWorkCompletion&> m_failures; //!< trace Failed
};

} // namespace ns3

#endif /* RDMA_SERVER_H */
