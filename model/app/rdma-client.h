/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_H
#define RDMA_CLIENT_H

#include "rdma-completion-queue.h"
#include "rdma-ps.h"
#include "rdma-queue-pair.h"
#include "rdma-server.h"
#include "rdma-trace.h"
#include "rdma-verbs.h"

#include <ns3/application.h>
#include <ns3/ipv4-address.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <memory>
#include <optional>
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
    RdmaPs begin{0};    //!< time at which the message was posted
    RdmaPs end{0};      //!< time of the completion or answer
    RdmaPs latency{0};  //!< end - begin; half of that for ping-pong with SENDs and WRITEs
};

/**
 * \ingroup rdma
 * Latency statistics over the iterations of an RdmaClient, in picoseconds: the columns of perftest.
 */
struct RdmaLatency
{
    RdmaPs min{0};      //!< minimum latency
    RdmaPs max{0};      //!< maximum latency
    double meanPs{0};   //!< mean latency in picoseconds
    double stdevPs{0};  //!< sample standard deviation of the latency in picoseconds
    double medianPs{0}; //!< median latency in picoseconds
    double p99Ps{0};    //!< 99th percentile of the latency in picoseconds
    double p999Ps{0};   //!< 99.9th percentile of the latency in picoseconds
};

/**
 * \ingroup rdma
 * Measurements of an RdmaClient.
 */
struct RdmaClientResult
{
    uint64_t iterations{0};      //!< complete iterations of all queue pairs together
    uint64_t messageBytes{0};    //!< bytes per message
    uint64_t bytes{0};           //!< bytes of all complete iterations, without answers
    RdmaPs begin{0};             //!< time at which the first message was posted
    RdmaPs end{0};               //!< time at which the last iteration was complete
    double bandwidthBps{0};      //!< bandwidth in bit/s: bytes between begin and end
    double messagesPerSecond{0}; //!< iterations per second between begin and end
    /// Latency statistics; no value if no iteration is complete or latencies were not kept.
    std::optional<RdmaLatency> latency;
    std::string status; //!< "done", or the reason why the client is not done
};

/**
 * \ingroup rdma
 * \param begin time at which the first message was posted
 * \param end time at which the last iteration was complete
 * \param iterations number of complete iterations
 * \param messageBytes bytes per message
 * \param latencies latencies of the iterations; empty if they were not kept
 * \return the measurements of a client, without a status
 */
RdmaClientResult MakeRdmaClientResult(RdmaPs begin,
                                      RdmaPs end,
                                      uint64_t iterations,
                                      uint64_t messageBytes,
                                      const std::vector<RdmaPs>& latencies);

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
 * The atomics of each queue pair increment a separate word of the server.
 *
 * The client connects as soon as both client and server have started. It ends after Iterations on
 * each queue pair, at its stop time, or with the first completion that is an error. GetResult()
 * reports the current status at any time. A client that fails, or that never finds its server, also
 * reports this status on standard error.
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

    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaClient();
    ~RdmaClient() override;

    /** \return state of the client */
    State GetState() const
    {
        return m_state;
    }

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
    class Connection;

    void StartApplication() override;
    void StopApplication() override;

    void Begin();
    void Finish(Connection& connection);
    void End(State state);
    void Fail(const RdmaWorkCompletion& completion);
    void OnMessage(const RdmaMessageArrival& arrival);
    void OnSent(const RdmaWorkCompletion& completion);
    void OnReceive(const RdmaWorkCompletion& completion);
    /** Fails on an error. \return true if the client runs and the completion is a success */
    bool CheckCompletion(const RdmaWorkCompletion& completion);
    std::string GetStatus() const;

    Operation m_operation{Operation::WRITE};         //!< attribute Operation
    Pattern m_pattern{Pattern::BULK};                //!< attribute Pattern
    uint64_t m_messageSize{0};                       //!< attribute MessageSize
    uint64_t m_responseSize{0};                      //!< attribute ResponseSize
    uint64_t m_iterations{0};                        //!< attribute Iterations
    uint32_t m_queueDepth{0};                        //!< attribute QueueDepth
    uint32_t m_queuePairs{0};                        //!< attribute QueuePairs
    uint8_t m_priority{0};                           //!< attribute Priority
    Time m_interval;                                 //!< attribute Interval
    Ipv4Address m_remoteAddress;                     //!< attribute RemoteAddress
    uint16_t m_remotePort{RdmaServer::DEFAULT_PORT}; //!< attribute RemotePort
    uint32_t m_nicPort{0};                           //!< attribute NicPort
    bool m_keepLatencies{true};                      //!< attribute KeepLatencies

    State m_state{State::IDLE};          //!< state of the client
    Ptr<RdmaServer> m_server;            //!< the server; null until found
    Ptr<RdmaCompletionQueue> m_sent;     //!< completions of send requests
    Ptr<RdmaCompletionQueue> m_received; //!< completions of receive requests
    /// Connections, one per queue pair
    std::vector<std::unique_ptr<Connection>> m_connections;
    std::unordered_map<uint32_t, Connection*> m_byQpn; //!< by queue pair number
    RdmaPs m_begin{0};               //!< time at which the first message was posted
    RdmaPs m_end{0};                 //!< time at which the last iteration was complete
    uint64_t m_done{0};              //!< complete iterations of all queue pairs
    std::vector<RdmaPs> m_latencies; //!< latencies of the iterations, in the order of their ends
    std::string m_failure;           //!< reason of the failure
    RdmaTrace<const RdmaIteration&> m_iterationTrace; //!< trace Iteration
    RdmaTrace<const RdmaClientResult&> m_endedTrace;  //!< trace Ended
};

} // namespace ns3

#endif /* RDMA_CLIENT_H */
