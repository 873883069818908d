/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <array>

/**
 * \file
 * \ingroup rdma-tests
 * Queue pairs that are taken from state to state: what their attributes do, draining, failing,
 * resetting and using them again, also from within their own callbacks. What Modify() refuses is in
 * unit/rdma-queue-pair-errors-test.cc.
 */

using namespace ns3;

namespace
{

/// A WRITE of ten packets alone, acknowledgement included. 1102 B and nine times 1086 B: the switch
/// has the first at 1110 x 80 + 1 us and sends without a gap; the last begins 1122 x 80 + 8 x 1106
/// x 80 later and takes 1094 x 80 + 1 us.
constexpr QbbPs WRITE10 =
    1'088'800_ps + 89'760_ps + 8 * 88'480_ps + 1'087'520_ps + RdmaTestPair::SHORT;
static_assert(WRITE10 == 4'985'760_ps, "arithmetic");

/** \param qp a queue pair \param state its new state */
void
SetState(Ptr<RdmaQueuePair> qp, RdmaQpState state)
{
    RdmaQpAttributes attributes;
    attributes.state = state;
    qp->Modify(attributes);
}

/**
 * \param from a queue pair in INIT
 * \param to its peer
 * \param remotePsn PSN of the peer's first packet
 * \param rts the attributes of its transition to RTS
 */
void
ConnectByHand(Ptr<RdmaQueuePair> from,
              Ptr<RdmaQueuePair> to,
              uint32_t remotePsn,
              RdmaQpAttributes rts = RdmaQpAttributes())
{
    RdmaQpAttributes rtr;
    rtr.state = RdmaQpState::RTR;
    rtr.remoteAddress = to->GetLocalAddress();
    rtr.remoteQpn = to->GetQpn();
    rtr.remotePsn = remotePsn;
    from->Modify(rtr);
    rts.state = RdmaQpState::RTS;
    from->Modify(rts);
}

/** The send queue drains and goes on. */
class DrainTestCase : public TestCase
{
  public:
    DrainTestCase()
        : TestCase("SQD: what has begun is finished, nothing else begins until RTS")
    {
    }

  private:
    static constexpr QbbPs RESUME = 1_ms;

    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) { Writes(format, false); });
        ForBothTransports([&](RdmaWireFormat format) { Writes(format, true); });
        ForBothTransports([&](RdmaWireFormat format) { Read(format); });
        {
            // Between two messages: nothing has begun that is not sent.
            RdmaTestPair pair;
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 4);
            pair.At(1_us, [&]() {
                SetState(pair.sender, RdmaQpState::SQD);
                pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 4);
            });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "4 ", "one");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 1U, "one");
        }
        {
            // A drained queue pair receives and answers.
            RdmaTestPair pair;
            SetState(pair.sender, RdmaQpState::SQD);
            pair.sender->PostReceive({7, 100});
            RdmaSendRequest request;
            request.opcode = RdmaWrOpcode::SEND;
            request.length = 100;
            pair.receiver->PostSend(request);
            request.opcode = RdmaWrOpcode::RDMA_READ;
            pair.receiver->PostSend(request);
            pair.test.Run();
            const auto completions = pair.receiver->GetSendCompletionQueue()->Poll(10);
            NS_TEST_EXPECT_MSG_EQ(RdmaTestPair::ToText(completions),
                                  "0 SEND 100 IBV_WC_SUCCESS; 0 RDMA_READ 100 IBV_WC_SUCCESS; ",
                                  "of the peer");
        }
    }

    void Writes(RdmaWireFormat format, bool loss)
    {
        // Packet 1 of the first WRITE is on the line when draining begins; with loss packet 5 has
        // to go again all the same.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
        if (loss)
        {
            LoseFrames(pair.receiver->GetPort(), {5});
        }
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 10'240);
        pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 10'240);
        pair.At(100_ns, [&]() {
            SetState(pair.sender, RdmaQpState::SQD);
            pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 10'240);
        });
        uint32_t drained = 0;
        pair.At(RESUME - 1_ns, [&]() {
            drained = static_cast<uint32_t>(pair.sends.size());
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), 2U, "two wait");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetPacketsInFlight(), 0U, "nothing is in flight");
        });
        pair.At(RESUME, [&]() { SetState(pair.sender, RdmaQpState::RTS); });
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(drained, 1U, GetTestName(format) << ": the one that had begun");
        NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 3U, GetTestName(format) << ": all in the end");
        NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "10240 10240 10240 ", "each once");
        if (format == RdmaWireFormat::ROCE)
        {
            if (!loss)
            {
                NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time, WRITE10, "the first");
            }
            // 1122 x 80 + 9 x 1106 x 80 of the line lie between the other two.
            NS_TEST_EXPECT_MSG_EQ(pair.sends[1].time, RESUME + WRITE10, "the second");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[2].time, RESUME + WRITE10 + 886'080_ps, "the third");
        }
    }

    void Read(RdmaWireFormat format)
    {
        // The READ request is on the line, the WRITE behind it is not.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
        pair.Read(1, 102'400);
        pair.Read(2, 1000);
        pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 8);
        pair.At(1_ns, [&]() { SetState(pair.sender, RdmaQpState::SQD); });
        pair.At(RESUME, [&]() {
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_READ 102400 IBV_WC_SUCCESS; ",
                                  GetTestName(format));
            SetState(pair.sender, RdmaQpState::RTS);
        });
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 3U, GetTestName(format));
        NS_TEST_EXPECT_MSG_EQ(pair.sends.back().status, RdmaWcStatus::SUCCESS, "the WRITE");
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responseTimeouts, 0U, "nothing is missed");
    }
};

/** What the attributes of Modify() do. */
class AttributesTestCase : public TestCase
{
  public:
    AttributesTestCase()
        : TestCase("timeout, retry_cnt, rnr_retry, min_rnr_timer, PSNs and read limits of Modify()")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            // Code 5 is 4.096 us x 32 = 131.072 us; retry_cnt 2 is three tries.
            Run(format, 5, 2, 7, [&](auto& a, auto&, auto& done) {
                RdmaSendRequest request;
                request.length = 8;
                a->PostSend(request);
                NS_TEST_EXPECT_MSG_EQ(done(false),
                                      "RDMA_WRITE IBV_WC_RETRY_EXC_ERR 393216000",
                                      GetTestName(format) << ": timeout");
            });
            // rnr_retry 1 is two tries, min_rnr_timer 4 is 40 us (IBA Vol. 1, table 45). A SEND of
            // 4 B takes 2 x (74 x 80 + 1 us) there and its RNR NAK as long back, IRN's 8 B and 4 B
            // more: + 1280 and + 640. The wait is between the two.
            const QbbPs trip =
                2 * RdmaTestPair::SHORT + (format == RdmaWireFormat::IRN ? 1920_ps : 0_ps);
            Run(format, 0, 7, 1, [&](auto& a, auto&, auto& done) {
                RdmaSendRequest request;
                request.opcode = RdmaWrOpcode::SEND;
                request.length = 4;
                a->PostSend(request);
                NS_TEST_EXPECT_MSG_EQ(done(true),
                                      "SEND IBV_WC_RNR_RETRY_EXC_ERR " +
                                          std::to_string((2 * trip + 40_us).Get()),
                                      GetTestName(format) << ": RNR");
            });
            // max_rd_atomic 3, and PSNs that wrap.
            Run(format, 14, 7, 7, [&](auto& a, auto& b, auto& done) {
                RdmaSendRequest request;
                request.opcode = RdmaWrOpcode::RDMA_READ;
                request.length = 100'000;
                for (uint32_t i = 0; i < 5; ++i)
                {
                    a->PostSend(request);
                }
                NS_TEST_EXPECT_MSG_EQ(a->GetOutstandingReads(), 3U, "outstanding");
                done(true);
                NS_TEST_EXPECT_MSG_EQ(a->GetOutstandingReads(), 0U, "outstanding");
                NS_TEST_EXPECT_MSG_EQ((a->GetState() == RdmaQpState::RTS), true, "state");
                NS_TEST_EXPECT_MSG_EQ(b->GetStats().responsesSent, 490U, "responses");
                NS_TEST_EXPECT_MSG_EQ(b->GetStats().duplicates, 0U, "duplicates");
            });
        });
    }

    /**
     * Takes a pair through its states by hand.
     *
     * \param format of the transport
     * \param timeout code
     * \param retries retry_cnt
     * \param rnrRetries rnr_retry
     * \param body what is done with it
     */
    template <typename T>
    void Run(RdmaWireFormat format, uint8_t timeout, uint8_t retries, uint8_t rnrRetries, T body)
    {
        RdmaTestFabric test;
        SetTestTransport(test, format);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        auto a = test.fabric->GetNic(0)->CreateQueuePair();
        auto b = test.fabric->GetNic(1)->CreateQueuePair();
        NS_TEST_EXPECT_MSG_EQ((a->GetState() == RdmaQpState::INIT), true, "new");
        RdmaQpAttributes init;
        init.minRnrTimer = 4;
        b->Modify(init);
        RdmaQpAttributes rts;
        rts.timeout = timeout;
        rts.retryCount = retries;
        rts.rnrRetryCount = rnrRetries;
        rts.maxRdAtomic = 3;
        rts.initialPsn = 0xfffffe;
        ConnectByHand(a, b, 0xffff00, rts);
        rts.initialPsn = 0xffff00;
        ConnectByHand(b, a, 0xfffffe, rts);
        auto done = [&](bool up) {
            test.fabric->SetLinkUp(1, up);
            test.Run();
            const auto completions = a->GetSendCompletionQueue()->Poll(10);
            const auto& last = completions.back();
            return std::string(last.opcode == RdmaWcOpcode::SEND ? "SEND " : "RDMA_WRITE ") +
                   GetRdmaWcStatusName(last.status) + " " + std::to_string(last.time.Get());
        };
        body(a, b, done);
    }
};

/** A queue pair that has failed is used again. */
class ResetTestCase : public TestCase
{
  public:
    ResetTestCase()
        : TestCase("queue pairs that failed are reset and used again")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            for (const bool atOnce : {false, true})
            {
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
                std::string states;
                pair.sender->TraceConnectWithoutContext(
                    "State",
                    Callback<void, RdmaQpState, RdmaQpState>([&](RdmaQpState, RdmaQpState after) {
                        states += std::string(GetRdmaQpStateName(after)) + " ";
                    }));
                // The first request has no right to the memory; all others are flushed. Half of an
                // answer of the peer and a message that had begun are forgotten.
                RdmaSendRequest request;
                request.opcode = RdmaWrOpcode::RDMA_READ;
                request.length = 50'000;
                pair.receiver->PostSend(request);
                request.opcode = RdmaWrOpcode::RDMA_WRITE;
                request.rKey = 99;
                pair.sender->PostSend(request);
                pair.Read(1, 10'000);
                pair.FetchAdd(2, 0, 1);
                pair.Post(3, RdmaWrOpcode::SEND, 10'000);
                pair.sender->PostReceive({50, 100});
                auto again = [&]() {
                    for (const auto& qp : {pair.sender, pair.receiver})
                    {
                        SetState(qp, RdmaQpState::RESET);
                        SetState(qp, RdmaQpState::INIT);
                    }
                    pair.receiver->PostReceive({100, 10'000});
                    ConnectByHand(pair.sender, pair.receiver, pair.receiver->GetInitialPsn());
                    ConnectByHand(pair.receiver, pair.sender, pair.sender->GetInitialPsn());
                    pair.Read(11, 10'000);
                    pair.FetchAdd(12, 0, 1);
                    pair.Post(13, RdmaWrOpcode::SEND, 10'000);
                    NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), 3U, "posted");
                };
                bool done = false;
                if (atOnce)
                {
                    // from within the completion of what failed; the rest is never heard of
                    pair.sender->GetSendCompletionQueue()->SetCallback(
                        Callback<void, const RdmaWorkCompletion&>(
                            [&](const RdmaWorkCompletion& completion) {
                                pair.sends.push_back(completion);
                                if (!done && completion.status != RdmaWcStatus::SUCCESS)
                                {
                                    done = true;
                                    again();
                                }
                            }));
                }
                else
                {
                    pair.At(2_ms, again);
                }
                pair.test.Run();
                const std::string flushed = "1 RDMA_READ 10000 IBV_WC_WR_FLUSH_ERR; "
                                            "2 FETCH_ADD 8 IBV_WC_WR_FLUSH_ERR; "
                                            "3 SEND 10000 IBV_WC_WR_FLUSH_ERR; ";
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "0 RDMA_WRITE 50000 IBV_WC_REM_ACCESS_ERR; " +
                                          (atOnce ? "" : flushed) +
                                          "11 RDMA_READ 10000 IBV_WC_SUCCESS; "
                                          "12 FETCH_ADD 8 IBV_WC_SUCCESS; "
                                          "13 SEND 10000 IBV_WC_SUCCESS; ",
                                      GetTestName(format) << (atOnce ? " at once" : " later"));
                NS_TEST_EXPECT_MSG_EQ(states, "ERR RESET INIT RTR RTS ", "states");
                NS_TEST_EXPECT_MSG_EQ(pair.receives.back().id, 100U, "the SEND");
                NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetWord(0),
                                      1U,
                                      "executed once");
            }
        });
    }
};

/** A queue pair whose first connection has seen marks is connected anew. */
class ResetMarksTestCase : public TestCase
{
  public:
    ResetMarksTestCase()
        : TestCase("RESET forgets marks, the CNP that is due, and when the next one may be")
    {
    }

  private:
    static constexpr QbbPs RESET = 10_us;
    static constexpr QbbPs AGAIN = 100_us; //!< all that was on its way has come to RESET

    /** What the receiver says to the sender in its second connection. */
    struct Said
    {
        uint32_t acks{0};   //!< acknowledgements
        uint32_t echoes{0}; //!< of these, with a mark
        uint32_t cnps{0};   //!< congestion notifications
    };

    static Said Run(RdmaWireFormat format, bool ecnCapable)
    {
        RdmaTestFabric test;
        SetTestTransport(test, format);
        if (format == RdmaWireFormat::ROCE)
        {
            // The first connection ends before anything is acknowledged.
            test.helper.SetTransportAttribute("AckInterval", UintegerValue(1000));
        }
        test.helper.SetNicAttribute("CnpInterval", TimeValue(Seconds(1)));
        test.helper.SetEcnAttribute("Kmin", UintegerValue(0));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(0));
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
        // Host 1 keeps the port to host 2 busy, so that each frame of host 0 finds a queue.
        RdmaSendRequest request;
        request.length = 10'000'000;
        test.fabric->Connect(1, 2).first->PostSend(request);
        const auto pair = test.fabric->Connect(0, 2);
        const Ptr<RdmaQueuePair> sender = pair.first;
        const Ptr<RdmaQueuePair> receiver = pair.second;
        request.length = 500'000;
        sender->PostSend(request);
        RdmaTestPair::At(RESET, [&]() {
            // Some are marked; one of them has brought its CNP, and the next ones wait for theirs.
            NS_ABORT_MSG_IF(receiver->GetStats().cnpsSent != 1 ||
                                receiver->GetStats().packetsAccepted < 10,
                            "the first connection is too short");
            SetState(sender, RdmaQpState::RESET);
            SetState(receiver, RdmaQpState::RESET);
        });
        Said said;
        RdmaTestPair::At(AGAIN, [&]() {
            test.fabric->GetNic(2)->GetPort(0)->TraceConnectWithoutContext(
                "MacTx",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                    // Ethernet takes 14 bytes, IPv4 with the destination at its end 20, UDP 8; the
                    // BTH has its opcode first and BECN in byte 4.
                    std::array<uint8_t, 47> bytes{};
                    packet->CopyData(bytes.data(), bytes.size());
                    const uint32_t destination = (uint32_t{bytes[30]} << 24) |
                                                 (uint32_t{bytes[31]} << 16) |
                                                 (uint32_t{bytes[32]} << 8) | bytes[33];
                    if (destination != sender->GetLocalAddress().Get())
                    {
                        return;
                    }
                    if (bytes[42] == static_cast<uint8_t>(RdmaOpcode::CNP))
                    {
                        ++said.cnps;
                        return;
                    }
                    ++said.acks;
                    said.echoes += (bytes[46] & 0x40) != 0;
                }));
            for (const auto& qp : {sender, receiver})
            {
                qp->SetAttribute("EcnCapable", BooleanValue(ecnCapable));
                SetState(qp, RdmaQpState::INIT);
            }
            ConnectByHand(sender, receiver, receiver->GetInitialPsn());
            ConnectByHand(receiver, sender, sender->GetInitialPsn());
            RdmaSendRequest shortOne;
            shortOne.length = 4;
            sender->PostSend(shortOne);
        });
        test.Run(2 * AGAIN);
        return said;
    }

    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            const Said unmarked = Run(format, false);
            NS_TEST_EXPECT_MSG_EQ(unmarked.acks, 1U, GetTestName(format) << ": one packet");
            NS_TEST_EXPECT_MSG_EQ(unmarked.echoes, 0U, GetTestName(format) << ": an old mark");
            NS_TEST_EXPECT_MSG_EQ(unmarked.cnps, 0U, GetTestName(format) << ": an old CNP");
            // The CNP comes at once, although that of the first connection was less than a second
            // ago.
            const Said marked = Run(format, true);
            NS_TEST_EXPECT_MSG_EQ(marked.acks, 1U, GetTestName(format) << ": one packet");
            NS_TEST_EXPECT_MSG_EQ(marked.echoes, 1U, GetTestName(format) << ": its mark");
            NS_TEST_EXPECT_MSG_EQ(marked.cnps, 1U, GetTestName(format) << ": its CNP");
        });
    }
};

/** A queue pair that is taken to ERR falls silent. */
class ErrorTestCase : public TestCase
{
  public:
    ErrorTestCase()
        : TestCase("a queue pair in ERR answers nothing more, not even half of a READ")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            {
                // The READ of 1000 packets is answered from 2 013 760 on: 88 800, then 88 480 each,
                // so at 3 us the 12th is on the line. IRN: from 2 015 040 on, 89 440, 7200 for an
                // acknowledgement, 89 120 each; the 11th.
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format, 2); });
                pair.Read(1, 1'024'000);
                pair.At(3_us, [&]() { SetState(pair.receiver, RdmaQpState::ERR); });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 RDMA_READ 1024000 IBV_WC_RETRY_EXC_ERR; ",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesSent,
                                      (format == RdmaWireFormat::IRN ? 11U : 12U),
                                      "responses");
            }
            {
                // From within the notice of a message: its receive is complete already.
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format, 2); });
                pair.receiver->PostReceive({100, 100});
                pair.receiver->PostReceive({101, 100});
                pair.receiver->TraceConnectWithoutContext(
                    "MessageReceived",
                    Callback<void, const RdmaMessageArrival&>([&](const RdmaMessageArrival&) {
                        SetState(pair.receiver, RdmaQpState::ERR);
                    }));
                pair.Post(1, RdmaWrOpcode::SEND, 100);
                pair.Post(2, RdmaWrOpcode::SEND, 100);
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                                      "100 RECV 100 IBV_WC_SUCCESS; "
                                      "101 RECV 0 IBV_WC_WR_FLUSH_ERR; ",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 SEND 100 IBV_WC_SUCCESS; 2 SEND 100 "
                                      "IBV_WC_RETRY_EXC_ERR; ",
                                      GetTestName(format));
            }
        });
    }
};

/** The suite. */
class RdmaTransportStatesTestSuite : public TestSuite
{
  public:
    RdmaTransportStatesTestSuite()
        : TestSuite("rdma-transport-states")
    {
        AddTestCase(new DrainTestCase);
        AddTestCase(new AttributesTestCase);
        AddTestCase(new ResetTestCase);
        AddTestCase(new ResetMarksTestCase);
        AddTestCase(new ErrorTestCase);
    }
};

RdmaTransportStatesTestSuite g_rdmaTransportStatesTestSuite; //!< registers the suite

} // namespace
