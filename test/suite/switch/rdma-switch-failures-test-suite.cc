/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-detector.h"
#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * Links that go down and come up: routes, buffers, pauses, and the flows over these links.
 */

using namespace ns3;

namespace
{

/** A fabric whose links fail, with books that balance in spite of it. */
class SwitchFailureTestCase : public TestCase
{
  protected:
    /** \param name name of the test case */
    explicit SwitchFailureTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /** \param test fabric that is not built yet; gets retries, for flows to survive losses */
    static void Configure(RdmaTestFabric& test)
    {
        test.SetRetries(100_us, 1000);
    }

    /**
     * Checks the books every 10 us.
     *
     * \param test a fabric that is built
     */
    void Watch(RdmaTestFabric& test)
    {
        m_flushed = 0;
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            const auto sw = test.fabric->GetSwitch(id);
            for (uint32_t port = 0; port < sw->GetNPorts(); ++port)
            {
                sw->GetPort(port)->TraceConnectWithoutContext(
                    "MacTxDrop",
                    Callback<void, Ptr<const Packet>>([this](Ptr<const Packet>) { ++m_flushed; }));
            }
        }
        Look(test);
    }

    /** \param test fabric that has run */
    void CheckEnd(RdmaTestFabric& test)
    {
        NS_TEST_EXPECT_MSG_EQ(m_wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(GetImbalance(test), "", "books at the end");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    /** \return frames that left a switch's queue because its link was or went down */
    uint64_t GetFlushed() const
    {
        return m_flushed;
    }

  private:
    /**
     * Each frame into a switch is sent, queued, flushed, or dropped for another reason than a link.
     * Links and buffers must balance, too.
     */
    std::string GetImbalance(const RdmaTestFabric& test) const
    {
        std::string wrong = RdmaTestBooks::CheckLinks(*test.fabric);
        uint64_t in = 0;
        uint64_t out = m_flushed;
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            const auto sw = test.fabric->GetSwitch(id);
            wrong += RdmaTestBooks::CheckBuffer(*sw, id);
            for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
            {
                const auto port = sw->GetPort(p);
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    in += port->GetCounters().classes[priority].rxFrames;
                    out += port->GetCounters().classes[priority].txFrames +
                           port->GetQueues().GetFrames(priority);
                }
                out += port->GetCounters().GetDrops() -
                       RdmaTestBooks::CountDrops(port->GetCounters(), QbbDropReason::LINK_DOWN);
            }
        }
        if (in != out)
        {
            wrong += "switches: " + std::to_string(in) + " frames in, " + std::to_string(out) +
                     " accounted for; ";
        }
        return wrong;
    }

    void Look(RdmaTestFabric& test)
    {
        Simulator::Schedule(RdmaToTime(10_us), [this, &test]() {
            if (m_wrong.empty())
            {
                m_wrong = GetImbalance(test);
            }
            if (test.runner->GetNEnded() < test.runner->GetNFlows())
            {
                Look(test);
            }
        });
    }

    std::string m_wrong;   //!< first imbalance found
    uint64_t m_flushed{0}; //!< frames flushed from switches' queues
};

/** One of two uplinks fails and comes back. */
class UplinkTestCase : public SwitchFailureTestCase
{
  public:
    /** \param convergence time until the new routes hold */
    explicit UplinkTestCase(Time convergence)
        : SwitchFailureTestCase("an uplink fails and comes back, routes follow after " +
                                std::to_string(convergence.GetMicroSeconds()) + " us"),
          m_convergence(convergence)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Configure(test);
        // Four hosts could send at 400 Gb/s together; there are two uplinks of 100.
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(1 << 20));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < 16; ++i)
        {
            flows.push_back(MakeTestFlow(i, i % 4, 4 + i / 4, 1'500'000));
        }
        test.Install(MakeRdmaLeafSpine(2, 4, 2, MakeTestRates(100, 100, 1000)), flows);
        test.fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(m_convergence));
        Watch(test);
        // Links 0 .. 7 are links of hosts; link 8 joins leaf 0 (node 8) and spine 0 (node 10).
        const auto failing = test.fabric->GetDevice(8, 8);
        auto paths = [&]() {
            std::vector<std::vector<Ptr<QbbNetDevice>>> list;
            for (std::size_t i = 0; i < flows.size(); ++i)
            {
                const auto qp = test.runner->GetSender(i);
                list.push_back(test.GetPath(*qp));
            }
            return list;
        };
        auto countVia = [&]() {
            const auto list = paths();
            return std::count_if(list.begin(), list.end(), [&](const auto& path) {
                return std::find(path.begin(), path.end(), failing) != path.end();
            });
        };
        const auto before = paths();
        const auto viaBefore = countVia();
        NS_TEST_ASSERT_MSG_GT(viaBefore, 0, "flows over the link that fails");
        NS_TEST_ASSERT_MSG_LT(viaBefore, 16, "flows over the other");
        uint64_t sentAtDown = 0;
        bool wasPaused = false;
        RdmaTestPair::At(50_us, [&]() {
            const auto buffer = test.fabric->GetSwitch(8)->GetBufferManager();
            for (uint16_t port = 0; port < 4; ++port)
            {
                wasPaused = wasPaused || buffer->IsPaused(port, 3);
            }
            test.fabric->SetLinkUp(8, false);
            sentAtDown = failing->GetCounters().GetTxFrames();
        });
        RdmaTestPair::At(120_us, [&]() {
            NS_TEST_EXPECT_MSG_EQ(countVia(), 0, "no path takes the link while it is down");
            NS_TEST_EXPECT_MSG_EQ(failing->GetCounters().GetTxFrames(),
                                  sentAtDown,
                                  "nothing is sent over it");
            NS_TEST_EXPECT_MSG_LT(test.runner->GetNEnded(), 8U, "it is in the midst of things");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetSwitch(8)->GetBufferManager()->GetEgressBytes(
                                      failing->GetPortNumber(),
                                      3),
                                  0U,
                                  "its queue is credited");
        });
        RdmaTestPair::At(200_us, [&]() { test.fabric->SetLinkUp(8, true); });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(wasPaused, true, "hosts were paused when it failed");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ((paths() == before), true, "the old paths are back");
        NS_TEST_EXPECT_MSG_GT(failing->GetCounters().GetTxFrames(), sentAtDown + 100, "in use");
        NS_TEST_EXPECT_MSG_GT(GetFlushed(), 0U, "its queue was lost");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetChannel(8)->GetLostInFlight(), 0U, "frames on it");
        CheckEnd(test);
    }

    Time m_convergence;
};

/** A host's only link fails. */
class HostLinkTestCase : public SwitchFailureTestCase
{
  public:
    /** \param host 0: a sender's link; 4: the receiver's */
    explicit HostLinkTestCase(uint32_t host)
        : SwitchFailureTestCase(std::string("the link of ") +
                                (host == 4 ? "the receiver" : "a sender") +
                                " fails and comes back during an incast"),
          m_host(host)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Configure(test);
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(600'000));
        auto flows = MakeTestIncast(4, 4, 500'000);
        test.Install(MakeRdmaStar(5, MakeTestRates(100, 100, 1000)), flows);
        Watch(test);
        bool wasPaused = false;
        RdmaTestPair::At(60_us, [&]() {
            // The link fails while senders are paused.
            wasPaused = test.fabric->GetSwitch(5)->GetBufferManager()->GetUsage().headroomBytes > 0;
            test.fabric->SetLinkUp(m_host, false);
        });
        RdmaTestPair::At(90_us, [&]() {
            const auto usage = test.fabric->GetSwitch(5)->GetBufferManager()->GetUsage();
            NS_TEST_EXPECT_MSG_EQ((usage.usedBytes == 0), (m_host == 4), "the queue is gone");
        });
        RdmaTestPair::At(300_us, [&]() { test.fabric->SetLinkUp(m_host, true); });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(wasPaused, true, "senders were paused when it failed");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_GT(test.results[0].timeouts, 0U, "it took the timer");
        NS_TEST_EXPECT_MSG_GT(test.results[0].fct.value_or(0_ps), 300_us, "only then");
        CheckEnd(test);
    }

    uint32_t m_host;
};

/** Links that go down for good, and up and down at random. */
class RandomFailuresTestCase : public SwitchFailureTestCase
{
  public:
    RandomFailuresTestCase()
        : SwitchFailureTestCase("1000 failures at random: every flow ends, nothing is left")
    {
    }

  private:
    static constexpr uint32_t FAILURES = 20; //!< failures in each round
    static constexpr uint32_t FLOWS = 60;    //!< flows in each round
    static constexpr RdmaPs SPAN = 1_ms;     //!< time in which links fail and flows start

    /** \param round number of the round \return topology of the round */
    static RdmaTopology MakeTopology(uint32_t round)
    {
        switch (round % 4)
        {
        case 0:
            return MakeRdmaFatTree(4, MakeTestRates(100, 100, 700));
        case 1:
            return MakeRdmaLeafSpine(4, 4, 2, MakeTestRates(100, 200, 300));
        case 2:
            return MakeRdmaRing(5, 3, MakeTestRates(40, 100, 1000));
        default:
            return MakeRdmaClos(3, 4, {1, 1}, MakeTestRates(25, 25, 2000));
        }
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(50);
        uint64_t failed = 0;
        uint64_t completed = 0;
        uint64_t waiting = 0;
        uint64_t pauses = 0;
        for (uint32_t round = 0; round < rounds; ++round)
        {
            std::mt19937 random(round + 1);
            RdmaTestFabric test;
            Configure(test);
            test.helper.SetTransportAttribute("RetryCount", UintegerValue(4));
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(round % 2 == 1));
            // Half of the rounds have output queues, a quarter have a crossbar.
            if (round / 4 % 2 == 0)
            {
                test.helper.SetBufferAttribute("BufferSize", UintegerValue(1 << 20));
            }
            else
            {
                test.helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
                test.helper.SetSwitchAttribute("Crossbar", BooleanValue(round / 8 % 2 == 1));
                test.helper.SetBufferManager("ns3::QbbInputPortBuffer");
                test.helper.SetBufferAttribute("PortBufferBytes", UintegerValue(150'000));
            }
            const RdmaTopology topology = MakeTopology(round);
            const auto hosts = static_cast<uint32_t>(topology.GetHosts().size());
            std::vector<RdmaFlow> flows;
            for (uint32_t i = 0; i < FLOWS; ++i)
            {
                const uint32_t source = random() % hosts;
                const uint32_t destination = (source + 1 + random() % (hosts - 1)) % hosts;
                flows.push_back(MakeTestFlow(i,
                                             source,
                                             destination,
                                             1 + random() % 400'000,
                                             RdmaPs(random()) % SPAN));
            }
            test.Install(topology, flows);
            if (round % 3 == 0)
            {
                test.fabric->GetRouting()->SetAttribute("ConvergenceDelay",
                                                        TimeValue(MicroSeconds(20)));
            }
            const auto detector = CreateObject<QbbDeadlockDetector>();
            detector->Watch(test.fabric->GetRouting()->GetSwitches());
            Watch(test);
            for (uint32_t i = 0; i < FAILURES; ++i)
            {
                const uint32_t link = random() % topology.GetNLinks();
                const RdmaPs down = RdmaPs(random()) % SPAN;
                // Some links stay down for good.
                RdmaTestPair::At(down, [&test, link]() { test.fabric->SetLinkUp(link, false); });
                if (random() % 8)
                {
                    const RdmaPs up = down + 1_ps + RdmaPs(random()) % (SPAN / 2);
                    RdmaTestPair::At(up, [&test, link]() { test.fabric->SetLinkUp(link, true); });
                }
            }
            test.Run(100_ms);
            for (const auto& result : test.results)
            {
                completed += result.IsCompleted();
                failed += result.status == "IBV_WC_RETRY_EXC_ERR";
                // Flows whose frames wait for a link that stays down.
                const auto port = test.runner->GetSender(result.flow.id)->GetPort();
                waiting += !port->IsLinkUp() &&
                           result.status.find("link of the sender is down; ") != std::string::npos;
            }
            NS_TEST_EXPECT_MSG_EQ(detector->GetNDeadlocks(), 0U, "round " << round);
            pauses += test.fabric->GetTotals().pauseFrames;
            CheckEnd(test);
        }
        NS_TEST_EXPECT_MSG_EQ(completed + failed + waiting,
                              uint64_t{FLOWS} * rounds,
                              "every flow has ended, well or not, or says why not");
        NS_TEST_EXPECT_MSG_GT(failed, 0U, "some hosts were away for longer than four retries");
        NS_TEST_EXPECT_MSG_GT(completed, FLOWS / 2 * rounds, "most were not");
        NS_TEST_EXPECT_MSG_GT(pauses, 10 * rounds, "pauses");
    }
};

/** The suite. */
class RdmaSwitchFailuresTestSuite : public TestSuite
{
  public:
    RdmaSwitchFailuresTestSuite()
        : TestSuite("rdma-switch-failures")
    {
        AddTestCase(new UplinkTestCase(Time(0)));
        AddTestCase(new UplinkTestCase(MicroSeconds(30)));
        AddTestCase(new HostLinkTestCase(0));
        AddTestCase(new HostLinkTestCase(4));
        AddTestCase(new RandomFailuresTestCase);
    }
};

RdmaSwitchFailuresTestSuite g_rdmaSwitchFailuresTestSuite; //!< registers the suite

} // namespace
