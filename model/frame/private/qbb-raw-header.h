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
 * Raw bytes to prepend to a packet as a header.
 *
 * Adding a header keeps the virtual payload of ns-3's packets virtual; appending a packet to
 * another would materialise it.
 */
class QbbRawHeader : public Header
{
  public:
    static constexpr uint32_t MAX_BYTES =
        36; //!< most bytes: Ethernet with a tag and a QbbFabricHeader

    /** \return the TypeId of the class */
    static TypeId GetTypeId();

    QbbRawHeader() = default;

    /**
     * \param bytes bytes of the header
     * \param count number of bytes, at most MAX_BYTES
     */
    QbbRawHeader(const uint8_t* bytes, uint32_t count);

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    std::array<uint8_t, MAX_BYTES> m_bytes{}; //!< bytes of the header
    uint32_t m_count{0};                      //!< number of bytes in use
};

} // namespace ns3

#endif /* QBB_RAW_HEADER_H */
