/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-source.h"
#include "rdma-test-fabric.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * When a host that was paused for want of shared memory goes on.
 */

using namespace ns3;

namespace
{

/**
 * Host 0 has 120 kB in the switch for host 1, which sends pause frames all the time. An incast of
 * 16 others to host 3 takes the memory meanwhile, so that host 0 is paused, and ends. Nothing of
 * host 0's leaves; there is room for it again all the same.
 */
class XonAfterIncastTestCase : public TestCase
{
  public:
    XonAfterIncastTestCase()
        : TestCase("a host goes on within a round trip after others have made room")
    {
    }

  private:
    static constexpr uint32_t SWITCH = 20;

    void Look(const RdmaTestFabric& test, const QbbBufferManager& buffer)
    {
        const bool paused = buffer.IsPaused(0, 3);
        const bool stopped =
            test.fabric->GetDevice(0, 0)->GetFlowControl().GetPauseReceiver().GetPaused() &
            (1 << 3);
        m_wasPaused = m_wasPaused || paused;
        if (m_wasPaused && !paused && !m_resumedPs)
        {
            m_resumedPs = QbbNowPs();
        }
        if (m_resumedPs && !stopped && !m_onPs)
        {
            m_onPs = QbbNowPs();
        }
        // All that the 16 have sent has left; the 120 kB with their headers may be there.
        if (m_wasPaused && !m_emptyPs && buffer.GetUsage().usedBytes < 135'000)
        {
            m_emptyPs = QbbNowPs();
        }
        if (QbbNowPs() < 2'000'000'000)
        {
            Simulator::Schedule(NanoSeconds(100), [this, &test, &buffer]() { Look(test, buffer); });
        }
    }

    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(3 << 20));
        std::vector<RdmaFlow> flows;
        for (uint32_t host = 4; host < SWITCH; ++host)
        {
            flows.push_back(MakeTestFlow(host, host, 3, 1'000'000, 10'000'000));
        }
        flows.push_back(MakeTestFlow(1, 0, 1, 120'000, 200'000'000));
        flows.push_back(MakeTestFlow(2, 0, 2, 10'000'000, 1'500'000'000));
        test.Install(MakeRdmaStar(SWITCH, MakeTestRates(100, 100, 1000)), flows);
        auto storm = CreateObject<QbbStormSource>();
        storm->SetAttribute("Start", TimeValue(MicroSeconds(1)));
        storm->SetAttribute("Stop", TimeValue(MilliSeconds(8)));
        storm->Install(test.fabric->GetDevice(1, 1));
        const Ptr<QbbBufferManager> buffer = test.fabric->GetSwitch(SWITCH)->GetBufferManager();
        Simulator::Schedule(MicroSeconds(200), [&]() { Look(test, *buffer); });
        Simulator::Stop(MilliSeconds(12));
        Simulator::Run();
        test.results = test.runner->GetResults();
        NS_TEST_EXPECT_MSG_EQ(m_wasPaused, true, "the incast has host 0 paused");
        NS_TEST_ASSERT_MSG_GT(m_resumedPs, 0, "and it is resumed");
        // Before the incast is over in full, as soon as there is room.
        NS_TEST_EXPECT_MSG_LT(m_resumedPs, m_emptyPs + 100'000, "XON");
        // A round trip is 2 us of cable and two frames of up to 90 ns.
        NS_TEST_EXPECT_MSG_LT(m_onPs, m_emptyPs + 2'300'000, "the host goes on");
        for (const auto& result : test.results)
        {
            if (result.flow.id == 2)
            {
                // 10 MB at 100 Gb/s, with 82 + 20 bytes of headers a packet: 0.87 ms
                NS_TEST_EXPECT_MSG_LT(result.fctPs.value_or(INT64_MAX),
                                      900'000'000,
                                      "its other flow, in the storm");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "lossless");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    bool m_wasPaused{false}; //!< the switch has paused host 0
    int64_t m_resumedPs{0};  //!< the switch resumes it
    int64_t m_onPs{0};       //!< it has heard that
    int64_t m_emptyPs{0};    //!< the memory of the incast is free
};

/** The suite. */
class RdmaXonTestSuite : public TestSuite
{
  public:
    RdmaXonTestSuite()
        : TestSuite("rdma-xon")
    {
        AddTestCase(new XonAfterIncastTestCase);
    }
};

RdmaXonTestSuite g_rdmaXonTestSuite; //!< registers the suite

} // namespace
