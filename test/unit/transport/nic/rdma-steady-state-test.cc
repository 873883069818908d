/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-time.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * No allocation for a frame in steady state, proven by counting them.
 *
 * ns-3's default scheduler (MapScheduler) allocates a tree node for every event that is inserted;
 * that is not the module's doing. So these tests run with schedulers that keep their events in an
 * array.
 */

namespace ns3
{
namespace
{

/** Activity of a run between two instants. */
struct Span
{
    uint64_t allocations{0}; //!< calls of operator new
    uint64_t frames{0};      //!< frames sent over links, pause frames included
    uint64_t pauses{0};      //!< pause frames sent
};

/** Hosts at one switch that write to host 0. */
class RdmaSteadyStateTest : public testing::TestWithParam<const char*>
{
  protected:
    void SetUp() override
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId(GetParam());
        Simulator::SetScheduler(scheduler);
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /**
     * \param senders number of hosts that write
     * \param warmUp begin of the counting
     * \param end end of the counting, before the end of the first message
     * \return activity in between
     */
    Span Run(uint32_t senders, RdmaPs warmUp, RdmaPs end)
    {
        RdmaTopologyRates rates;
        rates.hostRate = 100_gbps;
        rates.delay = 1_us;
        auto fabric = m_helper.Install(MakeRdmaStar(senders + 1, rates));
        for (uint32_t i = 1; i <= senders; ++i)
        {
            const auto pair = fabric->Connect(i, 0);
            RdmaSendRequest request;
            request.length = RDMA_MAX_MESSAGE_BYTES;
            pair.first->PostSend(request);
        }
        Span before;
        Span after;
        const auto take = [&fabric](Span& span) {
            // GetTotals() may allocate: it is called before the first count and after the second.
            const RdmaFabricTotals totals = fabric->GetTotals();
            span.frames = totals.packetHops;
            span.pauses = totals.pauseFrames;
        };
        Simulator::Schedule(RdmaToTime(warmUp), [&]() {
            take(before);
            before.allocations = GetRdmaAllocationCount();
        });
        Simulator::Schedule(RdmaToTime(end), [&]() {
            after.allocations = GetRdmaAllocationCount();
            take(after);
            Simulator::Stop();
        });
        Simulator::Run();
        return {after.allocations - before.allocations,
                after.frames - before.frames,
                after.pauses - before.pauses};
    }

    /** An incast of four hosts pauses, and takes no memory. */
    void ExpectSteadyIncast()
    {
        const Span span = Run(4, 500_us, 1500_us);
        EXPECT_GT(span.frames, 45'000);
        EXPECT_GT(span.pauses, 100);
        EXPECT_EQ(span.allocations, 0);
    }

    RdmaFabricHelper m_helper;
};

TEST_P(RdmaSteadyStateTest, OneWriteThroughASwitch)
{
    // 1 ms at 100 Gb/s: packets of 1086 B take 88.48 ns, each over two links, and an ACK back.
    // Every ACK moves the deadline of the retransmission timer.
    m_helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
    const Span span = Run(1, 500_us, 1500_us);
    EXPECT_GT(span.frames, 45'000);
    EXPECT_EQ(span.allocations, 0);
}

TEST_P(RdmaSteadyStateTest, IncastWithPauses)
{
    m_helper.SetBufferAttribute("BufferSize", UintegerValue(1'000'000));
    ExpectSteadyIncast();
}

TEST_P(RdmaSteadyStateTest, InputQueuedIncast)
{
    m_helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
    m_helper.SetBufferManager("ns3::QbbInputPortBuffer");
    ExpectSteadyIncast();
}

TEST_P(RdmaSteadyStateTest, CrossbarIncast)
{
    m_helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
    m_helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
    m_helper.SetBufferManager("ns3::QbbInputPortBuffer");
    ExpectSteadyIncast();
}

TEST_P(RdmaSteadyStateTest, FramesAsBytes)
{
    m_helper.SetChannelAttribute("SerializeFrames", BooleanValue(true));
    const Span span = Run(1, 500_us, 800_us);
    EXPECT_GT(span.frames, 13'000);
    EXPECT_EQ(span.allocations, 0);
}

INSTANTIATE_TEST_SUITE_P(Schedulers,
                         RdmaSteadyStateTest,
                         testing::Values("ns3::PriorityQueueScheduler", "ns3::HeapScheduler"),
                         [](const auto& info) {
                             std::string name = info.param;
                             name.erase(0, name.rfind(':') + 1);
                             return name;
                         });

} // namespace
} // namespace ns3
