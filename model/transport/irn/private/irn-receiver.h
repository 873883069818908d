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

  private:
    RdmaPacketBitmap m_kept; //!< received packets; the first bit is the next expected packet
};

} // namespace ns3

#endif /* IRN_RECEIVER_H */
