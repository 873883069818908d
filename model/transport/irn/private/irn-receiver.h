/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_RECEIVER_H
#define IRN_RECEIVER_H

#include "rdma-packet-bitmap.h"
#include "rdma-transport.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The receiver of IRN: buffers out-of-order packets and sends a NACK for each of them.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", section 3.1; section 5.3 for the
 * bitmap.
 */
class IrnReceiver : public RdmaReceiver
{
  public:
    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;
    void Refuse() override;
    void Resume(uint64_t packet) override;
    uint64_t GetExpected() const override;

    uint32_t CountKept() const override
    {
        return m_kept.GetCount();
    }

    uint8_t GetArrivedBefore(int64_t packet) const override;
    RdmaReordering GetReordering() const override;

  private:
    uint32_t m_distance{0};  //!< RdmaReordering::distance
    uint32_t m_held{0};      //!< RdmaReordering::held
    RdmaPacketBitmap m_kept; //!< received packets; the first bit is the next expected packet
};

} // namespace ns3

#endif /* IRN_RECEIVER_H */
