/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RAW_HEADER_H
#define QBB_RAW_HEADER_H

#include <ns3/header.h>

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A few bytes to put in front of a packet.
 *
 * Adding a header leaves the virtual payload of ns-3's packets virtual, appending one packet to
 * another would not.
 */
class QbbRawHeader : public Header
{
  public:
    static constexpr uint32_t MAX_BYTES = 20; //!< an IPv4 header without options

    /** \return the TypeId */
    static TypeId GetTypeId();

    QbbRawHeader() = default;

    /**
     * \param bytes the bytes
     * \param count how many, MAX_BYTES at most
     */
    QbbRawHeader(const uint8_t* bytes, uint32_t count);

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    std::array<uint8_t, MAX_BYTES> m_bytes{}; //!< the bytes
    uint32_t m_count{0};                      //!< how many
};

} // namespace ns3

#endif /* QBB_RAW_HEADER_H */
