/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INPUT_PORT_BUFFER_SETUP_H
#define QBB_INPUT_PORT_BUFFER_SETUP_H

#include "qbb-input-port-buffer.h"

#include <ns3/uinteger.h>

#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Input port buffers to test with.
 */

namespace ns3
{

/** \ingroup rdma-tests Setup of the tests of QbbInputPortBuffer. */
namespace QbbInputPortBufferSetup
{

/// Attributes and their values.
using Settings = std::vector<std::pair<std::string, uint32_t>>;

/// Ports of 40 Gb/s over 2 us, frames of up to 1082 B.
inline std::vector<QbbPortProfile>
MakePorts(uint8_t losslessMask, uint32_t n = 3)
{
    QbbPortProfile port;
    port.rate = 40_gbps;
    port.delay = 2_us;
    port.reaction = 100_ns;
    port.maxFrameBytes = 1082;
    port.losslessMask = losslessMask;
    return std::vector<QbbPortProfile>(n, port);
}

inline Ptr<QbbInputPortBuffer>
MakeBuffer(const Settings& settings, const std::vector<QbbPortProfile>& ports)
{
    auto buffer = CreateObject<QbbInputPortBuffer>();
    for (const auto& [name, value] : settings)
    {
        buffer->SetAttribute(name, UintegerValue(value));
    }
    buffer->Configure(ports);
    return buffer;
}

} // namespace QbbInputPortBufferSetup

} // namespace ns3

#endif /* QBB_INPUT_PORT_BUFFER_SETUP_H */
