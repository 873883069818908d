/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-state.h"

#include "qbb-frame-codec.h"
#include "qbb-wire.h"

#include <ns3/error-model.h>

namespace ns3
{

QbbPortState::QbbPortState()
    : m_flow(*this)
{
}

void
QbbPortState::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    m_receiveErrorModel = model;
    m_mayDamage = model != nullptr;
    const bool isRate = model && model->GetInstanceTypeId() == RateErrorModel::GetTypeId();
    m_anyPacket = isRate ? Create<Packet>() : nullptr;
}

bool
QbbPortState::LosesWholeFrames() const
{
    return m_anyPacket && static_cast<const RateErrorModel&>(*m_receiveErrorModel).GetUnit() ==
                              RateErrorModel::ERROR_UNIT_PACKET;
}

bool
QbbPortState::IsDamaged(const QbbFrame& frame) const
{
    if (LosesWholeFrames())
    {
        return m_receiveErrorModel->IsCorrupt(m_anyPacket);
    }
    CheckQbbSink("an error model");
    return m_receiveErrorModel->IsCorrupt(QbbFrameCodec::ToPacket(frame));
}

uint32_t
QbbPortState::GetLineOverheadBytes() const
{
    return m_lineOverhead ? QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES : 0;
}

} // namespace ns3
