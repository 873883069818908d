/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SERVER_H
#define RDMA_SERVER_H

#include "rdma-completion-queue.h"
#include "rdma-queue-pair.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-verbs.h"

#include <ns3/application.h>
#include <ns3/callback.h>
#include <ns3/ipv4-address.h>
#include <ns3/traced-callback.h>

#include <unordered_map>
#include <vector>

namespace ns3
{

class RdmaNic;

/**
 * \ingroup rdma
 * What a client tells a server when it connects a queue pair.
 */
struct RdmaConnectionRequest
{
    Ptr<RdmaQueuePair> queuePair;                  //!< the client's, in state INIT
    Ipv4Address address;                           //!< of the server's port
    RdmaWrOpcode opcode{RdmaWrOpcode::RDMA_WRITE}; //!< what the client will ask for
    uint64_t bytes{0};                             //!< length of its messages
    bool answer{false};                            //!< each is answered by one of the same kind
    uint64_t answerBytes{0};                       //!< length of the answers
    uint64_t answerAddress{0};                     //!< where answers are written to
    uint32_t answerKey{0};                         //!< key of that memory
    uint8_t priority{8};                           //!< class of the answers, 0..7; 8: by DSCP
};

/**
 * \ingroup rdma
 * What the server answers.
 */
struct RdmaConnectionReply
{
    uint64_t address{0}; //!< of the memory that the client may use
    uint32_t key{0};     //!< its key
};

/**
 * \ingroup rdma
 * The side of an RdmaClient that answers: registers memory, posts receives, and, if the client's
 * pattern asks for it, sends a message back for each that arrives.
 *
 * Clients find it by the address of a port of its node and by its Port, and connect at the instant
 * at which both have started; this set-up is out of band and takes no time. When it stops, its
 * queue pairs go to ERR and its memory is taken back, as when the process ends: what clients have
 * not finished then fails, so let it run longer than they do.
 */
class RdmaServer : public Application
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaServer();
    ~RdmaServer() override;

    /// Port that clients and servers use unless they are told otherwise; that of perftest.
    static constexpr uint16_t DEFAULT_PORT = 18515;

    /** \return its port */
    uint16_t GetPort() const
    {
        return m_port;
    }

    /** \return messages that have arrived; READs and atomics are unseen by its software */
    uint64_t GetMessagesReceived() const
    {
        return m_messages;
    }

    /** \return bytes of these messages */
    uint64_t GetBytesReceived() const
    {
        return m_bytes;
    }

    /** \return queue pairs that clients have connected so far */
    uint32_t GetNConnections() const
    {
        return static_cast<uint32_t>(m_connections.size());
    }

    /** \return queue pairs of these that failed */
    uint32_t GetNFailed() const
    {
        return m_failed;
    }

    /**
     * \param index a connection, counted from 0 in the order in which they were made
     * \return the server's queue pair
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t index) const;

    // For RdmaClient

    /** \param address of a port of an RdmaNic \return its node; null if there is none */
    static Ptr<Node> FindNode(Ipv4Address address);

    /**
     * \param node a node
     * \param port a port
     * \return the server on that node that has this port; null if there is none
     */
    static Ptr<RdmaServer> Find(Ptr<Node> node, uint16_t port);

    /** \return true from its start to its stop */
    bool IsListening() const
    {
        return m_listening;
    }

    /** \param callback called when the server starts */
    void WhenListening(Callback<void> callback);

    /**
     * Makes a queue pair and connects it with the client's; only while IsListening().
     *
     * \param request what the client wants
     * \return what it gets
     */
    RdmaConnectionReply Accept(const RdmaConnectionRequest& request);

    /** The client has failed. \param client its queue pair */
    void Abandon(Ptr<RdmaQueuePair> client);

  protected:
    void DoDispose() override;

  private:
    /** A connected queue pair. */
    struct Connection
    {
        Ptr<RdmaQueuePair> queuePair;  //!< the server's
        RdmaConnectionRequest request; //!< what the client asked for
        uint32_t key{0};               //!< of the memory that the client may use
        bool open{true};               //!< neither failed nor closed
    };

    void StartApplication() override;
    void StopApplication() override;

    RdmaConnectionReply RegisterMemory(RdmaNic& nic, const RdmaConnectionRequest& request);
    void OnMessage(const RdmaMessageArrival& arrival);
    void OnReceive(const RdmaWorkCompletion& completion);
    void OnSent(const RdmaWorkCompletion& completion);
    void PostReceive(Connection& connection);
    void Answer(Connection& connection);
    void Fail(Connection& connection, const RdmaWorkCompletion& completion);
    void Close(Connection& connection);

    uint16_t m_port{DEFAULT_PORT};                        //!< attribute Port
    uint32_t m_receiveDepth{512};                         //!< attribute ReceiveDepth
    uint64_t m_receiveSize{RDMA_MAX_MESSAGE_BYTES};       //!< attribute ReceiveSize
    bool m_shared{false};                                 //!< attribute SharedReceiveQueue
    bool m_listening{false};                              //!< started, not stopped
    uint64_t m_nextAddress{0};                            //!< of the next memory region
    uint64_t m_messages{0};                               //!< messages that have arrived
    uint64_t m_bytes{0};                                  //!< their bytes
    uint32_t m_failed{0};                                 //!< connections that failed
    std::vector<Connection> m_connections;                //!< in the order of Accept()
    std::unordered_map<uint32_t, std::size_t> m_byQpn;    //!< indices of m_connections
    std::vector<Callback<void>> m_waiting;                //!< called at the start
    Ptr<RdmaSharedReceiveQueue> m_receives;               //!< if the receives are shared
    Ptr<RdmaCompletionQueue> m_sent;                      //!< completions of answers
    Ptr<RdmaCompletionQueue> m_received;                  //!< completions of receives
    TracedCallback<const RdmaMessageArrival&> m_rx;       //!< trace Rx
    TracedCallback<const RdmaWorkCompletion&> m_failures; //!< trace Failed
};

} // namespace ns3

#endif /* RDMA_SERVER_H */
