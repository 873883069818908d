/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

#include <limits>

/**
 * \file
 * \ingroup rdma-tests
 * READs and atomics without errors: limits of outstanding requests, and requests that wait.
 */

using namespace ns3;

namespace
{

/** MaxRdAtomic bounds the outstanding requests. */
class OutstandingTestCase : public TestCase
{
  public:
    OutstandingTestCase()
        : TestCase("16 READs are outstanding, the 17th begins when the first completes")
    {
    }

  private:
    void DoRun() override
    {
        // Requests are 98 x 80 apart. A response of 1066 B takes the line for 1086 x 80 = 86 880,
        // and responses follow each other without a gap. The last of 16 leaves at 2 013 760 + 15 x
        // 86 880. The first READ is complete at 4 185 600; the 17th begins then and takes as long.
        RdmaTestPair pair;
        std::vector<RdmaPs> requests;
        pair.sender->GetPort()->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>(
                [&](Ptr<const Packet>) { requests.push_back(RdmaNow()); }));
        for (uint64_t id = 0; id < 18; ++id)
        {
            pair.Read(id, 1000);
        }
        pair.Post(18, RdmaWrOpcode::RDMA_WRITE, 4);
        uint32_t most = 0;
        for (RdmaPs at = 0_ps; at < 10_us; at += 1_ns)
        {
            pair.At(at, [&]() { most = std::max(most, pair.sender->GetOutstandingReads()); });
        }
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(most, 16U, "outstanding");
        NS_TEST_ASSERT_MSG_EQ(requests.size(), 19U, "requests");
        NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 19U, "completions");
        constexpr RdmaPs FIRST = 4'185'600_ps;
        constexpr RdmaPs SLOT = 86'880_ps;
        for (int64_t i = 0; i < 16; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(requests[i], i * 98 * 80_ps, "request " << i);
            NS_TEST_EXPECT_MSG_EQ(pair.sends[i].time, FIRST + i * SLOT, "READ " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(requests[16], FIRST, "request 16");
        NS_TEST_EXPECT_MSG_EQ(requests[17], FIRST + SLOT, "request 17");
        // A request behind a READ that waits also waits.
        NS_TEST_EXPECT_MSG_EQ(requests[18], FIRST + SLOT + 98 * 80_ps, "the WRITE");
        NS_TEST_EXPECT_MSG_EQ(pair.sends[16].time, 2 * FIRST, "READ 16");
        NS_TEST_EXPECT_MSG_EQ(pair.sends[17].time, 2 * FIRST + SLOT, "READ 17");
    }
};

/** Half of the PSN space also bounds the outstanding requests. */
class PsnSpaceTestCase : public TestCase
{
  public:
    PsnSpaceTestCase()
        : TestCase("RoCE: a READ of 2^23 - 1 responses waits until all before it is acknowledged")
    {
    }

  private:
    void DoRun() override
    {
        // A WRITE of 4 B has 82 B there, 2 x (90 x 80 + 1 us), and 66 B back: 4 026 240. The READ
        // begins at that instant. Its first response of 66 + 256 B arrives 2 013 760 + 2 x (330 x
        // 80 + 1 us) later.
        RdmaTestPair pair([](RdmaTestFabric& test) { test.SetMtu(256); });
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 4);
        pair.Read(2, ((1ULL << 23) - 1) * 256);
        uint32_t before = 0;
        uint32_t after = 0;
        uint64_t accepted = 0;
        pair.At(4'026'239_ps, [&]() { before = pair.sender->GetOutstandingReads(); });
        pair.At(4'026'241_ps, [&]() { after = pair.sender->GetOutstandingReads(); });
        pair.At(4'026'240_ps + 2'013'760_ps + 2'052'800_ps + 1_ps,
                [&]() { accepted = pair.sender->GetStats().responsesAccepted; });
        pair.test.Run(10_us);
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendTimes(), "4026240 ", "the WRITE");
        NS_TEST_EXPECT_MSG_EQ(before, 0U, "waits");
        NS_TEST_EXPECT_MSG_EQ(after, 1U, "begins");
        NS_TEST_EXPECT_MSG_EQ(accepted, 1U, "is answered");
    }
};

/** Fenced requests wait for READs, other requests do not. */
class FenceTestCase : public TestCase
{
  public:
    FenceTestCase()
        : TestCase("a fenced request begins when the READs before it are complete")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            for (const bool fence : {false, true})
            {
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
                std::vector<RdmaPs> sent;
                pair.sender->GetPort()->TraceConnectWithoutContext(
                    "PhyTxBegin",
                    Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                        // Only the WRITEs are that large.
                        if (packet->GetSize() > 500)
                        {
                            sent.push_back(RdmaNow());
                        }
                    }));
                pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 1000);
                pair.Read(2, 10'000);
                pair.FetchAdd(3, 0, 1);
                RdmaSendRequest request;
                request.id = 4;
                request.length = 1000;
                request.fence = fence;
                pair.sender->PostSend(request);
                pair.test.Run();
                NS_TEST_EXPECT_MSG_EQ(
                    pair.GetSendLog(),
                    "1 RDMA_WRITE 1000 IBV_WC_SUCCESS; 2 RDMA_READ 10000 IBV_WC_SUCCESS; "
                    "3 FETCH_ADD 8 IBV_WC_SUCCESS; 4 RDMA_WRITE 1000 IBV_WC_SUCCESS; ",
                    GetTestName(format));
                NS_TEST_ASSERT_MSG_EQ(sent.size(), 2U, "WRITEs");
                NS_TEST_EXPECT_MSG_EQ(sent[0], 0_ps, "the first");
                // 1000 + 78, 78 and 90 B leave first. With IRN the READ and the atomic have 8 B
                // more.
                const RdmaPs unfenced =
                    (1098 + 98 + 110 + (format == RdmaWireFormat::IRN ? 16 : 0)) * 80_ps;
                // With IRN the acknowledgement of the last response, 70 B, goes first.
                const RdmaPs fenced =
                    pair.sends[2].time + (format == RdmaWireFormat::IRN ? 90 * 80_ps : 0_ps);
                NS_TEST_EXPECT_MSG_EQ(sent[1],
                                      (fence ? fenced : unfenced),
                                      GetTestName(format) << ": the second");
            }
        });
    }
};

/** The responder accepts MaxDestRdAtomic requests at a time. */
class TooManyTestCase : public TestCase
{
  public:
    TooManyTestCase()
        : TestCase("more READs at a time than the responder takes")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
            pair.receiver->SetAttribute("MaxDestRdAtomic", UintegerValue(2));
            pair.receiver->PostReceive({100, 8});
            for (uint64_t id = 1; id < 5; ++id)
            {
                pair.Read(id, 10'240);
            }
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                  "1 RDMA_READ 10240 IBV_WC_SUCCESS; "
                                  "2 RDMA_READ 10240 IBV_WC_SUCCESS; "
                                  "3 RDMA_READ 10240 IBV_WC_REM_INV_REQ_ERR; "
                                  "4 RDMA_READ 10240 IBV_WC_WR_FLUSH_ERR; ",
                                  GetTestName(format));
            NS_TEST_EXPECT_MSG_EQ((pair.receiver->GetState() == RdmaQpState::ERR), true, "state");
            NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(),
                                  "100 RECV 0 IBV_WC_WR_FLUSH_ERR; ",
                                  "flush");
        });
        // The responder accepts a further READ as soon as the first is answered.
        RdmaTestPair pair;
        pair.receiver->SetAttribute("MaxDestRdAtomic", UintegerValue(2));
        pair.sender->SetAttribute("MaxRdAtomic", UintegerValue(2));
        for (uint64_t id = 1; id < 5; ++id)
        {
            pair.Read(id, 10'240);
        }
        pair.test.Run();
        NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 4U, "completions");
        NS_TEST_EXPECT_MSG_EQ(pair.sends[3].status, RdmaWcStatus::SUCCESS, "the last");
    }
};

/** READs that are repeated although nothing is lost. */
class RepeatedReadsTestCase : public TestCase
{
  public:
    RepeatedReadsTestCase()
        : TestCase("RoCE: READs that a short timeout repeats keep the responder's limit")
    {
    }

  private:
    void DoRun() override
    {
        // 16 hosts answer READs of one host. 16 READs of 64 packets take 16 x 64 x 1100 x 80 ps =
        // 90 us of the host's link. While PFC pauses a host, its queue pair hears nothing for
        // longer than the timeout of 50 us, and repeats its READs. The network is lossless.
        for (const uint32_t limit : {1U, 4U, 16U})
        {
            constexpr uint32_t HOSTS = 16;
            constexpr uint32_t COUNT = 40;
            RdmaTestFabric test;
            test.SetRetries(50_us, std::numeric_limits<uint32_t>::max());
            test.helper.SetQueuePairAttribute("MaxRdAtomic", UintegerValue(limit));
            test.helper.SetQueuePairAttribute("MaxDestRdAtomic", UintegerValue(limit));
            test.Install(MakeRdmaStar(HOSTS + 1, MakeTestRates(100, 100, 1000)), {});
            uint32_t done = 0;
            uint32_t failed = 0;
            std::vector<Ptr<RdmaQueuePair>> readers;
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                const auto [a, b] = test.fabric->Connect(i, HOSTS);
                b->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
                    [&done, &failed](const RdmaWorkCompletion& completion) {
                        ++(completion.status == RdmaWcStatus::SUCCESS ? done : failed);
                    }));
                for (uint32_t k = 0; k < COUNT; ++k)
                {
                    RdmaSendRequest request = RdmaTestPair::MakeRequest(k, RdmaWrOpcode::RDMA_READ);
                    request.length = 65'536;
                    b->PostSend(request);
                }
                readers.push_back(b);
            }
            test.Run(1_s);
            uint64_t repeated = 0;
            for (const auto& reader : readers)
            {
                repeated += reader->GetStats().packetsRetransmitted;
            }
            NS_TEST_EXPECT_MSG_GT(repeated, 0U, "limit " << limit << ": READs are repeated");
            NS_TEST_EXPECT_MSG_EQ(failed, 0U, "limit " << limit);
            NS_TEST_EXPECT_MSG_EQ(done, HOSTS * COUNT, "limit " << limit);
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "lossless");
        }
    }
};

/** The suite. */
class RdmaReadLimitsTestSuite : public TestSuite
{
  public:
    RdmaReadLimitsTestSuite()
        : TestSuite("rdma-read-limits")
    {
        AddTestCase(new OutstandingTestCase);
        AddTestCase(new PsnSpaceTestCase);
        AddTestCase(new FenceTestCase);
        AddTestCase(new TooManyTestCase);
        AddTestCase(new RepeatedReadsTestCase);
    }
};

RdmaReadLimitsTestSuite g_rdmaReadLimitsTestSuite; //!< registers the suite

} // namespace
