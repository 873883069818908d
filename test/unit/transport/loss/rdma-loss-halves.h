/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOSS_HALVES_H
#define RDMA_LOSS_HALVES_H

#include "irn-receiver.h"
#include "irn-sender.h"
#include "rdma-go-back-0.h"
#include "rdma-loss-settings.h"

#include <cstdint>
#include <memory>

/**
 * \file
 * \ingroup rdma-tests
 * The senders and receivers that the loss model tests.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \param settings settings of a sender
 * \return the sender, which retries without limit
 */
inline std::unique_ptr<RdmaSender>
MakeRdmaLossSender(const RdmaLossSettings& settings)
{
    RdmaSenderConfig config;
    config.retryCount = UINT32_MAX;
    config.window = static_cast<uint32_t>(settings.window);
    config.timeouts.low = settings.low;
    config.timeouts.high = settings.high;
    config.timeouts.lowPackets = static_cast<uint32_t>(settings.lowPackets);
    config.timeouts.dynamic = settings.dynamic;
    config.timeouts.min = settings.min;
    config.timeouts.max = settings.max;
    const auto rules = settings.paper ? IrnSender::PAPER : IrnSender::PUBLISHED_LOGIC;
    switch (settings.mode)
    {
    case RdmaLossMode::SACK:
        return std::make_unique<IrnSender>(config, IrnSelective::SACK, rules);
    case RdmaLossMode::WITHOUT_SACK:
        return std::make_unique<IrnSender>(config, IrnSelective::NONE, rules);
    case RdmaLossMode::GO_BACK_N:
        return std::make_unique<RdmaGoBackNSender>(config,
                                                   settings.backOff ? RdmaBackOff::LOSS
                                                                    : RdmaBackOff::NONE);
    case RdmaLossMode::GO_BACK_0:
        break;
    }
    return std::make_unique<RdmaGoBack0Sender>(config);
}

/**
 * \ingroup rdma-tests
 * \param mode how a lost packet is recovered
 * \return the receiver
 */
inline std::unique_ptr<RdmaReceiver>
MakeRdmaLossReceiver(RdmaLossMode mode)
{
    if (mode == RdmaLossMode::GO_BACK_N)
    {
        return std::make_unique<RdmaGoBackNReceiver>();
    }
    if (mode == RdmaLossMode::GO_BACK_0)
    {
        return std::make_unique<RdmaGoBack0Receiver>();
    }
    return std::make_unique<IrnReceiver>();
}

} // namespace ns3

#endif /* RDMA_LOSS_HALVES_H */
