/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_H
#define RDMA_CLIENT_H

#include "qbb-trace.h"
#include "rdma-client-connection.h"
#include "rdma-client-meter.h"
#include "rdma-client-result.h"
#include "rdma-completion-queue.h"
#include "rdma-message-plan.h"
#include "rdma-queue-pair.h"
#include "rdma-server.h"
#include "rdma-verbs.h"

#include <ns3/application.h>
#include <ns3/ipv4-address.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

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
class RdmaClient : public Application, public RdmaMessagePlan
{
  public:
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
    void StartApplication() override;
    void StopApplication() override;

    void Begin();
    void Finish(RdmaClientConnection& connection);
    void End(State state);
    void Fail(const RdmaWorkCompletion& completion);
    void OnMessage(const RdmaMessageArrival& arrival);
    void OnSent(const RdmaWorkCompletion& completion);
    void OnReceive(const RdmaWorkCompletion& completion);
    /** Fails on an error. \return true if the client runs and the completion is a success */
    bool CheckCompletion(const RdmaWorkCompletion& completion);
    std::string GetStatus() const;

    Ipv4Address m_remoteAddress;                     //!< attribute RemoteAddress
    uint16_t m_remotePort{RdmaServer::DEFAULT_PORT}; //!< attribute RemotePort
    uint32_t m_nicPort{0};                           //!< attribute NicPort
    bool m_keepLatencies{true};                      //!< attribute KeepLatencies

    State m_state{State::IDLE};          //!< state of the client
    Ptr<RdmaServer> m_server;            //!< the server; null until found
    Ptr<RdmaCompletionQueue> m_sent;     //!< completions of send requests
    Ptr<RdmaCompletionQueue> m_received; //!< completions of receive requests
    /// Connections, one per queue pair
    std::vector<std::unique_ptr<RdmaClientConnection>> m_connections;
    std::unordered_map<uint32_t, RdmaClientConnection*> m_byQpn; //!< by queue pair number
    RdmaClientMeter m_meter;                                     //!< measurements
    std::string m_failure;                                       //!< reason of the failure
    QbbTrace<const RdmaIteration&> m_iterationTrace;             //!< trace Iteration
    QbbTrace<const RdmaClientResult&> m_endedTrace;              //!< trace Ended
};

} // namespace ns3

#endif /* RDMA_CLIENT_H */
