/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_SENDER_H
#define IRN_SENDER_H

#include "rdma-packet-bitmap.h"
#include "rdma-sender.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Use of the selective acknowledgement in a NACK by an IRN sender.
 */
enum class IrnSelective : uint8_t
{
    SACK, //!< selective acknowledgements fill a bitmap; every hole below the highest one is lost
    NONE, //!< selective acknowledgements are ignored; only the cumulative one indicates losses
};

/**
 * \ingroup rdma
 * The sender of IRN, with selective retransmission.
 *
 * A NACK or a timeout retransmits the first unacknowledged packet, which begins a recovery. Two
 * kinds of packets count as lost during a recovery: unacknowledged packets below a selectively
 * acknowledged one (IrnSelective::SACK), and the first unacknowledged packet after a partial
 * acknowledgement (as in TCP NewReno). Each lost packet is retransmitted once. When no lost packet
 * is left, new packets follow as far as the window (BDP-FC) permits. The recovery sequence is the
 * last new packet sent before the latest retransmission; the recovery ends when the cumulative
 * acknowledgement passes the recovery sequence. A timeout during a recovery restarts the recovery.
 * Every acknowledgement and NACK restarts a running retransmission timer.
 *
 * Cumulative progress before the first retransmission cancels the retransmission. A NACK that
 * advances the cumulative acknowledgement begins no recovery; the next NACK does. Lost packets left
 * at the end of a recovery wait for the next NACK.
 *
 * Rules PAPER: every NACK begins a recovery at once, whether or not it advances the cumulative
 * acknowledgement. A partial acknowledgement marks no packet as lost unless SACK is off.
 *
 * An RNR NAK begins a recovery in which all outstanding packets not acknowledged selectively are
 * lost, because the receiver silently drops packets without a receive request.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", sections 3.1 and 3.2; 4.3 for
 * the variant without SACK. The authors' transport logic: NetSys/irn-vivado-hls,
 * irn_sender/receiveAck.cpp, txFree.cpp and timeout.cpp. Restart of the timer: InfiniBand
 * Architecture Specification Vol. 1, 9.7.6.1.3, o9-85. Choices where these sources are silent:
 * - the selective acknowledgement of a NACK older than the cumulative acknowledgement counts, and
 *   begins a recovery if it newly acknowledges a packet after a hole;
 * - only cumulative progress resets the count of timeouts in a row.
 */
class IrnSender : public RdmaSender
{
  public:
    /**
     * Rules of loss recovery that the sender follows.
     */
    enum Rules : uint8_t
    {
        PUBLISHED_LOGIC, //!< rules of the authors' published transport logic
        PAPER,           //!< rules of the paper's text where the published logic differs
    };

    /**
     * \param config window, timeouts and retry limits
     * \param selective use of selective acknowledgements
     * \param rules rules of loss recovery
     */
    explicit IrnSender(const RdmaSenderConfig& config,
                       IrnSelective selective = IrnSelective::SACK,
                       Rules rules = PUBLISHED_LOGIC);

    bool CanSend() const override;
    uint64_t GetNext() const override;
    bool Sent(uint64_t packets, RdmaPs now) override;
    RdmaSenderEvent OnAck(int64_t packet, RdmaPs now) override;
    RdmaSenderEvent OnNak(int64_t expected, int64_t selective, RdmaPs now) override;

    /** \return true during a recovery */
    bool IsRecovering() const
    {
        return m_phase == Phase::RECOVERING;
    }

    /** \return packet whose acknowledgement ends the recovery; valid only during a recovery */
    uint64_t GetRecoverySequence() const
    {
        return m_recoverySequence;
    }

    /** \param packet a packet sent \return true if acknowledged cumulatively or selectively */
    bool IsAcknowledged(uint64_t packet) const
    {
        return packet < m_acked || m_sacked.Test(packet);
    }

  protected:
    uint64_t GetInFlight() const override;
    void Acknowledged(uint64_t from) override;
    void HandleTimeout() override;
    void HandleReceiverNotReady() override;

  private:
    /** Phase of the loss recovery. */
    enum class Phase : uint8_t
    {
        REGULAR,    //!< no recovery: only new packets are sent
        DUE,        //!< the first retransmission of a recovery is pending
        RECOVERING, //!< a recovery is in progress
    };

    bool HasLost() const;
    void Begin();
    void Recover();
    void Lose(uint64_t end);
    void SkipSacked();
    void RestartTimer(int64_t expected, RdmaPs now);

    RdmaPacketBitmap m_sacked;             //!< selectively acknowledged packets, from m_acked on
    uint64_t m_scan{0};             //!< next packet to examine for retransmission during a recovery
    uint64_t m_lostEnd{0};          //!< unacknowledged packets below this number are lost
    uint64_t m_recoverySequence{0}; //!< packet whose acknowledgement ends the recovery
    Phase m_phase{Phase::REGULAR};  //!< phase of the loss recovery
    IrnSelective m_selective;       //!< use of selective acknowledgements
    Rules m_rules;                  //!< rules of loss recovery
};

} // namespace ns3

#endif /* IRN_SENDER_H */
