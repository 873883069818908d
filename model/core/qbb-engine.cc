/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-engine.h"

namespace ns3
{

void
QbbEngine::Clear()
{
    while (!m_wheel.IsEmpty())
    {
        EventImpl* event = m_wheel.RemoveNext().impl;
        IsOwn(event) ? Untag(event)->Unref() : event->Unref();
    }
}

} // namespace ns3
