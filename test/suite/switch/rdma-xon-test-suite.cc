/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-source.h"
#include "rdma-test-fabric.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * The instant when a host that was paused for lack of shared memory goes on.
 */

using namespace ns3;

namespace
{

/**
 * Host 0 has 120 kB in the switch for host 1, which sends pause frames all the time. An incast of
 * 16 other hosts to host 3 fills the memory, which pauses host 0, and ends. None of host 0's frames
 * leaves, but the memory has room for them again.
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
        if (m_wasPaused && !paused && m_resumed == 0_ps)
        {
            m_resumed = RdmaNow();
        }
        if (m_resumed != 0_ps && !stopped && m_on == 0_ps)
        {
            m_on = RdmaNow();
        }
        // All bytes of the 16 senders have left. The 120 kB with their headers may remain.
        if (m_wasPaused && m_empty == 0_ps && buffer.GetUsage().usedBytes < 135'000)
        {
            m_empty = RdmaNow();
        }
        if (RdmaNow() < 2_ms)
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
            flows.push_back(MakeTestFlow(host, host, 3, 1'000'000, 10_us));
        }
        flows.push_back(MakeTestFlow(1, 0, 1, 120'000, 200_us));
        flows.push_back(MakeTestFlow(2, 0, 2, 10'000'000, 1500_us));
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
        NS_TEST_ASSERT_MSG_GT(m_resumed, 0_ps, "and it is resumed");
        // The switch resumes host 0 as soon as there is room, before the incast is completely over.
        NS_TEST_EXPECT_MSG_LT(m_resumed, m_empty + 100_ns, "XON");
        // A round trip is 2 us of cable and two frames of up to 90 ns.
        NS_TEST_EXPECT_MSG_LT(m_on, m_empty + 2300_ns, "the host goes on");
        for (const auto& result : test.results)
        {
            if (result.flow.id == 2)
            {
                // 10 MB at 100 Gb/s take 0.86 ms, with 82 B of headers, preamble and gap per
                // packet.
                NS_TEST_EXPECT_MSG_LT(result.fct.value_or(RDMA_NEVER),
                                      900_us,
                                      "its other flow, in the storm");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "lossless");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    bool m_wasPaused{false}; //!< the switch has paused host 0
    RdmaPs m_resumed{0};     //!< when the switch resumes host 0
    RdmaPs m_on{0};          //!< when host 0 goes on
    RdmaPs m_empty{0};       //!< when the memory of the incast is free
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
