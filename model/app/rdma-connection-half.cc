/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-half.h"

#include <utility>

namespace ns3
{

RdmaConnectionHalf::RdmaConnectionHalf(RdmaConnectionTerms&& terms)
    : m_host(terms.host),
      m_home(terms.home),
      m_lanes(std::move(terms.lanes)),
      m_priority(terms.priority),
      m_depth(terms.plan.GetDepth()),
      m_idleTimeout(terms.plan.GetIdleTimeout()),
      m_user(terms.user),
      m_id(terms.id)
{
}

RdmaNote
RdmaConnectionHalf::MakeNote(uint32_t kind, uint32_t lane)
{
    RdmaNote note;
    note.receiver = this;
    note.kind = kind;
    note.place = lane;
    return note;
}

} // namespace ns3
