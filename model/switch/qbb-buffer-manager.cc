/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"

#include <ns3/abort.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbBufferManager);

TypeId
QbbBufferManager::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbBufferManager").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

void
QbbBufferManager::RefuseWhileRunning() const
{
    NS_ABORT_MSG_IF(m_running,
                    "rdma: an attribute of a " << GetInstanceTypeId().GetName()
                                               << " is set while its switch is running; accepted: "
                                                  "before the simulation starts");
}

bool
QbbBufferManager::MayResume(uint16_t ingressPort,
                            uint8_t priority,
                            const std::vector<uint64_t>& stuckBytes) const
{
    return GetIngress(ingressPort, priority).bytes >
           stuckBytes[PRIORITIES * ingressPort + priority];
}

} // namespace ns3
