/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAKE_CONNECTION_H
#define RDMA_FAKE_CONNECTION_H

#include "rdma-endpoint.h"
#include "rdma-requester.h"
#include "rdma-responder.h"

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Two endpoints and wires that lose and reorder packets.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A connection without a simulator.
 */
namespace RdmaFakeConnection
{

constexpr RdmaPs STEP = 1_us;  //!< each side sends one packet in a microsecond
constexpr uint32_t MTU = 1024; //!< payload of a full packet

/** One side of a connection, as halves see it. */
class FakeEndpoint : public RdmaEndpoint
{
  public:
    FakeEndpoint(const RdmaTransport& transport, uint32_t initialPsn, uint32_t remotePsn)
    {
        connection.pathMtu = MTU;
        connection.initialPsn = initialPsn;
        connection.remotePsn = remotePsn;
        connection.ackInterval = transport.GetAckInterval();
        connection.transport = &transport;
        requester = transport.MakeRequester(*this);
        responder = transport.MakeResponder(*this);
        connection.state = RdmaQpState::RTS;
        memory.SetGlobalKey(true);
    }

    /** \param now the instant \return the packet that goes out now, or null */
    QbbFramePtr Next(RdmaPs now)
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

    /** \param frame frame that arrives \param now the instant */
    void Receive(const QbbFrame& frame, RdmaPs now)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
        info.request ? responder->Receive(frame, info, now) : requester->Receive(frame, info, now);
    }

    /** \param now the instant */
    void RunTimers(RdmaPs now)
    {
        if (connection.GetRequestDeadline() <= now)
        {
            requester->OnTimer(now);
        }
        if (connection.responseDeadline <= now)
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

    RdmaPs GetAnswerTime() const override
    {
        return answerTime;
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

    void BecomeActive() override
    {
    }

    void PaceChanged(RdmaPs) override
    {
    }

    void WarnOfUnslowedResponses() override
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

    std::unique_ptr<RdmaRequester> requester; //!< requester under test
    std::unique_ptr<RdmaResponder> responder; //!< responder under test
    std::deque<QbbFramePtr> out;              //!< acknowledgements, to be sent at once
    RdmaMemory memory;                        //!< words of atomics
    std::vector<RdmaWorkCompletion> sent;     //!< completions of send requests
    std::vector<RdmaWorkCompletion> received; //!< completions of receive requests
    std::vector<uint64_t> messages;           //!< lengths of the messages that came in
    std::vector<RdmaWcStatus> failures;       //!< arguments of Fail()
    uint32_t dropped{0};                      //!< calls of Drop()
    RdmaPs answerTime{0};                     //!< return value of GetAnswerTime()

  private:
    QbbFramePool m_pool;
    bool m_answerTurn{false};
};

/** A wire in one direction: loses packets, and lets some fall behind. */
class Wire
{
  public:
    /** \param random random numbers \param loss probability \param reordering probability */
    Wire(std::mt19937_64& random, double loss, double reordering)
        : m_random(random),
          m_loss(loss),
          m_reordering(reordering)
    {
    }

    /** \param frame frame that goes out \param now the instant */
    void Put(QbbFramePtr frame, RdmaPs now)
    {
        if (m_uniform(m_random) < m_loss)
        {
            return;
        }
        const bool behind = m_uniform(m_random) < m_reordering;
        m_frames.emplace(now + (behind ? 9 : 4) * STEP, std::move(frame));
    }

    /** \param to endpoint that gets the packets that have arrived \param now the instant */
    void Deliver(FakeEndpoint& to, RdmaPs now)
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
    std::multimap<RdmaPs, QbbFramePtr> m_frames;
};

} // namespace RdmaFakeConnection

} // namespace ns3

#endif /* RDMA_FAKE_CONNECTION_H */
