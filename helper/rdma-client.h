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
 * An iteration of an RdmaClient that is complete.
 */
struct RdmaIteration
{
    uint32_t qpn{0};    //!< the client's queue pair
    uint64_t number{0}; //!< on this queue pair, counted from 0
    QbbPs begin{0};     //!< its message was posted
    QbbPs end{0};       //!< its completion or answer was there
    QbbPs latency{0};   //!< what it took; ping-pong of SENDs and WRITEs: half of that
};

/**
 * \ingroup rdma
 * Sends to, writes to or reads from an RdmaServer and measures, as the programs of perftest do.
 *
 * Pattern Bulk keeps QueueDepth messages posted on each queue pair; an iteration ends with its
 * completion (ib_write_bw, ib_read_bw, ib_send_bw, ib_atomic_bw). PingPong has one message at a
 * time: SENDs and WRITEs are answered by one of the same length, and the latency is half of the
 * round trip (ib_send_lat, ib_write_lat); READs and atomics take their full time (ib_read_lat,
 * ib_atomic_lat). RequestResponse keeps QueueDepth requests of MessageSize posted, each of which is
 * answered by a message of ResponseSize; the latency is the full time.
 *
 * Atomics work on a word of the server that each queue pair has for itself, and count it up.
 *
 * The client connects as soon as both it and its server have started. It ends after Iterations on
 * each queue pair, at its stop time, or with the first completion that is an error; GetResult()
 * says which, at any time. A client that fails, or that has not found its server in the end, also
 * says so on standard error.
 */
class RdmaClient : public Application
{
  public:
    /**
     * What its messages ask for.
     */
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

    /**
     * When a message is posted, and when an iteration is over.
     */
    enum Pattern : uint8_t
    {
        BULK,             //!< QueueDepth at a time, to their completion
        REQUEST_RESPONSE, //!< QueueDepth at a time, to the answer
        PING_PONG,        //!< one at a time, to the answer
    };

    /**
     * Where it stands.
     */
    enum class State : uint8_t
    {
        IDLE,    //!< not started
        WAITING, //!< for the server to start
        RUNNING, //!< at work
        DONE,    //!< all iterations are complete
        STOPPED, //!< by its stop time
        FAILED,  //!< by an error
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaClient();
    ~RdmaClient() override;

    /** \return where it stands */
    State GetState() const
    {
        return m_state;
    }

    /** \return what it has measured so far; a stopped one, until its stop */
    RdmaClientResult GetResult() const;

    /** \return its queue pairs, once it is connected */
    std::vector<Ptr<RdmaQueuePair>> GetQueuePairs() const;

    /**
     * TracedCallback signature of Iteration.
     *
     * \param iteration the iteration
     */
    typedef void (*IterationCallback)(const RdmaIteration& iteration);

    /**
     * TracedCallback signature of Ended.
     *
     * \param result what was measured
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

        RdmaClient* client;           //!< whose it is
        Ptr<RdmaQueuePair> queuePair; //!< the client's
        RdmaConnectionReply memory;   //!< of the server
        uint32_t key{0};              //!< of the memory that answers are written to
        uint64_t begun{0};            //!< iterations that have begun
        uint64_t done{0};             //!< iterations that are complete
        QbbPs next{0};                //!< no iteration begins before
        QbbRing<QbbPs> begins;        //!< of iterations that are not complete
        QbbTimer<Connection, &Connection::OnTimer, RdmaFlowCalendar::EVENT_ORDER>
            timer; //!< the next may begin
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

    State m_state{State::IDLE};                             //!< where it stands
    Ptr<RdmaServer> m_server;                               //!< once it is known
    std::vector<std::unique_ptr<Connection>> m_connections; //!< by queue pair
    std::unordered_map<uint32_t, std::size_t> m_byQpn;      //!< indices of m_connections
    Ptr<RdmaCompletionQueue> m_sent;                        //!< completions of its messages
    Ptr<RdmaCompletionQueue> m_received;                    //!< completions of receives
    QbbPs m_begin{0};                                       //!< the first message was posted
    QbbPs m_end{0};                                         //!< the last iteration was complete
    uint64_t m_completed{0};                                //!< iterations
    std::vector<QbbPs> m_latencies;                         //!< in the order of their ends
    std::string m_failure;                                  //!< what it failed of
    TracedCallback<const RdmaIteration&> m_iterationTrace;  //!< trace Iteration
    TracedCallback<const RdmaClientResult&> m_endedTrace;   //!< trace Ended
};

} // namespace ns3

#endif /* RDMA_CLIENT_H */
