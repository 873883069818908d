/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-verbs.h"

namespace ns3
{

const char*
GetRdmaQpStateName(RdmaQpState state)
{
    switch (state)
    {
    case RdmaQpState::RESET:
        return "RESET";
    case RdmaQpState::INIT:
        return "INIT";
    case RdmaQpState::RTR:
        return "RTR";
    case RdmaQpState::RTS:
        return "RTS";
    case RdmaQpState::SQD:
        return "SQD";
    case RdmaQpState::ERR:
        return "ERR";
    }
    return "unknown";
}

const char*
GetRdmaWcStatusName(RdmaWcStatus status)
{
    switch (status)
    {
    case RdmaWcStatus::SUCCESS:
        return "IBV_WC_SUCCESS";
    case RdmaWcStatus::LOC_LEN_ERR:
        return "IBV_WC_LOC_LEN_ERR";
    case RdmaWcStatus::WR_FLUSH_ERR:
        return "IBV_WC_WR_FLUSH_ERR";
    case RdmaWcStatus::BAD_RESP_ERR:
        return "IBV_WC_BAD_RESP_ERR";
    case RdmaWcStatus::REM_INV_REQ_ERR:
        return "IBV_WC_REM_INV_REQ_ERR";
    case RdmaWcStatus::REM_ACCESS_ERR:
        return "IBV_WC_REM_ACCESS_ERR";
    case RdmaWcStatus::REM_OP_ERR:
        return "IBV_WC_REM_OP_ERR";
    case RdmaWcStatus::RETRY_EXC_ERR:
        return "IBV_WC_RETRY_EXC_ERR";
    case RdmaWcStatus::RNR_RETRY_EXC_ERR:
        return "IBV_WC_RNR_RETRY_EXC_ERR";
    }
    return "unknown";
}

std::ostream&
operator<<(std::ostream& os, RdmaWcStatus status)
{
    return os << GetRdmaWcStatusName(status);
}

} // namespace ns3
