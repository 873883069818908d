/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-sole-switch.h"

#include <ns3/abort.h>

namespace ns3
{

void
QbbSoleSwitch::Take(const QbbSwitch* sw, const Object& part)
{
    NS_ABORT_MSG_IF(m_switch && m_switch != sw,
                    "rdma: two switches get one "
                        << part.GetInstanceTypeId().GetName()
                        << ", whose state belongs to one switch; accepted: an object for each "
                           "switch, as RdmaFabricHelper makes by SetPathSelector(), SetMarker() "
                           "and SetBufferManager()");
    m_switch = sw;
}

} // namespace ns3
