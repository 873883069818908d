/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-watchdog.h"
#include "qbb-storm-source.h"
#include "rdma-message-loop.h"
#include "rdma-test-fabric.h"
#include "rdma-test-units.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <array>
#include <numeric>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A storm of pause frames stops a whole fabric, and watchdogs restore the traffic of all other
 * hosts.
 */

using namespace ns3;

namespace
{

/** A storm at one host of a fat-tree. */
class FatTreeTestCase : public TestCase
{
  public:
    /** Bytes that arrive at all hosts but host 0. */
    struct Expected
    {
        uint64_t fairStorm; //!< without a storm, in the last 200 us of the detection time
        uint64_t fairAfter; //!< without a storm, in the millisecond from 1 ms after that time
        uint64_t dropAfter; //!< with a storm and watchdogs, in that millisecond
    };

    /** \param queueing attribute Queueing of the switches \param expected bytes that arrive */
    FatTreeTestCase(const std::string& queueing, const Expected& expected)
        : TestCase("one NIC stops a fat-tree, a watchdog brings the victims back: " + queueing),
          m_queueing(queueing),
          m_expected(expected)
    {
    }

  private:
    static constexpr uint32_t HOSTS = 16;       //!< hosts of a fat-tree with k = 4
    static constexpr RdmaPs START = MS;         //!< start of the storm at host 0
    static constexpr RdmaPs DETECTION = 2 * MS; //!< of the watchdogs, which poll every 50 us
    using Bytes = std::array<uint64_t, HOSTS>;  //!< bytes by receiving host

    /** Results of a run. */
    struct Seen
    {
        Bytes storm{};      //!< payload in the last 200 us of the detection time
        Bytes after{};      //!< payload in the millisecond from 1 ms after the detection time on
        uint64_t moved{0};  //!< data frames of all hosts in the last 200 us of the detection time
        uint64_t storms{0}; //!< storms that the watchdogs found
        RdmaPs first;       //!< time of the first storm
    };

    /**
     * \param storm true: with a storm
     * \param watchdog true: with watchdogs
     * \return bytes that arrived in host pairs without host 0
     */
    Seen RunOnce(bool storm, bool watchdog) const
    {
        RdmaTestFabric test;
        test.helper.SetSwitchAttribute("Queueing", StringValue(m_queueing));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(2 << 20));
        test.SetRetries(4_ms, 1000);
        test.Install(MakeRdmaFatTree(4, MakeTestRates(40, 40, 1000)), {});
        RdmaMessageLoop loop(test.fabric, 1'000'000);
        Seen seen;
        const auto at = [](RdmaPs when, auto what) { Simulator::Schedule(RdmaToTime(when), what); };
        // Bytes up to a later instant, less bytes up to an earlier instant.
        const auto count = [&loop](Bytes& bytes, bool add) {
            for (const auto& pair : loop.GetPairs())
            {
                if (pair.from != 0 && pair.to != 0)
                {
                    bytes[pair.to] += add ? pair.GetBytes() : -pair.GetBytes();
                }
            }
        };
        const auto countFrames = [&test, &seen](bool add) {
            for (uint32_t host = 1; host < HOSTS; ++host)
            {
                const auto& counters = test.fabric->GetNic(host)->GetPort(0)->GetCounters();
                seen.moved += add ? counters.classes[3].txFrames : -counters.classes[3].txFrames;
            }
        };
        at(START + DETECTION - 200 * US, [&]() {
            count(seen.storm, false);
            countFrames(false);
        });
        at(START + DETECTION, [&]() {
            count(seen.storm, true);
            countFrames(true);
        });
        at(START + DETECTION + MS, [&]() { count(seen.after, false); });
        at(START + DETECTION + 2 * MS, [&]() { count(seen.after, true); });
        auto source = CreateObject<QbbStormSource>();
        source->SetAttribute("Start", TimeValue(RdmaToTime(START)));
        if (storm)
        {
            source->Install(test.fabric->GetNic(0)->GetPort(0));
        }
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            auto dog = CreateObject<QbbPfcWatchdog>();
            dog->SetAttribute("DetectionTime", TimeValue(RdmaToTime(DETECTION)));
            dog->SetAttribute("RestorationTime", TimeValue(RdmaToTime(DETECTION)));
            dog->SetAttribute("PollInterval", TimeValue(MicroSeconds(50)));
            dog->TraceConnectWithoutContext(
                "StormDetected",
                Callback<void, uint32_t, uint8_t>([&seen](uint32_t, uint8_t) {
                    seen.first = seen.storms++ ? seen.first : RdmaNow();
                }));
            if (watchdog)
            {
                dog->Watch(test.fabric->GetSwitch(id));
            }
        }
        loop.AddAllToAll();
        test.Run(START + DETECTION + 2 * MS + 1_ps);
        return seen;
    }

    /** \param bytes bytes by host \return their sum */
    static uint64_t Sum(const Bytes& bytes)
    {
        return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    }

    void DoRun() override
    {
        const Seen fair = RunOnce(false, true);
        const Seen storm = RunOnce(true, false);
        const Seen drop = RunOnce(true, true);
        for (uint32_t host = 1; host < HOSTS; ++host)
        {
            // 40 Gb/s carry 1 MB in 200 us. A host's share of the fabric is at least half of that.
            NS_TEST_EXPECT_MSG_GT(fair.storm[host], 500'000U, "without a storm, host " << host);
            NS_TEST_EXPECT_MSG_EQ(storm.storm[host], 0U, "in the storm, host " << host);
            NS_TEST_EXPECT_MSG_EQ(storm.after[host], 0U, "later in the storm, host " << host);
            NS_TEST_EXPECT_MSG_EQ(drop.storm[host], 0U, "before the detection, host " << host);
            NS_TEST_EXPECT_MSG_GT(drop.after[host],
                                  fair.after[host] * 4 / 5,
                                  "back, host " << host);
        }
        NS_TEST_EXPECT_MSG_EQ(storm.moved, 0U, "frames that any other host has sent");
        // Runs are deterministic.
        NS_TEST_EXPECT_MSG_EQ(Sum(fair.storm), m_expected.fairStorm, "without a storm, 200 us");
        NS_TEST_EXPECT_MSG_EQ(Sum(fair.after), m_expected.fairAfter, "without a storm, 1 ms");
        NS_TEST_EXPECT_MSG_EQ(Sum(drop.after), m_expected.dropAfter, "the victims are back, 1 ms");
        NS_TEST_EXPECT_MSG_EQ(fair.storms, 0U, "storms that are none");
        // Only the switch's port to host 0 has a storm. Switches pause all other ports, and resume
        // them.
        NS_TEST_EXPECT_MSG_EQ(drop.storms, 1U, "storms");
        // The pause takes effect after START, so the first sample is at 1.05 ms.
        NS_TEST_EXPECT_MSG_EQ(drop.first, START + 50 * US + DETECTION, "detection");
    }

    std::string m_queueing; //!< attribute Queueing
    Expected m_expected;    //!< expected bytes
};

/** The suite. */
class RdmaStormTestSuite : public TestSuite
{
  public:
    RdmaStormTestSuite()
        : TestSuite("rdma-storm")
    {
        AddTestCase(new FatTreeTestCase("OutputQueued", {11'191'296, 59'536'384, 56'160'256}));
        AddTestCase(new FatTreeTestCase("InputQueued", {10'691'584, 57'250'816, 53'795'840}));
    }
};

RdmaStormTestSuite g_rdmaStormTestSuite; //!< registers the suite

} // namespace
