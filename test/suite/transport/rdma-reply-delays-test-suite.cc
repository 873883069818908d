/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"
#include "rdma-test-verbs.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <array>

/**
 * \file
 * \ingroup rdma-tests
 * Acknowledgements, responses and CNPs that take time in the NIC. Times are worked out by hand.
 *
 * The setup is that of RdmaTestPair: a byte takes 80 ps, and a frame of 66 B, such as a SEND of 4
 * bytes, takes SHORT = 2 011 840 ps from NIC to NIC.
 */

using namespace ns3;

namespace
{

constexpr RdmaPs SHORT = RdmaTestPair::SHORT; //!< a frame of 66 B from NIC to NIC
constexpr RdmaPs TURN = 700_ns;               //!< turnaround of acknowledgements in these tests

/** \return a configuration with a turnaround */
std::function<void(RdmaTestFabric&)>
MakeTurnaround(RdmaWireFormat format, const char* turnaround = "700ns", uint32_t retries = 7)
{
    return [=](RdmaTestFabric& test) {
        SetTestTransport(test, format, retries);
        test.helper.SetNicAttribute("AckTurnaround", StringValue(turnaround));
    };
}

/** Acknowledgements and NAKs. */
class AcknowledgementsTestCase : public TestCase
{
  public:
    AcknowledgementsTestCase()
        : TestCase("turnaround of acknowledgements, NAKs and RNR NAKs")
    {
    }

  private:
    void DoRun() override
    {
        {
            // Three SENDs arrive 6880 apart; their turnarounds overlap.
            RdmaTestPair pair(MakeTurnaround(RdmaWireFormat::ROCE));
            for (uint64_t id = 0; id < 3; ++id)
            {
                pair.receiver->PostReceive({100 + id, 4});
                pair.Post(id, RdmaWrOpcode::SEND, 4);
            }
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(),
                                  "2011840 2018720 2025600 ",
                                  "messages arrive as before");
            // A completion comes 2 x SHORT + 700 ns after its SEND.
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "4723680 4730560 4737440 ", "completions");
        }
        {
            // The RNR NAK is at the sender at 2 x SHORT + 700 ns. The sender waits for 10 us (code
            // 1) and sends again. The SEND arrives at 14 723 680 + SHORT, its acknowledgement
            // 700 ns + SHORT later.
            RdmaTestPair pair(MakeTurnaround(RdmaWireFormat::ROCE));
            pair.Post(1, RdmaWrOpcode::SEND, 4);
            pair.At(5_us, [&]() { pair.receiver->PostReceive({100, 4}); });
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveTimes(), "16735520 ", "RNR: receive");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "19447360 ", "RNR: completion");
        }
        ForBothTransports([&](RdmaWireFormat format) {
            // A WRITE without access rights, 82 B: 2 x (90 x 80 + 1 us), 700 ns, SHORT back. IRN's
            // NAK has 4 B more: 2 x 320 ps. The NAK leaves although the responder is in ERR.
            RdmaTestPair pair(MakeTurnaround(format));
            RdmaSendRequest request;
            request.id = 1;
            request.length = 4;
            request.rKey = 99;
            pair.sender->PostSend(request);
            pair.At(2_us + 500_ns, [&]() {
                NS_TEST_EXPECT_MSG_EQ(GetRdmaQpStateName(pair.receiver->GetState()),
                                      std::string("ERR"),
                                      "at once");
            });
            pair.test.Run();
            const RdmaPs extra = format == RdmaWireFormat::IRN ? 640_ps : 0_ps;
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_WRITE 4 IBV_WC_REM_ACCESS_ERR; ",
                                  GetTestName(format) << ": status");
            NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time,
                                  2'014'400_ps + TURN + SHORT + extra,
                                  GetTestName(format) << ": NAK");
        });
    }
};

/** Responses to READs and atomics. */
class ResponsesTestCase : public TestCase
{
  public:
    ResponsesTestCase()
        : TestCase("turnaround of READs and atomics; acknowledgements keep their place")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            const bool irn = format == RdmaWireFormat::IRN;
            const std::string name = GetTestName(format);
            {
                // Without turnaround: 4 185 600 (IRN: 4 188 160; rdma-transport-read). IRN's
                // acknowledgement of the request, due at the same instant, goes first: 90 x 80.
                RdmaTestPair pair(MakeTurnaround(format));
                pair.Read(1, 1000);
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                      (irn ? "4895360 " : "4885600 "),
                                      name << ": READ");
            }
            {
                // An atomic takes 4 028 800 (IRN: 4 031 360) and 700 ns.
                RdmaTestPair pair(MakeTurnaround(format));
                pair.FetchAdd(1, 64, 5);
                pair.At(2_us + 500_ns, [&]() {
                    NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetWord(64),
                                          5U,
                                          "executed at its arrival");
                });
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(),
                                      (irn ? "4738560 " : "4728800 "),
                                      name << ": atomic");
            }
        });
        {
            // The READ request arrives at 2 013 760. The SEND reaches the switch 78 x 80 ps after
            // the request and arrives 6880 after it. The response of 1066 B begins at 2 713 760 and
            // takes the line for 86 880. The acknowledgement is due at 2 720 640, follows at
            // 2 800 640, and finds the response on the line of the switch: 1 us + 2 886 560 + 74 x
            // 80 + 1 us.
            RdmaTestPair pair(MakeTurnaround(RdmaWireFormat::ROCE));
            pair.receiver->PostReceive({100, 4});
            pair.Read(1, 1000);
            pair.Post(2, RdmaWrOpcode::SEND, 4);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "4885600 4892480 ", "behind a READ");
        }
        {
            // The turnaround is longer than the READ's response: the SEND's acknowledgement has its
            // own. Posted at 1 us, the SEND is there at 3 011 840, and back 700 ns + SHORT later.
            RdmaTestPair pair(MakeTurnaround(RdmaWireFormat::ROCE, "2us"));
            pair.receiver->PostReceive({100, 4});
            pair.Read(1, 4);
            pair.At(1_us, [&]() { pair.Post(2, RdmaWrOpcode::SEND, 4); });
            pair.test.Run();
            // The READ of 4 B has a response of 70 B: 2 013 760 + 2 us + 2 x (78 x 80 + 1 us).
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "6026240 7023680 ", "each its own");
        }
    }
};

/** Changes of state while replies of a queue pair wait. */
class PendingTestCase : public TestCase
{
  public:
    PendingTestCase()
        : TestCase("RESET, ERR, destruction and the end of the NIC while replies wait")
    {
    }

  private:
    /** \param end action on the receiver 100 ns after the messages \return log of the sender */
    static std::string Run(RdmaWireFormat format, const std::function<void(RdmaTestPair&)>& end)
    {
        // The SEND waits for its acknowledgement, the READ for its response.
        RdmaTestPair pair(MakeTurnaround(format, "700ns", 1));
        pair.receiver->PostReceive({100, 4});
        pair.Post(1, RdmaWrOpcode::SEND, 4);
        pair.Read(2, 1000);
        pair.At(2_us + 200_ns, [&]() { end(pair); });
        pair.test.Run(5_ms);
        return pair.GetSendLog();
    }

    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            const std::string name = GetTestName(format);
            const std::string lost =
                "1 SEND 4 IBV_WC_RETRY_EXC_ERR; 2 RDMA_READ 1000 IBV_WC_WR_FLUSH_ERR; ";
            NS_TEST_EXPECT_MSG_EQ(Run(format, [](RdmaTestPair&) {}),
                                  "1 SEND 4 IBV_WC_SUCCESS; 2 RDMA_READ 1000 IBV_WC_SUCCESS; ",
                                  name << ": undisturbed");
            NS_TEST_EXPECT_MSG_EQ(
                Run(format,
                    [](RdmaTestPair& pair) { SetTestState(pair.receiver, RdmaQpState::RESET); }),
                lost,
                name << ": RESET takes the replies back");
            NS_TEST_EXPECT_MSG_EQ(Run(format,
                                      [](RdmaTestPair& pair) {
                                          pair.test.fabric->GetNic(1)->DestroyQueuePair(
                                              pair.receiver);
                                      }),
                                  lost,
                                  name << ": destroyed");
            // In ERR a waiting acknowledgement still leaves, a waiting response does not.
            NS_TEST_EXPECT_MSG_EQ(
                Run(format,
                    [](RdmaTestPair& pair) { SetTestState(pair.receiver, RdmaQpState::ERR); }),
                "1 SEND 4 IBV_WC_SUCCESS; 2 RDMA_READ 1000 "
                "IBV_WC_RETRY_EXC_ERR; ",
                name << ": ERR");
            NS_TEST_EXPECT_MSG_EQ(Run(format, [](RdmaTestPair&) { Simulator::Stop(); }),
                                  "",
                                  name << ": the end");
        });
    }
};

/** Delays of CNPs, with equal results in other simulators. */
class CnpDelayTestCase : public TestCase
{
  public:
    CnpDelayTestCase()
        : TestCase(
              "CNPs leave after their delay, before an acknowledgement due at the same instant")
    {
    }

  private:
    /** Frames that left a host: instants in picoseconds, by opcode. */
    struct Sent
    {
        std::vector<RdmaPs> cnps; //!< congestion notifications
        std::vector<RdmaPs> acks; //!< acknowledgements
        std::string digest;       //!< digest of all flows
        std::string order;        //!< kinds of the first frames: C or A
    };

    /** Options of a run that do not change the results. */
    struct Way
    {
        bool own{false};       //!< the module's simulator, not ns-3's
        bool serialize{false}; //!< frames cross links as bytes
    };

    static Sent Run(const char* cnpDelay, const char* turnaround, const Way& way)
    {
        if (way.own)
        {
            RdmaSimulatorImpl::Select();
        }
        RdmaTestFabric test;
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(way.serialize));
        test.helper.SetNicAttribute("CnpDelay", StringValue(cnpDelay));
        test.helper.SetNicAttribute("AckTurnaround", StringValue(turnaround));
        test.helper.SetNicAttribute("WqeFetchDelay", StringValue("1us"));
        test.helper.SetEcnAttribute("Kmin", UintegerValue(0));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(0));
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 100'000), MakeTestFlow(1, 1, 2, 100'000)});
        Sent sent;
        test.fabric->GetNic(2)->GetPort(0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                std::array<uint8_t, 43> bytes{};
                packet->CopyData(bytes.data(), bytes.size());
                const bool cnp = bytes[42] == static_cast<uint8_t>(RdmaOpcode::CNP);
                (cnp ? sent.cnps : sent.acks).push_back(RdmaNow());
                sent.order += cnp ? "C" : "A";
            }));
        test.Run();
        sent.digest = test.GetDigest();
        return sent;
    }

    void DoRun() override
    {
        const Sent plain = Run("0s", "0s", {});
        const Sent late = Run("55us", "0s", {});
        NS_TEST_ASSERT_MSG_EQ(plain.cnps.empty(), false, "CNPs");
        NS_TEST_ASSERT_MSG_EQ(late.cnps.size(), plain.cnps.size(), "as many CNPs");
        // Acknowledgements of 66 B, 88 480 apart, leave the line free for CNPs.
        NS_TEST_EXPECT_MSG_EQ(late.cnps[0] - plain.cnps[0], 55_us, "the first CNP");
        NS_TEST_EXPECT_MSG_EQ(plain.order.substr(plain.order.find('C'), 2), "CA", "order");
        // CNPs and acknowledgements have equal delays and leave in the order of a run without
        // delays.
        const Sent both = Run("700ns", "700ns", {});
        NS_TEST_EXPECT_MSG_EQ(both.order, plain.order, "order of frames due at one instant");
        NS_TEST_EXPECT_MSG_EQ(both.cnps[0] - plain.cnps[0], TURN, "CNP");
        NS_TEST_EXPECT_MSG_EQ(both.acks[0] - plain.acks[0], TURN, "acknowledgement");
        for (const Way& way : {Way{true, false}, Way{false, true}, Way{true, true}})
        {
            const Sent again = Run("700ns", "700ns", way);
            NS_TEST_EXPECT_MSG_EQ(again.digest, both.digest, way.own << way.serialize);
            NS_TEST_EXPECT_MSG_EQ(again.order, both.order, way.own << way.serialize);
        }
        NS_TEST_EXPECT_MSG_NE(plain.digest, both.digest, "the delays count");
    }
};

/** The suite. */
class RdmaReplyDelaysTestSuite : public TestSuite
{
  public:
    RdmaReplyDelaysTestSuite()
        : TestSuite("rdma-reply-delays")
    {
        AddTestCase(new AcknowledgementsTestCase);
        AddTestCase(new ResponsesTestCase);
        AddTestCase(new PendingTestCase);
        AddTestCase(new CnpDelayTestCase);
    }
};

RdmaReplyDelaysTestSuite g_rdmaReplyDelaysTestSuite; //!< registers the suite

} // namespace
