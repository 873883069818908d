/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_H
#define RDMA_CLIENT_H

#include "qbb-ring.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-client-result.h"
#include "rdma-completion-queue.h"
#include "rdma-flow-calendar.h"
#include "rdma-queue-pair.h"
#include "rdma-server.h"
#include "rdma-verbs.h"

#include <ns3/application.h>
#include <ns3/ipv4-address.h>
#include <ns3/nstime.h>
#include <ns3/traced-callback.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A complete iteration of an RdmaClient.
 */
struct RdmaIteration
{
    uint32_t qpn{0};    //!< number of the client's queue pair
    uint64_t number{0}; //!< iteration number on the queue pair, from 0
    QbbPs begin{0};     //!< time at which the message was posted
    QbbPs end{0};       //!< time of the completion or answer
    QbbPs latency{0};   //!< end - begin; half of that for ping-pong with SENDs and WRITEs
};

/**
 * \ingroup rdma
 * Sends to, writes to or reads from an RdmaServer and measures, like the programs of perftest.
 *
 * Pattern Bulk keeps QueueDepth messages posted on each queue pair; an iteration ends with its
 * completion (ib_write_bw, ib_read_bw, ib_send_bw, ib_atomic_bw). PingPong has one message
 * outstanding. A SEND or WRITE is answered by a message of the same length, and the latency is half
 * of the round-trip time (ib_send_lat, ib_write_lat). For READs and atomics the latency is the full
 * time (ib_read_lat, ib_atomic_lat). RequestResponse keeps QueueDepth requests of MessageSize
 * posted. Each request is answered by a message of ResponseSize, and the latency is the full time.
 *
 * Atomics of a queue pair operate on a separate word of the server and count it up.
 *
 * The client connects as soon as both client and server have started. It ends after Iterations on
 * each queue pair, at its stop time, or with the first completion that is an error. GetResult()
 * reports the current status at any time. A client that fails, or that never finds its server, also
 * reports that on standard error.
 */
class RdmaClient : public Application
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

    /** State of the client. */
    enum class State : uint8_t
    {
        IDLE,    //!< the client has not started
        WAITING, //!< waiting for the server to start
        RUNNING, //!< connected, iterations in progress
        DONE,    //!< all iterations are complete
        STOPPED, //!< stopped at its stop time
        FAILED,  //!< stopped by an error
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaClient();
    ~RdmaClient() override;

    /** \return state of the client */
    State GetState() const
    {
        return m_state;
    }

    /** \return measurements so far; after a stop, measurements until the stop */
    RdmaClientResult GetResult() const;

    /** \return the client's queue pairs; empty before the connection */
    std::vector<Ptr<RdmaQueuePair>> GetQueuePairs() const;

    /**
     * TracedCallback signature of Iteration.
     *
     * \param iteration the complete iteration
     */
    typedef void (*IterationCallback)(const RdmaIteration& iteration);

    /**
     * TracedCallback signature of Ended.
     *
     * \param result measurements of the client
     */
    typedef void (*EndedCallback)(const RdmaClientResult& result);

  protected:
    void DoDispose() override;

  private:
    /** A queue pair and its iterations. */
    struct Connection
    {
        explicit Connection(RdmaClient* owner)
            : client(owner),
              timer(this)
        {
        }

        void OnTimer()
        {
            client->Advance(*this);
        }

        RdmaClient* client;           //!< client that owns the connection
        Ptr<RdmaQueuePair> queuePair; //!< the client's queue pair
        RdmaConnectionReply memory;   //!< address and key of the server's memory
        uint32_t key{0};              //!< key of the local memory that answers are written to
        uint64_t begun{0};            //!< number of iterations begun
        uint64_t done{0};             //!< number of iterations completed
        QbbPs next{0};                //!< earliest begin of the next iteration
        QbbRing<QbbPs> begins;        //!< begin times of incomplete iterations
        QbbTimer<Connection, &Connection::OnTimer, RdmaFlowCalendar::EVENT_ORDER>
            timer; //!< expires when the next iteration may begin
    };

    void StartApplication() override;
    void StopApplication() override;

    void Begin();
    void Connect(uint32_t index);
    void Advance(Connection& connection);
    void Post(Connection& connection);
    void Finish(Connection& connection);
    void End(State state);
    void Fail(const RdmaWorkCompletion& completion);
    void OnMessage(const RdmaMessageArrival& arrival);
    void OnSent(const RdmaWorkCompletion& completion);
    void OnReceive(const RdmaWorkCompletion& completion);
    std::string GetStatus() const;

    RdmaWrOpcode GetOpcode() const
    {
        return static_cast<RdmaWrOpcode>(m_operation);
    }

    bool IsAnswered() const
    {
        return m_pattern != Pattern::BULK && !IsRdmaRead(GetOpcode());
    }

    uint32_t GetDepth() const
    {
        return m_pattern == Pattern::PING_PONG ? 1 : m_queueDepth;
    }

    uint64_t GetMessageBytes() const
    {
        return m_operation >= Operation::COMPARE_AND_SWAP ? RDMA_ATOMIC_BYTES : m_messageSize;
    }

    uint64_t GetAnswerBytes() const
    {
        return m_pattern == Pattern::PING_PONG ? m_messageSize : m_responseSize;
    }

    Ipv4Address m_remoteAddress;                     //!< attribute RemoteAddress
    uint16_t m_remotePort{RdmaServer::DEFAULT_PORT}; //!< attribute RemotePort
    uint32_t m_nicPort{0};                           //!< attribute NicPort
    Operation m_operation{Operation::WRITE};         //!< attribute Operation
    Pattern m_pattern{Pattern::BULK};                //!< attribute Pattern
    uint64_t m_messageSize{0};                       //!< attribute MessageSize
    uint64_t m_responseSize{0};                      //!< attribute ResponseSize
    uint64_t m_iterations{0};                        //!< attribute Iterations
    uint32_t m_queueDepth{0};                        //!< attribute QueueDepth
    uint32_t m_queuePairs{0};                        //!< attribute QueuePairs
    uint8_t m_priority{0};                           //!< attribute Priority
    bool m_keepLatencies{true};                      //!< attribute KeepLatencies
    Time m_interval;                                 //!< attribute Interval

    State m_state{State::IDLE};                             //!< state of the client
    Ptr<RdmaServer> m_server;                               //!< the server; null until found
    std::vector<std::unique_ptr<Connection>> m_connections; //!< connections, one per queue pair
    /// Indices of m_connections by queue pair number
    std::unordered_map<uint32_t, std::size_t> m_byQpn;
    Ptr<RdmaCompletionQueue> m_sent;     //!< completions of send requests
    Ptr<RdmaCompletionQueue> m_received; //!< completions of receive requests
    QbbPs m_begin{0};                    //!< time at which the first message was posted
    QbbPs m_end{0};                      //!< time at which the last iteration was complete
    uint64_t m_completed{0};             //!< complete iterations of all queue pairs
    std::vector<QbbPs> m_latencies; //!< latencies of complete iterations, in order of their ends
    std::string m_failure;          //!< reason of the failure
    TracedCallback<const RdmaIteration&> m_iterationTrace; //!< trace Iteration
    TracedCallback<const RdmaClientResult&> m_endedTrace;  //!< trace Ended
};

} // namespace ns3

#endif /* RDMA_CLIENT_H */
