/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-settings.h"

#include <ns3/abort.h>

namespace ns3
{

void
QbbBufferSettings::RefuseWhileRunning() const
{
    NS_ABORT_MSG_IF(m_running,
                    "rdma: an attribute of a " << GetInstanceTypeId().GetName()
                                               << " is set while its switch is running; accepted: "
                                                  "before the simulation starts");
}

} // namespace ns3
