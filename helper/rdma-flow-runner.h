/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_H
#define RDMA_FLOW_RUNNER_H

#include "qbb-ps.h"
#include "qbb-ring.h"
#include "rdma-completion-queue.h"
#include "rdma-flow-calendar.h"
#include "rdma-flow-runner-base.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include <ns3/nstime.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs flows over queue pairs.
 *
 * Each flow is a pair of queue pairs of its own that posts RDMA writes at the flow's start: one, or
 * for a flow above 2^31 bytes several in a row. Both queue pairs are made at the flow's start. The
 * sender's is destroyed at its completion, the receiver's after TimeWait from the last byte on;
 * when the sender repeats something later, the receiver's is made anew and answers. So memory
 * follows the flows that are under way. A queue pair's number follows from the flows that begin or
 * end at its host, in the order of their ids. Each end is made and destroyed by events of its own
 * node.
 *
 * The receiving queue pair of a flow whose sender has given up stays until the end.
 */
class RdmaFlowRunner : public RdmaFlowRunnerBase
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFlowRunner();
    ~RdmaFlowRunner() override;

    /**
     * A new runner, with Install() done. The same in C++ and in Python, where ns-3's way of making
     * objects differs between releases.
     *
     * \param fabric the fabric
     * \param flows the flows, in any order
     * \param keep the attribute KeepQueuePairs
     * \return the runner
     */
    static Ptr<RdmaFlowRunner> Make(Ptr<RdmaFabric> fabric,
                                    const std::vector<RdmaFlow>& flows,
                                    bool keep = false);

    /**
     * \param index a flow's place, counted from 0 by ascending id
     * \return its sending queue pair; null before the flow's start and after its end, unless the
     *         attribute KeepQueuePairs is set
     */
    Ptr<RdmaQueuePair> GetSender(uint64_t index) const;

    /**
     * \param index a flow's place, counted from 0 by ascending id
     * \return its receiving queue pair; null while there is none
     */
    Ptr<RdmaQueuePair> GetReceiver(uint64_t index) const;

  protected:
    void DoDispose() override;

  private:
    /** The queue pairs of a flow. */
    struct Pair
    {
        Ptr<RdmaQueuePair> sender;   //!< at the source
        Ptr<RdmaQueuePair> receiver; //!< at the destination
        uint64_t retransmitted{0};   //!< packets sent again, once the sender is destroyed
        uint32_t timeouts{0};        //!< timeouts, once the sender is destroyed
        uint32_t arrived{0};         //!< messages that are in the receiver's memory
        uint32_t senderQpn{0};       //!< number of the sender
        uint32_t receiverQpn{0};     //!< number of the receiver
    };

    /** A receiver that is destroyed when its time has come. */
    struct Departure
    {
        QbbPs at{0};       //!< when
        uint32_t index{0}; //!< the flow
    };

    /** What is known of a host. */
    struct Host
    {
        Ptr<RdmaNic> nic;                                 //!< its NIC
        uint32_t firstQpn{0};                             //!< the first of its flows' numbers
        std::vector<uint32_t> flows;                      //!< flow by number, from firstQpn on
        std::map<uint8_t, Ptr<RdmaQueuePair>> prototypes; //!< as its queue pairs are, by class
        QbbRing<Departure> departures; //!< receivers in TimeWait, first to go first
    };

    void DoInstall() override;
    QbbPs DoPrepare(uint64_t index) override;
    void DoStart(uint64_t index) override;
    void DoAddResult(uint64_t index, RdmaFlowResult& result) const override;
    std::string DoDescribe(uint64_t index, bool arrived) const override;

    Ptr<RdmaQueuePair> GetPrototype(uint32_t host, uint8_t priority);
    Ptr<RdmaQueuePair> MakeEnd(uint64_t index, bool isSender);
    void MakeSender(uint64_t index);
    void MakeReceiver(uint64_t index);
    Ptr<RdmaQueuePair> MakeLate(uint32_t host, uint32_t qpn);
    void Depart(uint64_t index);
    void OnDeparture(uint32_t host);
    void OnMessage(uint64_t index, const RdmaMessageArrival& arrival);
    void OnCompletion(const RdmaWorkCompletion& completion);
    QbbPs ComputeIdeal(uint64_t index, const RdmaQueuePair& sender) const;
    static uint64_t GetMessageLimit(uint32_t mtu);
    uint32_t CountMessages(uint64_t index, uint32_t mtu) const;

    bool m_keep{false};                         //!< attribute KeepQueuePairs
    Time m_timeWait;                            //!< attribute TimeWait
    std::vector<Pair> m_pairs;                  //!< by the flow's place
    std::unordered_map<uint32_t, Host> m_hosts; //!< by node id in the topology
    RdmaFlowCalendar m_receivers;               //!< makes receivers
    Ptr<RdmaCompletionQueue> m_completions;     //!< of all senders
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_H */
