/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-engine.h"

namespace ns3
{

void
QbbEngine::Clear()
{
    while (!m_wheel.IsEmpty())
    {
        m_wheel.RemoveNext().impl->Unref();
    }
}

} // namespace ns3
