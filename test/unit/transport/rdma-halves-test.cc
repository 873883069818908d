/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "qbb-time.h"
#include "rdma-endpoint.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "roce-transport.h"

#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Requester and responder of both transports without a simulator: two endpoints at a wire that
 * loses and reorders packets, against a model of what the verbs promise.
 */

using namespace ns3;

namespace
{

constexpr QbbPs STEP = 1_us; //!< each side sends one packet in a microsecond
constexpr uint32_t MTU = 1024;

/** One side of a connection, as halves see it. */
class FakeEndpoint : public RdmaEndpoint
{
  public:
    FakeEndpoint(const RdmaTransport& transport, uint32_t initialPsn, uint32_t remotePsn)
    {
        m_connection.pathMtu = MTU;
        m_connection.initialPsn = initialPsn;
        m_connection.remotePsn = remotePsn;
        m_connection.ackInterval = transport.GetAckInterval();
        m_connection.transport = &transport;
        requester = transport.MakeRequester(*this);
        responder = transport.MakeResponder(*this);
        m_connection.state = RdmaQpState::RTS;
    }

    /** \param now the instant \return the packet that goes out now, or null */
    QbbFramePtr Next(QbbPs now)
    {
        const bool answer = responder->IsReady() || requester->HasProbe();
        if (answer && (m_answerTurn || !requester->CanSend()))
        {
            m_answerTurn = false;
            return requester->HasProbe() ? requester->MakeProbe() : responder->MakeFrame(now);
        }
        m_answerTurn = true;
        if (!requester->CanSend())
        {
            return nullptr;
        }
        QbbFramePtr frame = NewFrame();
        requester->FillNext(*frame, now);
        return frame;
    }

    /** \param frame comes in \param now the instant */
    void Receive(const QbbFrame& frame, QbbPs now)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
        info.request ? responder->Receive(frame, info, now) : requester->Receive(frame, info, now);
    }

    /** \param now the instant */
    void RunTimers(QbbPs now)
    {
        if (requester->GetDeadline() <= now)
        {
            requester->OnTimer(now);
        }
        if (responder->GetDeadline() <= now)
        {
            responder->OnTimer(now);
        }
    }

    QbbFramePtr NewFrame() override
    {
        QbbFramePtr frame = m_pool.Allocate();
        frame->type = QbbFrameType::ROCE;
        return frame;
    }

    void Send(QbbFramePtr frame) override
    {
        out.push_back(std::move(frame));
    }

    void Drop(const QbbFrame&, QbbDropReason) override
    {
        ++dropped;
    }

    void Activate() override
    {
    }

    void MakeReady() override
    {
    }

    void SampleChanged() override
    {
    }

    bool IsAllowed(uint32_t, uint64_t, uint64_t, const RdmaMemoryAccess&) const override
    {
        return true;
    }

    RdmaMemory& GetMemory() override
    {
        return memory;
    }

    void CompleteSend(const RdmaWorkCompletion& completion, bool) override
    {
        sent.push_back(completion);
    }

    void CompleteReceive(const RdmaWorkCompletion& completion) override
    {
        received.push_back(completion);
    }

    void MessageArrived(const RdmaMessageArrival& arrival) override
    {
        messages.push_back(arrival.bytes);
    }

    void Fail(RdmaWcStatus status, uint64_t) override
    {
        failures.push_back(status);
    }

    RdmaStreamState GetStreams() const override
    {
        return requester->GetStream() + responder->GetStream();
    }

    void RoomMade() override
    {
        responder->Release();
    }

    void PaceChanged(QbbPs) override
    {
    }

    void WarnOfUnheardResponses() override
    {
    }

    bool MeasuresRtt() const override
    {
        return false;
    }

    uint32_t GetLineOverheadBytes() const override
    {
        return 20;
    }

    std::unique_ptr<RdmaRequester> requester; //!< under test
    std::unique_ptr<RdmaResponder> responder; //!< under test
    std::deque<QbbFramePtr> out;              //!< acknowledgements, to be sent at once
    RdmaMemory memory;                        //!< words of atomics
    std::vector<RdmaWorkCompletion> sent;     //!< completions of send requests
    std::vector<RdmaWorkCompletion> received; //!< completions of receive requests
    std::vector<uint64_t> messages;           //!< lengths of the messages that came in
    std::vector<RdmaWcStatus> failures;       //!< Fail()
    uint32_t dropped{0};                      //!< Drop()

  private:
    QbbFramePool m_pool;
    bool m_answerTurn{false};
};

/** A wire in one direction: loses packets, and lets some fall behind. */
class Wire
{
  public:
    /** \param random decides \param loss probability \param reordering probability */
    Wire(std::mt19937_64& random, double loss, double reordering)
        : m_random(random),
          m_loss(loss),
          m_reordering(reordering)
    {
    }

    /** \param frame goes out \param now the instant */
    void Put(QbbFramePtr frame, QbbPs now)
    {
        if (m_uniform(m_random) < m_loss)
        {
            return;
        }
        const bool behind = m_uniform(m_random) < m_reordering;
        m_frames.emplace(now + (behind ? 9 : 4) * STEP, std::move(frame));
    }

    /** \param to gets what has arrived \param now the instant */
    void Deliver(FakeEndpoint& to, QbbPs now)
    {
        while (!m_frames.empty() && m_frames.begin()->first <= now)
        {
            const QbbFramePtr frame = std::move(m_frames.begin()->second);
            m_frames.erase(m_frames.begin());
            to.Receive(*frame, now);
        }
    }

  private:
    std::mt19937_64& m_random;
    std::uniform_real_distribution<double> m_uniform{0, 1};
    double m_loss;
    double m_reordering;
    std::multimap<QbbPs, QbbFramePtr> m_frames;
};

/** \return RoCE with a timeout of 50 us and no end of retries */
Ptr<RdmaTransport>
MakeRoce()
{
    QbbSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(50)));
    transport->SetAttribute("RetryCount", UintegerValue(UINT32_MAX));
    return transport;
}

/** \return IRN with timeouts of 20 and 50 us and a BDP of 20 packets */
Ptr<RdmaTransport>
MakeIrn()
{
    QbbSetTimeResolution();
    auto transport = CreateObject<IrnTransport>();
    transport->SetAttribute("BdpCap", UintegerValue(20));
    transport->SetAttribute("RtoLow", TimeValue(MicroSeconds(20)));
    transport->SetAttribute("RtoHigh", TimeValue(MicroSeconds(50)));
    transport->SetAttribute("RetryCount", UintegerValue(UINT32_MAX));
    return transport;
}

/** What the verbs promise of requests that one side posts, whatever the wire does. */
class Model
{
  public:
    /** \param random decides \return a request of any kind, whose effects are noted */
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

    /** \return receive requests that are needed */
    std::size_t GetReceives() const
    {
        return m_receives.size();
    }

    /** \param from the side that posted \param to its peer; both hold what is promised */
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
 * \param transport of both sides
 * \param seed of requests and wires
 * \param loss probability that a packet is lost
 * \param reordering probability that a packet falls behind five others
 */
void
RunRandom(const Ptr<RdmaTransport>& transport, uint64_t seed, double loss, double reordering)
{
    std::mt19937_64 random(seed);
    // PSNs wrap around in the run.
    const uint32_t psn = (1U << 24) - 40;
    FakeEndpoint a(*transport, psn, psn + 7);
    FakeEndpoint b(*transport, psn + 7, psn);
    Wire toB(random, loss, reordering);
    Wire toA(random, loss, reordering);
    Model ofA;
    Model ofB;
    const std::size_t requests = 40;
    std::size_t posted = 0;
    const auto post = [&random](Model& model, FakeEndpoint& from, FakeEndpoint& to, QbbPs now) {
        const std::size_t before = model.GetReceives();
        const RdmaSendRequest request = model.MakeRequest(random);
        if (model.GetReceives() > before)
        {
            to.responder->PostReceive({before, 8 * MTU}, now);
        }
        from.requester->Post(request, now);
    };
    for (QbbPs now = 0_ps; a.sent.size() < requests || b.sent.size() < requests; now += STEP)
    {
        ASSERT_LT(now, 200'000 * STEP)
            << "seed " << seed << ": " << a.sent.size() << " and " << b.sent.size() << " complete";
        ASSERT_TRUE(a.failures.empty() && b.failures.empty()) << "seed " << seed;
        if (posted < requests && random() % 4 == 0)
        {
            post(ofA, a, b, now);
            post(ofB, b, a, now);
            ++posted;
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

} // namespace
