/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-state.h"

#include "qbb-wire.h"

namespace ns3
{

QbbPortState::QbbPortState()
    : m_flow(*this)
{
}

uint32_t
QbbPortState::GetLineOverheadBytes() const
{
    return m_lineOverhead ? QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES : 0;
}

uint32_t
QbbPortState::GetMaxFrameBytes() const
{
    return QbbWire::FrameBytes(m_mtu, true);
}

} // namespace ns3
