/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conweave-path-selector.h"
#include "rdma-test-threads.h"
#include "rdma-test-verbs.h"

#include <ns3/pointer.h>
#include <ns3/test.h>

#include <algorithm>
#include <numeric>

/**
 * \file
 * \ingroup rdma-tests
 * ConWeave: connections leave slow paths, and receivers see their packets in order.
 */

using namespace ns3;

namespace
{

/** \param test a fabric with ConWeave \param node id of a switch \return its selector */
Ptr<QbbConWeavePathSelector>
GetConWeave(const RdmaTestFabric& test, uint32_t node)
{
    return DynamicCast<QbbConWeavePathSelector>(test.fabric->GetSwitch(node)->GetPathSelector());
}

/** \param test a fabric with ConWeave \return sums of its switches' counters */
QbbConWeaveCounters
SumConWeave(const RdmaTestFabric& test)
{
    QbbConWeaveCounters sum;
    for (const uint32_t node : test.fabric->GetTopology().GetSwitches())
    {
        sum += GetConWeave(test, node)->GetCounters();
    }
    return sum;
}

/** Bytes that are charged to a buffer and wait in no queue, and the switch's view of waiting bytes.
 */
std::string
CheckHeldBytes(const RdmaTestFabric& test)
{
    std::ostringstream wrong;
    for (const uint32_t node : test.fabric->GetTopology().GetSwitches())
    {
        const auto sw = test.fabric->GetSwitch(node);
        uint64_t charged = 0;
        uint64_t queued = 0;
        uint64_t waiting = 0;
        uint64_t between = 0;
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            charged += sw->GetBufferManager()->GetEgressBytes(port, 3);
            queued += sw->GetPort(port)->GetQueues().GetBytes(3);
            for (const auto& [ingress, bytes] : sw->GetWaitingBytes(port, 3))
            {
                waiting += bytes;
                between += sw->GetBytesBetween(ingress, port, 3);
            }
        }
        const uint64_t held = GetConWeave(test, node)->GetCounters().heldBytes;
        if (charged != queued + held || waiting != charged || between != charged)
        {
            wrong << "switch " << node << ": " << charged << " B charged, " << queued
                  << " B in queues, " << held << " B held; waiting " << waiting << " and "
                  << between << " B; ";
        }
    }
    return wrong.str();
}

/** Two leaves of which one has a slow uplink. */
class ConWeaveTestCase : public TestCase
{
  protected:
    static constexpr uint32_t HOSTS = 8; //!< hosts of a leaf

    /** Results of a run. */
    struct Outcome
    {
        QbbConWeaveCounters counters; //!< sums
        uint64_t again{0};            //!< packets sent again
        std::string unfinished;       //!< flows that did not complete
        std::string wrong;            //!< books that do not balance
        RdmaPs last{0};               //!< end of the last flow
        uint64_t waitingTimes{0};     //!< calls of the trace source Resume
        uint64_t changes{0};          //!< calls of the trace source Reroute
    };

    using TestCase::TestCase;

    /** \return hosts, two leaves, and spines, of which the first has a slow link to the first leaf
     */
    static RdmaTopology MakeTopology()
    {
        RdmaTopology topology;
        for (uint32_t i = 0; i < 2 * HOSTS; ++i)
        {
            topology.AddHost();
        }
        const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
        for (uint32_t i = 0; i < 2 * HOSTS; ++i)
        {
            topology.AddLink(i, leaves[i / HOSTS], 100_gbps, 100_ns);
        }
        for (const uint64_t rate : {10, 400, 400, 400})
        {
            const uint32_t spine = topology.AddSwitch();
            topology.AddLink(leaves[0], spine, rate * 1_gbps, 100_ns);
            topology.AddLink(leaves[1], spine, 400_gbps, 100_ns);
        }
        return topology;
    }

    /**
     * Hosts 0 to 7 of one leaf, with uplinks of 10, 400, 400 and 400 Gb/s, send 2 MB each to hosts
     * 8 to 15 of another. A reply is late after 4 + 0.4 us. The first requests of the flows on the
     * slow uplink find a short queue, the next ones a long queue. The TAIL of a flow that is alone
     * there finds at least 40 KB before itself, which take 32 us, and the frames behind the TAIL
     * come 0.6 us after their departure.
     *
     * \param selector path selector
     * \param format transport
     * \param failing true: the slow uplink fails at 15 us, while the TAIL is in its queue
     */
    static Outcome Measure(const std::string& selector, RdmaWireFormat format, bool failing = false)
    {
        RdmaTestFabric test;
        SetTestTransport(test, format, 1000);
        if (format == RdmaWireFormat::IRN)
        {
            test.helper.SetTransportAttribute("BdpCap", UintegerValue(2000));
            // A sender that takes each overtaken packet for lost shows the order at the receiver.
            test.helper.SetTransportAttribute("LossRule", StringValue("Selective"));
            test.helper.SetTransportAttribute("RtoLow", TimeValue(MilliSeconds(5)));
            test.helper.SetTransportAttribute("RtoHigh", TimeValue(MilliSeconds(5)));
        }
        else
        {
            test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(5)));
        }
        test.helper.SetPathSelector(selector);
        const RdmaTopology topology = MakeTopology();
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, HOSTS + i, 2'000'000));
        }
        test.Install(topology, flows);
        Outcome outcome;
        const auto sender = GetConWeave(test, 2 * HOSTS);
        const auto receiver = GetConWeave(test, 2 * HOSTS + 1);
        sender->TraceConnectWithoutContext(
            "Reroute",
            Callback<void, uint32_t, uint16_t, uint16_t>(
                [&outcome](uint32_t, uint16_t before, uint16_t after) {
                    outcome.changes += before != after;
                }));
        receiver->TraceConnectWithoutContext(
            "Resume",
            Callback<void, uint16_t, uint32_t, Time, bool>(
                [&outcome](uint16_t, uint32_t frames, Time waited, bool) {
                    outcome.waitingTimes += frames > 0 && waited.IsStrictlyPositive();
                }));
        if (failing)
        {
            test.fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MilliSeconds(1)));
            RdmaTestPair::At(15_us, [&test]() { test.fabric->SetLinkUp(2 * HOSTS, false); });
        }
        for (uint32_t i = 1; i < 100; ++i)
        {
            RdmaTestPair::At(i * 1_us, [&test, &outcome]() {
                if (outcome.wrong.empty())
                {
                    outcome.wrong = CheckHeldBytes(test) + RdmaTestBooks::CheckLinks(*test.fabric);
                }
            });
        }
        test.Run();
        outcome.counters = SumConWeave(test);
        outcome.unfinished = test.GetUnfinished();
        outcome.wrong += RdmaTestBooks::CheckRest(*test.fabric);
        for (const auto& result : test.results)
        {
            outcome.again += result.retransmittedPackets;
            outcome.last = std::max(outcome.last, result.fct.value_or(1_s));
        }
        return outcome;
    }
};

/** Frames that wait for the TAIL. */
class ConWeaveOrderTestCase : public ConWeaveTestCase
{
  public:
    explicit ConWeaveOrderTestCase(RdmaWireFormat format)
        : ConWeaveTestCase("ConWeave reroutes, and holds frames until the TAIL, " +
                           GetTestName(format)),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        const Outcome with = Measure("conweave", m_format);
        NS_TEST_EXPECT_MSG_EQ(with.unfinished + with.wrong, "", "flows and books");
        NS_TEST_EXPECT_MSG_EQ(with.again, 0U, "in order");
        const QbbConWeaveCounters& of = with.counters;
        NS_TEST_EXPECT_MSG_GT(of.reroutes, 0U, "a flow has left the slow path");
        NS_TEST_EXPECT_MSG_EQ(with.changes, of.reroutes + of.idleReroutes, "trace source Reroute");
        NS_TEST_EXPECT_MSG_GT(of.heldFrames, 50U, "the new path is much faster");
        NS_TEST_EXPECT_MSG_GT(of.peakHeldBytes, 50'000U, "held at one instant");
        NS_TEST_EXPECT_MSG_GT(of.tailResumes, 0U, "released by the TAIL");
        NS_TEST_EXPECT_MSG_EQ(with.waitingTimes, of.tailResumes, "trace source Resume");
        NS_TEST_EXPECT_MSG_EQ(of.timerResumes + of.earlyResumes + of.lostTails, 0U, "no deadline");
        NS_TEST_EXPECT_MSG_EQ(of.heldBytes + of.queues, 0U, "nothing is left");
        NS_TEST_EXPECT_MSG_EQ(of.clears, of.tails, "each TAIL is answered");
        NS_TEST_EXPECT_MSG_LT(with.last, 600_us, "at 10 Gb/s a flow takes 1600 us");
        NS_TEST_EXPECT_MSG_EQ(of.controlBytes, 92 * of.controlSent, "78 + 14 bytes each");
        // The same without the queues.
        const Outcome without = Measure("conweave[Queues=0]", m_format);
        NS_TEST_EXPECT_MSG_EQ(without.unfinished + without.wrong, "", "flows and books");
        NS_TEST_EXPECT_MSG_GT(without.counters.reroutes, 0U, "rerouted as well");
        NS_TEST_EXPECT_MSG_EQ(without.counters.heldFrames, 0U, "no queue");
        NS_TEST_EXPECT_MSG_GT(without.counters.noQueue, 0U, "counted");
        NS_TEST_EXPECT_MSG_GT(without.again, 50U, "out of order");
    }

    RdmaWireFormat m_format; //!< transport
};

/** A TAIL that never comes. */
class ConWeaveLossTestCase : public ConWeaveTestCase
{
  public:
    ConWeaveLossTestCase()
        : ConWeaveTestCase("ConWeave holds nothing for ever when a link fails")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome lost = Measure("conweave", RdmaWireFormat::IRN, true);
        NS_TEST_EXPECT_MSG_EQ(lost.unfinished + lost.wrong, "", "flows and books");
        NS_TEST_EXPECT_MSG_GT(lost.counters.heldFrames, 0U, "frames have waited");
        NS_TEST_EXPECT_MSG_GT(lost.counters.timerResumes, 0U, "the deadline has released them");
        NS_TEST_EXPECT_MSG_EQ(lost.counters.heldBytes + lost.counters.queues,
                              0U,
                              "nothing is left");
        NS_TEST_EXPECT_MSG_GT(lost.again, 0U, "what the link had");
    }
};

/** READs, whose responses take the slow path, beside WRITEs of the same queue pair. */
class ConWeaveReadTestCase : public ConWeaveTestCase
{
  public:
    ConWeaveReadTestCase()
        : ConWeaveTestCase("ConWeave keeps READ responses and acknowledgements in order")
    {
    }

  private:
    /** Results of a run. */
    struct ReadOutcome
    {
        std::size_t completions{0};   //!< successful requests
        uint64_t again{0};            //!< packets sent again by both ends
        QbbConWeaveCounters counters; //!< sums
    };

    static constexpr uint32_t REQUESTS = 20; //!< of each queue pair, READs and WRITEs in turn

    /** Hosts 8 to 15 read 100 kB at a time from hosts 0 to 7, and write 10 kB between two READs.
     * \param selector path selector */
    static ReadOutcome MeasureReads(const std::string& selector)
    {
        RdmaTestFabric test;
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MilliSeconds(5)));
        test.helper.SetPathSelector(selector);
        test.Install(MakeTopology(), {});
        ReadOutcome outcome;
        std::vector<Ptr<RdmaQueuePair>> ends;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            const auto [reader, other] = test.fabric->Connect(HOSTS + i, i);
            reader->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
                [&outcome](const RdmaWorkCompletion& done) {
                    outcome.completions += done.status == RdmaWcStatus::SUCCESS;
                }));
            ends.insert(ends.end(), {reader, other});
            for (uint32_t k = 0; k < REQUESTS; ++k)
            {
                RdmaSendRequest request;
                request.opcode = k % 2 == 0 ? RdmaWrOpcode::RDMA_READ : RdmaWrOpcode::RDMA_WRITE;
                request.length = k % 2 == 0 ? 100'000 : 10'000;
                reader->PostSend(request);
            }
        }
        test.Run();
        for (const auto& qp : ends)
        {
            outcome.again += qp->GetStats().packetsRetransmitted;
        }
        outcome.counters = SumConWeave(test);
        return outcome;
    }

    void DoRun() override
    {
        const ReadOutcome with = MeasureReads("conweave");
        NS_TEST_EXPECT_MSG_EQ(with.completions, HOSTS * REQUESTS, "requests");
        NS_TEST_EXPECT_MSG_EQ(with.again, 0U, "in order");
        NS_TEST_EXPECT_MSG_GT(with.counters.reroutes, 0U, "responses have left the slow path");
        NS_TEST_EXPECT_MSG_GT(with.counters.heldFrames, 0U, "and have waited");
        const ReadOutcome without = MeasureReads("conweave[Queues=0]");
        NS_TEST_EXPECT_MSG_EQ(without.completions, HOSTS * REQUESTS, "requests");
        NS_TEST_EXPECT_MSG_GT(without.again, 0U, "out of order");
    }
};

/** Gives random fabrics ConWeave. */
class ConWeaveObserver : public RdmaTestObserver
{
  public:
    void Configure(RdmaFabricHelper& helper) override
    {
        helper.SetPathSelector("conweave");
        // Replies are late all the time.
        helper.SetPathSelectorAttribute("ReplyExtra", TimeValue(NanoSeconds(100)));
        helper.SetPathSelectorAttribute("ResumeDefault", TimeValue(MicroSeconds(20)));
    }

    void Begin(RdmaTestFabric& test) override
    {
        m_test = &test;
    }

    std::string Finish() override
    {
        const QbbConWeaveCounters sum = SumConWeave(*m_test);
        reroutes += sum.reroutes;
        held += sum.heldFrames;
        wrong += CheckHeldBytes(*m_test) + RdmaTestBooks::CheckLinks(*m_test->fabric);
        std::ostringstream text;
        text << sum.requests << " " << sum.reroutes << " " << sum.heldFrames << " "
             << sum.controlSent << " " << sum.peakHeldBytes << " " << sum.timerResumes;
        return text.str();
    }

    uint64_t reroutes{0}; //!< in all runs
    uint64_t held{0};     //!< frames in all runs
    std::string wrong;    //!< books that do not balance

  private:
    RdmaTestFabric* m_test{nullptr}; //!< the fabric
};

/** Random fabrics. */
class ConWeaveRandomTestCase : public TestCase
{
  public:
    ConWeaveRandomTestCase()
        : TestCase("ConWeave in random fabrics: equal for threads and groups, nothing left")
    {
    }

  private:
    void DoRun() override
    {
        ConWeaveObserver observer;
        for (uint32_t round = 0; round < GetTestRounds(16); ++round)
        {
            const RdmaTestRandomRun run(round);
            const RdmaTestOutcome one = run.Run(1, 1, &observer);
            const RdmaTestOutcome many = run.Run(run.GetThreads(), run.GetGroups(), &observer);
            NS_TEST_EXPECT_MSG_EQ(one.Compare(many), "", "round " << round);
        }
        NS_TEST_EXPECT_MSG_EQ(observer.wrong, "", "books");
        NS_TEST_EXPECT_MSG_GT(observer.reroutes, 100U, "reroutes");
        NS_TEST_EXPECT_MSG_GT(observer.held, 100U, "frames that have waited");
    }
};

/** The suite. */
class RdmaConWeaveTestSuite : public TestSuite
{
  public:
    RdmaConWeaveTestSuite()
        : TestSuite("rdma-conweave")
    {
        ForBothTransports(
            [this](RdmaWireFormat format) { AddTestCase(new ConWeaveOrderTestCase(format)); });
        AddTestCase(new ConWeaveLossTestCase);
        AddTestCase(new ConWeaveReadTestCase);
        AddTestCase(new ConWeaveRandomTestCase);
    }
};

RdmaConWeaveTestSuite g_rdmaConWeaveTestSuite; //!< registers the suite

} // namespace
