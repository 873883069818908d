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

} // namespace ns3
