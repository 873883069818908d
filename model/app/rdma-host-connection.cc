/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-host-connection.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include <ns3/abort.h>

namespace ns3
{

RdmaHostConnection::RdmaHostConnection(RdmaHost& source,
                                       RdmaHost& destination,
                                       const std::vector<RdmaLanePorts>& pairs,
                                       uint32_t queuePairs,
                                       const RdmaConnectionPlan& plan,
                                       uint8_t priority,
                                       RdmaHostConnectionUser& user,
                                       uint64_t id)
    : m_late(std::make_shared<RdmaConnectionReceiver*>(nullptr))
{
    NS_ABORT_MSG_IF(pairs.empty() || queuePairs == 0,
                    "rdma: a connection from " << source.GetName() << " to "
                                               << destination.GetName()
                                               << " without a lane; accepted: 1 or more");
    source.UseBus();
    destination.UseBus();
    std::vector<RdmaLane> lanes(pairs.size() * queuePairs);
    for (uint32_t lane = 0; lane < lanes.size(); ++lane)
    {
        const RdmaLanePorts& pair = pairs[lane % pairs.size()];
        RdmaNic& from = source.GetNic(pair.sourceNic);
        RdmaNic& to = destination.GetNic(pair.destinationNic);
        lanes[lane].source = {pair.sourceNic,
                              pair.sourcePort,
                              from.ReserveQueuePairNumbers(1),
                              from.GetInitialPsn(),
                              from.GetAddress(pair.sourcePort)};
        const auto late = [receiver = m_late, lane](uint32_t) -> Ptr<RdmaQueuePair> {
            return *receiver ? (*receiver)->Open(lane) : nullptr;
        };
        lanes[lane].destination = {pair.destinationNic,
                                   pair.destinationPort,
                                   to.ReserveQueuePairNumbers(1, late),
                                   to.GetInitialPsn(),
                                   to.GetAddress(pair.destinationPort)};
    }
    constexpr uint32_t HOME = 0; // the software of a host runs on the host's first NIC
    m_sender = std::make_unique<RdmaConnectionSender>(
        RdmaConnectionTerms{source, HOME, lanes, plan, priority, user, id});
    m_receiver = std::make_unique<RdmaConnectionReceiver>(
        RdmaConnectionTerms{destination, HOME, lanes, plan, priority, user, id});
    *m_late = m_receiver.get();
}

RdmaHostConnection::~RdmaHostConnection()
{
    *m_late = nullptr;
}

RdmaLaneResult
RdmaHostConnection::GetResult(uint32_t lane) const
{
    RdmaLaneResult result;
    m_sender->Report(lane, result);
    m_receiver->Report(lane, result);
    return result;
}

} // namespace ns3
