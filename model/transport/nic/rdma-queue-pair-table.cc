/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-pair-table.h"

#include <ns3/abort.h>

#include <algorithm>
#include <utility>

namespace ns3
{

uint32_t
RdmaQueuePairTable::TakeNumbers(uint32_t count)
{
    NS_ABORT_MSG_IF(m_queuePairs.size() + FIRST_QPN + count > (1U << 24),
                    "rdma: more queue pairs than 24-bit numbers");
    const uint32_t first = FIRST_QPN + static_cast<uint32_t>(m_queuePairs.size());
    m_queuePairs.resize(m_queuePairs.size() + count);
    return first;
}

uint32_t
RdmaQueuePairTable::Reserve(uint32_t count, LateHandler late)
{
    const uint32_t first = TakeNumbers(count);
    m_blocks.push_back({first, count, std::move(late)});
    return first;
}

const RdmaQueuePairTable::Block*
RdmaQueuePairTable::FindBlock(uint32_t qpn) const
{
    const auto next =
        std::upper_bound(m_blocks.begin(), m_blocks.end(), qpn, [](uint32_t n, const Block& block) {
            return n < block.first;
        });
    const bool found = next != m_blocks.begin() && qpn - (next - 1)->first < (next - 1)->count;
    return found ? &*(next - 1) : nullptr;
}

void
RdmaQueuePairTable::Add(uint32_t qpn, Ptr<RdmaQueuePair> qp)
{
    m_queuePairs[qpn - FIRST_QPN] = std::move(qp);
    ++m_size;
}

void
RdmaQueuePairTable::Remove(uint32_t qpn)
{
    m_queuePairs[qpn - FIRST_QPN] = nullptr;
    --m_size;
}

void
RdmaQueuePairTable::Clear()
{
    for (auto& qp : m_queuePairs)
    {
        if (qp)
        {
            qp->Dispose();
        }
    }
    m_queuePairs.clear();
    m_blocks.clear();
    m_size = 0;
}

Ptr<RdmaQueuePair>
RdmaQueuePairTable::MakeLate(uint32_t qpn) const
{
    const Block* block = FindBlock(qpn);
    return block && block->late ? block->late(qpn) : nullptr;
}

} // namespace ns3
