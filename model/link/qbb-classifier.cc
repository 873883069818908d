/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-classifier.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

void
CheckClass(uint8_t priority)
{
    NS_ABORT_MSG_IF(priority > 7, "rdma: class " << +priority << "; accepted: 0..7");
}

} // namespace

QbbClassifier::QbbClassifier()
{
    for (uint8_t dscp = 0; dscp < m_dscp.size(); ++dscp)
    {
        m_dscp[dscp] = dscp >> 3;
    }
    for (uint8_t pcp = 0; pcp < m_pcp.size(); ++pcp)
    {
        m_pcp[pcp] = pcp;
    }
}

void
QbbClassifier::MapDscp(uint8_t dscp, uint8_t priority)
{
    NS_ABORT_MSG_IF(dscp > 63, "rdma: DSCP " << +dscp << "; accepted: 0..63");
    CheckClass(priority);
    m_dscp[dscp] = priority;
}

void
QbbClassifier::MapPcp(uint8_t pcp, uint8_t priority)
{
    NS_ABORT_MSG_IF(pcp > 7, "rdma: PCP " << +pcp << "; accepted: 0..7");
    CheckClass(priority);
    m_pcp[pcp] = priority;
}

void
QbbClassifier::SetDefault(uint8_t priority)
{
    CheckClass(priority);
    m_default = priority;
}

std::optional<uint8_t>
QbbClassifier::FindDscp(uint8_t priority) const
{
    const auto found = std::find(m_dscp.begin(), m_dscp.end(), priority);
    return found == m_dscp.end() ? std::nullopt
                                 : std::optional(static_cast<uint8_t>(found - m_dscp.begin()));
}

} // namespace ns3
