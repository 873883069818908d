/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-note-bus.h"

#include "qbb-frame-border.h"
#include "rdma-nic.h"
#include "rdma-time.h"

#include <ns3/node-list.h>
#include <ns3/node.h>

namespace ns3
{

RdmaNoteBus::RdmaNoteBus(const std::vector<uint32_t>& nodes,
                         uint32_t sources,
                         RdmaPs leastDelay,
                         uint32_t order)
    : m_leastDelay(leastDelay)
{
    for (const uint32_t node : nodes)
    {
        m_boxes.push_back(std::make_unique<RdmaNoteBox>(node, sources, order));
        if (node >= NodeList::GetNNodes())
        {
            continue;
        }
        if (const auto nic = NodeList::GetNode(node)->GetObject<RdmaNic>())
        {
            nic->AddNoteBus(this);
            m_nics.push_back(nic);
        }
    }
}

RdmaNoteBus::~RdmaNoteBus()
{
    for (const Ptr<RdmaNic>& nic : m_nics)
    {
        nic->RemoveNoteBus(this);
    }
}

void
RdmaNoteBus::Send(uint32_t source, uint32_t from, uint32_t to, RdmaPs delay, const RdmaNote& note)
{
    const RdmaPs arrival = RdmaNow() + delay;
    if (!m_groups.empty() && m_groups[from] != m_groups[to])
    {
        m_borders[to]->Send(*m_boxes[to], source, note, arrival);
        return;
    }
    m_boxes[to]->Insert(source, arrival, note);
}

RdmaPs
RdmaNoteBus::Divide(const std::function<uint32_t(uint32_t node)>& findGroup,
                    const std::function<QbbFrameBorder&(uint32_t group)>& findBorder)
{
    m_groups.clear();
    m_borders.clear();
    bool isDivided = false;
    for (const auto& box : m_boxes)
    {
        const uint32_t group = findGroup(box->GetNodeId());
        isDivided = isDivided || (!m_groups.empty() && m_groups.front() != group);
        m_groups.push_back(group);
        m_borders.push_back(&findBorder(group));
    }
    return isDivided ? m_leastDelay : RDMA_NEVER;
}

void
RdmaNoteBus::Unite()
{
    m_groups.clear();
    m_borders.clear();
}

} // namespace ns3
