/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-queue-pair-factory.h"

namespace ns3
{

RdmaQueuePairFactory::RdmaQueuePairFactory()
{
    m_factory.SetTypeId(RdmaQueuePair::GetTypeId());
}

void
RdmaQueuePairFactory::Set(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
    m_pattern = nullptr;
}

Ptr<RdmaQueuePair>
RdmaQueuePairFactory::Create() const
{
    return m_factory.Create<RdmaQueuePair>();
}

void
RdmaQueuePairFactory::MakePattern()
{
    if (!m_pattern)
    {
        m_pattern = Create();
    }
}

Ptr<RdmaQueuePair>
RdmaQueuePairFactory::CreateAlike()
{
    MakePattern();
    const Ptr<RdmaQueuePair> qp = m_pattern->MakeAlike();
    return qp ? qp : Create();
}

} // namespace ns3
