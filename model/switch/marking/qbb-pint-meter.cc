/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pint-meter.h"

#include "qbb-net-device.h"
#include "rdma-opcode.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPintMeter);

TypeId
QbbPintMeter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPintMeter")
                            .SetParent<QbbMarker>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbPintMeter>();
    return tid;
}

QbbPintMeter::QbbPintMeter()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint8_t
QbbPintMeter::GetMoments() const
{
    return DEPARTS;
}

int64_t
QbbPintMeter::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

double
QbbPintMeter::GetUtilisation(uint32_t port, uint8_t priority) const
{
    const bool measured = port < m_ports.size() && m_ports[port][priority];
    return measured ? m_ports[port][priority]->GetUtilisation() : 0;
}

void
QbbPintMeter::FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start)
{
    const bool asks = frame.pint != RdmaPintCode::NONE && GetRdmaOpcodeInfo(frame.opcode).request;
    const uint32_t number = port.GetPortNumber();
    if (number >= m_ports.size())
    {
        if (!asks)
        {
            return;
        }
        m_ports.resize(number + 1);
    }
    Port& meters = m_ports[number];
    if (asks && !meters[frame.priority])
    {
        meters[frame.priority] =
            std::make_unique<RdmaPintPort>(port.GetCurrentRate().GetBitRate(), m_baseRtt);
    }
    const uint32_t bytes = frame.size + port.GetLineOverheadBytes();
    for (uint8_t priority = 0; priority < meters.size(); ++priority)
    {
        if (meters[priority])
        {
            meters[priority]->SetRate(port.GetCurrentRate().GetBitRate());
            meters[priority]->OnDeparture(bytes, port.GetQueues().GetBytes(priority), start);
        }
    }
    if (asks)
    {
        const uint32_t random = m_random->GetInteger(0, std::numeric_limits<uint32_t>::max());
        frame.pint = meters[frame.priority]->Write(frame.pint, random);
    }
}

} // namespace ns3
