/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic-watchdog.h"
#include "rdma-test-storm.h"
#include "rdma-test-units.h"

#include <ns3/test.h>

#include <algorithm>
#include <sstream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Tests of the pause frames that a storm source sends, and of the NIC watchdog that stops the
 * storm. Expected times are worked out by hand (RdmaTestStormCase).
 */

using namespace ns3;

namespace
{

/** A storm source sends pause frames until the NIC watchdog stops the storm. */
class NicTestCase : public RdmaTestStormCase
{
  public:
    NicTestCase()
        : RdmaTestStormCase("a storm source's frames, and the NIC's watchdog against them")
    {
    }

  private:
    /** \param watched true: with an RdmaNicWatchdog \return times of pause frames at the switch */
    std::string RunOnce(bool watched)
    {
        RdmaTestFabric test;
        Build(test, Seconds(0));
        std::string arrivals;
        RdmaPs fired = 0_ps;
        m_port->TraceConnectWithoutContext(
            "PfcReceived",
            Callback<void, uint8_t, uint16_t>([&](uint8_t priority, uint16_t quanta) {
                arrivals += std::to_string(priority) + ":" + std::to_string(quanta) + "@" +
                            std::to_string(RdmaNow().Get()) + " ";
            }));
        auto watchdog = CreateObject<RdmaNicWatchdog>();
        watchdog->SetAttribute("Timeout", TimeValue(MicroSeconds(100)));
        watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(10)));
        watchdog->TraceConnectWithoutContext("PauseDisabled",
                                             Callback<void, uint32_t>([&](uint32_t node) {
                                                 NS_TEST_EXPECT_MSG_EQ(node, 2U, "node");
                                                 fired = RdmaNow();
                                             }));
        if (watched)
        {
            watchdog->Install(m_host);
        }
        test.Run(watched ? 5000 * US : 600 * US);
        // The watchdog starts at the first pause frame, at 12 us, and looks every 10 us. Frames
        // came in before the look at 22 us, but none in the ten intervals up to 122 us.
        NS_TEST_EXPECT_MSG_EQ((fired >= 122 * US && fired < 122 * US + 110_ns),
                              watched,
                              "watchdog");
        NS_TEST_EXPECT_MSG_EQ(watchdog->HasFired(), watched, "watchdog");
        NS_TEST_EXPECT_MSG_EQ(test.runner->GetNCompleted(), (watched ? 2U : 0U), "flows");
        return arrivals;
    }

    void DoRun() override
    {
        // Pause frames arrive at 12 us + 1 005 760 and three times 167 769 600 later. A pause frame
        // waits for the end of a frame on the host's line, and is late by less than one frame.
        const std::string arrivals = RunOnce(false);
        NS_TEST_EXPECT_MSG_EQ(RunOnce(true), arrivals.substr(0, arrivals.find(' ') + 1), "one");
        std::istringstream text(arrivals);
        std::string word;
        for (int64_t i = 0; text >> word; ++i)
        {
            const RdmaPs earliest = 13'005'760_ps + i * 167'769'600_ps;
            const RdmaPs at(std::stoll(word.substr(word.find('@') + 1)));
            NS_TEST_EXPECT_MSG_EQ(word.substr(0, word.find('@')), "3:65535", "pause");
            NS_TEST_EXPECT_MSG_EQ((at >= earliest && at < earliest + 110_ns), true, word);
        }
        NS_TEST_EXPECT_MSG_EQ(std::count(arrivals.begin(), arrivals.end(), ' '), 4, "frames");
    }
};

/** The suite. */
class RdmaStormSourceTestSuite : public TestSuite
{
  public:
    RdmaStormSourceTestSuite()
        : TestSuite("rdma-storm-source")
    {
        AddTestCase(new NicTestCase);
    }
};

RdmaStormSourceTestSuite g_rdmaStormSourceTestSuite; //!< registers the suite

} // namespace
