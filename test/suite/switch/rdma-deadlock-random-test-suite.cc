/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "rdma-test-deadlock.h"

#include <ns3/double.h>
#include <ns3/test.h>

#include <array>
#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * The deadlock detector on random fabrics: the detector finds every deadlock, and nothing else.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N random fabrics.
 */

using namespace ns3;

namespace
{

/** The detector's findings compared with the flows that stop, on fabrics whose routes allow
 * deadlocks. */
class DeadlockRandomTestCase : public TestCase
{
  public:
    /** \param architecture of the switches */
    explicit DeadlockRandomTestCase(RdmaTestArchitecture architecture)
        : TestCase("random rings and meshes with " + GetTestArchitectureName(architecture) +
                   ": flows are stuck exactly if there is a deadlock"),
          m_architecture(architecture)
    {
    }

  private:
    /** \param random random numbers \return switches in a ring, with chords */
    RdmaTopology MakeTopology(std::mt19937& random) const
    {
        const bool isShared = m_architecture == RdmaTestArchitecture::SHARED;
        const uint32_t switches = isShared ? 4 + random() % 4 : 7 + random() % 3;
        const uint32_t hosts = 1 + random() % 2;
        const uint64_t gbps = 10 + random() % 90;
        RdmaTopology topology = MakeRdmaRing(switches, hosts, MakeTestRates(100, gbps, 500));
        for (uint32_t i = isShared ? random() % 3 : random() % 2; i > 0; --i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = (a + 2 + random() % (switches - 3)) % switches;
            topology.AddLink(switches * hosts + a, switches * hosts + b, gbps * 1_gbps, 500_ns);
        }
        return topology;
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(20);
        uint32_t deadlocks = 0;
        uint32_t allowed = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            std::mt19937 random(round);
            RdmaTestWatched test;
            const bool isShared = m_architecture == RdmaTestArchitecture::SHARED;
            SetTestArchitecture(test.helper, m_architecture, isShared ? 600'000 : 120'000);
            if (isShared)
            {
                test.helper.SetBufferAttribute(
                    "LosslessAlpha",
                    DoubleValue(std::array<double, 3>{1.0 / 32, 0.125, 1}[random() % 3]));
                test.helper.SetBufferAttribute("XonOffsetBytes",
                                               UintegerValue(random() % 2 * 3000));
                test.helper.SetBufferAttribute("ReserveBytes", UintegerValue(random() % 2 * 1248));
            }
            test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(0x18));
            const RdmaTopology topology = MakeTopology(random);
            const auto hosts = static_cast<uint32_t>(topology.GetHosts().size());
            std::vector<RdmaFlow> flows;
            // Some flows go two or three switches along the ring, which a deadlock requires; others
            // go anywhere.
            const uint32_t perSwitch = hosts / topology.GetSwitches().size();
            for (uint32_t i = 15 + random() % 30; i > 0; --i)
            {
                const uint32_t source = random() % hosts;
                const uint32_t ahead =
                    random() % 5 ? (isShared ? 2 : 3) * perSwitch : 1 + random() % (hosts - 1);
                flows.push_back(MakeTestFlow(i,
                                             source,
                                             (source + ahead) % hosts,
                                             1 + random() % 3'000'000,
                                             RdmaPs(random()) % 5_us,
                                             3 + random() % 2));
            }
            test.InstallAndWatch(topology, flows);
            test.detector->SetAttribute("Period", TimeValue(NanoSeconds(100 + random() % 50'000)));
            uint64_t sent = 0;
            std::string wrong;
            test.detector->TraceConnectWithoutContext(
                "Deadlock",
                Callback<void, const QbbDeadlock&>([&](const QbbDeadlock& deadlock) {
                    wrong += test.Examine(deadlock);
                    sent = test.CountSent(deadlock);
                }));
            test.Run(40_ms);
            const bool isStuck = !test.GetUnfinished().empty();
            NS_TEST_EXPECT_MSG_EQ(wrong, "", "round " << round);
            NS_TEST_EXPECT_MSG_EQ(test.found.size(), isStuck, "round " << round);
            if (!test.found.empty())
            {
                ++deadlocks;
                NS_TEST_EXPECT_MSG_EQ(test.CountSent(test.found.front()), sent, "round " << round);
                NS_TEST_EXPECT_MSG_EQ(test.ended, 0U, "round " << round);
            }
            const bool may = !CheckQbbDeadlock(*test.fabric->GetRouting()).IsDeadlockFree();
            allowed += may;
            NS_TEST_EXPECT_MSG_EQ((may || !isStuck), true, "round " << round << ": not foreseen");
        }
        NS_TEST_EXPECT_MSG_GT(deadlocks, rounds / 10, "rounds with a deadlock");
        NS_TEST_EXPECT_MSG_LT(deadlocks, allowed, "a cycle does not have to become one");
    }

    RdmaTestArchitecture m_architecture;
};

/** The suite. */
class RdmaDeadlockRandomTestSuite : public TestSuite
{
  public:
    RdmaDeadlockRandomTestSuite()
        : TestSuite("rdma-deadlock-random")
    {
        AddTestCase(new DeadlockRandomTestCase(RdmaTestArchitecture::SHARED));
        AddTestCase(new DeadlockRandomTestCase(RdmaTestArchitecture::INPUT));
        AddTestCase(new DeadlockRandomTestCase(RdmaTestArchitecture::CROSSBAR));
    }
};

RdmaDeadlockRandomTestSuite g_rdmaDeadlockRandomTestSuite; //!< registers the suite

} // namespace
