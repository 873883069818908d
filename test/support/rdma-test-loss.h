/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_LOSS_H
#define RDMA_TEST_LOSS_H

#include "qbb-net-device.h"

#include <ns3/error-model.h>
#include <ns3/pointer.h>

#include <cstdint>
#include <list>

/**
 * \file
 * \ingroup rdma-tests
 * Ports that lose frames.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Loses frames that come in at a port.
 *
 * \param device the port
 * \param which its frames, counted from 0
 */
inline void
LoseFrames(Ptr<QbbNetDevice> device, const std::list<uint32_t>& which)
{
    auto model = CreateObject<ReceiveListErrorModel>();
    model->SetList(which);
    device->SetAttribute("ReceiveErrorModel", PointerValue(model));
}

/**
 * \ingroup rdma-tests
 * Loses frames that come in at a port at random.
 *
 * \param device the port
 * \param rate probability that a frame is lost
 * \param stream stream of random numbers
 */
inline void
LoseFramesAtRandom(Ptr<QbbNetDevice> device, double rate, int64_t stream)
{
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(rate);
    model->AssignStreams(stream);
    device->SetAttribute("ReceiveErrorModel", PointerValue(model));
}

} // namespace ns3

#endif /* RDMA_TEST_LOSS_H */
