/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbBufferManager);

TypeId
QbbBufferManager::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbBufferManager").SetParent<Object>().SetGroupName("Rdma");
    return tid;
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
