/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pending-links.h"

#include "qbb-channel.h"
#include "qbb-port.h"

namespace ns3
{

void
QbbPendingLinks::Add(const QbbChannel& channel)
{
    Link& link = m_links[&channel];
    if (link.changes++ == 0)
    {
        link.known = channel.IsUp();
    }
}

bool
QbbPendingLinks::Learn(const QbbChannel& channel, bool up)
{
    const auto found = m_links.find(&channel);
    if (found == m_links.end())
    {
        return false;
    }
    found->second.known = up;
    if (--found->second.changes == 0)
    {
        m_links.erase(found);
    }
    return true;
}

bool
QbbPendingLinks::IsKnownUp(const QbbPort& port) const
{
    if (!m_links.empty())
    {
        const auto found = m_links.find(PeekPointer(port.GetQbbChannel()));
        if (found != m_links.end())
        {
            return found->second.known;
        }
    }
    return port.IsUp();
}

} // namespace ns3
