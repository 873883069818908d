/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "rdma-fake-connection.h"
#include "rdma-time.h"
#include "roce-transport.h"

#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Requester and responder of both transports without a simulator: two endpoints at a wire that
 * loses and reorders packets, against a model of the verbs' guarantees.
 */

using namespace ns3;
using namespace ns3::RdmaFakeConnection;

namespace
{

/** \return RoCE with a timeout of 50 us and unlimited retries */
Ptr<RdmaTransport>
MakeRoce()
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(50)));
    transport->SetAttribute("RetryCount", UintegerValue(UINT32_MAX));
    return transport;
}

/** \return IRN with timeouts of 20 and 50 us and a BDP of 20 packets */
Ptr<RdmaTransport>
MakeIrn()
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<IrnTransport>();
    transport->SetAttribute("BdpCap", UintegerValue(20));
    transport->SetAttribute("RtoLow", TimeValue(MicroSeconds(20)));
    transport->SetAttribute("RtoHigh", TimeValue(MicroSeconds(50)));
    transport->SetAttribute("RetryCount", UintegerValue(UINT32_MAX));
    return transport;
}

/** \param recovery value of LossRecovery \return MakeIrn() with RoCE's headers in WRITEs */
Ptr<RdmaTransport>
MakeIrnWithRoceWrites(IrnTransport::LossRecovery recovery = IrnTransport::SACK)
{
    Ptr<RdmaTransport> transport = MakeIrn();
    transport->SetAttribute("WriteHeaders", EnumValue(IrnTransport::ROCE));
    transport->SetAttribute("LossRecovery", EnumValue(recovery));
    return transport;
}

/// Longer than the 5 us by which RdmaFakeConnection::Wire lets a packet fall behind.
constexpr int64_t SPREAD_US = 6;
/// Longer than the 10 us by which a packet and its acknowledgement fall behind.
constexpr int64_t TWO_SPREADS_US = 11;

/** \return MakeRoce() that stands packets out of order */
Ptr<RdmaTransport>
MakeTolerantRoce()
{
    Ptr<RdmaTransport> transport = MakeRoce();
    transport->SetAttribute("OutOfOrder", BooleanValue(true));
    transport->SetAttribute("ReorderTime", TimeValue(MicroSeconds(SPREAD_US)));
    return transport;
}

/** \param writeHeaders headers of WRITEs \return MakeIrn() with loss rule Gap */
Ptr<RdmaTransport>
MakeTolerantIrn(IrnTransport::WriteHeaders writeHeaders = IrnTransport::IRN)
{
    Ptr<RdmaTransport> transport = MakeIrn();
    transport->SetAttribute("WriteHeaders", EnumValue(writeHeaders));
    transport->SetAttribute("LossRule", EnumValue(IrnTransport::GAP));
    transport->SetAttribute("ReorderTime", TimeValue(MicroSeconds(TWO_SPREADS_US)));
    transport->SetAttribute("RtoLow", TimeValue(MicroSeconds(40)));
    return transport;
}

/** The verbs' guarantees on requests of one side, with any behaviour of the wire. */
class Model
{
  public:
    /** \param random random numbers \return a request of any kind, whose effects are noted */
    RdmaSendRequest MakeRequest(std::mt19937_64& random)
    {
        RdmaSendRequest request;
        request.id = m_results.size();
        request.opcode = static_cast<RdmaWrOpcode>(random() % 7);
        request.length = random() % (5 * MTU);
        request.remoteAddress = 8 * (random() % 4);
        request.compareAdd = random() % 3;
        request.swap = random() % 3;
        request.immediate = static_cast<uint32_t>(random());
        uint64_t& word = m_words[request.remoteAddress];
        uint64_t original = 0;
        switch (request.opcode)
        {
        case RdmaWrOpcode::ATOMIC_FETCH_AND_ADD:
            original = word;
            word += request.compareAdd;
            break;
        case RdmaWrOpcode::ATOMIC_CMP_AND_SWP:
            original = word;
            word = word == request.compareAdd ? request.swap : word;
            break;
        case RdmaWrOpcode::RDMA_READ:
            break;
        case RdmaWrOpcode::RDMA_WRITE:
            m_messages.push_back(request.length);
            break;
        default:
            m_messages.push_back(request.length);
            m_receives.push_back(request);
            break;
        }
        m_results.push_back(original);
        return request;
    }

    /** \return number of receive requests that are needed */
    std::size_t GetReceives() const
    {
        return m_receives.size();
    }

    /** \param from the side that posted \param to its peer; both must meet the guarantees */
    void Check(const FakeEndpoint& from, const FakeEndpoint& to) const
    {
        EXPECT_TRUE(from.failures.empty());
        ASSERT_EQ(from.sent.size(), m_results.size()) << "each request completes once";
        for (std::size_t i = 0; i < m_results.size(); ++i)
        {
            EXPECT_EQ(from.sent[i].id, i) << "in order";
            EXPECT_EQ(from.sent[i].status, RdmaWcStatus::SUCCESS);
            EXPECT_EQ(from.sent[i].original, m_results[i]) << "executed once, in order: " << i;
        }
        EXPECT_EQ(to.messages, m_messages);
        ASSERT_EQ(to.received.size(), m_receives.size());
        for (std::size_t i = 0; i < m_receives.size(); ++i)
        {
            const RdmaSendRequest& request = m_receives[i];
            const bool immediate = request.opcode != RdmaWrOpcode::SEND;
            EXPECT_EQ(to.received[i].id, i);
            EXPECT_EQ(to.received[i].status, RdmaWcStatus::SUCCESS);
            EXPECT_EQ(to.received[i].bytes, request.length);
            EXPECT_EQ(to.received[i].hasImmediate, immediate);
            EXPECT_EQ(to.received[i].immediate, immediate ? request.immediate : 0);
        }
        for (const auto& [address, word] : m_words)
        {
            EXPECT_EQ(to.memory.GetWord(address), word) << "word at " << address;
        }
    }

  private:
    std::vector<uint64_t> m_results;         //!< the word before an atomic, by request
    std::vector<uint64_t> m_messages;        //!< lengths of SENDs and WRITEs
    std::vector<RdmaSendRequest> m_receives; //!< requests that take a receive request
    std::map<uint64_t, uint64_t> m_words;    //!< the peer's words
};

/**
 * Posts requests of all kinds at both sides, and runs until all are complete.
 *
 * \param transport of one side
 * \param other transport of the other side
 * \param seed of requests and wires
 * \param loss probability that a packet is lost
 * \param reordering probability that a packet falls behind five others
 * \param hasLateReceives true: some receive requests are posted after their SEND; neither side has
 * a timer, as in a network that loses nothing \return counters of both sides
 */
RdmaQueuePairStats
RunRandomBetween(const Ptr<RdmaTransport>& transport,
                 const Ptr<RdmaTransport>& other,
                 uint64_t seed,
                 double loss,
                 double reordering,
                 bool hasLateReceives = false)
{
    std::mt19937_64 random(seed);
    // PSNs wrap around in the run.
    const uint32_t psn = (1U << 24) - 40;
    FakeEndpoint a(*transport, psn, psn + 7);
    FakeEndpoint b(*other, psn + 7, psn);
    a.connection.timerOff = hasLateReceives;
    b.connection.timerOff = hasLateReceives;
    std::multimap<RdmaPs, std::pair<FakeEndpoint*, std::size_t>> late;
    std::map<FakeEndpoint*, RdmaPs> latest; // receive requests are posted in order
    Wire toB(random, loss, reordering);
    Wire toA(random, loss, reordering);
    Model ofA;
    Model ofB;
    const std::size_t requests = 40;
    std::size_t posted = 0;
    const auto post = [&](Model& model, FakeEndpoint& from, FakeEndpoint& to, RdmaPs now) {
        const std::size_t before = model.GetReceives();
        const RdmaSendRequest request = model.MakeRequest(random);
        if (model.GetReceives() > before)
        {
            RdmaPs& last = latest[&to];
            last = std::max(last, now + (hasLateReceives ? random() % 40 : 0) * STEP);
            late.emplace(last, std::pair(&to, before));
        }
        from.requester->Post(request, now);
    };
    for (RdmaPs now = 0_ps; a.sent.size() < requests || b.sent.size() < requests; now += STEP)
    {
        if (now >= 200'000 * STEP || !a.failures.empty() || !b.failures.empty())
        {
            ADD_FAILURE() << "seed " << seed << ": " << a.sent.size() << " and " << b.sent.size()
                          << " complete, " << a.failures.size() + b.failures.size() << " failures "
                          << transport->GetInstanceTypeId().GetName() << " "
                          << (a.failures.empty() ? "" : GetRdmaWcStatusName(a.failures.front()))
                          << (b.failures.empty() ? "" : GetRdmaWcStatusName(b.failures.front()));
            break;
        }
        if (posted < requests && random() % 4 == 0)
        {
            post(ofA, a, b, now);
            post(ofB, b, a, now);
            ++posted;
        }
        for (; !late.empty() && late.begin()->first <= now; late.erase(late.begin()))
        {
            late.begin()->second.first->responder->PostReceive(
                {late.begin()->second.second, 8 * MTU},
                now);
        }
        for (auto [from, wire] : {std::pair(&a, &toB), std::pair(&b, &toA)})
        {
            from->RunTimers(now);
            if (QbbFramePtr frame = from->Next(now))
            {
                wire->Put(std::move(frame), now);
            }
            for (; !from->out.empty(); from->out.pop_front())
            {
                wire->Put(std::move(from->out.front()), now);
            }
        }
        toB.Deliver(b, now);
        toA.Deliver(a, now);
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    ofA.Check(a, b);
    ofB.Check(b, a);
    EXPECT_EQ(a.dropped + b.dropped, 0U);
    RdmaQueuePairStats stats;
    for (const FakeEndpoint* const side : {&a, &b})
    {
        static_cast<RdmaQueuePairCounters&>(stats).outOfOrder +=
            side->connection.counters.outOfOrder;
        static_cast<RdmaQueuePairCounters&>(stats).naksReceived +=
            side->connection.counters.naksReceived;
        side->requester->AddTo(stats);
        side->responder->AddTo(stats);
    }
    return stats;
}

/** RunRandomBetween() with one transport at both sides. */
RdmaQueuePairStats
RunRandom(const Ptr<RdmaTransport>& transport, uint64_t seed, double loss, double reordering)
{
    return RunRandomBetween(transport, transport, seed, loss, reordering);
}

TEST(RdmaHalves, RoceOverAPerfectWire)
{
    RunRandom(MakeRoce(), 1, 0, 0);
}

TEST(RdmaHalves, IrnOverAPerfectWire)
{
    RunRandom(MakeIrn(), 1, 0, 0);
}

TEST(RdmaHalves, RoceOverWiresThatLoseAndReorder)
{
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RunRandom(MakeRoce(), seed, seed % 3 * 0.03, seed % 4 * 0.02);
    }
}

TEST(RdmaHalves, IrnOverWiresThatLoseAndReorder)
{
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RunRandom(MakeIrn(), seed, seed % 3 * 0.03, seed % 4 * 0.02);
    }
}

TEST(RdmaHalves, IrnWithRoceWritesOverAPerfectWire)
{
    RunRandom(MakeIrnWithRoceWrites(), 1, 0, 0);
}

TEST(RdmaHalves, IrnWithRoceWritesOverWiresThatLoseAndReorder)
{
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RunRandom(MakeIrnWithRoceWrites(), seed, seed % 3 * 0.03, seed % 4 * 0.02);
    }
}

TEST(RdmaHalves, IrnWithRoceWritesThatGoBack)
{
    for (const auto recovery : {IrnTransport::GO_BACK_N, IrnTransport::GO_BACK_0})
    {
        for (uint64_t seed = 1; seed <= 50; ++seed)
        {
            RunRandom(MakeIrnWithRoceWrites(recovery), seed, seed % 3 * 0.03, 0);
        }
    }
}

TEST(RdmaHalves, TolerantNicsRepeatNothingThatOnlyComesLate)
{
    uint64_t early = 0;
    uint64_t distance = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        for (const auto& transport : {MakeTolerantRoce(), MakeTolerantIrn()})
        {
            const RdmaQueuePairStats stats = RunRandom(transport, seed, 0, 0.2);
            EXPECT_EQ(stats.packetsRetransmitted + stats.responsesRetransmitted, 0U) << seed;
            EXPECT_EQ(stats.timeouts, 0U) << seed;
            early += stats.outOfOrder;
            distance = std::max(distance, stats.reordering.distance);
        }
    }
    EXPECT_GT(early, 1000U);
    // A packet that falls behind is overtaken by those of the next five steps.
    EXPECT_GE(distance, 3U);
}

TEST(RdmaHalves, TolerantNicsEndWithoutTimersWhereReceiveRequestsComeLate)
{
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        for (const auto& transport :
             {MakeTolerantRoce(), MakeTolerantIrn(), MakeTolerantIrn(IrnTransport::ROCE)})
        {
            RunRandomBetween(transport, transport, seed, 0, 0.2, true);
        }
    }
}

TEST(RdmaHalves, TolerantRoceOverWiresThatLoseAndReorder)
{
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RunRandom(MakeTolerantRoce(), seed, seed % 3 * 0.03, seed % 4 * 0.1);
    }
}

TEST(RdmaHalves, TolerantIrnOverWiresThatLoseAndReorder)
{
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RunRandom(MakeTolerantIrn(), seed, seed % 3 * 0.03, seed % 4 * 0.1);
        RunRandom(MakeTolerantIrn(IrnTransport::ROCE), seed, seed % 3 * 0.03, seed % 4 * 0.1);
    }
}

TEST(RdmaHalves, OldAndTolerantNicsWorkTogether)
{
    for (uint64_t seed = 1; seed <= 150; ++seed)
    {
        const double loss = seed % 3 * 0.03;
        const double reordering = seed % 4 * 0.05;
        RunRandomBetween(MakeTolerantRoce(), MakeRoce(), seed, loss, reordering);
        RunRandomBetween(MakeRoce(), MakeTolerantRoce(), seed, loss, reordering);
    }
}

TEST(RdmaHalves, TolerantNicsRepeatWhatIsLost)
{
    // Only a lost packet or acknowledgement of the last packets makes a NIC repeat a packet that
    // has arrived, so that there are few more repetitions than losses.
    for (const auto& transport : {MakeTolerantRoce(), MakeTolerantIrn()})
    {
        uint64_t again = 0;
        uint64_t old = 0;
        for (uint64_t seed = 1; seed <= 50; ++seed)
        {
            again += RunRandom(transport, seed, 0.02, 0.1).packetsRetransmitted;
            old += RunRandom(MakeRoce(), seed, 0.02, 0.1).packetsRetransmitted;
        }
        EXPECT_LT(5 * again, old);
    }
}

/**
 * A WRITE of 16 packets, one in a microsecond, over wires of 4 us. Some packets are lost.
 *
 * \param sender transport of the requester \param lost packets that are lost, as often
 * as they are named \param packets receives the number of repeated packets
 * \return time of the completion in us
 */
int64_t
RunWriteThatLoses(const Ptr<RdmaTransport>& sender,
                  const std::vector<uint32_t>& lost,
                  uint64_t& packets)
{
    const Ptr<RdmaTransport> tolerant = MakeTolerantRoce();
    FakeEndpoint a(*sender, 0, 100);
    FakeEndpoint b(*tolerant, 100, 0);
    std::mt19937_64 random(1);
    Wire toB(random, 0, 0);
    Wire toA(random, 0, 0);
    RdmaSendRequest request;
    request.opcode = RdmaWrOpcode::RDMA_WRITE;
    request.length = 16 * MTU;
    std::vector<uint32_t> left = lost;
    RdmaPs now = 0_ps;
    a.requester->Post(request, now);
    for (; a.sent.empty() && now < 1000 * STEP; now += STEP)
    {
        a.RunTimers(now);
        b.RunTimers(now);
        if (QbbFramePtr frame = a.Next(now))
        {
            const auto at = std::find(left.begin(), left.end(), frame->psn);
            if (at == left.end())
            {
                toB.Put(std::move(frame), now);
            }
            else
            {
                left.erase(at);
            }
        }
        for (; !b.out.empty(); b.out.pop_front())
        {
            toA.Put(std::move(b.out.front()), now);
        }
        toB.Deliver(b, now);
        toA.Deliver(a, now);
    }
    EXPECT_EQ(a.sent.size(), 1U);
    EXPECT_EQ(b.messages.size(), 1U);
    EXPECT_EQ(a.dropped + b.dropped, 0U);
    RdmaQueuePairStats stats;
    a.requester->AddTo(stats);
    packets = stats.packetsRetransmitted;
    return (now - STEP) / STEP;
}

TEST(RdmaHalves, TolerantRoceRepairsSeveralGapsInOneRoundTrip)
{
    // Packet n leaves at n us. Packets 2, 6 and 7, and 11 are missed when 3, 8 and 12 arrive, at 7,
    // 12 and 16 us. The gaps are as old as ReorderTime, 6 us, at 13, 18 and 22 us, and the reports
    // arrive 4 us later, packets of the next microsecond at the earliest: 2 leaves at 18 us, 6 and
    // 7 at 23 and 24 us, 11 at 27 us. Packet 11 arrives at 31 us, and its acknowledgement leaves in
    // the next microsecond and takes 4 us. One gap after the other takes a round trip more each.
    uint64_t packets = 0;
    EXPECT_EQ(RunWriteThatLoses(MakeTolerantRoce(), {2, 6, 7, 11}, packets), 36);
    EXPECT_EQ(packets, 4U);
    // A NAK of old acknowledges what is before: only the oldest gap has one.
    RunWriteThatLoses(MakeRoce(), {2, 6, 7, 11}, packets);
    EXPECT_GE(packets, 14U);
}

TEST(RdmaHalves, TolerantRoceAsksAgainForALostRepetition)
{
    // As above: packets 1, 3, 5 and 7 are reported at 12, 14, 16 and 18 us and arrive 9 us later.
    // Packet 9 is reported at 20 us, and lost again. After four repairs of 9 us the receiver waits
    // 36 us for a repair: it reports packet 9 again at 56 us. The packet leaves at 61 us, and its
    // acknowledgement is there at 70 us. The timer has 50 us from the progress at 31 us on.
    uint64_t packets = 0;
    EXPECT_EQ(RunWriteThatLoses(MakeTolerantRoce(), {1, 3, 5, 7, 9, 9}, packets), 70);
    EXPECT_EQ(packets, 6U);
}

TEST(RdmaHalves, ARefusalWaitsForTheResponsesThatItHasOvertaken)
{
    // A READ of three packets, and a SEND for which the receive request is too short. The responses
    // arrive after 9 us and the NAK after 4 us.
    const Ptr<RdmaTransport> transport = MakeTolerantRoce();
    FakeEndpoint a(*transport, 0, 100);
    FakeEndpoint b(*transport, 100, 0);
    b.responder->PostReceive({0, 10}, 0_ps);
    RdmaSendRequest read;
    read.opcode = RdmaWrOpcode::RDMA_READ;
    read.length = 3 * MTU;
    RdmaSendRequest send;
    send.id = 1;
    send.opcode = RdmaWrOpcode::SEND;
    send.length = 100;
    a.requester->Post(read, 0_ps);
    a.requester->Post(send, 0_ps);
    std::multimap<RdmaPs, QbbFramePtr> toA;
    RdmaPs failed = RDMA_NEVER;
    for (RdmaPs now = 0_ps; now < 40 * STEP; now += STEP)
    {
        a.RunTimers(now);
        b.RunTimers(now);
        if (const QbbFramePtr request = a.Next(now))
        {
            b.Receive(*request, now);
        }
        if (QbbFramePtr answer = b.Next(now))
        {
            const bool isNak = answer->opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE);
            toA.emplace(now + (isNak ? 4 : 9) * STEP, std::move(answer));
        }
        for (; !b.out.empty(); b.out.pop_front())
        {
            toA.emplace(now + 4 * STEP, std::move(b.out.front()));
        }
        for (; !toA.empty() && toA.begin()->first <= now; toA.erase(toA.begin()))
        {
            a.Receive(*toA.begin()->second, now);
        }
        if (!a.failures.empty() && failed == RDMA_NEVER)
        {
            failed = now;
            EXPECT_EQ(a.sent.size(), 1U) << "the READ is complete before the SEND fails";
        }
    }
    // The responses leave at 0, 1 and 2 us, or a microsecond later, and the NAK behind them.
    EXPECT_GE(failed, 11 * STEP);
    EXPECT_LE(failed, 13 * STEP);
    ASSERT_EQ(a.sent.size(), 1U);
    EXPECT_EQ(a.sent[0].status, RdmaWcStatus::SUCCESS);
    ASSERT_EQ(a.failures.size(), 1U);
    EXPECT_EQ(a.failures[0], RdmaWcStatus::REM_INV_REQ_ERR);
}

} // namespace
