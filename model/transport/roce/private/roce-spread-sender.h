/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_SPREAD_SENDER_H
#define ROCE_SPREAD_SENDER_H

#include "rdma-go-back-n.h"
#include "rdma-ring-buffer.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The sender of a RoCE NIC with RoceTransport::OutOfOrder. The receiver tells losses from
 * overtakings, and a NAK of such a receiver names a gap, whose packets alone are sent again.
 *
 * Further gaps have reports of their own, which acknowledge nothing: all gaps are repaired in one
 * round trip.
 *
 * A NAK of a receiver that keeps no packets out of order names no end of the gap: the sender goes
 * back N. After an RNR NAK it goes back N, too, because both kinds of receiver drop what follows a
 * refused packet.
 *
 * A timeout means that the last packets, their acknowledgement or a NAK are lost. The sender then
 * sends the last packet again, whose arrival makes the receiver tell of the oldest gap. If the peer
 * stays silent until the next timeout, the sender sends the first packet without acknowledgement
 * again, for which a receiver without OutOfOrder, or one that has refused a packet, may wait. With
 * an outstanding READ the sender goes back N instead.
 *
 * Where responses take packet numbers of the stream, packets count as acknowledged only up to the
 * first missing response, see SetHold().
 *
 * An acknowledgement tells how many packets wait at the receiver beyond a gap. GetAhead() counts
 * these packets, so that a late packet does not close the congestion window.
 */
class RoceSpreadSender : public RdmaGoBackNSender
{
  public:
    /// Value of SetHold() that limits nothing.
    static constexpr uint64_t NO_HOLD = std::numeric_limits<uint64_t>::max();

    /** \param config window, timeouts and retry limits */
    explicit RoceSpreadSender(const RdmaSenderConfig& config);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    uint64_t GetFlightEnd() const override;
    uint64_t GetRepeatEnd() const override;
    bool Sent(uint64_t packets, RdmaPs now) override;
    RdmaSenderEvent OnAck(int64_t packet, RdmaPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now) override;

    /**
     * An acknowledgement arrives, whose OnAck() follows.
     *
     * \param packets number of packets that wait at the receiver beyond a gap
     */
    void NoteKept(uint32_t packets)
    {
        m_noted = packets;
    }

    /**
     * The receiver asks for the packets of a gap that is not the oldest one.
     *
     * \param first number of the first packet that is missing
     * \param end one more than the number of the last packet
     * \return the consequence for the queue pair
     */
    RdmaSenderEvent OnGap(int64_t first, int64_t end);

    /**
     * A response proves that packets have arrived.
     *
     * \param end all packets below this number have arrived
     * \param now current time
     * \return true if packets are newly acknowledged
     */
    bool Reach(uint64_t end, RdmaPs now);

    /**
     * Sends packets again.
     *
     * \param first number of the first packet, which was sent before
     * \param end one more than the number of the last packet
     */
    void Repeat(uint64_t first, uint64_t end);

    /**
     * Limits the packets that count as acknowledged.
     *
     * \param hold number of the first response that is missing, or NO_HOLD
     * \param now current time
     * \return true if packets are newly acknowledged
     */
    bool SetHold(uint64_t hold, RdmaPs now);

  protected:
    bool Advance(int64_t arrived, RdmaPs now) override;
    bool IsAwaited(int64_t expected) const override;
    void Acknowledged(uint64_t from) override;
    void GoBack() override;
    void HandleTimeout() override;

  private:
    /** Packets to be sent again. */
    struct Range
    {
        uint64_t first; //!< number of the first packet
        uint64_t end;   //!< one more than the number of the last packet
    };

    RdmaRingBuffer<Range> m_repeats; //!< packets to be sent again; none is empty
    uint64_t m_hold{NO_HOLD};        //!< number of the first missing response
    uint64_t m_reached{0};           //!< packets that the peer has acknowledged
    uint32_t m_noted{0};             //!< argument of the latest NoteKept()
    uint64_t m_last{0};              //!< number of the last packet, a READ's first one
    bool m_probes{false};            //!< a timeout has repeated the last packet; no answer yet
};

} // namespace ns3

#endif /* ROCE_SPREAD_SENDER_H */
