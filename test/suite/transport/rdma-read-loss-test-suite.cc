/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * READs and atomics over links that lose requests, responses, or the acknowledgements between them.
 * Each completes once and in order, and an atomic is executed once. Times are worked out by hand,
 * as in rdma-transport-read-test-suite.cc.
 */

using namespace ns3;

namespace
{

/// Duration of a READ of ten packets: the request, nine responses on the line, and the last one.
constexpr RdmaPs READ10 = 2'013'760_ps + (1110 + 8 * 1106) * 80_ps + 2'175'680_ps;
static_assert(READ10 == 4'986'080_ps, "arithmetic");

/** After a loss RoCE requests the missing part again with a shorter READ. */
class RoceReadTestCase : public TestCase
{
  public:
    RoceReadTestCase()
        : TestCase("RoCE: READ requests and responses that are lost")
    {
    }

  private:
    static constexpr auto ROCE = RdmaWireFormat::ROCE;

    void DoRun() override
    {
        {
            // The request is lost and sent again after 100 us.
            RdmaTestLossyPair pair(ROCE, {0}, {});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "104986080 ", "request");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesSent, 10U, "responses");
        }
        {
            // The request is lost. A WRITE of 178 B behind it, at 98 x 80, arrives at 7840 + 2 x
            // (186 x 80 + 1 us) = 2 037 600 and reveals a gap. The NAK is back at 4 049 440, and
            // both are sent again. The acknowledgement of the WRITE follows the last response by
            // 86 x 80.
            RdmaTestLossyPair pair(ROCE, {0}, {});
            pair.Read(1, 10'240);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "9035520 9042400 ", "request, WRITE behind");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "100 ", "the WRITE, once");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "no timer was needed");
        }

        // The first response is lost, one in the middle, or two: the next response reveals the
        // loss. The second response arrives at 2 013 760 + 88 800 (its start) + 2 175 360 (320
        // behind the longer first at the switch) = 4 277 920, the others 88 480 apart. From then on
        // the READ takes READ10 less 88 480 for each response that has arrived: 4 277 920 +
        // 4 986 080 in all cases. The last response has 4 B more and arrives 320 later.
        struct Row
        {
            std::list<uint32_t> lost;
            uint64_t again; //!< responses that are sent again
            const char* times;
        };

        for (const Row& row : {Row{{0}, 10, "9264000 "},
                               Row{{4}, 6, "9264000 "},
                               Row{{8}, 2, "9264320 "},
                               Row{{2, 5}, 8, "9264000 "}})
        {
            RdmaTestLossyPair pair(ROCE, {}, row.lost);
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), row.times, "response " << row.lost.front());
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 1U, "requests");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesSent,
                                  10 + row.again,
                                  "responses");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().responsesAccepted, 10U, "once each");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "no timer was needed");
        }
        {
            // The last response is lost: the timer started with the response before it, at
            // 4 277 920 + 7 x 88 480 = 4 897 280. A READ of one packet takes 2 013 760 + 2 175 680.
            RdmaTestLossyPair pair(ROCE, {}, {9});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "109086720 ", "last response");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().responsesSent, 11U, "responses");
        }
        {
            // Response 2 is lost, and again as frame 10 after a new request. The timer started with
            // that request, at 4 277 920 + 2 x 88 480. Eight responses are missing.
            RdmaTestLossyPair pair(ROCE, {}, {2, 10});
            pair.Read(1, 10'240);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "109264000 ", "a response twice");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 1U, "timeouts");
        }
        {
            // The only response is lost: the timer has run from the start. The response takes 2 x
            // (174 x 80 + 1 us).
            RdmaTestLossyPair pair(ROCE, {}, {0});
            pair.Read(1, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "104041600 ", "only response");
        }
    }
};

/** A duplicate atomic is answered again and not executed again. */
class RoceAtomicTestCase : public TestCase
{
  public:
    RoceAtomicTestCase()
        : TestCase("RoCE: atomics and their results that are lost")
    {
    }

  private:
    static constexpr auto ROCE = RdmaWireFormat::ROCE;

    void DoRun() override
    {
        for (const bool request : {true, false})
        {
            // The request is sent again after 100 us; an atomic takes 4 028 800.
            RdmaTestLossyPair pair(ROCE,
                                   request ? std::list<uint32_t>{0} : std::list<uint32_t>{},
                                   request ? std::list<uint32_t>{} : std::list<uint32_t>{0});
            pair.FetchAdd(1, 0, 5);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "104028800 ", "one");
            NS_TEST_EXPECT_MSG_EQ(pair.GetOriginals(), "0 ", "the word as it was");
            NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetWord(0),
                                  5U,
                                  "executed once");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().duplicates, !request, "duplicates");
        }
        {
            // The first of three results is lost: the second, 110 x 80 later, reveals the loss at
            // 4 037 600.
            RdmaTestLossyPair pair(ROCE, {}, {0});
            pair.FetchAdd(1, 0, 5);
            pair.FetchAdd(2, 0, 5);
            pair.CompareSwap(3, 0, 10, 7);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "8066400 8075200 8084000 ", "three");
            NS_TEST_EXPECT_MSG_EQ(pair.GetOriginals(), "0 5 10 ", "the word as it was");
            NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetWord(0), 7U, "word");
            NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().duplicates, 3U, "duplicates");
        }
        {
            // The first response of a READ of 100 packets is missed at 4 277 920. The atomic behind
            // the READ has been executed then, but its result waits for the responses. The repeated
            // READ arrives at 6 291 680, when response 48 is on the line (2 013 760 + 88 800 + 47 x
            // 88 480 and 88 480 more). All responses begin again at 6 349 600, and the atomic has
            // its first result.
            RdmaTestLossyPair pair(ROCE, {}, {0});
            pair.Read(1, 102'400);
            pair.FetchAdd(2, 0, 5);
            pair.Read(3, 1000);
            pair.Post(4, RdmaWrOpcode::RDMA_WRITE, 5);
            const RdmaPs read = 6'349'600_ps + (1110 + 98 * 1106) * 80_ps + 2'175'680_ps;
            NS_TEST_EXPECT_MSG_EQ(read, 17'285'120_ps, "arithmetic");
            // Frames behind the responses: 74 B take 94 x 80, 1066 B take 1086 x 80, 66 B take 86 x
            // 80.
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "17285120 17292640 17379520 17386400 ", "four");
            NS_TEST_EXPECT_MSG_EQ(pair.GetOriginals(), "0 0 0 0 ", "the word as it was");
            NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetWord(0), 5U, "word");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "5 ", "the WRITE, once");
        }
    }
};

/** Acknowledgements that come behind responses. */
class RoceAcknowledgementTestCase : public TestCase
{
  public:
    RoceAcknowledgementTestCase()
        : TestCase("RoCE: acknowledgements behind READ responses that are lost")
    {
    }

  private:
    static constexpr auto ROCE = RdmaWireFormat::ROCE;

    void DoRun() override
    {
        {
            // The acknowledgement of a WRITE is lost, and nothing else acknowledges the WRITE. The
            // WRITE is sent again 100 us after the READ: 178 B there and 66 B back take 2 029 760 +
            // 2 011 840.
            RdmaTestLossyPair pair(ROCE, {}, {10});
            pair.Read(1, 10'240);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "4986080 109027680 ", "WRITE");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "100 ", "once");
        }
        {
            // The response of the next READ also acknowledges the WRITE. Behind the last response
            // come the lost acknowledgement of 66 B and a response of 166 B: 86 x 80 + 186 x 80.
            RdmaTestLossyPair pair(ROCE, {}, {10});
            pair.Read(1, 10'240);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 100);
            pair.Read(3, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "4986080 5007840 5007840 ", "WRITE, READ behind");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().packetsRetransmitted, 0U, "nothing");
        }
        {
            // The last response is lost: the acknowledgement of the WRITE behind it reveals that at
            // 4 986 080 + 6880. A READ of one packet brings the response and the acknowledgement
            // again.
            RdmaTestLossyPair pair(ROCE, {}, {9});
            pair.Read(1, 10'240);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 100);
            NS_TEST_EXPECT_MSG_EQ(pair.Run(), "9182400 9189280 ", "last response");
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "100 ", "once");
            NS_TEST_EXPECT_MSG_EQ(pair.sender->GetStats().timeouts, 0U, "no timer was needed");
        }
    }
};

/** Requests of all kinds over links that lose one frame in twenty. */
class LossyMixTestCase : public TestCase
{
  public:
    /** \param format of the transport \param recovery its attribute LossRecovery */
    LossyMixTestCase(RdmaWireFormat format, const std::string& recovery)
        : TestCase(GetTestName(format) + " " + recovery +
                   ": 300 requests of all kinds, both ways, over lossy links"),
          m_format(format),
          m_recovery(recovery)
    {
    }

  private:
    /** Posts the requests of one side. */
    static void Post(Ptr<RdmaQueuePair> from, Ptr<RdmaQueuePair> to, uint64_t word)
    {
        for (uint64_t id = 0; id < 300; ++id)
        {
            RdmaSendRequest request;
            request.id = id;
            request.opcode = static_cast<RdmaWrOpcode>(id % 7);
            request.length = (id * 977) % 8000;
            request.fence = id % 11 == 5;
            if (request.opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP)
            {
                // The compare value is the number of additions before this request.
                request.remoteAddress = word + 8;
                request.compareAdd = id / 7;
                request.swap = id / 7 + 1;
            }
            else if (request.opcode == RdmaWrOpcode::ATOMIC_FETCH_AND_ADD)
            {
                request.remoteAddress = word;
                request.compareAdd = 1;
            }
            from->PostSend(request);
            to->PostReceive({id, 8000});
        }
    }

    void DoRun() override
    {
        const std::string times = Run(false);
        NS_TEST_EXPECT_MSG_EQ(Run(true), times, "the same when frames cross links as bytes");
    }

    /** \param serialize frames cross links as bytes \return times of all completions */
    std::string Run(bool serialize)
    {
        RdmaTestPair pair([&](RdmaTestFabric& test) {
            SetTestTransport(test, m_format, 1000);
            test.helper.SetTransportAttribute("LossRecovery", StringValue(m_recovery));
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
        });
        std::vector<RdmaWorkCompletion> back;
        pair.receiver->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>(
                [&](const RdmaWorkCompletion& completion) { back.push_back(completion); }));
        LoseFramesAtRandom(pair.sender->GetPort(), 0.05, 50);
        LoseFramesAtRandom(pair.receiver->GetPort(), 0.05, 60);
        Post(pair.sender, pair.receiver, 0);
        Post(pair.receiver, pair.sender, 0);
        pair.test.Run();
        for (const auto* list : {&pair.sends, &back})
        {
            NS_TEST_EXPECT_MSG_EQ(list->size(), 300U, "completions");
            for (uint64_t id = 0; id < 300; ++id)
            {
                const auto& completion = list->at(id);
                NS_TEST_EXPECT_MSG_EQ(completion.id, id, "in order");
                NS_TEST_EXPECT_MSG_EQ(completion.status, RdmaWcStatus::SUCCESS, "request " << id);
                if (completion.opcode == RdmaWcOpcode::COMP_SWAP ||
                    completion.opcode == RdmaWcOpcode::FETCH_ADD)
                {
                    NS_TEST_EXPECT_MSG_EQ(completion.original, id / 7, "executed once, in order");
                }
            }
        }
        NS_TEST_EXPECT_MSG_GT(pair.sender->GetStats().packetsRetransmitted, 20U, "losses");
        // Three of seven requests are SENDs or WRITEs with immediate.
        NS_TEST_EXPECT_MSG_EQ(pair.receives.size(), 129U, "receives");
        for (const uint32_t host : {0, 1})
        {
            const auto& memory = pair.test.fabric->GetNic(host)->GetMemory();
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(0), 42U, "additions at host " << host);
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(8), 43U, "swaps at host " << host);
        }
        return pair.GetSendTimes() + pair.GetReceiveTimes() + RdmaTestPair::ToTimes(back);
    }

    RdmaWireFormat m_format;
    std::string m_recovery;
};

/** The suite. */
class RdmaReadLossTestSuite : public TestSuite
{
  public:
    RdmaReadLossTestSuite()
        : TestSuite("rdma-read-loss")
    {
        AddTestCase(new RoceReadTestCase);
        AddTestCase(new RoceAtomicTestCase);
        AddTestCase(new RoceAcknowledgementTestCase);
        for (const char* recovery : {"GoBackN", "GoBack0"})
        {
            AddTestCase(new LossyMixTestCase(RdmaWireFormat::ROCE, recovery));
        }
        for (const char* recovery : {"Sack", "SelectiveWithoutSack", "GoBackN", "GoBack0"})
        {
            AddTestCase(new LossyMixTestCase(RdmaWireFormat::IRN, recovery));
        }
    }
};

RdmaReadLossTestSuite g_rdmaReadLossTestSuite; //!< registers the suite

} // namespace
