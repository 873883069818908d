/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_SETUP_H
#define QBB_SHARED_BUFFER_SETUP_H

#include "qbb-shared-buffer.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Shared buffers to test with.
 */

namespace ns3
{

/// Settings of a QbbSharedBuffer.
using Attributes = std::vector<std::pair<std::string, double>>;

/// Ports of 100 Gb/s at 2 m, frames of up to 1000 B: headroom 1000 + 1290 + 1000 B.
inline std::vector<QbbPortProfile>
MakePorts(uint32_t n, uint8_t losslessMask = 1 << 3)
{
    QbbPortProfile port;
    port.rate = 100_gbps;
    port.delay = 10_ns;
    port.maxFrameBytes = 1000;
    port.losslessMask = losslessMask;
    return std::vector<QbbPortProfile>(n, port);
}

inline void
Set(Ptr<QbbSharedBuffer> buffer, const Attributes& attributes)
{
    for (const auto& [name, value] : attributes)
    {
        if (name == "HeadroomPool")
        {
            buffer->SetAttribute(name, BooleanValue(value != 0));
        }
        else if (name.find("Alpha") != std::string::npos || name == "HeadroomOversubscription")
        {
            buffer->SetAttribute(name, DoubleValue(value));
        }
        else
        {
            buffer->SetAttribute(name, UintegerValue(static_cast<uint64_t>(value)));
        }
    }
}

inline Ptr<QbbSharedBuffer>
MakeBuffer(const Attributes& attributes, const std::vector<QbbPortProfile>& ports = MakePorts(4))
{
    auto buffer = CreateObject<QbbSharedBuffer>();
    Set(buffer, attributes);
    buffer->Configure(ports);
    return buffer;
}

/// 4 ports, one lossless priority: 100000 shared bytes after 4 headrooms of 5000 and no reserve.
inline const Attributes PLAIN{{"BufferSize", 120'000},
                              {"ReserveBytes", 0},
                              {"HeadroomBytes", 5000}};

inline Attributes
Plus(Attributes attributes, const Attributes& more)
{
    attributes.insert(attributes.end(), more.begin(), more.end());
    return attributes;
}

/// Admits frames of one size until one is dropped or causes XOFF. \return how many fitted
inline uint32_t
FillToXoff(Ptr<QbbSharedBuffer> buffer, uint16_t in, uint16_t out, uint8_t priority, uint32_t size)
{
    for (uint32_t n = 0;; ++n)
    {
        const QbbAdmission answer = buffer->Admit(in, out, priority, size);
        if (answer.xoff || !answer.admitted)
        {
            return n;
        }
    }
}

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_SETUP_H */
