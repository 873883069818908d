/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_GO_BACK_N_STEPS_H
#define RDMA_GO_BACK_N_STEPS_H

#include "rdma-go-back-n.h"

#include <gtest/gtest.h>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Steps of the tests of RdmaGoBackNSender.
 */
namespace RdmaGoBackNSteps
{

/**
 * \ingroup rdma-tests
 * No deadline.
 */
constexpr RdmaPs NEVER = RdmaSender::NO_DEADLINE;

/**
 * \ingroup rdma-tests
 * The retransmission timeout of the tests that have one.
 */
constexpr RdmaPs TIMEOUT = 1000_ps;

/**
 * \ingroup rdma-tests
 * \param timeout retransmission timeout
 * \param retries retry_cnt
 * \param rnrRetries rnr_retry
 * \return a requester
 */
inline RdmaGoBackNSender
MakeSender(RdmaPs timeout = 0_ps, uint32_t retries = 7, uint32_t rnrRetries = 7)
{
    RdmaSenderConfig config;
    config.timeouts.high = timeout;
    config.timeouts.low = timeout;
    config.retryCount = retries;
    config.rnrRetryCount = rnrRetries;
    return RdmaGoBackNSender(config);
}

/**
 * \ingroup rdma-tests
 * Sends packets and checks which ones they are.
 *
 * \param requester the requester
 * \param first the packet that has to go next
 * \param last the packet that has to go last
 * \param now instant of all sends
 * \param again true if all must be retransmissions
 */
inline void
Send(RdmaGoBackNSender& requester, uint64_t first, uint64_t last, RdmaPs now, bool again = false)
{
    for (uint64_t packet = first; packet <= last; ++packet)
    {
        ASSERT_TRUE(requester.CanSend()) << "packet " << packet;
        EXPECT_EQ(requester.GetNext(), packet);
        EXPECT_EQ(requester.Sent(1, now), again) << "packet " << packet;
    }
}

/**
 * \ingroup rdma-tests
 * \param receiver a receiver
 * \param packet number of a packet that arrives; the next packet in order is executed
 * \return the receiver's answer
 */
inline RdmaReceiverVerdict
Offer(RdmaReceiver& receiver, int64_t packet)
{
    const auto verdict = receiver.Check(packet);
    if (verdict == RdmaReceiverVerdict::ACCEPT)
    {
        receiver.Accept(static_cast<uint64_t>(packet), 1, false);
    }
    return verdict;
}

/**
 * \ingroup rdma-tests
 * \param event a requester's answer
 * \return true if it is neither failure nor wake-up
 */
inline bool
IsNothing(const RdmaSenderEvent& event)
{
    return !event.mayBegin && !event.failed;
}

} // namespace RdmaGoBackNSteps

} // namespace ns3

#endif /* RDMA_GO_BACK_N_STEPS_H */
