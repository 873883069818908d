/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-deadlock-detector.h"
#include "qbb-input-port-buffer.h"
#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"
#include "rdma-test-fabric.h"
#include "rdma-test-random.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>

/**
 * \file
 * \ingroup rdma-tests
 * Random fabrics under random lossless traffic: with any topology, rates, delays, thresholds and
 * classes, nothing is lost, everything arrives, and the books balance at all times, if the routes
 * leave no cyclic buffer dependency. Shortest paths leave one in most random regular graphs. There
 * the routes go up, then down.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N fabrics. A failure names its round; the fabric is a
 * function of that number.
 */

using namespace ns3;

namespace
{

/** A random fabric and its flows. */
class RandomRound
{
  public:
    /** \param round number of the fabric */
    explicit RandomRound(uint32_t round)
        : m_dice(round)
    {
        RdmaTestRandomTopology topology(m_dice);
        m_topology = topology.Make();
        isRegular = topology.IsRegular();
        MakeFlows();
        Configure();
        upDown = !IsDeadlockFree(*m_test.helper.Install(m_topology));
        if (upDown)
        {
            m_test.helper.SetRoutingAttribute("Algorithm", EnumValue(QbbRouting::UP_DOWN));
        }
        m_test.Install(m_topology, m_flows);
        m_detector = CreateObject<QbbDeadlockDetector>();
        m_detector->SetAttribute("Period", TimeValue(MicroSeconds(20)));
        m_detector->Watch(m_test.fabric->GetRouting()->GetSwitches());
    }

    /** \return the errors found; empty if there are none */
    std::string Run()
    {
        m_test.CheckBooksEvery(10_us);
        m_test.Run();
        std::ostringstream wrong;
        wrong << m_test.wrong << m_test.GetUnfinished() << RdmaTestBooks::CheckAll(*m_test.fabric);
        if (!IsDeadlockFree(*m_test.fabric))
        {
            wrong << "cyclic buffer dependency; ";
        }
        if (m_detector->GetNDeadlocks() > 0)
        {
            wrong << "a deadlock was found; ";
        }
        if (const uint64_t drops = m_test.fabric->GetTotals().drops)
        {
            wrong << drops << " drops; ";
        }
        for (const auto& result : m_test.results)
        {
            if (result.fct.value_or(result.ideal) < result.ideal)
            {
                wrong << "flow " << result.flow.id << " took " << *result.fct
                      << " ps, less than the ideal " << result.ideal << "; ";
            }
            if (result.retransmittedPackets)
            {
                wrong << "flow " << result.flow.id << " sent packets again; ";
            }
        }
        for (const uint32_t id : m_topology.GetSwitches())
        {
            const auto sw = m_test.fabric->GetSwitch(id);
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    const auto usage = sw->GetBufferManager()->GetIngress(port, priority);
                    if (usage.peakHeadroomBytes > usage.headroomLimit)
                    {
                        wrong << "switch " << id << " port " << port << ": headroom "
                              << usage.peakHeadroomBytes << " of " << usage.headroomLimit << "; ";
                    }
                    usedHeadroom = usedHeadroom || usage.peakHeadroomBytes > 0;
                }
            }
        }
        pauses = m_test.fabric->GetTotals().pauseFrames;
        checks = m_test.checks;
        return wrong.str();
    }

    uint64_t pauses{0};        //!< pause frames
    uint64_t checks{0};        //!< checks of the books
    bool usedHeadroom{false};  //!< some port used its headroom
    bool upDown{false};        //!< shortest paths would have had a cyclic buffer dependency
    bool isRegular{false};     //!< the switches are a random regular graph
    bool isInputQueued{false}; //!< switches have virtual output queues

  private:
    static bool IsDeadlockFree(const RdmaFabric& fabric)
    {
        return CheckQbbDeadlock(*fabric.GetRouting()).IsDeadlockFree();
    }

    void MakeFlows()
    {
        m_lossless = m_dice.OneOf(std::array<uint8_t, 4>{1 << 3, 1 << 3 | 1 << 4, 0x2a, 0xff});
        const auto hosts = m_topology.GetHosts();
        const uint64_t pattern = m_dice.Number(0, 2);
        const uint64_t count = m_dice.Number(10, 70);
        const uint32_t victim = hosts[m_dice.Number(0, hosts.size() - 1)];
        const uint32_t other = hosts[m_dice.Number(0, hosts.size() - 1)];
        const uint64_t largest = m_dice.OneOf(std::array<uint64_t, 3>{5000, 50'000, 300'000});
        for (uint64_t i = 0; i < count; ++i)
        {
            RdmaFlow flow;
            flow.id = i;
            // Pattern 0 is random pairs, 1 an incast, 2 parallel flows between two hosts.
            flow.srcHost =
                pattern == 2 && other != victim ? other : hosts[m_dice.Number(0, hosts.size() - 1)];
            flow.dstHost = pattern == 0 ? hosts[m_dice.Number(0, hosts.size() - 1)] : victim;
            if (flow.srcHost == flow.dstHost)
            {
                flow.srcHost = hosts[(flow.dstHost + 1) % hosts.size()];
            }
            flow.bytes = m_dice.Number(1, largest);
            // Half of the flows start at one instant.
            flow.start = m_dice.OneIn(2) ? 0_ps : RdmaPs(m_dice.Number(0, 50'000'000));
            do
            {
                flow.priority = m_dice.Number(0, 7);
            } while (!(m_lossless & (1U << flow.priority)));
            m_flows.push_back(flow);
        }
    }

    /** \return settings that all ports share; the caller adds those of a link */
    QbbPortProfile MakeProfile(uint32_t mtu, RdmaPs reaction, bool overhead) const
    {
        QbbPortProfile profile;
        profile.reaction = reaction;
        profile.maxFrameBytes = QbbWire::FrameBytes(std::max(1500U, mtu + 64), true);
        profile.lineOverheadBytes = overhead ? 20 : 0;
        profile.losslessMask = m_lossless;
        return profile;
    }

    /** Sets virtual output queues and port buffers, as small as the formula allows or larger. */
    void ConfigureInputQueues(uint32_t mtu, RdmaPs reaction, bool overhead)
    {
        isInputQueued = true;
        auto& helper = m_test.helper;
        helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
        if (m_dice.OneIn(2))
        {
            helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
            helper.SetSwitchAttribute("CrossbarSpeedup",
                                      DoubleValue(m_dice.OneOf(std::array<double, 3>{1, 1.5, 3})));
        }
        const uint32_t cell = m_dice.OneOf(std::array<uint32_t, 2>{1, 64});
        const auto buffer = CreateObject<QbbInputPortBuffer>();
        buffer->SetAttribute("CellBytes", UintegerValue(cell));
        QbbPortProfile profile = MakeProfile(mtu, reaction, overhead);
        uint64_t needed = 0;
        for (const auto& link : m_topology.GetLinks())
        {
            profile.rate = link.rate;
            profile.delay = link.delay;
            needed = std::max(needed, buffer->GetLeastBytes(profile));
        }
        helper.SetBufferManager("ns3::QbbInputPortBuffer");
        helper.SetBufferAttribute("CellBytes", UintegerValue(cell));
        helper.SetBufferAttribute(
            "PortBufferBytes",
            UintegerValue(needed +
                          m_dice.OneOf(std::array<uint64_t, 4>{0, 5000, 50'000, 500'000})));
    }

    void Configure()
    {
        auto& helper = m_test.helper;
        const uint32_t mtu = m_dice.OneOf(std::array<uint32_t, 3>{256, 1024, 4096});
        m_test.SetMtu(mtu);
        const bool overhead = !m_dice.OneIn(5);
        const RdmaPs reaction = m_dice.OneOf(std::array<RdmaPs, 3>{0_ps, 100_ns, 2_us});
        helper.SetDeviceAttribute("LineOverhead", BooleanValue(overhead));
        helper.SetDeviceAttribute("PauseReactionDelay", TimeValue(RdmaToTime(reaction)));
        helper.SetDeviceAttribute("PfcClasses", UintegerValue(m_lossless));
        helper.SetDeviceAttribute(
            "PauseQuanta",
            UintegerValue(m_dice.OneOf(std::array<uint32_t, 3>{1000, 10'000, 65'535})));
        helper.SetDeviceAttribute(
            "Scheduler",
            StringValue(m_dice.OneOf(
                std::array<const char*, 3>{"strict", "1", "1,2,strict,4,1,1,strict,3"})));
        helper.SetChannelAttribute("SerializeFrames", BooleanValue(m_dice.OneIn(4)));
        helper.SetTransportAttribute(
            "AckInterval",
            UintegerValue(m_dice.OneOf(std::array<uint32_t, 3>{1, 4, 64})));
        helper.SetBufferAttribute(
            "LosslessAlpha",
            DoubleValue(m_dice.OneOf(std::array<double, 4>{1.0 / 64, 0.125, 1, 8})));
        const uint32_t reserve = m_dice.OneOf(std::array<uint32_t, 2>{0, 1248});
        helper.SetBufferAttribute("ReserveBytes", UintegerValue(reserve));

        if (m_dice.OneIn(2))
        {
            ConfigureInputQueues(mtu, reaction, overhead);
            return;
        }
        // The buffer is the minimum of the formula for the switch that needs most, and a little
        // shared memory.
        QbbPortProfile profile = MakeProfile(mtu, reaction, overhead);
        uint64_t needed = 0;
        const auto linksByNode = m_topology.GetLinksByNode();
        for (const uint32_t sw : m_topology.GetSwitches())
        {
            uint64_t bytes = 0;
            for (const uint32_t link : linksByNode[sw])
            {
                profile.rate = m_topology.GetLink(link).rate;
                profile.delay = m_topology.GetLink(link).delay;
                bytes += 8 * reserve +
                         __builtin_popcount(m_lossless) * QbbPfcHeadroom::GetBytes(profile);
            }
            needed = std::max(needed, bytes);
        }
        const uint64_t shared =
            m_dice.OneOf(std::array<uint64_t, 4>{1, 20'000, 100'000, 1'000'000});
        helper.SetBufferAttribute("BufferSize", UintegerValue(needed + shared));
    }

    RdmaTestDice m_dice;
    RdmaTopology m_topology;
    std::vector<RdmaFlow> m_flows;
    uint8_t m_lossless{0};
    RdmaTestFabric m_test;
    Ptr<QbbDeadlockDetector> m_detector;
};

/** Many random fabrics. */
class RandomFabricTestCase : public TestCase
{
  public:
    RandomFabricTestCase()
        : TestCase("random fabrics and lossless traffic: nothing is lost, all balances")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(200);
        uint32_t withPauses = 0;
        uint32_t withHeadroom = 0;
        uint32_t upDown = 0;
        uint32_t inputQueued = 0;
        uint32_t regularAsTheyAre = 0;
        uint64_t checks = 0;
        for (uint32_t i = 1; i <= rounds; ++i)
        {
            RandomRound round(i);
            NS_TEST_EXPECT_MSG_EQ(round.Run(), "", "round " << i);
            withPauses += round.pauses > 0;
            withHeadroom += round.usedHeadroom;
            upDown += round.upDown;
            inputQueued += round.isInputQueued;
            regularAsTheyAre += round.isRegular && !round.upDown;
            checks += round.checks;
        }
        NS_TEST_EXPECT_MSG_GT(withPauses, rounds / 3, "rounds with pauses");
        NS_TEST_EXPECT_MSG_GT(withHeadroom, rounds / 3, "rounds that used headroom");
        NS_TEST_EXPECT_MSG_EQ_TOL(inputQueued, rounds / 2, rounds / 8, "input-queued switches");
        NS_TEST_EXPECT_MSG_GT(upDown, rounds / 20, "rounds in which shortest paths could deadlock");
        NS_TEST_EXPECT_MSG_GT(regularAsTheyAre,
                              rounds / 100,
                              "regular graphs in which they cannot");
        NS_TEST_EXPECT_MSG_GT(checks, rounds, "looks at the books");
    }
};

/** The suite. */
class RdmaRandomTestSuite : public TestSuite
{
  public:
    RdmaRandomTestSuite()
        : TestSuite("rdma-random")
    {
        AddTestCase(new RandomFabricTestCase);
    }
};

RdmaRandomTestSuite g_rdmaRandomTestSuite; //!< registers the suite

} // namespace
