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
 * Queue pairs that are taken to ERR or RESET, also from within their own callbacks, and used again.
 */

using namespace ns3;

namespace
{

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
                // The first request has no access rights; all others are flushed. Half of an answer
                // to the peer and a message in progress are dropped.
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
                        SetTestState(qp, RdmaQpState::RESET);
                        SetTestState(qp, RdmaQpState::INIT);
                    }
                    pair.receiver->PostReceive({100, 10'000});
                    ConnectTestByHand(pair.sender, pair.receiver, pair.receiver->GetInitialPsn());
                    ConnectTestByHand(pair.receiver, pair.sender, pair.sender->GetInitialPsn());
                    pair.Read(11, 10'000);
                    pair.FetchAdd(12, 0, 1);
                    pair.Post(13, RdmaWrOpcode::SEND, 10'000);
                    NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), 3U, "posted");
                };
                bool done = false;
                if (atOnce)
                {
                    // Reset from the completion of the failed request; the other requests never
                    // complete.
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
    static constexpr RdmaPs RESET = 10_us;
    static constexpr RdmaPs AGAIN = 100_us; //!< all frames under way have met RESET

    /** The receiver's answers in the sender's second connection. */
    struct Said
    {
        uint32_t acks{0};   //!< acknowledgements
        uint32_t echoes{0}; //!< acknowledgements with a mark
        uint32_t cnps{0};   //!< congestion notifications
    };

    static Said Run(RdmaWireFormat format, bool ecnCapable)
    {
        RdmaTestFabric test;
        SetTestTransport(test, format);
        if (format == RdmaWireFormat::ROCE)
        {
            // The first connection ends before any acknowledgement.
            test.helper.SetTransportAttribute("AckInterval", UintegerValue(1000));
        }
        test.helper.SetNicAttribute("CnpInterval", TimeValue(Seconds(1)));
        test.helper.SetEcnAttribute("Kmin", UintegerValue(0));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(0));
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
        // Host 1 keeps the port to host 2 busy: each frame of host 0 finds a queue.
        RdmaSendRequest request;
        request.length = 10'000'000;
        test.fabric->Connect(1, 2).first->PostSend(request);
        const auto pair = test.fabric->Connect(0, 2);
        const Ptr<RdmaQueuePair> sender = pair.first;
        const Ptr<RdmaQueuePair> receiver = pair.second;
        request.length = 500'000;
        sender->PostSend(request);
        RdmaTestPair::At(RESET, [&]() {
            // Some packets are marked. One mark has brought a CNP; the next marks wait for theirs.
            NS_ABORT_MSG_IF(receiver->GetStats().cnpsSent != 1 ||
                                receiver->GetStats().packetsAccepted < 10,
                            "the first connection is too short");
            SetTestState(sender, RdmaQpState::RESET);
            SetTestState(receiver, RdmaQpState::RESET);
        });
        Said said;
        RdmaTestPair::At(AGAIN, [&]() {
            test.fabric->GetNic(2)->GetPort(0)->TraceConnectWithoutContext(
                "MacTx",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                    // Ethernet takes 14 bytes, IPv4 20 with the destination at the end, UDP 8. The
                    // BTH begins with the opcode and has BECN in byte 4.
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
                SetTestState(qp, RdmaQpState::INIT);
            }
            ConnectTestByHand(sender, receiver, receiver->GetInitialPsn());
            ConnectTestByHand(receiver, sender, sender->GetInitialPsn());
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
            // The CNP comes at once, although the first connection had a CNP less than a second
            // ago.
            const Said marked = Run(format, true);
            NS_TEST_EXPECT_MSG_EQ(marked.acks, 1U, GetTestName(format) << ": one packet");
            NS_TEST_EXPECT_MSG_EQ(marked.echoes, 1U, GetTestName(format) << ": its mark");
            NS_TEST_EXPECT_MSG_EQ(marked.cnps, 1U, GetTestName(format) << ": its CNP");
        });
    }
};

/** A queue pair in ERR sends nothing more. */
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
                // The READ of 1000 packets is answered from 2 013 760 on: 88 800, then 88 480 each.
                // At 3 us the 12th response is on the line. IRN: from 2 015 040 on, 89 440, 7200
                // for an acknowledgement, then 89 120 each. At 3 us the 11th response is on the
                // line.
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format, 2); });
                pair.Read(1, 1'024'000);
                pair.At(3_us, [&]() { SetTestState(pair.receiver, RdmaQpState::ERR); });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      "1 RDMA_READ 1024000 IBV_WC_RETRY_EXC_ERR; ",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesSent,
                                      (format == RdmaWireFormat::IRN ? 11U : 12U),
                                      "responses");
            }
            {
                // The trace sink of a message sets ERR: the message's receive is already complete.
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format, 2); });
                pair.receiver->PostReceive({100, 100});
                pair.receiver->PostReceive({101, 100});
                pair.receiver->TraceConnectWithoutContext(
                    "MessageReceived",
                    Callback<void, const RdmaMessageArrival&>([&](const RdmaMessageArrival&) {
                        SetTestState(pair.receiver, RdmaQpState::ERR);
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
class RdmaTransportResetTestSuite : public TestSuite
{
  public:
    RdmaTransportResetTestSuite()
        : TestSuite("rdma-transport-reset")
    {
        AddTestCase(new ResetTestCase);
        AddTestCase(new ResetMarksTestCase);
        AddTestCase(new ErrorTestCase);
    }
};

RdmaTransportResetTestSuite g_rdmaTransportResetTestSuite; //!< registers the suite

} // namespace
