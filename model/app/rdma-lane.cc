/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-lane.h"

#include "rdma-nic.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

namespace ns3
{

Ptr<RdmaQueuePair>
OpenRdmaLane(RdmaNic& nic,
             const RdmaLaneEnd& local,
             const RdmaLaneEnd& remote,
             uint8_t priority,
             uint64_t packets,
             bool isPassive)
{
    auto qp = nic.CreateQueuePairAs(local.qpn, local.port);
    qp->SetPriority(priority);
    if (packets > 0)
    {
        qp->SetInitialPsn(RdmaToPsn(local.initialPsn, packets));
    }
    if (isPassive)
    {
        qp->SetPassive();
    }
    qp->Connect(remote.address, remote.qpn, remote.initialPsn);
    return qp;
}

} // namespace ns3
