/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_SPREAD_RECEIVER_H
#define ROCE_SPREAD_RECEIVER_H

#include "rdma-packet-bitmap.h"
#include "rdma-transport.h"

#include <limits>

namespace ns3
{

/**
 * \ingroup rdma
 * The receiver of a RoCE NIC with RoceTransport::OutOfOrder: packets within a window may arrive in
 * any order. Its user executes the packets in order and calls Accept() for each of them, for a
 * packet that waits for another one as well as when its turn has come.
 */
class RoceSpreadReceiver : public RdmaReceiver
{
  public:
    /** \param window packets from the first missing one on that the receiver takes, 1 or more */
    explicit RoceSpreadReceiver(uint32_t window);

    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;

    /**
     * The refused packet and all packets that wait for it count as not received: the requester
     * sends all of them again after an RNR NAK.
     */
    void Refuse() override;

    void Resume(uint64_t packet) override;
    uint64_t GetExpected() const override;
    RdmaReordering GetReordering() const override;

    uint32_t CountKept() const override
    {
        return m_kept.GetCount();
    }

    /** Packets that are missing in a row. */
    struct Gap
    {
        uint64_t first; //!< number of the first packet
        uint64_t end;   //!< one more than the number of the last packet, or NO_END
    };

    /// End of a gap beyond which no packet waits.
    static constexpr uint64_t NO_END = std::numeric_limits<uint64_t>::max();

    /**
     * \param from a packet, GetExpected() or later
     * \return the first gap with packets from \p from on; packets before \p from are left out
     */
    Gap FindGap(uint64_t from) const
    {
        const uint64_t first = m_kept.FindClear(from);
        return {first, m_kept.FindSet(first)};
    }

  private:
    RdmaPacketBitmap m_kept;     //!< packets that wait; the first bit is the next packet in order
    RdmaReordering m_reordering; //!< result of GetReordering()
    uint32_t m_window;           //!< packets from the first missing one on that are taken
};

} // namespace ns3

#endif /* ROCE_SPREAD_RECEIVER_H */
