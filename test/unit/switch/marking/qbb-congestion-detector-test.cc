/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-root-detector.h"
#include "qbb-threshold-detector.h"
#include "rdma-test-units.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// At 40 Gb/s 50 000 bytes leave in 10 us.
QbbArbitration
MakeArbitration(uint64_t waitingBytes, RdmaPs now, RdmaPs pausedTime = 0_ps)
{
    QbbArbitration arbitration;
    arbitration.output = 2;
    arbitration.priority = 3;
    arbitration.waitingBytes = waitingBytes;
    arbitration.outputRate = 40_gbps;
    arbitration.inputsRate = 80_gbps;
    arbitration.now = now;
    arbitration.pausedTime = pausedTime;
    return arbitration;
}

Ptr<QbbRootDetector>
MakeRoot(bool victims)
{
    auto detector = CreateObject<QbbRootDetector>();
    detector->SetAttribute("Threshold", UintegerValue(20'000));
    detector->SetAttribute("MarkVictims", BooleanValue(victims));
    detector->Prepare(3);
    return detector;
}

} // namespace

TEST(QbbCongestionDetector, RootsAreAboveTheThreshold)
{
    const auto detector = MakeRoot(false);
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(20'000, US)));
    EXPECT_TRUE(detector->IsCongested(MakeArbitration(20'001, US)));
}

TEST(QbbCongestionDetector, VictimsWerePausedWhileTheyWaited)
{
    const auto detector = MakeRoot(false);
    const auto both = MakeRoot(true);
    EXPECT_TRUE(detector->IsCongested(MakeArbitration(50'000, 100 * US)));
    // Paused for 2 us up to now: a victim for as long as the waiting frames need to leave, 10 us.
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(50'000, 110 * US, 2 * US)));
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(50'000, 120 * US, 2 * US)));
    EXPECT_TRUE(detector->IsCongested(MakeArbitration(50'000, 120 * US + 1_ps, 2 * US)));
    // With more bytes waiting the detector looks further back.
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(100'000, 130 * US, 2 * US)));
    // Another pause.
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(50'000, 140 * US, 3 * US)));
    EXPECT_TRUE(both->IsCongested(MakeArbitration(50'000, 140 * US, 3 * US)));
    // A pause that was found when little waited is remembered.
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(1000, 150 * US, 4 * US)));
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(50'000, 155 * US, 4 * US)));
    // Another class and another port have pauses of their own.
    QbbArbitration other = MakeArbitration(50'000, 155 * US);
    other.priority = 4;
    EXPECT_TRUE(detector->IsCongested(other));
    other.priority = 3;
    other.output = 1;
    EXPECT_TRUE(detector->IsCongested(other));
}

TEST(QbbCongestionDetector, ThresholdNeedsInputsThatCompete)
{
    const auto detector = CreateObject<QbbThresholdDetector>();
    detector->SetAttribute("Threshold", UintegerValue(20'000));
    detector->Prepare(3);
    const auto alone = [](uint64_t waitingBytes, RdmaPs now) {
        QbbArbitration arbitration = MakeArbitration(waitingBytes, now);
        arbitration.inputsRate = 40_gbps;
        return arbitration;
    };
    EXPECT_FALSE(detector->IsCongested(alone(50'000, US)));
    EXPECT_FALSE(detector->IsCongested(MakeArbitration(20'000, 2 * US)));
    EXPECT_TRUE(detector->IsCongested(MakeArbitration(20'001, 2 * US)));
    EXPECT_TRUE(detector->IsCongested(MakeArbitration(20'001, 2 * US, US))) << "paused or not";
    // One input alone, whose frames need 10 us to leave: during this time the other input counts.
    EXPECT_TRUE(detector->IsCongested(alone(50'000, 12 * US)));
    EXPECT_FALSE(detector->IsCongested(alone(50'000, 12 * US + 1_ps)));
    EXPECT_TRUE(detector->IsCongested(alone(100'000, 12 * US + 1_ps)));
    QbbArbitration other = alone(100'000, 12 * US);
    other.output = 1;
    EXPECT_FALSE(detector->IsCongested(other));
}
