/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conweave-path-selector.h"
#include "qbb-crossbar.h"
#include "qbb-deadlock-detector.h"
#include "qbb-pfc-watchdog.h"
#include "qbb-port-monitor.h"
#include "qbb-storm-source.h"
#include "rdma-event-order.h"
#include "rdma-flow-calendar.h"
#include "rdma-flow-host.h"
#include "rdma-lane.h"
#include "rdma-nic-watchdog.h"
#include "rdma-nic.h"
#include "rdma-packet-engine.h"
#include "rdma-pause-trace.h"
#include "rdma-queue-history.h"
#include "rdma-reply-delays.h"
#include "rdma-schedule-rank.h"
#include "rdma-send-pipeline.h"
#include "rdma-send-scheduler.h"
#include "rdma-time-series.h"
#include "rdma-time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The places of all kinds of events of the module at one instant. A new kind is to be added here.
 */

namespace ns3
{
namespace
{

/** A kind of event, and the file that declares its place. */
struct Kind
{
    const char* file;   //!< the file of the declaration
    uint32_t first;     //!< the first place
    uint32_t last;      //!< the last place
    bool atHosts;       //!< nodes that are hosts have such events
    bool atSwitches;    //!< nodes that are switches have such events
    uint32_t mustBe;    //!< the first place that all published results have
    uint32_t mustEndAt; //!< the last place that all published results have
};

/** \return an event kind with a single place */
constexpr Kind
At(const char* file, uint32_t order, bool atHosts, bool atSwitches, uint32_t mustBe)
{
    return {file, order, order, atHosts, atSwitches, mustBe, mustBe};
}

/** \return a kind of event of ports that has a whole phase */
template <typename Phase>
constexpr Kind
ByPort(const char* file, bool atSwitches, uint32_t mustBe, uint32_t mustEndAt)
{
    return {file, Phase::FIRST, Phase::LAST, true, atSwitches, mustBe, mustEndAt};
}

namespace Order = RdmaEventOrder;

/// The kinds of events, in the order of their places.
constexpr std::array KINDS{
    ByPort<Order::Arrivals>("qbb-line.h", true, 1, 512),
    ByPort<Order::Ports>("qbb-port.h", true, 513, 768),
    ByPort<Order::Pipelines>("rdma-receive-buffer.cc", false, 769, 832),
    At("qbb-crossbar.h", QbbCrossbar::EVENT_ORDER, false, true, 833),
    At("rdma-reply-delays.h", RdmaReplyDelays::EVENT_ORDER, true, false, 834),
    At("qbb-conweave-path-selector.h", QbbConWeavePathSelector::EVENT_ORDER, false, true, 841),
    At("qbb-storm-source.h", QbbStormSource::EVENT_ORDER, true, true, 970),
    At("rdma-nic.h", RdmaNic::EVENT_ORDER, true, false, 971),
    At("rdma-flow-calendar.h", RdmaFlowCalendar::EVENT_ORDER, true, false, 980),
    At("rdma-send-pipeline.h", RdmaSendPipeline::EVENT_ORDER, true, false, 981),
    At("rdma-flow-host.h", RdmaFlowHost::EVENT_ORDER, true, false, 982),
    At("rdma-ideal-network.cc", 983, true, false, 983),
    At("rdma-schedule-rank.h", RdmaScheduleRank::SIGNAL_ORDER, true, false, 984),
    At("rdma-ideal-network.cc", 985, true, false, 985),
    At("rdma-schedule-rank.h", RdmaScheduleRank::EVENT_ORDER, true, false, 986),
    At("rdma-note-box.h", RdmaNoteBox::EVENT_ORDER, true, false, 987),
    At("rdma-lane.h", RDMA_LANE_EVENT_ORDER, true, false, 988),
    At("rdma-scale-up-network.cc", 989, true, false, 989),
    At("rdma-packet-engine.h", RdmaPacketEngine::EVENT_ORDER, true, false, 990),
    At("rdma-send-scheduler.h", RdmaSendScheduler::EVENT_ORDER, true, false, 991),
    At("qbb-pfc-watchdog.h", QbbPfcWatchdog::EVENT_ORDER, false, true, 992),
    At("rdma-nic-watchdog.h", RdmaNicWatchdog::EVENT_ORDER, true, false, 992),
    At("rdma-scale-up-network.cc", 993, true, false, 993),
    At("qbb-deadlock-detector.h", QbbDeadlockDetector::EVENT_ORDER, true, true, 999),
    At("qbb-port-monitor.h", QbbPortMonitor::EVENT_ORDER, true, true, 999),
    At("rdma-queue-history.h", RdmaQueueHistory::EVENT_ORDER, true, true, 999),
    At("rdma-pause-trace.h", RdmaPauseTrace::EVENT_ORDER, true, true, 999),
    At("rdma-time-series.h", RdmaTimeSeries::EVENT_ORDER, true, true, 999),
};

/**
 * \return true if two kinds of events of one node share a place and the first is no observer
 */
constexpr bool
Clash(const Kind& a, const Kind& b)
{
    const bool meet = (a.atHosts && b.atHosts) || (a.atSwitches && b.atSwitches);
    return meet && a.first <= b.last && b.first <= a.last && a.first != Order::Observers::FIRST;
}

TEST(RdmaEventOrder, IsOnesOwn)
{
    for (std::size_t i = 0; i < KINDS.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            EXPECT_FALSE(Clash(KINDS[i], KINDS[j])) << KINDS[i].file << ", " << KINDS[j].file;
        }
    }
}

TEST(RdmaEventOrder, StaysBelowAPicosecondAndLeavesZeroToTheUser)
{
    EXPECT_EQ(Order::Arrivals::FIRST, 1U);
    EXPECT_LT(Order::Observers::LAST, RDMA_FS_PER_PS);
    for (const Kind& kind : KINDS)
    {
        EXPECT_GE(kind.first, Order::Arrivals::FIRST) << kind.file;
        EXPECT_LE(kind.last, Order::Observers::LAST) << kind.file;
    }
}

// Results with simultaneous events follow from these numbers.
TEST(RdmaEventOrder, IsWhatItWas)
{
    for (const Kind& kind : KINDS)
    {
        EXPECT_EQ(kind.first, kind.mustBe) << kind.file;
        EXPECT_EQ(kind.last, kind.mustEndAt) << kind.file;
    }
}

// A retransmission after a timeout begins at the instant of the timeout, and a watchdog sees the
// frame.
TEST(RdmaEventOrder, SettlesFromDeadlinesToWatchdogs)
{
    EXPECT_LT(RdmaPacketEngine::EVENT_ORDER, RdmaSendScheduler::EVENT_ORDER);
    EXPECT_LT(RdmaSendScheduler::EVENT_ORDER, RdmaNicWatchdog::EVENT_ORDER);
}

/** \return a file's text */
std::string
Read(const std::filesystem::path& path)
{
    std::ifstream is(path);
    return {std::istreambuf_iterator<char>(is), {}};
}

TEST(RdmaEventOrder, HasAllOfTheModulesKindsInTheTable)
{
    const std::filesystem::path root = RDMA_SOURCE_FOLDER;
    const std::regex place(R"(RdmaEventOrder::\w+::(At|FIRST|LAST))");
    std::vector<std::string> found;
    for (const char* folder : {"model", "helper"})
    {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
        {
            const std::string name = entry.path().filename().string();
            if (!entry.is_regular_file() || name == "rdma-event-order.h")
            {
                continue;
            }
            const std::string text = Read(entry.path());
            const std::ptrdiff_t uses =
                std::distance(std::sregex_iterator(text.begin(), text.end(), place), {});
            found.insert(found.end(), uses, name);
        }
    }
    std::vector<std::string> expected;
    std::transform(KINDS.begin(), KINDS.end(), std::back_inserter(expected), [](const Kind& kind) {
        return kind.file;
    });
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
}

} // namespace
} // namespace ns3
