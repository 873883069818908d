/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n-model.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr int64_t NEVER = RdmaSender::NO_DEADLINE;
constexpr int64_t PACKET_PS = 100; //!< a packet's time on the sender's port

} // namespace

namespace ns3
{

RdmaGoBackNModel::RdmaGoBackNModel(const RdmaGoBackNPattern& pattern)
    : m_pattern(pattern),
      m_random(pattern.seed),
      m_requester([&pattern]() {
          RdmaSenderConfig config;
          config.timeouts.highPs = pattern.timeoutPs;
          config.timeouts.lowPs = pattern.timeoutPs;
          config.retryCount = UINT32_MAX;
          return config;
      }()),
      m_messagesLeft(pattern.messages),
      m_receivesLeft(pattern.messages),
      m_refDeadlinePs(NEVER)
{
    if (pattern.receivesPosted)
    {
        m_receives = pattern.messages;
        m_receivesLeft = 0;
    }
}

bool
RdmaGoBackNModel::Chance(double probability)
{
    return probability > 0 && static_cast<double>(m_random() >> 11) * 0x1p-53 < probability;
}

int64_t
RdmaGoBackNModel::Below(int64_t limit)
{
    return limit > 0 ? static_cast<int64_t>(m_random() % static_cast<uint64_t>(limit)) : 0;
}

void
RdmaGoBackNModel::Expect(bool condition, const char* what)
{
    if (!condition && m_error.empty())
    {
        m_error = std::string(what) + " at " + std::to_string(m_nowPs) + " ps, seed " +
                  std::to_string(m_pattern.seed);
    }
}

std::string
RdmaGoBackNModel::Run()
{
    constexpr int LIMIT = 1'000'000; // steps of a run that does not end by itself
    for (int step = 0; m_error.empty(); ++step)
    {
        Expect(step < LIMIT, "livelock");
        // What comes next. Of several things at one instant a random one comes first.
        const std::array<int64_t, 6> times{m_messagesLeft ? m_nextPostPs : NEVER,
                                           m_receivesLeft ? m_nextReceivePs : NEVER,
                                           m_ready ? m_nextSendPs : NEVER,
                                           m_data.empty() ? NEVER : m_data.front().atPs,
                                           m_answers.empty() ? NEVER : m_answers.front().atPs,
                                           m_requester.GetDeadlinePs()};
        const int64_t next = *std::min_element(times.begin(), times.end());
        if (next == NEVER)
        {
            break;
        }
        std::array<std::size_t, 6> due{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            if (times[i] == next)
            {
                due[count++] = i;
            }
        }
        m_nowPs = std::max(m_nowPs, next);
        const std::size_t which = due[count > 1 ? m_random() % count : 0];
        if (which == 0)
        {
            Post();
        }
        else if (which == 1)
        {
            ++m_receives;
            --m_receivesLeft;
            m_nextReceivePs = m_nowPs + Below(8 * m_pattern.rnrWaitPs);
        }
        else if (which == 2)
        {
            SendOne();
        }
        else if (which == 3)
        {
            const Item item = m_data.front();
            m_data.pop_front();
            PacketArrives(item);
        }
        else if (which == 4)
        {
            const Item item = m_answers.front();
            m_answers.pop_front();
            AnswerArrives(item);
        }
        else
        {
            TimerFires();
        }
        Check();
    }
    const auto posted = static_cast<int64_t>(m_posted.size());
    Expect(m_refDelivered == posted, "a packet was never delivered");
    Expect(m_refAcked == posted, "a packet was never acknowledged");
    return m_error;
}

void
RdmaGoBackNModel::Post()
{
    const int64_t packets = 1 + Below(m_pattern.maxPackets);
    for (int64_t i = 0; i < packets; ++i)
    {
        Posted posted;
        posted.needsReceive = i == 0;
        posted.ackReq = i + 1 == packets || (i + 1) % m_pattern.ackInterval == 0;
        m_posted.push_back(posted);
        m_timesSent.push_back(0);
    }
    m_requester.Extend(static_cast<uint64_t>(packets));
    m_ready = m_ready || m_requester.CanSend();
    --m_messagesLeft;
    m_nextPostPs = m_pattern.postedAtOnce ? m_nowPs : m_nowPs + Below(20 * PACKET_PS);
}

void
RdmaGoBackNModel::Transport(std::deque<Item>& line, Item item, double lose)
{
    item.atPs = m_nowPs + 1 + Below(m_pattern.maxDelayPs);
    if (!line.empty())
    {
        item.atPs = std::max(item.atPs, line.back().atPs);
    }
    const bool twice = Chance(m_pattern.duplicate);
    if (!Chance(lose))
    {
        line.push_back(item);
    }
    if (twice && !Chance(lose))
    {
        // Counted from now, or else copies would add up to ever longer delays.
        item.atPs = std::max(item.atPs, m_nowPs + 1 + Below(2 * m_pattern.maxDelayPs));
        line.push_back(item);
    }
}

void
RdmaGoBackNModel::SendOne()
{
    if (!m_requester.CanSend())
    {
        m_ready = false; // its turn, and it has nothing
        return;
    }
    const auto packet = static_cast<int64_t>(m_requester.GetNext());
    Expect(!m_refWaiting, "sent during an RNR wait");
    Expect(packet == m_refNext, "not the packet that goes next");
    Expect(packet < static_cast<int64_t>(m_posted.size()), "sent what was never posted");
    if (!m_error.empty())
    {
        return;
    }
    const bool again = m_requester.Sent(1, m_nowPs);
    Expect(again == (m_timesSent[packet] > 0), "wrong about being sent again");
    m_refRetransmissions += m_timesSent[packet] > 0;
    ++m_timesSent[packet];
    ++m_refNext;
    m_refHighest = std::max(m_refHighest, m_refNext);
    if (m_refDeadlinePs == NEVER && m_pattern.timeoutPs)
    {
        m_refDeadlinePs = m_nowPs + m_pattern.timeoutPs;
    }
    Item item;
    item.packet = packet;
    item.psn = RdmaToPsn(m_pattern.initialPsn, static_cast<uint64_t>(packet));
    Transport(m_data, item, m_pattern.loseData);
    m_ready = m_requester.CanSend();
    m_nextSendPs = m_nowPs + PACKET_PS + (Chance(0.1) ? Below(m_pattern.maxPausePs) : 0);
}

void
RdmaGoBackNModel::PacketArrives(const Item& item)
{
    const int64_t packet = RdmaFromPsn(m_pattern.initialPsn, item.psn, m_responder.GetExpected());
    Expect(packet == item.packet, "PSN taken for another packet's at the responder");
    const RdmaReceiverVerdict verdict = m_responder.Check(packet);
    if (packet == m_refDelivered)
    {
        Expect(verdict == RdmaReceiverVerdict::ACCEPT, "the next packet was not accepted");
        if (m_posted[packet].needsReceive && m_receives == 0)
        {
            m_responder.Refuse();
            ++m_refused;
            m_refTold = true;
            Reply(Kind::RNR_NAK, packet, m_pattern.loseRnr);
            return;
        }
        m_responder.Accept(static_cast<uint64_t>(packet), 1, false);
        m_receives -= m_posted[packet].needsReceive;
        ++m_refDelivered;
        m_refTold = false;
        if (m_posted[packet].ackReq)
        {
            Reply(Kind::ACK, packet, m_pattern.loseAck);
        }
    }
    else if (packet < m_refDelivered)
    {
        Expect(verdict == RdmaReceiverVerdict::DUPLICATE, "a duplicate was not seen as one");
        ++m_duplicates;
        Reply(Kind::ACK, m_refDelivered - 1, m_pattern.loseAck);
    }
    else if (m_refTold)
    {
        Expect(verdict == RdmaReceiverVerdict::IGNORE, "asked twice for a missing packet");
    }
    else
    {
        Expect(verdict == RdmaReceiverVerdict::GAP, "did not ask for a missing packet");
        m_refTold = true;
        ++m_naks;
        Reply(Kind::NAK, m_refDelivered, m_pattern.loseNak);
    }
}

void
RdmaGoBackNModel::Reply(Kind kind, int64_t packet, double lose)
{
    Item item;
    item.kind = kind;
    item.packet = packet;
    item.psn = RdmaToPsn(m_pattern.initialPsn, static_cast<uint64_t>(packet));
    Transport(m_answers, item, lose);
}

void
RdmaGoBackNModel::ReferenceAdvance(int64_t acked)
{
    if (acked > m_refAcked && acked <= m_refHighest)
    {
        m_refAcked = acked;
        m_refNext = std::max(m_refNext, acked);
        if (!m_refWaiting)
        {
            const bool outstanding = m_pattern.timeoutPs && m_refNext > m_refAcked;
            m_refDeadlinePs = outstanding ? m_nowPs + m_pattern.timeoutPs : NEVER;
        }
    }
}

void
RdmaGoBackNModel::ReferenceRewind()
{
    m_refNext = m_refAcked;
    m_refDeadlinePs = NEVER; // until something goes out
}

void
RdmaGoBackNModel::AnswerArrives(const Item& item)
{
    const int64_t packet = RdmaFromPsn(m_pattern.initialPsn, item.psn, m_requester.GetAcked());
    Expect(packet == item.packet, "PSN taken for another packet's at the requester");
    RdmaSenderEvent event;
    switch (item.kind)
    {
    case Kind::ACK:
        event = m_requester.OnAck(packet, m_nowPs);
        ReferenceAdvance(packet + 1);
        break;
    case Kind::NAK:
        event = m_requester.OnNak(packet, RdmaSender::NO_PACKET, m_nowPs);
        ReferenceAdvance(packet);
        if (packet == m_refAcked && m_refNext > m_refAcked && !m_refWaiting)
        {
            ReferenceRewind();
        }
        break;
    case Kind::RNR_NAK:
        event = m_requester.OnRnrNak(packet, m_pattern.rnrWaitPs, m_nowPs);
        ReferenceAdvance(packet);
        if (packet == m_refAcked && m_refHighest > m_refAcked && !m_refWaiting)
        {
            ReferenceRewind();
            m_refWaiting = true;
            m_refDeadlinePs = m_nowPs + m_pattern.rnrWaitPs;
        }
        break;
    }
    Follow(event);
}

void
RdmaGoBackNModel::TimerFires()
{
    const RdmaSenderEvent event = m_requester.OnTimeout(m_nowPs);
    if (m_refWaiting)
    {
        m_refWaiting = false;
        m_refDeadlinePs = NEVER;
    }
    else
    {
        ++m_refTimeouts;
        ReferenceRewind();
    }
    Follow(event);
}

void
RdmaGoBackNModel::Follow(const RdmaSenderEvent& event)
{
    Expect(!event.failed, "gave up though there is no limit");
    m_ready = m_ready || (event.mayBegin && m_requester.CanSend());
}

void
RdmaGoBackNModel::Check()
{
    const auto posted = static_cast<int64_t>(m_posted.size());
    Expect(static_cast<int64_t>(m_responder.GetExpected()) == m_refDelivered,
           "the responder expects another packet");
    Expect(static_cast<int64_t>(m_requester.GetAcked()) == m_refAcked,
           "another number of packets is acknowledged");
    Expect(m_refAcked <= m_refDelivered, "acknowledged what was not delivered");
    Expect(static_cast<int64_t>(m_requester.GetHighestSent()) == m_refHighest,
           "another highest packet");
    Expect(m_requester.GetTimeouts() == m_refTimeouts, "another number of timeouts");
    Expect(m_requester.GetRetransmissions() == m_refRetransmissions,
           "another number of packets sent again");
    Expect(m_requester.GetDeadlinePs() == m_refDeadlinePs, "another deadline");
    const bool canSend = m_refNext < posted && !m_refWaiting;
    Expect(m_requester.CanSend() == canSend, "may send, or may not, against the rules");
    // Nothing is ever forgotten: a requester that may send has been announced, and one that waits
    // for an answer has a timer, if there are timers.
    Expect(!canSend || m_ready, "may send and nobody knows");
    Expect(!m_pattern.timeoutPs || m_refAcked == m_refHighest || m_ready ||
               m_requester.GetDeadlinePs() != NEVER,
           "waits for an answer without a timer");
}

} // namespace ns3

namespace
{

/** What the runs of a test have seen, to know that they saw what they are for. */
struct Seen
{
    uint64_t retransmissions{0}; //!< packets sent again
    uint64_t timeouts{0};        //!< timeouts
    uint64_t naks{0};            //!< NAKs
    uint64_t refused{0};         //!< packets refused
    uint64_t duplicates{0};      //!< packets that came in again
};

/**
 * \param random source of the patterns
 * \return a pattern without loss: shape, PSN and delays at random
 */
RdmaGoBackNPattern
RandomPattern(std::mt19937_64& random)
{
    RdmaGoBackNPattern pattern;
    pattern.seed = random();
    pattern.messages = 1 + random() % 6;
    pattern.maxPackets = 1 + random() % 12;
    pattern.ackInterval = 1 + random() % 5;
    // half of them wrap around within the run
    pattern.initialPsn = static_cast<uint32_t>(random() % RDMA_PSN_SPACE);
    if (random() % 2)
    {
        pattern.initialPsn = RDMA_PSN_SPACE - 1 - random() % 40;
    }
    pattern.maxDelayPs = 1LL << (random() % 13); // up to 4 us, a packet takes 100 ps
    pattern.maxPausePs = random() % 2 ? 3000 : 0;
    pattern.postedAtOnce = random() % 2;
    pattern.rnrWaitPs = 1 + static_cast<int64_t>(random() % 5000);
    return pattern;
}

/** \param random source \return a probability: 0, small, or large */
double
RandomProbability(std::mt19937_64& random)
{
    static constexpr double CHOICES[] = {0, 0, 0.01, 0.05, 0.2, 0.5};
    return CHOICES[random() % 6];
}

/** \param pattern what to run \param [in,out] seen adds what it saw \return true if all was well */
bool
RunPattern(const RdmaGoBackNPattern& pattern, Seen& seen)
{
    RdmaGoBackNModel model(pattern);
    const std::string error = model.Run();
    EXPECT_EQ(error, "");
    seen.retransmissions += model.GetRequester().GetRetransmissions();
    seen.timeouts += model.GetRequester().GetTimeouts();
    seen.naks += model.GetNaks();
    seen.refused += model.GetRefused();
    seen.duplicates += model.GetDuplicates();
    return error.empty();
}

} // namespace

TEST(RdmaGoBackNRandom, LossyWithTimer)
{
    // Every kind of loss, duplicates and delays, refusals, timeouts above and below the round trip.
    std::mt19937_64 random(101);
    Seen seen;
    for (int i = 0; i < 100'000; ++i)
    {
        RdmaGoBackNPattern pattern = RandomPattern(random);
        pattern.timeoutPs = 1LL << (5 + random() % 11); // 32 ps to 32 us
        pattern.loseData = RandomProbability(random);
        pattern.loseAck = RandomProbability(random);
        pattern.loseNak = RandomProbability(random);
        pattern.loseRnr = RandomProbability(random);
        pattern.duplicate = RandomProbability(random);
        pattern.receivesPosted = random() % 2;
        ASSERT_TRUE(RunPattern(pattern, seen)) << "pattern " << i;
    }
    EXPECT_GT(seen.retransmissions, 100'000U);
    EXPECT_GT(seen.timeouts, 100'000U);
    EXPECT_GT(seen.naks, 10'000U);
    EXPECT_GT(seen.refused, 10'000U);
    EXPECT_GT(seen.duplicates, 100'000U);
}

TEST(RdmaGoBackNRandom, LosslessWithoutTimer)
{
    // Nothing is lost: nothing is sent again, however long it takes and however often it arrives.
    std::mt19937_64 random(102);
    Seen seen;
    for (int i = 0; i < 20'000; ++i)
    {
        RdmaGoBackNPattern pattern = RandomPattern(random);
        pattern.duplicate = RandomProbability(random);
        ASSERT_TRUE(RunPattern(pattern, seen)) << "pattern " << i;
        ASSERT_EQ(seen.retransmissions, 0U) << "pattern " << i;
    }
    EXPECT_EQ(seen.timeouts, 0U);
    EXPECT_EQ(seen.naks, 0U);
    EXPECT_EQ(seen.refused, 0U);
    EXPECT_GT(seen.duplicates, 1000U);
}

TEST(RdmaGoBackNRandom, LosslessWithLongTimer)
{
    // The same with a timer that is longer than the run can take: it never runs out.
    std::mt19937_64 random(103);
    Seen seen;
    for (int i = 0; i < 10'000; ++i)
    {
        RdmaGoBackNPattern pattern = RandomPattern(random);
        pattern.timeoutPs = 1'000'000'000;
        ASSERT_TRUE(RunPattern(pattern, seen)) << "pattern " << i;
        ASSERT_EQ(seen.retransmissions + seen.timeouts, 0U) << "pattern " << i;
    }
}

TEST(RdmaGoBackNRandom, RefusedWithoutTimer)
{
    // Nothing is lost but receive requests come late: RNR NAKs alone bring every run to its end.
    std::mt19937_64 random(104);
    Seen seen;
    for (int i = 0; i < 20'000; ++i)
    {
        RdmaGoBackNPattern pattern = RandomPattern(random);
        pattern.receivesPosted = false;
        pattern.duplicate = i % 2 ? RandomProbability(random) : 0;
        ASSERT_TRUE(RunPattern(pattern, seen)) << "pattern " << i;
    }
    EXPECT_GT(seen.refused, 10'000U);
    EXPECT_EQ(seen.naks, 0U); // what follows a refused packet is no gap
    EXPECT_EQ(seen.timeouts, 0U);
}
