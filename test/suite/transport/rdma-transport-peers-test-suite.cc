/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <set>

/**
 * \file
 * \ingroup rdma-tests
 * Two peers of one host: receives that both peers use, and words that both change.
 */

using namespace ns3;

namespace
{

/** Hosts 0 and 1, each connected to host 2. */
struct TwoPeers
{
    /** \param format of the transport */
    explicit TwoPeers(RdmaWireFormat format)
    {
        SetTestTransport(test, format);
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)), {});
        receives->SetCallback(Callback<void, const RdmaWorkCompletion&>(
            [this](const RdmaWorkCompletion& completion) { received.push_back(completion); }));
        for (const uint32_t host : {0, 1})
        {
            senders[host] = test.fabric->GetNic(host)->CreateQueuePair();
            receivers[host] = test.fabric->GetNic(2)->CreateQueuePair();
            receivers[host]->SetSharedReceiveQueue(shared);
            receivers[host]->SetReceiveCompletionQueue(receives);
            RdmaQueuePair::ConnectPair(senders[host], receivers[host]);
            senders[host]->GetSendCompletionQueue()->SetCallback(
                Callback<void, const RdmaWorkCompletion&>(
                    [this, host](const RdmaWorkCompletion& completion) {
                        sent[host].push_back(completion);
                    }));
        }
        shared->TraceConnectWithoutContext(
            "LimitReached",
            Callback<void, uint32_t>([this](uint32_t size) { limits.push_back(size); }));
    }

    /** \param host sending host \param id id of the request \param length bytes */
    void Send(uint32_t host, uint64_t id, uint64_t length)
    {
        RdmaSendRequest request;
        request.id = id;
        request.opcode = RdmaWrOpcode::SEND;
        request.length = length;
        senders[host]->PostSend(request);
    }

    /** \param host index of the sender \param opcode operation \param operand value to compare or
     * add */
    void Atomic(uint32_t host, RdmaWrOpcode opcode, uint64_t operand, uint64_t swap = 0)
    {
        RdmaSendRequest request;
        request.opcode = opcode;
        request.remoteAddress = 64;
        request.compareAdd = operand;
        request.swap = swap;
        senders[host]->PostSend(request);
    }

    /** \return receives: id, from which host, bytes, status */
    std::string GetReceived() const
    {
        std::ostringstream text;
        for (const auto& c : received)
        {
            text << c.id << " from " << (c.qpn == receivers[0]->GetQpn() ? 0 : 1) << ", " << c.bytes
                 << (c.status == RdmaWcStatus::SUCCESS ? "; " : " flushed; ");
        }
        return text.str();
    }

    RdmaTestFabric test;                      //!< the fabric
    Ptr<RdmaQueuePair> senders[2];            //!< queue pairs at hosts 0 and 1
    Ptr<RdmaQueuePair> receivers[2];          //!< their peers at host 2
    std::vector<RdmaWorkCompletion> sent[2];  //!< completions of the senders
    std::vector<RdmaWorkCompletion> received; //!< completions of receives
    std::vector<uint32_t> limits;             //!< sizes reported by LimitReached
    Ptr<RdmaSharedReceiveQueue> shared{CreateObject<RdmaSharedReceiveQueue>()}; //!< shared receives
    Ptr<RdmaCompletionQueue> receives{CreateObject<RdmaCompletionQueue>()};     //!< completions
};

/** Receives from a shared receive queue. */
class SharedReceivesTestCase : public TestCase
{
  public:
    /** \param format of the transport */
    explicit SharedReceivesTestCase(RdmaWireFormat format)
        : TestCase(GetTestName(format) + ": a shared receive queue, its limit, and its end"),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        {
            // Each message takes the next receive. The third message leaves three receives, fewer
            // than the limit of four. The limit is armed again, with two, between the fourth and
            // the fifth message.
            TwoPeers peers(m_format);
            for (uint64_t id = 100; id < 106; ++id)
            {
                peers.shared->PostReceive({id, 5000});
            }
            peers.shared->SetLimit(4);
            peers.Send(0, 1, 3000);
            RdmaTestPair::At(10_us, [&]() { peers.Send(1, 2, 10); });
            RdmaTestPair::At(20_us, [&]() { peers.Send(1, 3, 5000); });
            RdmaTestPair::At(30_us, [&]() {
                NS_TEST_EXPECT_MSG_EQ(peers.limits.size(), 1U, "reached");
                NS_TEST_EXPECT_MSG_EQ(peers.shared->GetLimit(), 0U, "disarmed");
                peers.Send(0, 4, 0);
            });
            RdmaTestPair::At(40_us, [&]() {
                NS_TEST_EXPECT_MSG_EQ(peers.shared->GetSize(), 2U, "left");
                peers.shared->SetLimit(2); // not below the limit yet
                NS_TEST_EXPECT_MSG_EQ(peers.limits.size(), 1U, "not yet");
                peers.Send(1, 5, 20);
            });
            peers.test.Run();
            NS_TEST_EXPECT_MSG_EQ(peers.GetReceived(),
                                  "100 from 0, 3000; 101 from 1, 10; 102 from 1, 5000; "
                                  "103 from 0, 0; 104 from 1, 20; ",
                                  "receives");
            NS_TEST_ASSERT_MSG_EQ(peers.limits.size(), 2U, "limits");
            NS_TEST_EXPECT_MSG_EQ(peers.limits[0], 3U, "first");
            NS_TEST_EXPECT_MSG_EQ(peers.limits[1], 1U, "second");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0].size() + peers.sent[1].size(), 5U, "sent");
        }
        {
            // Two messages meet one receive. The second message waits for an RNR timer of 10 us and
            // is sent again. A second receive is posted at 8 us.
            TwoPeers peers(m_format);
            peers.shared->PostReceive({100, 100});
            peers.Send(0, 1, 100);
            peers.Send(1, 2, 100);
            RdmaTestPair::At(8_us, [&]() { peers.shared->PostReceive({101, 100}); });
            peers.test.Run();
            NS_TEST_EXPECT_MSG_EQ(peers.received.size(), 2U, "both");
            uint64_t naks = 0;
            for (const uint32_t host : {0, 1})
            {
                NS_TEST_ASSERT_MSG_EQ(peers.sent[host].size(), 1U, "sent");
                NS_TEST_EXPECT_MSG_EQ(peers.sent[host][0].status, RdmaWcStatus::SUCCESS, "sent");
                naks += peers.receivers[host]->GetStats().naksSent;
            }
            NS_TEST_EXPECT_MSG_EQ(naks, 1U, "one RNR NAK");
        }
        {
            // A queue pair that fails flushes the receive request that it has begun to use, but no
            // other.
            TwoPeers peers(m_format);
            for (uint64_t id = 100; id < 103; ++id)
            {
                peers.shared->PostReceive({id, 2'000'000});
            }
            peers.Send(0, 1, 1'000'000); // 86 us
            RdmaTestPair::At(10_us, [&]() { peers.Send(1, 2, 100); });
            RdmaTestPair::At(20_us, [&]() {
                RdmaQpAttributes attributes;
                attributes.state = RdmaQpState::ERR;
                peers.receivers[0]->Modify(attributes);
            });
            RdmaTestPair::At(30_us, [&]() { peers.Send(1, 3, 200); });
            peers.test.Run();
            NS_TEST_EXPECT_MSG_EQ(peers.GetReceived(),
                                  "101 from 1, 100; 100 from 0, 0 flushed; 102 from 1, 200; ",
                                  "receives");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0].at(0).status,
                                  RdmaWcStatus::RETRY_EXC_ERR,
                                  "its peer");
            NS_TEST_EXPECT_MSG_EQ(peers.shared->GetSize(), 0U, "left");
        }
        {
            // The first SEND is lost. With IRN the next two SENDs reserve the receives of three
            // SENDs, although a message of another host comes before the first SEND is repeated.
            TwoPeers peers(m_format);
            for (uint64_t id = 100; id < 104; ++id)
            {
                peers.shared->PostReceive({id, 1000});
            }
            LoseFrames(peers.receivers[0]->GetPort(), {0});
            peers.Send(0, 1, 11);
            peers.Send(0, 2, 12);
            peers.Send(0, 3, 13);
            RdmaTestPair::At(1_us, [&]() { peers.Send(1, 4, 14); });
            peers.test.Run();
            NS_TEST_EXPECT_MSG_EQ(peers.GetReceived(),
                                  (m_format == RdmaWireFormat::IRN
                                       ? "103 from 1, 14; 100 from 0, 11; 101 from 0, 12; "
                                         "102 from 0, 13; "
                                       : "100 from 1, 14; 101 from 0, 11; 102 from 0, 12; "
                                         "103 from 0, 13; "),
                                  "receives");
        }
    }

    RdmaWireFormat m_format;
};

/** Atomics on one word. */
class WordTestCase : public TestCase
{
  public:
    /** \param format of the transport */
    explicit WordTestCase(RdmaWireFormat format)
        : TestCase(GetTestName(format) + ": atomics of two peers on one word"),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        {
            // 100 additions by each peer: every intermediate value is seen once.
            TwoPeers peers(m_format);
            auto& memory = peers.test.fabric->GetNic(2)->GetMemory();
            memory.SetWord(64, 1000);
            for (int i = 0; i < 100; ++i)
            {
                peers.Atomic(0, RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 1);
                peers.Atomic(1, RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 1);
            }
            peers.test.Run();
            std::set<uint64_t> seen;
            for (const auto& list : peers.sent)
            {
                NS_TEST_ASSERT_MSG_EQ(list.size(), 100U, "completions");
                for (std::size_t i = 0; i < list.size(); ++i)
                {
                    seen.insert(list[i].original);
                    NS_TEST_EXPECT_MSG_EQ(list[i].status, RdmaWcStatus::SUCCESS, "status");
                    NS_TEST_EXPECT_MSG_EQ((i == 0 || list[i].original > list[i - 1].original),
                                          true,
                                          "in order");
                }
            }
            NS_TEST_EXPECT_MSG_EQ(seen.size(), 200U, "each once");
            NS_TEST_EXPECT_MSG_EQ(*seen.begin(), 1000U, "from");
            NS_TEST_EXPECT_MSG_EQ(*seen.rbegin(), 1199U, "to");
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(64), 1200U, "in the end");
        }
        {
            // A lock: host 1 finds the lock taken, and tries again after host 0 has released it.
            TwoPeers peers(m_format);
            auto& memory = peers.test.fabric->GetNic(2)->GetMemory();
            peers.Atomic(0, RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 0, 10);
            RdmaTestPair::At(1_us,
                             [&]() { peers.Atomic(1, RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 0, 11); });
            RdmaTestPair::At(10_us, [&]() {
                NS_TEST_EXPECT_MSG_EQ(peers.sent[0].at(0).original, 0U, "hit");
                NS_TEST_EXPECT_MSG_EQ(peers.sent[1].at(0).original, 10U, "miss");
                NS_TEST_EXPECT_MSG_EQ(peers.sent[1].at(0).status, RdmaWcStatus::SUCCESS, "miss");
                NS_TEST_EXPECT_MSG_EQ(memory.GetWord(64), 10U, "of host 0");
                peers.Atomic(0, RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 10, 0);
            });
            RdmaTestPair::At(20_us,
                             [&]() { peers.Atomic(1, RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 0, 11); });
            peers.test.Run();
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0].at(1).original, 10U, "given back");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[1].at(1).original, 0U, "hit");
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(64), 11U, "of host 1");
        }
        {
            // Sums of all 64 bits wrap around. A neighbouring word does not change.
            TwoPeers peers(m_format);
            auto& memory = peers.test.fabric->GetNic(2)->GetMemory();
            memory.SetWord(64, 0xfedcba9876543210);
            memory.SetWord(72, 1);
            peers.Atomic(0, RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 0x0123456789abcdf1);
            peers.Atomic(0, RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 1, 0x8000000000000000);
            peers.Atomic(0, RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 0x8000000000000000);
            peers.test.Run();
            NS_TEST_ASSERT_MSG_EQ(peers.sent[0].size(), 3U, "completions");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0][0].original, 0xfedcba9876543210, "first");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0][1].original, 1U, "second");
            NS_TEST_EXPECT_MSG_EQ(peers.sent[0][2].original, 0x8000000000000000, "third");
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(64), 0U, "around");
            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(72), 1U, "the neighbour");
        }
    }

    RdmaWireFormat m_format;
};

/** The UDP source ports of both directions. */
class SourcePortTestCase : public TestCase
{
  public:
    SourcePortTestCase()
        : TestCase("UDP source ports: of each direction, of both as rdma-core's, and as chosen")
    {
    }

  private:
    /** \param name attribute \param value of both queue pairs \return the two ports */
    static std::pair<uint16_t, uint16_t> Connect(const std::string& name,
                                                 const AttributeValue& value)
    {
        RdmaTestFabric test;
        test.helper.SetQueuePairAttribute(name, value);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        test.fabric->GetNic(1)->CreateQueuePair(); // QPNs differ
        const auto pair = test.fabric->Connect(0, 1);
        return {pair.first->GetSourcePort(), pair.second->GetSourcePort()};
    }

    void DoRun() override
    {
        const auto own = Connect("SourcePort", UintegerValue(0));
        NS_TEST_EXPECT_MSG_EQ((own.first != own.second), true, "one of each side's own");
        NS_TEST_EXPECT_MSG_EQ((own.first >= 0xc000 && own.second >= 0xc000), true, "dynamic");
        // The product of QPNs 2 and 3 sets only low bits.
        const auto both = Connect("SymmetricSourcePort", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(both.first, 0xc000 + 2 * 3, "rdma-core's");
        NS_TEST_EXPECT_MSG_EQ(both.second, both.first, "the same");
        const auto chosen = Connect("SourcePort", UintegerValue(50'000));
        NS_TEST_EXPECT_MSG_EQ(chosen.first, 50'000U, "chosen");
        NS_TEST_EXPECT_MSG_EQ(chosen.second, 50'000U, "chosen");
    }
};

/** The suite. */
class RdmaTransportPeersTestSuite : public TestSuite
{
  public:
    RdmaTransportPeersTestSuite()
        : TestSuite("rdma-transport-peers")
    {
        AddTestCase(new SourcePortTestCase);
        ForBothTransports([this](RdmaWireFormat format) {
            AddTestCase(new SharedReceivesTestCase(format));
            AddTestCase(new WordTestCase(format));
        });
    }
};

RdmaTransportPeersTestSuite g_rdmaTransportPeersTestSuite; //!< registers the suite

} // namespace
