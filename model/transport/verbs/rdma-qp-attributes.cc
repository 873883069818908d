/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-qp-attributes.h"

#include "rdma-connection.h"
#include "rdma-psn.h"

#include <ns3/abort.h>

#include <memory>
#include <utility>

namespace ns3
{

void
RdmaQpAttributes::Check(RdmaQpState from) const
{
    const RdmaQpState to = state;
    const bool toRtr = from == RdmaQpState::INIT && to == RdmaQpState::RTR;
    const bool toRts = from == RdmaQpState::RTR && to == RdmaQpState::RTS;
    const bool accepted =
        to == RdmaQpState::ERR || to == RdmaQpState::RESET || toRtr || toRts ||
        (to == RdmaQpState::INIT && (from == RdmaQpState::RESET || from == RdmaQpState::INIT)) ||
        ((from == RdmaQpState::RTS || from == RdmaQpState::SQD) &&
         (to == RdmaQpState::RTS || to == RdmaQpState::SQD));
    NS_ABORT_MSG_IF(!accepted,
                    "rdma: Modify() of a queue pair from " << GetRdmaQpStateName(from) << " to "
                                                           << GetRdmaQpStateName(to)
                                                           << "; accepted: the next state of RESET,"
                                                              " INIT, RTR, RTS, SQD; ERR; RESET");
    NS_ABORT_MSG_IF(!toRtr && (remoteAddress || remoteQpn || remotePsn || maxDestRdAtomic),
                    "rdma: Modify() of a queue pair to "
                        << GetRdmaQpStateName(to)
                        << ": remoteAddress, remoteQpn, remotePsn and maxDestRdAtomic are accepted"
                           " from INIT to RTR only");
    NS_ABORT_MSG_IF(!toRts && (initialPsn || maxRdAtomic || timeout || retryCount || rnrRetryCount),
                    "rdma: Modify() of a queue pair to "
                        << GetRdmaQpStateName(to)
                        << ": initialPsn, maxRdAtomic, timeout, retryCount and rnrRetryCount are "
                           "accepted from RTR to RTS only");
    NS_ABORT_MSG_IF(toRtr && (!remoteAddress || !remoteQpn),
                    "rdma: Modify() of a queue pair to RTR needs remoteAddress and remoteQpn");
    NS_ABORT_MSG_IF(timeout.value_or(0) > 31 || minRnrTimer.value_or(0) > 31 ||
                        retryCount.value_or(0) > 7 || rnrRetryCount.value_or(0) > 7 ||
                        initialPsn.value_or(0) >= RDMA_PSN_SPACE ||
                        remotePsn.value_or(0) >= RDMA_PSN_SPACE || maxRdAtomic.value_or(1) == 0 ||
                        maxDestRdAtomic.value_or(1) == 0,
                    "rdma: Modify() of a queue pair; accepted: timeout and minRnrTimer 0..31, "
                    "retryCount and rnrRetryCount 0..7, PSNs below 2^24, maxRdAtomic and "
                    "maxDestRdAtomic 1..255");
}

void
RdmaQpAttributes::ApplyTo(RdmaConnection& connection) const
{
    connection.minRnrTimer = minRnrTimer.value_or(connection.minRnrTimer);
    connection.maxDestRdAtomic = maxDestRdAtomic.value_or(connection.maxDestRdAtomic);
    connection.initialPsn = initialPsn.value_or(connection.initialPsn);
    connection.maxRdAtomic = maxRdAtomic.value_or(connection.maxRdAtomic);
    if (state == RdmaQpState::RTR)
    {
        connection.remotePsn = remotePsn.value_or(0);
    }
    if (HasRetryLimits())
    {
        auto limits = std::make_unique<RdmaRetryLimits>();
        if (timeout)
        {
            limits->timeout = GetRdmaTimeout(*timeout);
        }
        limits->retryCount = retryCount;
        limits->rnrRetryCount = rnrRetryCount;
        connection.limits = std::move(limits);
    }
}

} // namespace ns3
