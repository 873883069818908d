/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-sender.h"
#include "rdma-go-back-n.h"
#include "rdma-loss-halves.h"
#include "rdma-loss-model.h"

#include <array>
#include <gtest/gtest.h>

namespace ns3
{

namespace
{

constexpr RdmaPs NEVER = RdmaSender::NO_DEADLINE;
constexpr RdmaPs PACKET = 100_ps; //!< a packet's time on the sender's port

} // namespace

RdmaLossModel::RdmaLossModel(const RdmaLossPattern& pattern, RdmaLossSeen& seen)
    : m_pattern(pattern),
      m_seen(seen),
      m_random(pattern.seed),
      m_sender(MakeRdmaLossSender(pattern.settings)),
      m_receiver(MakeRdmaLossReceiver(pattern.settings.mode)),
      m_reference(pattern.settings),
      m_arrivals(pattern.settings.mode),
      m_receives(pattern.receivesPosted ? pattern.messages : 0)
{
}

bool
RdmaLossModel::Chance(double probability)
{
    return probability > 0 && static_cast<double>(m_random() >> 11) * 0x1p-53 < probability;
}

int64_t
RdmaLossModel::Below(int64_t limit)
{
    return limit > 0 ? static_cast<int64_t>(m_random() % static_cast<uint64_t>(limit)) : 0;
}

RdmaPs
RdmaLossModel::Below(RdmaPs limit)
{
    return RdmaPs(Below(limit.Get()));
}

void
RdmaLossModel::Expect(bool condition, const char* what)
{
    if (!condition && m_error.empty())
    {
        m_error = std::string(what) + " at " + std::to_string(m_now.Get()) + " ps, seed " +
                  std::to_string(m_pattern.seed);
    }
}

std::string
RdmaLossModel::Run()
{
    constexpr int LIMIT = 2'000'000; // steps of a run that does not end by itself
    uint32_t left = m_pattern.messages;
    for (int step = 0; m_error.empty(); ++step)
    {
        Expect(step < LIMIT, "livelock");
        // The next event. Of several events at one instant, a random one comes first.
        const std::array<RdmaPs, 5> times{left ? m_nextPost : NEVER,
                                          m_receives < m_pattern.messages ? m_nextReceive : NEVER,
                                          m_ready ? m_nextSend : NEVER,
                                          m_line.empty() ? NEVER : m_line.begin()->first,
                                          m_sender->GetDeadline()};
        const RdmaPs next = *std::min_element(times.begin(), times.end());
        if (next == NEVER)
        {
            break;
        }
        std::size_t which = m_random() % times.size();
        while (times[which] != next)
        {
            which = (which + 1) % times.size();
        }
        m_now = std::max(m_now, next);
        if (which == 0)
        {
            Post();
            --left;
        }
        else if (which == 1)
        {
            ++m_receives;
            m_nextReceive = m_now + Below(8 * m_pattern.rnrWait);
        }
        else if (which == 2)
        {
            SendOne();
        }
        else if (which == 3)
        {
            const Item item = m_line.begin()->second;
            m_line.erase(m_line.begin());
            item.kind == Kind::DATA ? PacketArrives(item.packet) : AnswerArrives(item);
        }
        else
        {
            m_reference.Timeout();
            Follow(m_sender->OnTimeout(m_now));
        }
        Check();
    }
    Expect(m_arrivals.completed == m_pattern.messages, "a message was never completed");
    Expect(m_reference.acked == m_reference.Posted(), "a packet was never acknowledged");
    for (const RdmaLossArrivals::Packet& arrival : m_arrivals.packets)
    {
        Expect(arrival.here, "a packet was never delivered");
    }
    m_seen.retransmissions += m_sender->GetRetransmissions();
    m_seen.timeouts += m_sender->GetTimeouts();
    return m_error;
}

void
RdmaLossModel::Post()
{
    const int64_t packets = 1 + Below(m_pattern.maxPackets);
    m_arrivals.Post(packets, m_pattern.ackInterval);
    m_reference.Post(packets);
    m_sender->Extend(static_cast<uint64_t>(packets));
    m_ready = m_ready || m_sender->CanSend();
    m_nextPost = m_pattern.postedAtOnce ? m_now : m_now + Below(20 * PACKET);
}

void
RdmaLossModel::Transport(const Item& item, double lose)
{
    // The delay of each copy counts from the present instant, or else delays would add up.
    for (int copies = Chance(m_pattern.duplicate) ? 2 : 1; copies > 0; --copies)
    {
        RdmaPs at = m_now + 1_ps + Below(m_pattern.maxDelay);
        RdmaPs& last = m_last[item.kind == Kind::DATA];
        if (!m_pattern.reorder)
        {
            at = std::max(at, last);
        }
        if (!Chance(lose))
        {
            last = at;
            m_line.emplace(at, item);
        }
    }
}

void
RdmaLossModel::SendOne()
{
    if (!m_sender->CanSend())
    {
        m_ready = false; // the sender has its turn and nothing to send
        return;
    }
    const auto packet = static_cast<int64_t>(m_sender->GetNext());
    Expect(packet == m_reference.Next(), "not the packet that goes next");
    if (!m_error.empty())
    {
        return;
    }
    const bool before = m_reference.packets[packet].counted;
    Expect(m_sender->Sent(1, m_now) == before, "wrong about being sent again");
    m_reference.Sent(m_now);
    m_seen.deepest =
        std::max(m_seen.deepest, static_cast<uint64_t>(m_reference.highest - m_reference.acked));
    if (!IsTheOneToLose(packet))
    {
        Transport({Kind::DATA, packet}, m_pattern.loseData);
    }
    m_ready = m_sender->CanSend();
    m_nextSend = m_now + PACKET + (Chance(0.1) ? Below(m_pattern.maxPause) : 0_ps);
}

bool
RdmaLossModel::IsTheOneToLose(int64_t packet)
{
    if (!m_pattern.loseOne || m_lostOne || packet + 1 >= m_reference.Posted() || !Chance(0.2))
    {
        return false;
    }
    m_lostOne = true;
    ++m_seen.lostOnes;
    return true;
}

void
RdmaLossModel::Take(int64_t packet, RdmaReceiverVerdict verdict)
{
    m_seen.restarts += verdict == RdmaReceiverVerdict::RESTART;
    m_receiver->Accept(static_cast<uint64_t>(packet), 1, m_arrivals.packets[packet].last);
    if (const char* wrong = m_arrivals.Take(packet, verdict))
    {
        Expect(false, wrong);
    }
}

void
RdmaLossModel::PacketArrives(int64_t packet)
{
    const uint32_t psn = RdmaToPsn(m_pattern.initialPsn, static_cast<uint64_t>(packet));
    Expect(RdmaFromPsn(m_pattern.initialPsn, psn, m_receiver->GetExpected()) == packet,
           "PSN taken for another packet's at the receiver");
    const RdmaReceiverVerdict plain = m_arrivals.Judge(packet);
    const RdmaReceiverVerdict verdict = m_receiver->Check(packet);
    Expect(verdict == plain, "another verdict");
    if (!m_error.empty())
    {
        return;
    }
    const RdmaLossArrivals::Packet& arrival = m_arrivals.packets[packet];
    const bool selective = m_reference.Selective();
    // Early packets of a SEND can be placed only if its receive request is there.
    const bool needs = m_pattern.needsAtEnd ? arrival.last : arrival.first || selective;
    const bool refused = needs && m_receives <= arrival.message;
    switch (verdict)
    {
    case RdmaReceiverVerdict::EARLY:
        if (refused)
        {
            ++m_seen.dropped;
            return;
        }
        ++m_seen.early;
        Take(packet, verdict);
        Reply(Kind::NAK, m_arrivals.expected, packet);
        return;
    case RdmaReceiverVerdict::ACCEPT:
    case RdmaReceiverVerdict::RESTART:
        if (refused)
        {
            ++m_seen.refused;
            m_receiver->Refuse();
            m_arrivals.told = true;
            Reply(Kind::RNR_NAK, packet);
            return;
        }
        Take(packet, verdict);
        if (arrival.asksAck)
        {
            Reply(Kind::ACK, m_arrivals.expected - 1);
        }
        return;
    case RdmaReceiverVerdict::DUPLICATE:
        ++m_seen.duplicates;
        if (packet > m_arrivals.expected && m_pattern.tellDuplicates && selective)
        {
            Reply(Kind::NAK, m_arrivals.expected, packet);
        }
        else
        {
            Reply(Kind::ACK, static_cast<int64_t>(m_receiver->GetExpected()) - 1);
        }
        return;
    case RdmaReceiverVerdict::GAP:
        ++m_seen.gaps;
        m_arrivals.told = true;
        Reply(Kind::NAK, static_cast<int64_t>(m_receiver->GetMissing()));
        return;
    case RdmaReceiverVerdict::IGNORE:
        return;
    }
}

void
RdmaLossModel::Reply(Kind kind, int64_t packet, int64_t early)
{
    const double lose = kind == Kind::ACK   ? m_pattern.loseAck
                        : kind == Kind::NAK ? m_pattern.loseNak
                                            : m_pattern.loseRnr;
    Transport({kind, packet, early}, lose);
}

void
RdmaLossModel::AnswerArrives(const Item& item)
{
    const auto convert = [this](int64_t number) {
        const uint32_t psn = RdmaToPsn(m_pattern.initialPsn, static_cast<uint64_t>(number));
        const int64_t packet = RdmaFromPsn(m_pattern.initialPsn, psn, m_sender->GetAcked());
        Expect(packet == number, "PSN taken for another packet's at the sender");
        return packet;
    };
    const int64_t packet = convert(item.packet);
    const int64_t early = item.early < 0 ? RdmaSender::NO_PACKET : convert(item.early);
    switch (item.kind)
    {
    case Kind::ACK:
        m_reference.Ack(packet + 1, m_now);
        Follow(m_sender->OnAck(packet, m_now));
        break;
    case Kind::NAK:
        m_reference.Nak(packet, item.early, m_now);
        Follow(m_sender->OnNak(packet, early, m_now));
        break;
    default:
        m_reference.Rnr(packet, m_pattern.rnrWait, m_now);
        Follow(m_sender->OnRnrNak(packet, m_pattern.rnrWait, m_now));
        break;
    }
}

void
RdmaLossModel::Follow(const RdmaSenderEvent& event)
{
    Expect(!event.failed, "gave up though there is no limit");
    m_ready = m_ready || (event.mayBegin && m_sender->CanSend());
}

void
RdmaLossModel::Check()
{
    const auto expected = static_cast<int64_t>(m_receiver->GetExpected());
    const bool whole = m_pattern.settings.mode == RdmaLossMode::GO_BACK_0;
    Expect(expected == (whole && m_arrivals.told ? m_arrivals.first : m_arrivals.expected),
           "expects another packet");
    Expect(static_cast<int64_t>(m_receiver->GetMissing()) ==
               (whole ? m_arrivals.first : m_arrivals.expected),
           "misses another packet");
    Expect(static_cast<int64_t>(m_sender->GetAcked()) == m_reference.acked,
           "another number of packets is acknowledged");
    Expect(m_reference.acked <= m_arrivals.expected, "acknowledged what was not delivered");
    Expect(static_cast<int64_t>(m_sender->GetHighestSent()) == m_reference.highest,
           "another highest packet");
    Expect(static_cast<int64_t>(m_sender->GetTimeouts()) == m_reference.timeouts,
           "another number of timeouts");
    Expect(static_cast<int64_t>(m_sender->GetRetransmissions()) == m_reference.retransmissions,
           "another number of packets sent again");
    Expect(m_sender->GetDeadline() == m_reference.deadline, "another deadline");
    const int64_t next = m_reference.Next();
    Expect(m_sender->CanSend() == (next >= 0), "may send, or may not, against the rules");
    Expect(next < 0 || static_cast<int64_t>(m_sender->GetNext()) == next, "another packet is next");
    // Nothing is ever forgotten: a sender that may send has been announced, and one that waits for
    // an answer has a timer, if there are timers.
    Expect(next < 0 || m_ready, "may send and nobody knows");
    Expect(m_pattern.settings.high == 0_ps || m_reference.acked == m_reference.highest || m_ready ||
               m_reference.deadline != NEVER,
           "waits for an answer without a timer");
    CheckSelective();
}

void
RdmaLossModel::CheckSelective()
{
    if (!m_reference.Selective())
    {
        const auto& sender = static_cast<const RdmaGoBackNSender&>(*m_sender);
        Expect(static_cast<int64_t>(sender.GetWindow()) == m_reference.present, "another window");
        return;
    }
    const auto& sender = static_cast<const IrnSender&>(*m_sender);
    Expect(sender.IsRecovering() == m_reference.recovering, "recovers, or does not");
    Expect(!m_reference.recovering ||
               static_cast<int64_t>(sender.GetRecoverySequence()) == m_reference.recoverySequence,
           "another recovery sequence");
    for (int64_t p = m_reference.acked; p < m_reference.highest; ++p)
    {
        Expect(sender.IsAcknowledged(static_cast<uint64_t>(p)) == m_reference.packets[p].sacked,
               "another packet is acknowledged selectively");
        Expect(!m_reference.packets[p].sacked || m_arrivals.packets[p].here,
               "acknowledged selectively a packet that has not arrived");
    }
}

} // namespace ns3
