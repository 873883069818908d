/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-timed-send-pipeline.h"

#include "qbb-net-device.h"
#include "rdma-nic.h"
#include "rdma-packet-engine.h"

namespace ns3
{

RdmaTimedSendPipeline::RdmaTimedSendPipeline(const RdmaSendTiming& timing, RdmaPacketEngine& engine)
    : RdmaSendPipeline(timing),
      m_engine(engine),
      m_timer(this)
{
}

void
RdmaTimedSendPipeline::Reset()
{
    RdmaSendPipeline::Reset();
    m_timer.Disarm();
}

QbbPs
RdmaTimedSendPipeline::GetLineTime(uint32_t bytes) const
{
    const QbbPort& port = m_engine.GetNic()->GetDevice(m_engine.GetPortIndex());
    return port.GetLineRate().BytesToPs(bytes + port.GetLineOverheadBytes());
}

void
RdmaTimedSendPipeline::WakeAt(QbbPs at)
{
    m_timer.Arm(at);
}

uint32_t
RdmaTimedSendPipeline::GetNodeId() const
{
    return m_engine.GetNodeId();
}

void
RdmaTimedSendPipeline::OnTimer()
{
    m_engine.GetRequester().Release(QbbNow());
    m_engine.SyncTimer();
}

} // namespace ns3
