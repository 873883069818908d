/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOSS_SETTINGS_H
#define RDMA_LOSS_SETTINGS_H

#include "qbb-ps.h"

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
    QbbPs low{0};                          //!< timeout with few packets in flight
    QbbPs high{0};                         //!< timeout with more
    int64_t lowPackets{0};                 //!< few
    bool dynamic{false};                   //!< timeout from round trips
    QbbPs min{0};                          //!< the least of these
    QbbPs max{0};                          //!< timeouts double up to this; 0: they do not
    bool backOff{false};                   //!< go-back-N: a loss halves the window
    bool paper{false};                     //!< selective: the paper's words
};

} // namespace ns3

#endif /* RDMA_LOSS_SETTINGS_H */
