/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_LOSS_REFERENCE_H
#define RDMA_LOSS_REFERENCE_H

#include "rdma-loss-timeout.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A reference of all senders, as simple as possible: a record for each posted packet, and each rule
 * a search through the records.
 *
 * Selective retransmission has the variables of the authors' transport logic
 * (NetSys/irn-vivado-hls): the packet that went again last, or is to, and whether it is to
 * (txFree.cpp), and its cases of an answer one by one (receiveAck.cpp). Differences: a hole is
 * looked for when a packet is wanted, and not one packet later; RNR NAKs are handled; an old NACK
 * counts only if it reports a packet that was not known to have come.
 */
class RdmaLossReference
{
  public:
    static constexpr RdmaPs NEVER = RDMA_NEVER; //!< no deadline

    /** \param settings of the sender */
    explicit RdmaLossReference(const RdmaLossSettings& settings)
        : present(settings.window),
          m_set(settings),
          m_timeout(settings)
    {
    }

    /** State of a packet. */
    struct Packet
    {
        bool ends{false};    //!< it ends its message
        bool sacked{false};  //!< acknowledged selectively
        bool counted{false}; //!< sent at all
    };

    /** \param n packets of a message */
    void Post(int64_t n)
    {
        packets.resize(packets.size() + static_cast<std::size_t>(n));
        packets.back().ends = true;
    }

    /** \return packets posted */
    int64_t Posted() const
    {
        return static_cast<int64_t>(packets.size());
    }

    /** \return true if lost packets are retransmitted without a timeout */
    bool Selective() const
    {
        return m_set.mode == RdmaLossMode::SACK || m_set.mode == RdmaLossMode::WITHOUT_SACK;
    }

    /** \return the packet that goes again next, or -1 */
    int64_t FirstLost() const
    {
        if (wanted)
        {
            return retransmit;
        }
        for (int64_t p = std::max(retransmit + 1, acked); recovering && p < highest; ++p)
        {
            bool isHole = p < refusedEnd;
            for (int64_t q = p + 1; q < highest && !isHole; ++q)
            {
                isHole = packets[q].sacked;
            }
            if (isHole && !packets[p].sacked)
            {
                return p;
            }
        }
        return -1;
    }

    /** \return the packet that goes next, or -1 */
    int64_t Next() const
    {
        if (waiting)
        {
            return -1;
        }
        if (Selective())
        {
            const int64_t lost = FirstLost();
            const bool room = highest < Posted() && highest - acked < m_set.window;
            return lost >= 0 ? lost : room ? highest : -1;
        }
        return next < Posted() && InFlight() < present ? next : -1;
    }

    /** \return packets in flight */
    int64_t InFlight() const
    {
        return Selective() ? highest - acked : next - std::max(acked, arrived);
    }

    /** The packet of Next() goes out. \param now instant */
    void Sent(RdmaPs now)
    {
        const int64_t p = Next();
        const bool again = packets[p].counted;
        if (again && Selective())
        {
            retransmit = p;
            wanted = false;
            recovering = true;
            recoverySequence = highest - 1;
        }
        retransmissions += again;
        packets[p].counted = true;
        next = p + 1;
        highest = std::max(highest, p + 1);
        if (deadline == NEVER)
        {
            StartTimer(now);
        }
        m_timeout.Sent(p, again, now);
    }

    /** \param n the first n packets have arrived \param now the instant */
    void Ack(int64_t n, RdmaPs now)
    {
        if (n <= acked || n > highest)
        {
            Answered(n, now);
            return;
        }
        int64_t whole = n;
        while (m_set.mode == RdmaLossMode::GO_BACK_0 && whole > acked && !packets[whole - 1].ends)
        {
            --whole;
        }
        const bool lives = whole == n || (n > arrived && n <= next);
        if (whole > acked)
        {
            const int64_t news = whole - acked;
            acked = whole;
            next = std::max(next, acked);
            arrived = std::max(arrived, acked);
            GrowWindow(news);
            Progress(acked, now);
        }
        if (lives && n > whole)
        {
            arrived = n;
            Progress(n, now);
        }
        if (acked > recoverySequence)
        {
            recovering = false;
            wanted = false;
        }
        if (recovering && (!m_set.paper || m_set.mode == RdmaLossMode::WITHOUT_SACK) &&
            retransmit < acked)
        {
            retransmit = acked;
            wanted = true;
        }
        wanted = wanted && retransmit >= acked;
    }

    /**
     * \param expected the packet that the receiver waits for
     * \param early the packet that came early, and is kept; -1 for none
     * \param now the instant
     */
    void Nak(int64_t expected, int64_t early, RdmaPs now)
    {
        const bool isNew = expected > acked;
        if (isNew || !Selective())
        {
            Ack(expected, now);
        }
        if (!Selective())
        {
            const bool ofMessage = m_set.mode == RdmaLossMode::GO_BACK_0 && expected >= acked &&
                                   expected < highest && StartOf(expected) == acked;
            if ((expected == acked || ofMessage) && next > acked)
            {
                ShrinkWindow();
                GoBack();
                deadline = waiting ? deadline : NEVER;
            }
            return;
        }
        if (acked == highest || expected > highest)
        {
            return;
        }
        bool tells = expected == acked;
        if (m_set.mode == RdmaLossMode::SACK && early > acked && early < highest)
        {
            tells = tells || !packets[early].sacked;
            packets[early].sacked = true;
            m_timeout.Early(early, now);
        }
        if (!isNew)
        {
            Answered(expected, now);
        }
        if (tells && !recovering && !wanted && (!isNew || m_set.paper))
        {
            Want();
            Enter();
        }
        else if (expected == acked && recovering && retransmit < acked)
        {
            Want(); // the paper's words: it is asked for, whether a later one has come or not
        }
    }

    /**
     * \param expected the packet that was refused
     * \param wait length of the wait
     * \param now the instant
     */
    void Rnr(int64_t expected, RdmaPs wait, RdmaPs now)
    {
        if (expected > acked || !Selective())
        {
            Ack(expected, now);
        }
        const bool ofMessage = m_set.mode == RdmaLossMode::GO_BACK_0 && expected >= acked &&
                               expected < highest && StartOf(expected) == acked;
        if ((expected == acked || ofMessage) && acked < highest && !waiting)
        {
            waiting = true;
            deadline = now + wait;
            if (!Selective())
            {
                GoBack();
                return;
            }
            Want();
            recovering = true;
            recoverySequence = highest - 1;
            refusedEnd = highest;
        }
    }

    /** The deadline has come. */
    void Timeout()
    {
        if (waiting)
        {
            waiting = false;
            deadline = NEVER;
            return;
        }
        const bool two = !m_set.dynamic && m_set.low < m_set.high;
        if (two && InFlight() > m_set.lowPackets && deadline != m_start + m_set.high)
        {
            deadline = m_start + m_set.high;
            return;
        }
        deadline = NEVER;
        ++timeouts;
        m_timeout.Expired();
        if (Selective())
        {
            Want();
            Enter();
        }
        else
        {
            ShrinkWindow();
            GoBack();
        }
    }

    std::vector<Packet> packets;  //!< all packets that were posted
    int64_t acked{0};             //!< packets acknowledged, all from the first on
    int64_t arrived{0};           //!< go-back-0: packets that arrived since it went back
    int64_t highest{0};           //!< one more than the highest sent
    int64_t next{0};              //!< go-back: packet that goes next
    int64_t present;              //!< window at present
    RdmaPs deadline{NEVER};       //!< timeout or end of a wait
    int64_t recoverySequence{-1}; //!< packet whose acknowledgement ends the recovery
    int64_t retransmit{-1};       //!< packet that went again last, or is to go again
    bool wanted{false};           //!< the packet `retransmit` is to go again
    int64_t refusedEnd{0};        //!< all before it that has not arrived was refused
    int64_t retransmissions{0};   //!< packets sent again
    int64_t timeouts{0};          //!< timeouts
    bool recovering{false};       //!< in a recovery
    bool waiting{false};          //!< after an RNR NAK

  private:
    int64_t StartOf(int64_t p) const
    {
        while (p > 0 && !packets[p - 1].ends)
        {
            --p;
        }
        return p;
    }

    void Want()
    {
        retransmit = acked;
        wanted = true;
    }

    void Enter()
    {
        if (m_set.paper)
        {
            recovering = true;
            recoverySequence = highest - 1;
        }
    }

    void Answered(int64_t n, RdmaPs now)
    {
        // Every acknowledgement restarts the timer; a timeout has stopped it.
        if (Selective() && n <= highest && acked < highest && !waiting && deadline != NEVER)
        {
            StartTimer(now);
        }
    }

    void GoBack()
    {
        next = acked;
        arrived = acked;
    }

    void ShrinkWindow()
    {
        if (m_set.backOff)
        {
            present = std::max<int64_t>(1, std::min(present, highest - acked) / 2);
            m_credit = 0;
        }
    }

    void GrowWindow(int64_t news)
    {
        for (; news > 0 && present < m_set.window; --news)
        {
            if (++m_credit == present)
            {
                ++present;
                m_credit = 0;
            }
        }
    }

    void StartTimer(RdmaPs now)
    {
        if (m_set.high > 0_ps)
        {
            m_start = now;
            deadline = now + m_timeout.Get();
        }
    }

    void Progress(int64_t n, RdmaPs now)
    {
        m_timeout.Progress(n, now);
        if (!waiting)
        {
            deadline = NEVER;
            if (InFlight() > 0)
            {
                StartTimer(now);
            }
        }
    }

    RdmaLossSettings m_set;    //!< settings
    RdmaLossTimeout m_timeout; //!< length of the next timeout
    int64_t m_credit{0};       //!< packets acknowledged since the window changed
    RdmaPs m_start{0};         //!< start of the timer
};

} // namespace ns3

#endif /* RDMA_LOSS_REFERENCE_H */
