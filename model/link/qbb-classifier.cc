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
    : m_tables(GetDefaultTables())
{
}

std::shared_ptr<const QbbClassifier::Tables>
QbbClassifier::GetDefaultTables()
{
    static const std::shared_ptr<const Tables> tables = [] {
        auto made = std::make_shared<Tables>();
        for (uint8_t dscp = 0; dscp < made->dscp.size(); ++dscp)
        {
            made->dscp[dscp] = dscp >> 3;
        }
        for (uint8_t pcp = 0; pcp < made->pcp.size(); ++pcp)
        {
            made->pcp[pcp] = pcp;
        }
        return made;
    }();
    return tables;
}

void
QbbClassifier::SetTables(const Tables& tables)
{
    m_tables = std::make_shared<const Tables>(tables);
}

void
QbbClassifier::MapDscp(uint8_t dscp, uint8_t priority)
{
    NS_ABORT_MSG_IF(dscp > 63, "rdma: DSCP " << +dscp << "; accepted: 0..63");
    CheckClass(priority);
    Tables tables = *m_tables;
    tables.dscp[dscp] = priority;
    SetTables(tables);
}

void
QbbClassifier::MapPcp(uint8_t pcp, uint8_t priority)
{
    NS_ABORT_MSG_IF(pcp > 7, "rdma: PCP " << +pcp << "; accepted: 0..7");
    CheckClass(priority);
    Tables tables = *m_tables;
    tables.pcp[pcp] = priority;
    SetTables(tables);
}

void
QbbClassifier::SetDefault(uint8_t priority)
{
    CheckClass(priority);
    Tables tables = *m_tables;
    tables.other = priority;
    SetTables(tables);
}

std::optional<uint8_t>
QbbClassifier::FindDscp(uint8_t priority) const
{
    const auto& table = m_tables->dscp;
    const auto found = std::find(table.begin(), table.end(), priority);
    return found == table.end() ? std::nullopt
                                : std::optional(static_cast<uint8_t>(found - table.begin()));
}

} // namespace ns3
