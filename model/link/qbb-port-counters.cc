/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-counters.h"

namespace ns3
{

const char*
GetQbbDropReasonName(QbbDropReason reason)
{
    switch (reason)
    {
    case QbbDropReason::BUFFER_FULL:
        return "buffer full";
    case QbbDropReason::HEADROOM_FULL:
        return "headroom full";
    case QbbDropReason::EGRESS_LIMIT:
        return "egress limit";
    case QbbDropReason::STACK_QUEUE:
        return "stack queue full";
    case QbbDropReason::LINK_DOWN:
        return "link down";
    case QbbDropReason::CORRUPTED:
        return "corrupted";
    case QbbDropReason::MALFORMED:
        return "malformed";
    case QbbDropReason::NO_ROUTE:
        return "no route";
    case QbbDropReason::TTL_EXPIRED:
        return "TTL expired";
    case QbbDropReason::NOT_FOR_US:
        return "not for us";
    case QbbDropReason::UNEXPECTED:
        return "unexpected";
    case QbbDropReason::TOO_LONG:
        return "too long";
    case QbbDropReason::PFC_STORM:
        return "PFC storm";
    case QbbDropReason::RECEIVER_FULL:
        return "receive buffer full";
    case QbbDropReason::COUNT:
        break;
    }
    return "unknown";
}

std::ostream&
operator<<(std::ostream& os, QbbDropReason reason)
{
    return os << GetQbbDropReasonName(reason);
}

} // namespace ns3
