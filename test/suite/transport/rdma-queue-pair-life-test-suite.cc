/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic.h"
#include "rdma-test-verbs.h"

#include <ns3/config.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Queue pairs come and go: the destroy verb, and flows whose queue pairs exist while the flow is
 * under way.
 */

using namespace ns3;

namespace
{

/** Host 0 sends to host 1 through a switch; the RTO is 100 us. */
class TwoHosts
{
  public:
    /** \param format packet formats */
    explicit TwoHosts(RdmaWireFormat format)
    {
        SetTestTransport(test, format, 2);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        std::tie(a, b) = test.fabric->Connect(0, 1);
    }

    /** \param qp queue pair of host 0 \param bytes size of the write that the queue pair posts */
    static void Write(Ptr<RdmaQueuePair> qp, uint64_t bytes)
    {
        RdmaSendRequest request;
        request.length = bytes;
        qp->PostSend(request);
    }

    /** \param host a host \param reason a reason \return frames dropped by its port */
    uint64_t CountDrops(uint32_t host, QbbDropReason reason) const
    {
        return RdmaTestBooks::CountDrops(test.fabric->GetDevice(host, host)->GetCounters(), reason);
    }

    RdmaTestFabric test;  //!< the fabric
    Ptr<RdmaQueuePair> a; //!< queue pair of host 0
    Ptr<RdmaQueuePair> b; //!< queue pair of host 1
};

/** One end of a connection is destroyed while the other end works. */
class DestroyTestCase : public TestCase
{
  public:
    /** \param format packet formats */
    explicit DestroyTestCase(RdmaWireFormat format)
        : TestCase("destroyed while data is under way, " + GetTestName(format)),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        {
            // The sender is destroyed: acknowledgements under way are ignored and do not count as
            // drops.
            TwoHosts hosts(m_format);
            const auto nic = hosts.test.fabric->GetNic(0);
            uint32_t completions = 0;
            hosts.a->GetSendCompletionQueue()->SetCallback(
                Callback<void, const RdmaWorkCompletion&>(
                    [&completions](const RdmaWorkCompletion&) { ++completions; }));
            TwoHosts::Write(hosts.a, 1'000'000);
            Simulator::Schedule(MicroSeconds(20), [&]() {
                NS_TEST_EXPECT_MSG_EQ(nic->GetNQueuePairs(), 1U, "queue pairs");
                nic->DestroyQueuePair(hosts.a);
                NS_TEST_EXPECT_MSG_EQ(nic->GetNQueuePairs(), 0U, "queue pairs");
                NS_TEST_EXPECT_MSG_EQ(nic->GetQueuePair(RdmaNic::FIRST_QPN), nullptr, "by number");
            });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ((hosts.a->GetState() == RdmaQpState::RESET), true, "state");
            NS_TEST_EXPECT_MSG_EQ(completions, 0U, "completions");
            NS_TEST_EXPECT_MSG_GT(hosts.b->GetStats().packetsAccepted, 100U, "packets before");
            NS_TEST_EXPECT_MSG_LT(hosts.b->GetStats().packetsAccepted, 300U, "and none after");
            NS_TEST_EXPECT_MSG_EQ(hosts.CountDrops(0, QbbDropReason::NOT_FOR_US), 0U, "drops");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*hosts.test.fabric), "", "books");
            // Queue pair numbers are not used again.
            NS_TEST_EXPECT_MSG_EQ(nic->CreateQueuePair()->GetQpn(), RdmaNic::FIRST_QPN + 1, "QPN");
        }
        {
            // The receiver is destroyed: packets for it are dropped, and the sender gives up.
            TwoHosts hosts(m_format);
            RdmaWcStatus status = RdmaWcStatus::SUCCESS;
            hosts.a->GetSendCompletionQueue()->SetCallback(
                Callback<void, const RdmaWorkCompletion&>(
                    [&status](const RdmaWorkCompletion& completion) {
                        status = completion.status;
                    }));
            TwoHosts::Write(hosts.a, 1'000'000);
            Simulator::Schedule(MicroSeconds(20),
                                [&]() { hosts.test.fabric->GetNic(1)->DestroyQueuePair(hosts.b); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ((status == RdmaWcStatus::RETRY_EXC_ERR), true, "status");
            NS_TEST_EXPECT_MSG_GT(hosts.CountDrops(1, QbbDropReason::NOT_FOR_US), 10U, "drops");
        }
    }

    RdmaWireFormat m_format; //!< packet formats
};

/** A queue pair is destroyed by a callback that it has called. */
class DestroyFromInsideTestCase : public TestCase
{
  public:
    DestroyFromInsideTestCase()
        : TestCase("destroyed from its completion, and from a trace of its first packet")
    {
    }

  private:
    void DoRun() override
    {
        TwoHosts hosts(RdmaWireFormat::ROCE);
        const auto fabric = hosts.test.fabric;
        const auto nic = fabric->GetNic(0);
        uint32_t completions = 0;
        hosts.a->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion&) {
                ++completions;
                nic->DestroyQueuePair(hosts.a);
            }));
        TwoHosts::Write(hosts.a, 5000);
        TwoHosts::Write(hosts.a, 5000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(completions, 1U, "completions");
        // Three queue pairs begin at one instant. The first packet of one destroys all three.
        std::vector<Ptr<RdmaQueuePair>> qps;
        for (int i = 0; i < 3; ++i)
        {
            qps.push_back(fabric->Connect(0, 1).first);
        }
        uint32_t sent = 0;
        fabric->GetDevice(0, 0)->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                ++sent;
                for (auto& qp : qps)
                {
                    nic->DestroyQueuePair(qp);
                }
                qps.clear();
            }));
        for (const auto& qp : qps)
        {
            TwoHosts::Write(qp, 100'000);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent, 1U, "packets");
        NS_TEST_EXPECT_MSG_EQ(nic->GetNQueuePairs(), 0U, "queue pairs");
    }
};

/** Queue pairs are destroyed at random instants, while they wait for turns, paces and answers. */
class DestroyAtRandomTestCase : public TestCase
{
  public:
    DestroyAtRandomTestCase()
        : TestCase("200 queue pairs under DCQCN end at random instants; those that stay complete")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937_64 random(5);
        RdmaTestFabric test;
        test.helper.SetCongestionControl("ns3::RdmaDcqcn");
        test.helper.EnableEcn(true);
        test.Install(MakeRdmaStar(5, MakeTestRates(100, 100, 1000)), {});
        uint32_t completed = 0;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < 200; ++i)
        {
            const auto qp = test.fabric->Connect(i % 4, 4).first;
            qp->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
                [&completed](const RdmaWorkCompletion&) { ++completed; }));
            RdmaTestPair::At(random() % 50'000'000 * 1_ps,
                             [qp]() { TwoHosts::Write(qp, 100'000); });
            if (i % 2)
            {
                const auto nic = test.fabric->GetNic(i % 4);
                RdmaTestPair::At(50_us + random() % 1'000'000'000 * 1_ps, [&completed, qp, nic]() {
                    // A completed queue pair that is destroyed leaves the count.
                    completed -= qp->GetOutstandingSends() == 0;
                    nic->DestroyQueuePair(qp);
                });
            }
            else
            {
                ++kept;
            }
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(completed, kept, "completions");
        uint32_t left = 0;
        for (uint32_t host = 0; host < 4; ++host)
        {
            left += test.fabric->GetNic(host)->GetNQueuePairs();
        }
        NS_TEST_EXPECT_MSG_EQ(left, kept, "queue pairs");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric), "", "books");
    }
};

/** A flow's sender comes with the start of the flow, and its receiver with the first packet. */
class FlowBirthTestCase : public TestCase
{
  public:
    FlowBirthTestCase()
        : TestCase("the first packet makes the receiving queue pair of a flow")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.keepQueuePairs = false;
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, 1'000'000, 10_us)});
        const auto expectAt = [&](RdmaPs at, bool hasSender, bool hasReceiver) {
            RdmaTestPair::At(at, [this, &test, at, hasSender, hasReceiver] {
                NS_TEST_EXPECT_MSG_EQ((test.runner->GetSender(0) != nullptr),
                                      hasSender,
                                      "sender at " << at);
                NS_TEST_EXPECT_MSG_EQ((test.runner->GetReceiver(0) != nullptr),
                                      hasReceiver,
                                      "receiver at " << at);
            });
        };
        // Two links of 1 us each, and less than 200 ns for the bits of the first packet.
        expectAt(9'999_ns, false, false);
        expectAt(10'001_ns, true, false);
        expectAt(11'999_ns, true, false);
        expectAt(12'200_ns, true, true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(test.runner->GetNCompleted(), 1U, "flows");
    }
};

/** A recycled queue pair serves again at once, without a trace of its former life. */
class RecycleTestCase : public TestCase
{
  public:
    /** \param format packet formats */
    explicit RecycleTestCase(RdmaWireFormat format)
        : TestCase("recycled queue pairs are as new ones, " + GetTestName(format)),
          m_format(format)
    {
    }

  private:
    /** What a queue pair does in its life. */
    enum class Life
    {
        NONE,    //!< nothing
        WRITES,  //!< sends a WRITE
        READS,   //!< sends a READ
        ANSWERS, //!< receives a WRITE and answers a READ
    };

    void DoRun() override
    {
        const std::vector<RdmaPs> alone = RunSecond(Life::NONE);
        for (const Life life : {Life::WRITES, Life::READS, Life::ANSWERS})
        {
            NS_TEST_EXPECT_MSG_EQ((RunSecond(life) == alone), true, "times of completions");
        }
    }

    /**
     * Lets a queue pair of host 0 live, recycles it, and lets a second one write and read.
     *
     * \param first what the first queue pair does
     * \return times of the completions of the second queue pair, from its start on
     */
    std::vector<RdmaPs> RunSecond(Life first)
    {
        RdmaTestFabric test;
        SetTestTransport(test, m_format, 2);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        const auto nic = test.fabric->GetNic(0);
        const uint32_t qpn = nic->ReserveQueuePairNumbers(2);
        const RdmaQueuePair* before = nullptr;
        if (first != Life::NONE)
        {
            auto qp = nic->CreateQueuePairAs(qpn);
            before = PeekPointer(qp);
            const auto peer = test.fabric->GetNic(1)->CreateQueuePair();
            RdmaQueuePair::ConnectPair(qp, peer);
            RdmaSendRequest request;
            request.length = 20'000;
            request.opcode =
                first == Life::READS ? RdmaWrOpcode::RDMA_READ : RdmaWrOpcode::RDMA_WRITE;
            if (first == Life::ANSWERS)
            {
                peer->PostSend(request);
                request.opcode = RdmaWrOpcode::RDMA_READ;
                peer->PostSend(request);
            }
            else
            {
                qp->PostSend(request);
            }
            Simulator::Run();
            nic->RecycleQueuePair(qp);
            NS_TEST_EXPECT_MSG_EQ((qp == nullptr), true, "the caller's pointer");
            NS_TEST_EXPECT_MSG_EQ(nic->GetNQueuePairs(), 0U, "queue pairs");
        }
        const auto second = nic->CreateQueuePairAs(qpn + 1);
        NS_TEST_EXPECT_MSG_EQ((before == nullptr || before == PeekPointer(second)), true, "memory");
        NS_TEST_EXPECT_MSG_EQ((second->GetState() == RdmaQpState::INIT), true, "state");
        NS_TEST_EXPECT_MSG_EQ(second->GetStats().packetsSent, 0U, "packets sent");
        NS_TEST_EXPECT_MSG_EQ(second->GetStats().packetsAccepted, 0U, "packets accepted");
        const auto peer = test.fabric->GetNic(1)->CreateQueuePair();
        RdmaQueuePair::ConnectPair(second, peer);
        const RdmaPs begin = RdmaNow();
        std::vector<RdmaPs> times;
        for (const auto& end : {second, peer})
        {
            end->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
                [&](const RdmaWorkCompletion&) { times.push_back(RdmaNow() - begin); }));
            RdmaSendRequest request;
            request.length = 30'000;
            end->PostSend(request);
            request.opcode = RdmaWrOpcode::RDMA_READ;
            end->PostSend(request);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(times.size(), 4U, "completions");
        return times;
    }

    RdmaWireFormat m_format; //!< packet formats
};

/** Queue pairs that exist only during their flows give the results of queue pairs that are kept. */
class FlowLifeTestCase : public TestCase
{
  public:
    /** \param transport type of the transport */
    explicit FlowLifeTestCase(std::string transport)
        : TestCase("lossy flows end alike with queue pairs that come and go, " +
                   transport.substr(5)),
          m_transport(std::move(transport))
    {
    }

  private:
    /** Results of a run. */
    struct Outcome
    {
        std::string digest;     //!< digest of all results
        std::string unfinished; //!< flows that did not complete
        uint32_t queuePairs{0}; //!< queue pairs at the end
        uint32_t most{0};       //!< most queue pairs at a time
        uint64_t drops{0};      //!< drops of packets without a queue pair
    };

    Outcome RunOnce(bool keep, Time timeWait) const
    {
        RngSeedManager::SetSeed(1);
        RdmaTestFabric test;
        test.keepQueuePairs = keep;
        Config::SetDefault("ns3::RdmaFlowRunner::TimeWait", TimeValue(timeWait));
        test.helper.SetTransport(m_transport);
        test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
        test.helper.SetBufferAttribute("EgressLimitBytes", UintegerValue(50'000));
        if (m_transport == "ns3::RoceTransport")
        {
            test.SetRetries(100_us, 100);
        }
        constexpr uint32_t HOSTS = 8;
        std::mt19937_64 random(7);
        std::vector<RdmaFlow> flows;
        for (uint64_t id = 0; id < 400; ++id)
        {
            const auto source = static_cast<uint32_t>(random() % (HOSTS - 1));
            const RdmaPs start = random() % 3'000'000'000 * 1_ps;
            flows.push_back(MakeTestFlow(id,
                                         source,
                                         random() % 4 ? HOSTS - 1 : (source + 1) % (HOSTS - 1),
                                         1 + random() % 50'000,
                                         start));
        }
        test.Install(MakeRdmaStar(HOSTS, MakeTestRates(100, 100, 1000)), flows);
        // Acknowledgements and data are lost at random, too.
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            LoseFramesAtRandom(test.fabric->GetDevice(host, host), 0.02, 100 + host);
        }
        Outcome outcome;
        const auto count = [&test]() {
            uint32_t sum = 0;
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                sum += test.fabric->GetNic(host)->GetNQueuePairs();
            }
            return sum;
        };
        for (int64_t us = 0; us < 5000; us += 10)
        {
            RdmaTestPair::At(us * 1_us, [&]() { outcome.most = std::max(outcome.most, count()); });
        }
        test.Run();
        outcome.digest = test.GetDigest();
        outcome.unfinished = test.GetUnfinished();
        outcome.queuePairs = count();
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            outcome.drops +=
                RdmaTestBooks::CountDrops(test.fabric->GetDevice(host, host)->GetCounters(),
                                          QbbDropReason::NOT_FOR_US);
        }
        Config::Reset();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome kept = RunOnce(true, MilliSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(kept.unfinished, "", "kept");
        NS_TEST_EXPECT_MSG_EQ(kept.queuePairs, 800U, "kept");
        const Outcome wait = RunOnce(false, MilliSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(wait.unfinished, "", "TimeWait 1 ms");
        NS_TEST_EXPECT_MSG_EQ(wait.digest, kept.digest, "TimeWait 1 ms");
        NS_TEST_EXPECT_MSG_EQ(wait.queuePairs, 0U, "TimeWait 1 ms");
        NS_TEST_EXPECT_MSG_LT(wait.most, 600U, "TimeWait 1 ms");
        NS_TEST_EXPECT_MSG_EQ(wait.drops, 0U, "TimeWait 1 ms");
        // A late packet reaches a new receiver, which answers like the previous receiver.
        const Outcome none = RunOnce(false, Time(0));
        NS_TEST_EXPECT_MSG_EQ(none.unfinished, "", "TimeWait 0");
        NS_TEST_EXPECT_MSG_EQ(none.digest, kept.digest, "TimeWait 0");
        NS_TEST_EXPECT_MSG_EQ(none.queuePairs, 0U, "TimeWait 0");
        NS_TEST_EXPECT_MSG_LT(none.most, wait.most, "TimeWait 0");
        NS_TEST_EXPECT_MSG_EQ(none.drops, 0U, "TimeWait 0");
    }

    std::string m_transport; //!< type of the transport
};

/** The last acknowledgement is lost. A new receiver sends it again. */
class LateTestCase : public TestCase
{
  public:
    /** \param format packet formats */
    explicit LateTestCase(RdmaWireFormat format)
        : TestCase("a lost last acknowledgement after TimeWait, " + GetTestName(format)),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.keepQueuePairs = false;
        Config::SetDefault("ns3::RdmaFlowRunner::TimeWait", TimeValue(MicroSeconds(10)));
        SetTestTransport(test, m_format);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, 10'240)});
        // Ten packets get an acknowledgement each. The last acknowledgement is lost.
        LoseFrames(test.fabric->GetDevice(0, 0), {9});
        std::map<int64_t, uint32_t> seen;
        for (const int64_t us : {5, 50, 108, 150})
        {
            RdmaTestPair::At(us * 1_us, [&test, &seen, us]() {
                seen[us] = test.fabric->GetNic(1)->GetNQueuePairs();
            });
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flow");
        NS_TEST_EXPECT_MSG_EQ(seen[5], 1U, "under way");
        NS_TEST_EXPECT_MSG_EQ(seen[50], 0U, "all bytes are here since 2.9 us");
        NS_TEST_EXPECT_MSG_EQ(seen[108], 1U, "the timeout was at 100 us and some more");
        NS_TEST_EXPECT_MSG_EQ(seen[150], 0U, "again");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].timeouts, 1U, "timeouts");
        NS_TEST_EXPECT_MSG_GT(*test.results[0].cqe, 100_us, "completion");
        NS_TEST_EXPECT_MSG_LT(*test.results[0].cqe, 112_us, "completion");
        NS_TEST_EXPECT_MSG_LT(*test.results[0].fct, 4_us, "last byte");
        Config::Reset();
    }

    RdmaWireFormat m_format; //!< packet formats
};

/** A queue pair that was said to be passive works as any other once it has something to send. */
class PassiveTestCase : public TestCase
{
  public:
    /** \param format packet formats \param control congestion control */
    PassiveTestCase(RdmaWireFormat format, const std::string& control)
        : TestCase("passive until the first request, " + GetTestName(format) + ", " + control),
          m_format(format),
          m_control(control)
    {
    }

  private:
    using Post = std::function<void(Ptr<RdmaQueuePair>)>;

    void DoRun() override
    {
        const auto post = [](RdmaWrOpcode opcode) {
            return [opcode](Ptr<RdmaQueuePair> qp) {
                RdmaSendRequest request;
                request.opcode = opcode;
                request.length = 300'000;
                qp->PostSend(request);
            };
        };
        const Post nothing = [](Ptr<RdmaQueuePair>) {};
        const Post write = post(RdmaWrOpcode::RDMA_WRITE);
        // The queue pair receives; then nothing else, or it sends, or it answers to a READ.
        Compare(nothing, nothing, false);
        Compare(nothing, write, true);
        Compare(post(RdmaWrOpcode::RDMA_READ), nothing, true);
    }

    /**
     * Compares two runs, with and without a passive queue pair. The peer posts a WRITE at 1 us.
     *
     * \param theirs what the peer posts at 50 us
     * \param own what the queue pair posts at 50 us
     * \param becomesActive true: the queue pair has a rate controller in the end
     */
    void Compare(const Post& theirs, const Post& own, bool becomesActive)
    {
        std::vector<std::vector<RdmaPs>> times;
        for (const bool isPassive : {false, true})
        {
            RdmaTestFabric test;
            SetTestTransport(test, m_format, 2);
            test.helper.SetCongestionControl(m_control);
            test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
            const auto peer = test.fabric->GetNic(0)->CreateQueuePair();
            const auto qp = test.fabric->GetNic(1)->CreateQueuePair();
            if (isPassive)
            {
                qp->SetPassive();
            }
            RdmaQueuePair::ConnectPair(peer, qp);
            NS_TEST_EXPECT_MSG_EQ((qp->GetRateController() == nullptr), isPassive, "at first");
            std::vector<RdmaPs> completed;
            for (const auto& end : {peer, qp})
            {
                end->GetSendCompletionQueue()->SetCallback(
                    Callback<void, const RdmaWorkCompletion&>(
                        [&completed](const RdmaWorkCompletion&) {
                            completed.push_back(RdmaNow());
                        }));
            }
            Simulator::Schedule(MicroSeconds(1), [&] { TwoHosts::Write(peer, 200'000); });
            Simulator::Schedule(MicroSeconds(50), [&] {
                theirs(peer);
                own(qp);
            });
            Simulator::Run();
            const bool isActive = becomesActive || !isPassive;
            NS_TEST_EXPECT_MSG_EQ((qp->GetRateController() != nullptr), isActive, "in the end");
            completed.push_back(RdmaNow());
            times.push_back(completed);
        }
        NS_TEST_EXPECT_MSG_EQ((times[0] == times[1]), true, "times of completions");
        NS_TEST_EXPECT_MSG_EQ(times[1].size(), (becomesActive ? 3U : 2U), "and the end of the run");
    }

    RdmaWireFormat m_format; //!< packet formats
    std::string m_control;   //!< congestion control
};

/** The suite. */
class RdmaQueuePairLifeTestSuite : public TestSuite
{
  public:
    RdmaQueuePairLifeTestSuite()
        : TestSuite("rdma-queue-pair-life")
    {
        for (const auto format : {RdmaWireFormat::ROCE, RdmaWireFormat::IRN})
        {
            AddTestCase(new DestroyTestCase(format));
            AddTestCase(new RecycleTestCase(format));
            AddTestCase(new LateTestCase(format));
            for (const char* control : {"dcqcn", "timely", "hpcc-pint"})
            {
                AddTestCase(new PassiveTestCase(format, control));
            }
        }
        AddTestCase(new DestroyFromInsideTestCase);
        AddTestCase(new DestroyAtRandomTestCase);
        AddTestCase(new FlowBirthTestCase);
        AddTestCase(new FlowLifeTestCase("ns3::RoceTransport"));
        AddTestCase(new FlowLifeTestCase("ns3::IrnTransport"));
    }
};

RdmaQueuePairLifeTestSuite g_rdmaQueuePairLifeTestSuite; //!< registers the suite

} // namespace
