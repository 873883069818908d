/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GO_BACK_N_H
#define RDMA_GO_BACK_N_H

#include "rdma-reliable-sender.h"

#include <limits>

namespace ns3
{

/**
 * \ingroup rdma
 * What a loss does to the window of a sender.
 */
enum class RdmaBackOff : uint8_t
{
    NONE, //!< nothing
    LOSS, //!< halves it; it grows by a packet for each window acknowledged
};

/**
 * \ingroup rdma
 * Go-back-N, as RoCE NICs do: cumulative acknowledgements; a NAK or a timeout sends everything
 * again from the first packet that is missing.
 *
 * A packet that is lost each time it is sent again must not be sent for ever: as timeouts do, NAKs
 * of one packet count against retry_cnt. The first of them tells of the loss and does not count. A
 * receiver that answers each packet behind the gap may send one more for each packet that has gone
 * out by then, and these do not count either. The next NAK tells that the packet was lost again,
 * and counts; then the allowance for packets behind the gap begins anew. Progress resets the count.
 *
 * With RdmaBackOff::LOSS each NAK that makes it go back and each timeout leaves half of the window,
 * or of what is outstanding if that is less, and at least one packet.
 *
 * Source: InfiniBand Architecture Specification Vol. 1, 9.7.5 (reliable connections); Guo et al.,
 * "RDMA over Commodity Ethernet at Scale", section 4.1; for the back-off Mittal et al., "Revisiting
 * Network Support for RDMA", section 4.3.
 */
class RdmaGoBackNSender : public RdmaReliableSender
{
  public:
    /** \param config limits and times \param backOff what a loss does to the window */
    explicit RdmaGoBackNSender(const RdmaSenderConfig& config,
                               RdmaBackOff backOff = RdmaBackOff::NONE);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, QbbPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, QbbPs now) override;

    /** \return most packets in flight at present */
    uint64_t GetWindow() const
    {
        return m_present;
    }

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void RanOut() override;
    void Refused() override;

    /** The packet that goes next is the first that is not acknowledged. */
    virtual void GoBack();

    uint64_t m_next{0}; //!< packet that goes next

  private:
    /** No packet has this number. */
    static constexpr uint64_t NO_NAK = std::numeric_limits<uint64_t>::max();

    bool IsLostAgain();
    void ShrinkWindow();

    uint64_t m_nakOf{NO_NAK}; //!< the packet that the latest NAK asked for
    uint32_t m_naksToCome{0}; //!< NAKs of it that may be due to what was under way
    uint32_t m_present;       //!< most packets in flight at present
    uint32_t m_credit{0};     //!< packets acknowledged since the window last changed
    RdmaBackOff m_backOff;    //!< what a loss does to the window
};

/**
 * \ingroup rdma
 * Accepts packets in order only; the first packet after a gap asks for the missing one, and no
 * other until that has come (IBA Vol. 1, 9.7.5.2.8: a NAK is sent once for each gap). Or each does,
 * until the gap is closed: a loss of the packet that is sent again is then repaired without a
 * timeout.
 */
class RdmaGoBackNReceiver : public RdmaReceiver
{
  public:
    /** \param nakEachPacket true: each packet behind a gap is answered by a NAK */
    explicit RdmaGoBackNReceiver(bool nakEachPacket = false);

    RdmaReceiverVerdict Check(int64_t packet) override;
    void Accept(uint64_t packet, uint64_t packets, bool endsMessage) override;
    void Refuse() override;
    void Resume(uint64_t packet) override;
    uint64_t GetExpected() const override;
    uint64_t GetMissing() const override;

  private:
    uint64_t m_expected{0}; //!< the next packet in order
    bool m_nakSent{false};  //!< the requester knows of the gap
    bool m_refused{false};  //!< it was told to wait
    bool m_nakEachPacket;   //!< ask again for each packet
};

} // namespace ns3

#endif /* RDMA_GO_BACK_N_H */
