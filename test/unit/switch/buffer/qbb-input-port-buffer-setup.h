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

/**
 * \ingroup rdma-tests
 * Setup of the tests of QbbInputPortBuffer.
 */
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

/// \return for each frame of 1000 B from port 0 to port 1, a: admitted, x: and XOFF, -: dropped
inline std::string
AdmitAll(QbbInputPortBuffer& buffer, uint8_t priority, uint32_t frames)
{
    std::string text;
    for (uint32_t i = 0; i < frames; ++i)
    {
        const QbbAdmission answer = buffer.Admit(0, 1, priority, 1000);
        text += answer.xoff ? 'x' : answer.admitted ? 'a' : '-';
    }
    return text;
}

/// Releases frames of 1000 B that went from port 0 to port 1.
/// \return a letter for each frame: o if the release ended the pause, r if not
inline std::string
ReleaseAll(QbbInputPortBuffer& buffer, uint8_t priority, uint32_t frames)
{
    std::string text;
    for (uint32_t i = 0; i < frames; ++i)
    {
        text += buffer.Release(0, 1, priority, 1000) ? 'o' : 'r';
    }
    return text;
}

} // namespace QbbInputPortBufferSetup

} // namespace ns3

#endif /* QBB_INPUT_PORT_BUFFER_SETUP_H */
