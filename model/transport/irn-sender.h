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
 * A NACK or a timeout sends the packet at the cumulative acknowledgement again, and with that a
 * recovery begins. Within it these count as lost: each packet that is not acknowledged and below
 * one that was acknowledged selectively (IrnSelective::SACK), and the packet at which the
 * cumulative acknowledgement comes to stand (a partial acknowledgement, as in NewReno TCP). Each
 * lost packet goes again once; when none is left, new ones follow as far as the window (BDP-FC)
 * lets them. The recovery sequence is the last new packet sent before the latest retransmission;
 * the recovery ends when the cumulative acknowledgement passes it. A timeout within a recovery
 * begins it anew. Every acknowledgement and NACK restarts a retransmission timer that runs.
 *
 * Cumulative progress before the first retransmission has gone out makes it needless. A NACK that
 * moves the cumulative acknowledgement begins no recovery; the next one does. What a recovery has
 * left when it ends waits for the next NACK.
 *
 * PAPER: a NACK of either kind begins a recovery when it comes in, and a partial
 * acknowledgement makes no packet lost, but without SACK.
 *
 * After an RNR NAK a recovery begins in which all that is outstanding and not acknowledged
 * selectively is lost, for the receiver drops without a word what it has no receive request for.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", sections 3.1 and 3.2; 4.3 for
 * the variant without SACK. The authors' transport logic: NetSys/irn-vivado-hls,
 * irn_sender/receiveAck.cpp, txFree.cpp and timeout.cpp. Restart of the timer: InfiniBand
 * Architecture Specification Vol. 1, 9.7.6.1.3, o9-85. Where these are silent:
 * - the selective part of a NACK that is older than the cumulative acknowledgement counts, and
 *   begins a recovery if it tells of a packet beyond a hole;
 * - only cumulative progress restarts the count of timeouts in a row.
 */
class IrnSender : public RdmaReliableSender
{
  public:
    /**
     * Whose rules of loss recovery it follows.
     */
    enum Rules : uint8_t
    {
        PUBLISHED_LOGIC, //!< those of the authors' published transport logic
        PAPER,           //!< those of the paper's words, where that logic has others
    };

    /**
     * \param config limits and times
     * \param selective what NACKs are used for
     * \param rules of loss recovery
     */
    explicit IrnSender(const RdmaSenderConfig& config,
                       IrnSelective selective = IrnSelective::SACK,
                       Rules rules = PUBLISHED_LOGIC);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, QbbPs now) override;
    RdmaSenderEvent OnAck(int64_t packet, QbbPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, QbbPs now) override;

    /** \return true during a recovery */
    bool IsRecovering() const
    {
        return m_phase == Phase::RECOVERING;
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
    /** Where the sender stands between two recoveries. */
    enum class Phase : uint8_t
    {
        REGULAR,    //!< only new packets go out
        DUE,        //!< the first retransmission of a recovery waits for its turn
        RECOVERING, //!< in a recovery
    };

    bool HasLost() const;
    void Begin();
    void Recover();
    void Lose(uint64_t end);
    void SkipSacked();
    void RestartTimer(int64_t expected, QbbPs now);

    IrnBitmap m_sacked;             //!< selectively acknowledged, from m_acked on
    uint64_t m_scan{0};             //!< recovery: all before it went again or need not
    uint64_t m_lostEnd{0};          //!< recovery: all before it that has not arrived is lost
    uint64_t m_recoverySequence{0}; //!< recovery ends when this is acknowledged
    Phase m_phase{Phase::REGULAR};  //!< in a recovery, or before one
    IrnSelective m_selective;       //!< what NACKs are used for
    Rules m_rules;                  //!< of loss recovery
};

} // namespace ns3

#endif /* IRN_SENDER_H */
