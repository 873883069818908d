/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_SENDER_H
#define IRN_SENDER_H

#include "irn-bitmap.h"
#include "rdma-reliable-sender.h"

namespace ns3
{

/**
 * \ingroup rdma
 * What an IRN sender makes of the selective part of a NACK.
 */
enum class IrnSelective : uint8_t
{
    SACK, //!< a bitmap of all that has arrived; every hole below it is lost
    NONE, //!< nothing: the cumulative acknowledgement alone says what is lost
};

/**
 * \ingroup rdma
 * The sending half of IRN: selective retransmission.
 *
 * A NACK or a timeout begins a recovery. First the packet at the cumulative acknowledgement goes
 * again. Any other counts as lost if one with a higher number was acknowledged selectively
 * (IrnSelective::SACK), or if the cumulative acknowledgement comes to it (NONE, as in NewReno TCP:
 * several losses in a window cost a round trip each). Each lost packet goes again once; when none
 * is left, new ones follow as far as the window (BDP-FC) lets them. The recovery ends when the
 * cumulative acknowledgement passes the recovery sequence, the last new packet sent before it
 * began. A timeout within it begins it anew. After an RNR NAK all that is outstanding and not
 * acknowledged selectively is lost, for the receiver drops without a word what it has no receive
 * request for.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", sections 3.1 and 3.2; 4.3 for
 * the variant without SACK. Where the paper is silent:
 * - what is known to be lost beyond the recovery sequence and did not go again yet begins the next
 *   recovery when this one ends, rather than to wait for one more NACK;
 * - the selective part of a NACK that is older than the cumulative acknowledgement counts, and
 *   begins a recovery if it tells of a packet beyond a hole;
 * - only cumulative progress restarts the timer and the count of timeouts in a row.
 */
class IrnSender : public RdmaReliableSender
{
  public:
    /** \param config limits and times \param selective what NACKs are used for */
    explicit IrnSender(const RdmaSenderConfig& config, IrnSelective selective = IrnSelective::SACK);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, int64_t nowPs) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, int64_t nowPs) override;

    /** \return true during a recovery */
    bool IsRecovering() const
    {
        return m_recovering;
    }

    /** \return the recovery ends when this packet is acknowledged; only during one */
    uint64_t GetRecoverySequence() const
    {
        return m_recoverySequence;
    }

    /** \param packet a packet that was sent \return true if it was acknowledged, in either way */
    bool IsAcknowledged(uint64_t packet) const
    {
        return packet < m_acked || m_sacked.Test(packet);
    }

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void RanOut() override;
    void Refused() override;

  private:
    bool HasLost() const;
    void Begin();
    void Lose(uint64_t end);
    void SkipSacked();

    IrnBitmap m_sacked;             //!< selectively acknowledged, from m_acked on
    uint64_t m_scan{0};             //!< recovery: all before it went again or need not
    uint64_t m_lostEnd{0};          //!< recovery: all before it that has not arrived is lost
    uint64_t m_recoverySequence{0}; //!< recovery ends when this is acknowledged
    bool m_recovering{false};       //!< in recovery
    IrnSelective m_selective;       //!< what NACKs are used for
};

} // namespace ns3

#endif /* IRN_SENDER_H */
