/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-end.h"
#include "rdma-time.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * The fixed instants at which runs end.
 */

namespace ns3
{
namespace
{

TEST(RdmaRunEndTest, StrictlyAfterTheLastFlow)
{
    EXPECT_EQ(GetRdmaRunEnd(0_ps), 10_us);
    EXPECT_EQ(GetRdmaRunEnd(10_us - 1_ps), 10_us);
    EXPECT_EQ(GetRdmaRunEnd(10_us), 20_us);
    EXPECT_EQ(GetRdmaRunEnd(10_us + 1_ps), 20_us);
}

TEST(RdmaRunEndTest, AnEventWithoutANodeStops)
{
    RdmaSetTimeResolution();
    int64_t ended = 0;
    bool tooLate = false;
    Simulator::ScheduleWithContext(3, TimeStep(4'999), [] { StopRdmaRunAt(10_us); });
    // The last femtosecond before the end, and the first events of the instant itself.
    Simulator::ScheduleWithContext(3, TimeStep(9'999'999'999), [&] {
        ended = Simulator::Now().GetTimeStep();
    });
    Simulator::ScheduleWithContext(3, TimeStep(10'000'000'001), [&] { tooLate = true; });
    Simulator::Run();
    EXPECT_EQ(ended, 9'999'999'999);
    EXPECT_FALSE(tooLate);
    EXPECT_EQ(Simulator::Now().GetTimeStep(), 10'000'000'000);
    EXPECT_EQ(Simulator::GetContext(), Simulator::NO_CONTEXT);
    Simulator::Destroy();
}

} // namespace
} // namespace ns3
