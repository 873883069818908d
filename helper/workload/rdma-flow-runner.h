/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_H
#define RDMA_FLOW_RUNNER_H

#include "rdma-completion-queue.h"
#include "rdma-connection-plan.h"
#include "rdma-flow-calendar.h"
#include "rdma-flow-host.h"
#include "rdma-flow-runner-base.h"
#include "rdma-host-connection.h"
#include "rdma-ps.h"
#include "rdma-queue-pair.h"

#include <ns3/nstime.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs flows over queue pairs.
 *
 * Each flow has a dedicated connection of two queue pairs. At the start of the flow, the sender
 * posts one RDMA write, or several consecutive writes for a flow above 2^31 bytes. The sending
 * queue pair is created at the start of the flow, and destroyed at the completion. The receiving
 * queue pair is created when the first packet arrives; with an RdmaEntropy, which may draw random
 * numbers for a new queue pair, at the start of a flow that waits for no other flow. The receiver
 * is destroyed TimeWait after the arrival of the last byte, or earlier if the host needs a queue
 * pair for another flow, and all packets have come once and in order; a retransmission that arrives
 * later recreates the queue pair, which then answers. Memory use is therefore proportional to the
 * number of active flows. Queue pair numbers of a host are assigned to the flows that begin or end
 * at the host, in the order of flow ids. Events of a node create and destroy the queue pairs of
 * that node.
 *
 * The receiving queue pair of a flow whose sender has failed exists until the end of the
 * simulation.
 *
 * Where hosts have several NICs or ports, or if the attribute Plan asks for several queue pairs, a
 * flow has a connection of several lanes (RdmaHostConnection). With Plan's Spread InTurn each flow
 * takes one lane: flows from one host to another take the lanes in turn, in the order of their
 * ids. With Outstanding a flow takes the lane with the fewest bytes of unfinished flows of the
 * sender. With Chunks, the default, the chunks of a flow take all lanes.
 */
class RdmaFlowRunner : public RdmaFlowRunnerBase,
                       private RdmaQueuePairUser,
                       private RdmaHostConnectionUser
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaFlowRunner();

    /**
     * Creates a runner and calls Install(). C++ and Python use this function alike, because the
     * creation of ns-3 objects in Python differs between releases.
     *
     * \param fabric the fabric that carries the flows
     * \param flows the flows, in any order
     * \param keep value of the attribute KeepQueuePairs
     * \return the new runner
     */
    static Ptr<RdmaFlowRunner> Make(Ptr<RdmaFabric> fabric,
                                    const std::vector<RdmaFlow>& flows,
                                    bool keep = false);

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return sending queue pair of the flow; null before the start and after the end of the flow
     *         unless the attribute KeepQueuePairs is set, and for a flow with several lanes
     */
    Ptr<RdmaQueuePair> GetSender(uint64_t index) const
    {
        return m_pairs.at(index).sender;
    }

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return receiving queue pair of the flow; null while the queue pair does not exist, and for
     *         a flow with several lanes
     */
    Ptr<RdmaQueuePair> GetReceiver(uint64_t index) const
    {
        return m_pairs.at(index).receiver;
    }

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return sending ports of the current path of the flow, from the port of the sender on; empty
     *         without a path
     */
    std::vector<Ptr<QbbNetDevice>> GetFlowPath(uint64_t index) const;

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return ports of the flow's queue pairs; of the first lane if there are several
     */
    RdmaLanePorts GetPortPair(uint64_t index) const;

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return the connection of a flow with several lanes; null for other flows
     */
    const RdmaHostConnection* GetConnection(uint64_t index) const;

  protected:
    void DoDispose() override;
    void Prefetch(uint64_t index) const override;

  private:
    /** The queue pairs of a flow. */
    struct Pair
    {
        Ptr<RdmaQueuePair> sender;   //!< queue pair at the source
        Ptr<RdmaQueuePair> receiver; //!< queue pair at the destination
        uint32_t arrived{0};         //!< number of messages complete in the receiver's memory
        uint32_t senderQpn{0};       //!< queue pair number of the sender
        uint32_t receiverQpn{0};     //!< queue pair number of the receiver
        uint32_t flowHash{0};        //!< QbbFlowHash() of the flow's packets
    };

    /** Ends of a flow's queue pairs, if hosts have several ports. */
    struct Ends
    {
        uint32_t sourceNode{0};      //!< node id of the sending NIC
        uint32_t destinationNode{0}; //!< node id of the receiving NIC
        uint16_t sourcePort{0};      //!< number of the sending port at its NIC
        uint16_t destinationPort{0}; //!< number of the receiving port at its NIC
    };

    /** The connection of a flow with several lanes. */
    struct Lanes
    {
        std::unique_ptr<RdmaHostConnection> connection; //!< the connection
        uint32_t chosen{0}; //!< Outstanding: lane that the flow has taken
    };

    void DoInstall() override;
    void DoAdd(uint64_t first) override;
    RdmaPs DoPrepare(uint64_t index) override;
    void DoStart(uint64_t index) override;
    uint32_t DoGetStartNode(uint64_t index) const override;
    uint32_t DoGetArrivalNode(uint64_t index) const override;
    std::optional<RdmaFlowRetries> DoGetRetries(uint64_t index) const override;
    std::optional<RdmaFlowReordering> DoGetReordering(uint64_t index) const override;
    std::string DoDescribe(uint64_t index, bool arrived) const override;
    void DoShare() override;

    // RdmaQueuePairUser; the id of both queue pairs of a flow is the flow's position
    void MessageReceived(uint64_t index, const RdmaMessageArrival& arrival) override;
    void SendCompleted(uint64_t index, const RdmaWorkCompletion& completion) override;

    // RdmaHostConnectionUser; the id of a connection is the flow's position
    void MessageArrived(uint64_t index, uint64_t message, const RdmaHostArrival& arrival) override;
    void MessageSent(uint64_t index, uint64_t message, RdmaWcStatus status, RdmaPs time) override;

    /** \return ends of the flow's queue pairs; only valid for a flow with one lane */
    Ends GetEnds(uint64_t index) const;
    RdmaFlowHost& GetHostOf(uint32_t node);
    void ChooseEnds(uint64_t index);
    void PrepareAlike(uint64_t index, const RdmaQueuePair& sender, const RdmaQueuePair& receiver);
    void FindPaths(uint64_t first);
    RdmaPs PrepareLanes(uint64_t index);
    void EndPreparation();
    void StartLanes(uint64_t index);

    /** A queue pair: the IPv4 address of its host, and its number. */
    struct Address
    {
        uint32_t host{0}; //!< IPv4 address, host byte order
        uint32_t qpn{0};  //!< queue pair number

        bool operator<(const Address& other) const
        {
            return std::tie(host, qpn) < std::tie(other.host, other.qpn);
        }
    };

    /** Which packets are on their way at one moment. */
    struct Traffic
    {
        uint64_t events{0};            //!< events of the simulation until that moment
        uint64_t drops{0};             //!< frames that the ports have dropped until that moment
        std::set<Address> receivers{}; //!< queue pairs with frames on their way to them
    };

    Traffic FindTraffic() const;
    bool IsLost(uint64_t index) const;
    std::string DescribeWait(uint64_t index) const;
    Ptr<RdmaQueuePair> MakeEnd(uint64_t index, bool isSender);
    void MakeSender(uint64_t index);
    void MakeReceiver(uint64_t index);
    Ptr<RdmaQueuePair> MakeLate(uint32_t host, uint32_t qpn);
    void ConnectPrototype(uint32_t node,
                          uint8_t priority,
                          const RdmaLane& lane,
                          const std::vector<RdmaIdealHop>& path);
    static RdmaPs ComputeIdeal(const RdmaFlow& flow,
                               const RdmaQueuePair& sender,
                               const std::vector<RdmaIdealHop>& path);

    bool m_keep{false}; //!< value of the attribute KeepQueuePairs
    Time m_timeWait;    //!< value of the attribute TimeWait
    /// What makes the connections of queue pairs of one host and class alike: class, links, delay
    using Connection = std::tuple<uint32_t, std::size_t, RdmaPs>;
    /// Connections that the prototypes of a host have had since the last DoAdd(), by node id
    std::vector<std::set<Connection>> m_tried;
    /// Paths of some flows, as FindPaths() found them; empty for a flow with several lanes
    std::vector<std::vector<RdmaIdealHop>> m_paths;
    uint64_t m_firstPath{0};           //!< position of the flow of m_paths.front()
    Ptr<RdmaConnectionPlan> m_plan;    //!< attribute Plan
    bool m_usesPlan{false};            //!< flows may have several lanes, or a choice of ports
    std::deque<Ends> m_ends;           //!< ends by position of the flow; empty unless m_usesPlan
    std::map<uint64_t, Lanes> m_lanes; //!< connections by position of the flow
    /// Flows so far from one host to another, for Spread InTurn
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_turns;
    /// Outstanding: bytes of unfinished flows at each port of a sender, by NIC and port
    std::map<uint32_t, std::map<std::pair<uint32_t, uint32_t>, uint64_t>> m_outstanding;
    std::deque<Pair> m_pairs; //!< queue pairs by position of the flow; references stay valid
    std::vector<std::unique_ptr<RdmaFlowHost>> m_hosts; //!< by node id; null: a host without flows
    /// Schedules the receiving queue pairs of hosts with an RdmaEntropy, see DoPrepare()
    RdmaFlowCalendar m_receivers;
    mutable std::optional<Traffic> m_traffic; //!< latest result of FindTraffic(), of all nodes
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_H */
