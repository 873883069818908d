/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-fabric-helper.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"
#include "rdma-topology-builders.h"

#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/node.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * What a script may do before its first helper, which sets ns-3's time resolution and the
 * simulator. Each script runs in a new process, because ns-3 sets the resolution once.
 */

using namespace ns3;

namespace
{

/** Tests that start a new process for each script. */
class RdmaTimeResolutionDeathTest : public testing::Test
{
  protected:
    RdmaTimeResolutionDeathTest()
    {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
    }

    /** Runs a script, makes a helper and ends the process: status 0 if the resolution is right. */
    [[noreturn]] static void RunScript(const std::function<void()>& script)
    {
        script();
        const RdmaFabricHelper helper;
        std::exit(Time::GetResolution() == Time::FS ? 0 : 1);
    }
};

constexpr const char* EARLY = "an event after time 0.* is scheduled before ns-3's time resolution";
constexpr const char* FIXED = "needs femtosecond resolution, which can no longer be set";

/** Makes a simulator. \param type its type */
void
MakeSimulator(const std::string& type)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue(type));
    Simulator::GetImplementation();
}

} // namespace

TEST_F(RdmaTimeResolutionDeathTest, AnEventBeforeTheHelperIsRefused)
{
    EXPECT_DEATH(RunScript([] { Simulator::Stop(Seconds(2)); }), EARLY);
    EXPECT_DEATH(RunScript([] {
                     CreateObject<Node>();
                     Simulator::ScheduleWithContext(0, NanoSeconds(1), [] {});
                 }),
                 EARLY);
    for (const char* type : {"ns3::RdmaSimulatorImpl", "ns3::RealtimeSimulatorImpl"})
    {
        EXPECT_DEATH(RunScript([type] {
                         MakeSimulator(type);
                         Simulator::Schedule(MilliSeconds(500), [] {});
                     }),
                     EARLY)
            << type;
    }
    // The other functions that set the resolution do the same.
    EXPECT_DEATH(
        {
            Simulator::Stop(Seconds(2));
            RdmaSimulatorImpl::Select();
        },
        EARLY);
    EXPECT_DEATH(
        {
            Simulator::Stop(Seconds(2));
            const QbbHelper helper;
        },
        EARLY);
}

TEST_F(RdmaTimeResolutionDeathTest, EventsOfTime0AndTimesAreRight)
{
    // ns-3 initialises each node in an event of time 0.
    const auto script = [] {
        const auto node = CreateObject<Node>();
        const Time before = MilliSeconds(3);
        uint32_t ran = 0;
        Simulator::ScheduleNow([&ran] { ++ran; });
        const RdmaFabricHelper helper;
        Simulator::Schedule(Seconds(1), [&ran] { ++ran; });
        Simulator::Run();
        std::exit(ran == 2 && node->IsInitialized() && Simulator::Now() == Seconds(1) &&
                          before == MicroSeconds(3000)
                      ? 0
                      : 1);
    };
    EXPECT_EXIT(script(), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(
        {
            MakeSimulator("ns3::RdmaSimulatorImpl");
            script();
        },
        testing::ExitedWithCode(0),
        "");
}

TEST_F(RdmaTimeResolutionDeathTest, AnotherResolutionIsRefused)
{
    EXPECT_DEATH(RunScript([] { Time::SetResolution(Time::NS); }), FIXED);
    EXPECT_DEATH(RunScript([] { Time::SetResolution(Time::PS); }), FIXED);
    EXPECT_DEATH(RunScript([] { Simulator::Run(); }), FIXED);
    EXPECT_DEATH(RunScript([] {
                     Simulator::Run();
                     Simulator::Destroy();
                 }),
                 FIXED);
}

TEST_F(RdmaTimeResolutionDeathTest, FemtosecondsMayBeSetBefore)
{
    EXPECT_EXIT(RunScript([] {
                    Time::SetResolution(Time::FS);
                    Simulator::Stop(Seconds(2));
                }),
                testing::ExitedWithCode(0),
                "");
}

TEST_F(RdmaTimeResolutionDeathTest, ThreadsNeedTheModulesSimulator)
{
    const auto ask = [] {
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(2));
    };
    EXPECT_DEATH(RunScript([ask] {
                     CreateObject<Node>();
                     ask();
                 }),
                 "threads=2 with ns3::DefaultSimulatorImpl; accepted: .* before the first node");
    EXPECT_EXIT(RunScript([ask] {
                    ask();
                    RdmaSimulatorImpl::Select();
                    CreateObject<Node>();
                }),
                testing::ExitedWithCode(0),
                "");
}

TEST(RdmaHelpers, AHelperServesSeveralSimulations)
{
    Simulator::Destroy();
    const RdmaFabricHelper fabric;
    const QbbHelper link;
    for (int i = 0; i < 2; ++i)
    {
        fabric.Install(MakeRdmaStar(2));
        EXPECT_TRUE(DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation())) << i;
        Simulator::Run();
        Simulator::Destroy();
        // The nodes exist before Install(), so that the script selects the simulator itself.
        RdmaSimulatorImpl::Select();
        link.Install(CreateObject<Node>(), CreateObject<Node>());
        EXPECT_TRUE(DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation())) << i;
        Simulator::Run();
        Simulator::Destroy();
    }
}
