/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * State transitions of queue pairs: effects of the attributes, and draining. Transitions that
 * Modify() refuses are in rdma-queue-pair-errors-test.cc.
 */

using namespace ns3;

namespace
{

/// Duration of a WRITE of ten packets, acknowledgement included: 1102 B and nine times 1086 B. The
/// switch has the first frame at 1110 x 80 + 1 us and sends without a gap. The last frame begins
/// 1122 x 80 + 8 x 1106 x 80 later and takes 1094 x 80 + 1 us.
constexpr RdmaPs WRITE10 =
    1'088'800_ps + 89'760_ps + 8 * 88'480_ps + 1'087'520_ps + RdmaTestPair::SHORT;
static_assert(WRITE10 == 4'985'760_ps, "arithmetic");

/** The send queue drains and resumes. */
class DrainTestCase : public TestCase
{
  public:
    DrainTestCase()
        : TestCase("SQD: requests that have begun are finished, no other begins until RTS")
    {
    }

  private:
    static constexpr RdmaPs RESUME = 1_ms;

    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) { Writes(format, false); });
        ForBothTransports([&](RdmaWireFormat format) { Writes(format, true); });
        ForBothTransports([&](RdmaWireFormat format) { Read(format); });
        {
            // Draining begins between two messages: no message is sent in part.
            RdmaTestPair pair;
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 4);
            pair.At(1_us, [&]() {
                SetTestState(pair.sender, RdmaQpState::SQD);
                pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 4);
            });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "4 ", "one");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 1U, "one");
        }
        {
            // A drained queue pair still receives and answers.
            RdmaTestPair pair;
            SetTestState(pair.sender, RdmaQpState::SQD);
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
        // Packet 1 of the first WRITE is on the line when draining begins. With loss, packet 5 is
        // also retransmitted during draining.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
        if (loss)
        {
            LoseFrames(pair.receiver->GetPort(), {5});
        }
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 10'240);
        pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 10'240);
        pair.At(100_ns, [&]() {
            SetTestState(pair.sender, RdmaQpState::SQD);
            pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 10'240);
        });
        uint32_t drained = 0;
        pair.At(RESUME - 1_ns, [&]() {
            drained = static_cast<uint32_t>(pair.sends.size());
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetOutstandingSends(), 2U, "two wait");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetPacketsInFlight(), 0U, "nothing is in flight");
        });
        pair.At(RESUME, [&]() { SetTestState(pair.sender, RdmaQpState::RTS); });
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
            // The second and the third WRITE are 1122 x 80 + 9 x 1106 x 80 of the line apart.
            NS_TEST_EXPECT_MSG_EQ(pair.sends[1].time, RESUME + WRITE10, "the second");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[2].time, RESUME + WRITE10 + 886'080_ps, "the third");
        }
    }

    void Read(RdmaWireFormat format)
    {
        // The first READ request is on the line; the requests behind it are not.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
        pair.Read(1, 102'400);
        pair.Read(2, 1000);
        pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 8);
        pair.At(1_ns, [&]() { SetTestState(pair.sender, RdmaQpState::SQD); });
        pair.At(RESUME, [&]() {
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_READ 102400 IBV_WC_SUCCESS; ",
                                  GetTestName(format));
            SetTestState(pair.sender, RdmaQpState::RTS);
        });
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 3U, GetTestName(format));
        NS_TEST_EXPECT_MSG_EQ(pair.sends.back().status, RdmaWcStatus::SUCCESS, "the WRITE");
        NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responseTimeouts, 0U, "nothing is missed");
    }
};

/** Effects of the attributes of Modify(). */
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
            // 4 B takes 2 x (74 x 80 + 1 us), and its RNR NAK takes as long back. IRN's frames have
            // 8 B and 4 B more: + 1280 and + 640. One wait lies between the tries.
            const RdmaPs trip =
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
     * \param body actions on the pair
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
        ConnectTestByHand(a, b, 0xffff00, rts);
        rts.initialPsn = 0xffff00;
        ConnectTestByHand(b, a, 0xfffffe, rts);
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

/** The suite. */
class RdmaTransportStatesTestSuite : public TestSuite
{
  public:
    RdmaTransportStatesTestSuite()
        : TestSuite("rdma-transport-states")
    {
        AddTestCase(new DrainTestCase);
        AddTestCase(new AttributesTestCase);
    }
};

RdmaTransportStatesTestSuite g_rdmaTransportStatesTestSuite; //!< registers the suite

} // namespace
