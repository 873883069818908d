/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-raw-header.h"

#include <ns3/assert.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRawHeader);

TypeId
QbbRawHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbRawHeader")
                            .SetParent<Header>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbRawHeader>();
    return tid;
}

QbbRawHeader::QbbRawHeader(const uint8_t* bytes, uint32_t count)
    : m_count(count)
{
    NS_ASSERT_MSG(count <= MAX_BYTES, count << " bytes are more than " << MAX_BYTES);
    std::copy_n(bytes, count, m_bytes.begin());
}

TypeId
QbbRawHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
QbbRawHeader::Print(std::ostream& os) const
{
    os << m_count << " bytes";
}

uint32_t
QbbRawHeader::GetSerializedSize() const
{
    return m_count;
}

void
QbbRawHeader::Serialize(Buffer::Iterator start) const
{
    start.Write(m_bytes.data(), m_count);
}

uint32_t
QbbRawHeader::Deserialize(Buffer::Iterator start)
{
    m_count = std::min<uint32_t>(start.GetRemainingSize(), MAX_BYTES);
    start.Read(m_bytes.data(), m_count);
    return m_count;
}

} // namespace ns3
