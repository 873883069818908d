/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_LOSS_REFERENCE_H
#define RDMA_LOSS_REFERENCE_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * How a lost packet is recovered.
 */
enum class RdmaLossMode
{
    SACK,
    WITHOUT_SACK,
    GO_BACK_N,
    GO_BACK_0
};

/**
 * \ingroup rdma-tests
 * Settings of a sender.
 */
struct RdmaLossSettings
{
    RdmaLossMode mode{RdmaLossMode::SACK}; //!< how a lost packet is recovered
    int64_t window{1 << 20};               //!< most packets in flight
    int64_t lowPs{0};                      //!< timeout with few packets in flight
    int64_t highPs{0};                     //!< timeout with more
    int64_t lowPackets{0};                 //!< few
    bool dynamic{false};                   //!< timeout from round trips
    int64_t minPs{0};                      //!< the least of these
    int64_t maxPs{0};                      //!< timeouts double up to this; 0: they do not
    bool backOff{false};                   //!< go-back-N: a loss halves the window
    bool paper{false};                     //!< selective: the paper's words
};

/**
 * \ingroup rdma-tests
 * All senders over again, written for plainness alone: a record for each packet that was ever
 * posted, and every rule a search through these records.
 *
 * Selective retransmission has the variables of the authors' transport logic
 * (NetSys/irn-vivado-hls): the packet that went again last, or is to, and whether it is to
 * (txFree.cpp), and its cases of an answer one by one (receiveAck.cpp). Not theirs: a hole is
 * looked for when a packet is wanted, and not one packet later; what an RNR NAK does; an old NACK
 * counts only if it tells of a packet that is news.
 */
class RdmaLossReference
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max(); //!< no deadline

    /** \param settings of the sender */
    explicit RdmaLossReference(const RdmaLossSettings& settings)
        : present(settings.window),
          m_set(settings),
          m_rtoPs(settings.highPs)
    {
    }

    /** What is known of a packet. */
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

    /** \return true if what was lost goes again by itself */
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

    /** The packet of Next() goes out. \param nowPs when */
    void Sent(int64_t nowPs)
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
        if (deadlinePs == NEVER)
        {
            StartTimer(nowPs);
        }
        if (again && p == m_timed)
        {
            m_timed = -1;
        }
        else if (!again && m_timed < 0)
        {
            m_timed = p;
            m_timedPs = nowPs;
        }
    }

    /** \param n the first n packets have arrived \param nowPs the instant */
    void Ack(int64_t n, int64_t nowPs)
    {
        if (n <= acked || n > highest)
        {
            Answered(n, nowPs);
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
            Progress(acked, nowPs);
        }
        if (lives && n > whole)
        {
            arrived = n;
            Progress(n, nowPs);
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
     * \param early the one that came early, and is kept; -1 for none
     * \param nowPs the instant
     */
    void Nak(int64_t expected, int64_t early, int64_t nowPs)
    {
        const bool isNew = expected > acked;
        if (isNew || !Selective())
        {
            Ack(expected, nowPs);
        }
        if (!Selective())
        {
            const bool ofMessage = m_set.mode == RdmaLossMode::GO_BACK_0 && expected >= acked &&
                                   expected < highest && StartOf(expected) == acked;
            if ((expected == acked || ofMessage) && next > acked)
            {
                ShrinkWindow();
                GoBack();
                deadlinePs = waiting ? deadlinePs : NEVER;
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
            Measure(early == m_timed, nowPs);
        }
        if (!isNew)
        {
            Answered(expected, nowPs);
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
     * \param waitPs how long to wait
     * \param nowPs the instant
     */
    void Rnr(int64_t expected, int64_t waitPs, int64_t nowPs)
    {
        if (expected > acked || !Selective())
        {
            Ack(expected, nowPs);
        }
        const bool ofMessage = m_set.mode == RdmaLossMode::GO_BACK_0 && expected >= acked &&
                               expected < highest && StartOf(expected) == acked;
        if ((expected == acked || ofMessage) && acked < highest && !waiting)
        {
            waiting = true;
            deadlinePs = nowPs + waitPs;
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
            deadlinePs = NEVER;
            return;
        }
        const bool two = !m_set.dynamic && m_set.lowPs < m_set.highPs;
        if (two && InFlight() > m_set.lowPackets && deadlinePs != m_startPs + m_set.highPs)
        {
            deadlinePs = m_startPs + m_set.highPs;
            return;
        }
        deadlinePs = NEVER;
        ++timeouts;
        ++m_doublings;
        m_timed = -1;
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

    std::vector<Packet> packets;  //!< all that were posted
    int64_t acked{0};             //!< acknowledged from the first on
    int64_t arrived{0};           //!< go-back-0: arrived since it went back
    int64_t highest{0};           //!< one more than the highest sent
    int64_t next{0};              //!< go-back: goes next
    int64_t present;              //!< window at present
    int64_t deadlinePs{NEVER};    //!< timeout or end of a wait
    int64_t recoverySequence{-1}; //!< ends the recovery
    int64_t retransmit{-1};       //!< went again last, or is to go again
    bool wanted{false};           //!< is to go again
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

    void Answered(int64_t n, int64_t nowPs)
    {
        // Every acknowledgement restarts the timer; a timeout has stopped it.
        if (Selective() && n <= highest && acked < highest && !waiting && deadlinePs != NEVER)
        {
            StartTimer(nowPs);
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

    void StartTimer(int64_t nowPs)
    {
        if (m_set.highPs == 0)
        {
            return;
        }
        m_startPs = nowPs;
        int64_t timeoutPs = m_set.dynamic ? m_rtoPs : m_set.lowPs;
        for (int i = 0; i < m_doublings && (m_set.dynamic || m_set.maxPs > 0); ++i)
        {
            timeoutPs = std::min(2 * timeoutPs, m_set.dynamic ? MINUTE_PS : m_set.maxPs);
        }
        deadlinePs = nowPs + timeoutPs;
    }

    void Progress(int64_t n, int64_t nowPs)
    {
        m_doublings = m_set.dynamic ? m_doublings : 0;
        Measure(m_timed >= 0 && m_timed < n, nowPs);
        if (!waiting)
        {
            deadlinePs = NEVER;
            if (InFlight() > 0)
            {
                StartTimer(nowPs);
            }
        }
    }

    void Measure(bool hit, int64_t nowPs)
    {
        if (!hit || !m_set.dynamic)
        {
            return;
        }
        const int64_t rttPs = std::max<int64_t>(1, nowPs - m_timedPs);
        m_timed = -1;
        m_doublings = 0;
        const bool first = m_srttPs == 0;
        const int64_t offPs = first ? 0 : std::abs(rttPs - m_srttPs);
        m_varPs = first ? rttPs / 2 : m_varPs + (offPs - m_varPs) / 4;
        m_srttPs = first ? rttPs : m_srttPs + (rttPs - m_srttPs) / 8;
        m_rtoPs = std::clamp(m_srttPs + std::max<int64_t>(1, 4 * m_varPs), m_set.minPs, MINUTE_PS);
    }

    static constexpr int64_t MINUTE_PS = 60'000'000'000'000; //!< longest dynamic timeout

    RdmaLossSettings m_set; //!< settings
    int64_t m_credit{0};    //!< acknowledged since the window changed
    int64_t m_startPs{0};   //!< start of the timer
    int m_doublings{0};     //!< timeouts that count for doubling
    int64_t m_rtoPs;        //!< dynamic timeout
    int64_t m_srttPs{0};    //!< smoothed round trip
    int64_t m_varPs{0};     //!< its variation
    int64_t m_timed{-1};    //!< packet that is timed
    int64_t m_timedPs{0};   //!< since when
};

} // namespace ns3

#endif /* RDMA_LOSS_REFERENCE_H */
