/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-verbs.h"
#include "rdma-test-writer.h"

#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/inet-socket-address.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <array>
#include <memory>

/**
 * \file
 * \ingroup rdma-tests
 * Classes do not affect each other (Guo et al., SIGCOMM 2016, section 2): bulk and real-time RDMA,
 * both lossless, and TCP with reserved bandwidth. Within a class flows do affect each other by PFC,
 * with and without DCQCN.
 */

using namespace ns3;

namespace
{

constexpr uint8_t TCP = 0;
constexpr uint8_t BULK = 3;
constexpr uint8_t REAL_TIME = 4;

/** Bytes through a bottleneck, with losses and pauses. */
struct Traffic
{
    std::array<uint64_t, 8> bytes{};    //!< bytes of each class after the first ms
    std::array<uint64_t, 8> drops{};    //!< drops of each class
    std::array<RdmaPs, 8> pausedTime{}; //!< time that each class is paused at the hosts
};

/**
 * Hosts 0 and 1 send bulk data, hosts 2 and 3 send real-time data without end, and hosts 4 and 5
 * send over TCP, all of them to hosts 6 to 11.
 *
 * \param bulk true: with bulk writes
 * \param realTime true: with real-time writes
 * \param tcp true: with TCP
 * \return the traffic of 6 ms
 */
Traffic
RunClasses(bool bulk, bool realTime, bool tcp)
{
    RdmaFabricHelper::SetTcpDefaults();
    RdmaTestFabric test;
    test.helper.SetInternetStack(true);
    // TCP has 20% of the rate, bulk 50%, real time 30%.
    test.helper.SetDeviceAttribute("Scheduler",
                                   StringValue("2,strict,strict,5,3,strict,strict,strict"));
    test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1U << BULK | 1U << REAL_TIME));
    test.helper.SetBufferAttribute("BufferSize", UintegerValue(4 << 20));
    test.Install(MakeRdmaDumbbell(6, MakeTestRates(40, 40, 1000)), {});
    std::vector<std::unique_ptr<RdmaTestEndlessWriter>> writers;
    for (uint32_t host = 0; host < 4; ++host)
    {
        const bool isBulk = host < 2;
        if (isBulk ? bulk : realTime)
        {
            writers.push_back(std::make_unique<RdmaTestEndlessWriter>(
                test.fabric->Connect(host, 6 + host, isBulk ? BULK : REAL_TIME).first,
                4'000'000,
                2));
        }
    }
    for (uint32_t i = 0; i < 8 && tcp; ++i)
    {
        const uint32_t host = 4 + i % 2;
        const uint16_t port = 5000;
        if (i < 2)
        {
            PacketSinkHelper("ns3::TcpSocketFactory",
                             InetSocketAddress(Ipv4Address::GetAny(), port))
                .Install(test.fabric->GetNode(6 + host));
        }
        BulkSendHelper sender("ns3::TcpSocketFactory",
                              InetSocketAddress(test.fabric->GetAddress(6 + host), port));
        sender.SetAttribute("SendSize", UintegerValue(65536));
        sender.Install(test.fabric->GetNode(host)).Start(MicroSeconds(20 * i));
    }
    const auto bottleneck = test.fabric->GetDevice(12, 12);
    Traffic traffic;
    RdmaTestPair::At(1_ms, [&]() {
        for (uint8_t i = 0; i < 8; ++i)
        {
            traffic.bytes[i] = bottleneck->GetCounters().classes[i].txBytes;
        }
    });
    Simulator::Stop(MilliSeconds(7));
    Simulator::Run();
    for (uint8_t i = 0; i < 8; ++i)
    {
        traffic.bytes[i] = bottleneck->GetCounters().classes[i].txBytes - traffic.bytes[i];
        for (uint32_t host = 0; host < 6; ++host)
        {
            traffic.pausedTime[i] += test.fabric->GetDevice(host, host)
                                         ->GetFlowControl()
                                         .GetPauseReceiver()
                                         .GetPausedTime(i, RdmaNow());
        }
    }
    for (const auto& row : test.fabric->GetPortResults())
    {
        traffic.drops[row.priority] += row.drops;
    }
    Config::Reset();
    return traffic;
}

/** Row C3. */
class IsolationTestCase : public TestCase
{
  public:
    IsolationTestCase()
        : TestCase("TCP keeps its share, RDMA loses nothing, a class pauses no other class")
    {
    }

  private:
    static double GetShare(const Traffic& traffic, uint8_t priority)
    {
        uint64_t sum = 0;
        for (const uint64_t bytes : traffic.bytes)
        {
            sum += bytes;
        }
        return static_cast<double>(traffic.bytes[priority]) / static_cast<double>(sum);
    }

    void DoRun() override
    {
        const Traffic all = RunClasses(true, true, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare(all, TCP), 0.2, 0.004, "TCP");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare(all, BULK), 0.5, 0.005, "bulk");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare(all, REAL_TIME), 0.3, 0.005, "real time");
        NS_TEST_EXPECT_MSG_EQ(all.drops[BULK] + all.drops[REAL_TIME], 0, "RDMA loses nothing");
        NS_TEST_EXPECT_MSG_GT(all.pausedTime[BULK], 0_ps, "bulk is paused");
        NS_TEST_EXPECT_MSG_GT(all.pausedTime[REAL_TIME], 0_ps, "so is real time");
        NS_TEST_EXPECT_MSG_EQ(all.pausedTime[TCP], 0_ps, "TCP is not");

        // Bandwidth that a class does not use goes to the others by their weights.
        const Traffic noRealTime = RunClasses(true, false, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare(noRealTime, TCP), 2.0 / 7, 0.005, "TCP");
        NS_TEST_EXPECT_MSG_EQ(noRealTime.drops[BULK], 0, "RDMA loses nothing");
        NS_TEST_EXPECT_MSG_EQ(noRealTime.pausedTime[REAL_TIME], 0_ps, "bulk pauses bulk alone");
        const Traffic noTcp = RunClasses(true, true, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare(noTcp, BULK), 5.0 / 8, 0.005, "bulk");
        NS_TEST_EXPECT_MSG_EQ(noTcp.drops[BULK] + noTcp.drops[REAL_TIME], 0, "RDMA");
    }
};

/** Row C8, as far as a test has the time. */
class UnfairnessTestCase : public TestCase
{
  public:
    UnfairnessTestCase()
        : TestCase("PFC pauses ports, not flows; DCQCN leaves nothing to pause")
    {
    }

  private:
    /** Shares of four senders. */
    struct Shares
    {
        double lonely{0};   //!< packets of the sender at the receiver's switch
        double shared{0};   //!< packets of each other sender, on average
        uint64_t pauses{0}; //!< pause frames in the second half
    };

    static Shares RunSenders(bool dcqcn)
    {
        RdmaTestFabric test;
        if (dcqcn)
        {
            test.helper.SetCongestionControl("ns3::RdmaDcqcn");
            test.helper.EnableEcn(true);
        }
        // Hosts 0 to 3 are on the left, 4 to 7 on the right: senders 0 to 2 share one port, sender
        // 5 has its own.
        test.Install(MakeRdmaDumbbell(4, MakeTestRates(40, 40, 1000)), {});
        std::vector<std::unique_ptr<RdmaTestEndlessWriter>> writers;
        for (const uint32_t source : {0, 1, 2, 5})
        {
            writers.push_back(
                std::make_unique<RdmaTestEndlessWriter>(test.fabric->Connect(source, 4).first,
                                                        4'000'000,
                                                        2));
        }
        std::array<uint64_t, 4> before{};
        Shares shares;
        RdmaTestPair::At(10_ms, [&]() {
            for (std::size_t i = 0; i < 4; ++i)
            {
                before[i] = writers[i]->GetPackets();
            }
            shares.pauses = test.fabric->GetTotals().pauseFrames;
        });
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        for (std::size_t i = 0; i < 3; ++i)
        {
            shares.shared += static_cast<double>(writers[i]->GetPackets() - before[i]) / 3;
        }
        shares.lonely = static_cast<double>(writers[3]->GetPackets() - before[3]);
        shares.pauses = test.fabric->GetTotals().pauseFrames - shares.pauses;
        return shares;
    }

    void DoRun() override
    {
        const Shares pfc = RunSenders(false);
        // Both ports get equal shares: one flow gets as much as three.
        NS_TEST_EXPECT_MSG_EQ_TOL(pfc.lonely / pfc.shared, 3, 0.1, "PFC alone");
        NS_TEST_EXPECT_MSG_GT(pfc.pauses, 1000, "PFC alone");
        const Shares dcqcn = RunSenders(true);
        NS_TEST_EXPECT_MSG_EQ_TOL(dcqcn.lonely / dcqcn.shared, 1, 0.25, "DCQCN");
        NS_TEST_EXPECT_MSG_LT(dcqcn.pauses, pfc.pauses / 100, "DCQCN");
    }
};

/**
 * \ingroup rdma-tests
 * Several classes at one bottleneck.
 */
class RdmaIsolationTestSuite : public TestSuite
{
  public:
    RdmaIsolationTestSuite()
        : TestSuite("rdma-isolation")
    {
        AddTestCase(new IsolationTestCase);
        AddTestCase(new UnfairnessTestCase);
    }
};

RdmaIsolationTestSuite g_rdmaIsolationTestSuite; //!< registers the suite

} // namespace
