/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOSS_SETTINGS_H
#define RDMA_LOSS_SETTINGS_H

#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * How a lost packet is recovered.
 */
enum class RdmaLossMode
{
    SACK,
    WITHOUT_SACK,
    GO_BACK_N,
    GO_BACK_0
};

/**
 * \ingroup rdma-tests
 * Settings of a sender.
 */
struct RdmaLossSettings
{
    RdmaLossMode mode{RdmaLossMode::SACK}; //!< how a lost packet is recovered
    int64_t window{1 << 20};               //!< most packets in flight
    RdmaPs low{0};                         //!< timeout with few packets in flight
    RdmaPs high{0};                        //!< timeout with more packets in flight
    int64_t lowPackets{0};                 //!< number of packets in flight that counts as few
    bool dynamic{false};                   //!< timeout computed from round trips
    RdmaPs min{0};                         //!< the least computed timeout
    RdmaPs max{0};                         //!< timeouts double up to this; 0: they do not
    bool backOff{false};                   //!< go-back-N: a loss halves the window
    bool paper{false};                     //!< selective: the rules of the paper's text
};

} // namespace ns3

#endif /* RDMA_LOSS_SETTINGS_H */
