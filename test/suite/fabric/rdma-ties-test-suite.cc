/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-order.h"
#include "rdma-test-fabric.h"
#include "rdma-test-link.h"
#include "rdma-test-udp.h"

#include <ns3/random-variable-stream.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/rng-stream.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

/**
 * \file
 * \ingroup rdma-tests
 * Frames that arrive at a switch at one instant: the port number does not decide which frame gets
 * through.
 */

using namespace ns3;

namespace
{

/** \param values any numbers \return rank of each value; the first of equal values ranks lower */
std::vector<double>
GetTieRanks(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&values](std::size_t a, std::size_t b) {
        return values[a] < values[b];
    });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        ranks[order[i]] = static_cast<double>(i);
    }
    return ranks;
}

/** \param values by port number \return Spearman's rank correlation with the port number */
double
GetTieRankCorrelation(const std::vector<double>& values)
{
    const auto n = static_cast<double>(values.size());
    const std::vector<double> ranks = GetTieRanks(values);
    double sum = 0;
    for (std::size_t port = 0; port < ranks.size(); ++port)
    {
        const double difference = ranks[port] - static_cast<double>(port);
        sum += difference * difference;
    }
    return 1 - 6 * sum / (n * (n * n - 1));
}

/** Acknowledgement-clocked senders over cables of equal length, with losses. */
class LossyIncastTestCase : public TestCase
{
  public:
    LossyIncastTestCase()
        : TestCase("lossy 32-to-1 incast of IRN over equal cables: completion times do not follow "
                   "the port numbers")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SENDERS = 32;
        constexpr uint32_t SEEDS = 20;
        double sum = 0;
        double squares = 0;
        for (uint32_t seed = 1; seed <= SEEDS; ++seed)
        {
            RngSeedManager::SetSeed(seed);
            auto start = CreateObject<UniformRandomVariable>();
            start->SetStream(77);
            std::vector<RdmaFlow> flows;
            for (uint32_t host = 0; host < SENDERS; ++host)
            {
                const RdmaPs at = 10_us + start->GetInteger(0, 5'000'000) * 1_ps;
                flows.push_back(MakeTestFlow(host, host, SENDERS, 1'000'000, at));
            }
            RdmaTestFabric test;
            test.helper.SetTransport("ns3::IrnTransport");
            test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
            test.helper.SetBufferAttribute("EgressLimitBytes", UintegerValue(100'000));
            test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)), flows);
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().drops, 1000U, "frames are lost");
            std::vector<double> durations(SENDERS);
            for (const auto& result : test.results)
            {
                durations[result.flow.srcHost] = static_cast<double>(result.fct.value_or(0_ps));
            }
            const double correlation = GetTieRankCorrelation(durations);
            sum += correlation;
            squares += correlation * correlation;
        }
        // If duration and port number are unrelated, Spearman's coefficient has mean 0 and variance
        // 1 / (n - 1), here 1 / 31, and is nearly normal. Then the mean of 20 seeds has the
        // standard deviation 1 / sqrt(31 x 20), or 0.040. The sum of squares times 31 is
        // chi-squared with 20 degrees of freedom: mean 20, standard deviation sqrt(40). Both tests
        // allow four standard deviations. The first test finds an order of ports that is always
        // favoured, the second an order that each seed draws anew.
        constexpr double VARIANCE = 1.0 / (SENDERS - 1);
        NS_TEST_EXPECT_MSG_LT(std::abs(sum / SEEDS),
                              4 * std::sqrt(VARIANCE / SEEDS),
                              "correlation, mean of the seeds");
        NS_TEST_EXPECT_MSG_LT(squares / VARIANCE,
                              SEEDS + 4 * std::sqrt(2.0 * SEEDS),
                              "squares of the correlations");
        RngSeedManager::SetSeed(1);
    }
};

/** Senders at line rate whose frames arrive in step for the whole run. */
class TiedUdpTestCase : public TestCase
{
  public:
    TiedUdpTestCase()
        : TestCase("four UDP senders in step into one lossy queue get equal shares")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SENDERS = 4;
        constexpr uint32_t PACKETS = 3000;
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.helper.SetBufferAttribute("EgressLimitBytes", UintegerValue(100'000));
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(1, 1, 1000)), {});
        std::vector<std::unique_ptr<RdmaTestUdp>> senders;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            senders.push_back(std::make_unique<RdmaTestUdp>(test.fabric->GetNode(i),
                                                            test.fabric->GetNode(SENDERS),
                                                            test.fabric->GetAddress(SENDERS),
                                                            static_cast<uint16_t>(9000 + i)));
            // The first packet waits for ARP. A packet takes 1000 + 8 + 20 + 18 + 20 (preamble,
            // gap) = 1066 B at 1 Gb/s.
            senders.back()->SendEvery(MilliSeconds(10), MilliSeconds(1), 1);
            senders.back()->SendEvery(MilliSeconds(50), NanoSeconds(8528), PACKETS);
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        uint32_t all = 0;
        for (const auto& sender : senders)
        {
            all += sender->GetReceived();
        }
        NS_TEST_EXPECT_MSG_LT(all, PACKETS * 2, "most are lost");
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(senders[i]->GetReceived() / static_cast<double>(all),
                                      1.0 / SENDERS,
                                      0.04,
                                      "share of sender " << i);
        }
    }
};

/** Ports that share a place in RdmaPortPlace(), like those of a node with more than 512 ports. */
class SharedPlaceTestCase : public TestCase
{
  public:
    SharedPlaceTestCase()
        : TestCase("1100 ports: frames of one instant come in an order that does not depend on who "
                   "sent first, and each port is first as often")
    {
    }

  private:
    static constexpr uint32_t PORTS = 1100;
    static constexpr uint32_t INSTANTS = 600;

    /** \param senders ports, in the order in which they send \return ports in order of arrival */
    static std::vector<uint32_t> GetOrder(const std::vector<uint32_t>& senders)
    {
        QbbHelper helper;
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        NodeContainer nodes(2);
        RdmaTestSink sink;
        std::vector<Ptr<QbbNetDevice>> ports;
        for (uint32_t i = 0; i < PORTS; ++i)
        {
            const auto ends = helper.Install(nodes.Get(0), nodes.Get(1));
            ports.push_back(DynamicCast<QbbNetDevice>(ends.Get(0)));
            DynamicCast<QbbNetDevice>(ends.Get(1))->SetSink(&sink);
        }
        for (uint32_t instant = 0; instant < INSTANTS; ++instant)
        {
            RdmaTestLink::At(instant * 1_us, [&ports, &senders]() {
                for (const uint32_t port : senders)
                {
                    ports[port]->Enqueue(MakeTestFrame(*ports[port], port, 3, 1000));
                    ports[port]->Enqueue(MakeTestFrame(*ports[port], port, 3, 500));
                }
            });
        }
        Simulator::Run();
        std::vector<uint32_t> order;
        for (const auto& arrival : sink.arrivals)
        {
            order.push_back(arrival.psn);
        }
        Simulator::Destroy();
        return order;
    }

    void DoRun() override
    {
        const std::vector<uint32_t> order = GetOrder({3, 515, 1027, 4, 600});
        NS_TEST_EXPECT_MSG_EQ(order.size(), INSTANTS * 10U, "frames");
        NS_TEST_EXPECT_MSG_EQ((GetOrder({600, 1027, 4, 515, 3}) == order), true, "other order");
        std::map<uint32_t, uint32_t> first;
        for (std::size_t i = 0; i < order.size(); i += 5)
        {
            ++first[order[i]];
        }
        // Ports 3, 515 and 1027 share a place, which leaves three places. Each place is first at
        // 400 of 1200 instants, each port of the shared place at 133. The tolerances are five
        // standard deviations.
        for (const uint32_t port : {4U, 600U})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(first[port], 400, 82, "alone, port " << port);
        }
        for (const uint32_t port : {3U, 515U, 1027U})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(first[port], 133, 55, "one of three, port " << port);
        }
    }
};

/** RdmaFabricHelper::SetDelayJitter(). */
class DelayJitterTestCase : public TestCase
{
  public:
    DelayJitterTestCase()
        : TestCase(
              "delay jitter: separate for each cable, within the bounds, equal for equal streams")
    {
    }

  private:
    /// No AssignStreams().
    static constexpr int64_t NONE = -2;

    static std::vector<RdmaPs> GetDelays(Time jitter, int64_t stream)
    {
        RngSeedManager::SetSeed(1);
        RdmaTestFabric test;
        test.helper.SetDelayJitter(jitter);
        if (stream != NONE)
        {
            test.helper.AssignStreams(stream);
        }
        test.Install(MakeRdmaStar(64, MakeTestRates(100, 100, 1000)), {});
        std::vector<RdmaPs> delays;
        for (uint32_t link = 0; link < 64; ++link)
        {
            delays.push_back(test.fabric->GetChannel(link)->GetDelayPs());
        }
        return delays;
    }

    void DoRun() override
    {
        const std::vector<RdmaPs> plain = GetDelays(Time(0), 5);
        NS_TEST_EXPECT_MSG_EQ((plain == std::vector<RdmaPs>(64, 1_us)), true, "no jitter");
        const std::vector<RdmaPs> delays = GetDelays(NanoSeconds(80), 5);
        const auto [least, most] = std::minmax_element(delays.begin(), delays.end());
        NS_TEST_EXPECT_MSG_GT(*least, 999'999_ps, "least");
        NS_TEST_EXPECT_MSG_LT(*least, 1'010_ns, "least");
        NS_TEST_EXPECT_MSG_GT(*most, 1'070_ns, "most");
        NS_TEST_EXPECT_MSG_LT(*most, 1'080'001_ps, "most");
        NS_TEST_EXPECT_MSG_EQ((GetDelays(NanoSeconds(80), 5) == delays), true, "same stream");
        NS_TEST_EXPECT_MSG_EQ((GetDelays(NanoSeconds(80), 6) == delays), false, "another stream");
        RngSeedManager::SetSeed(1);
        const auto same = CreateObject<UniformRandomVariable>();
        same->SetStream(5);
        for (const RdmaPs delay : delays)
        {
            const RdmaPs expected = 1_us + RdmaPs(same->GetInteger(0, 80'000));
            NS_TEST_EXPECT_MSG_EQ(delay, expected, "draw of ns-3");
        }
        // The helper takes one automatic stream when it is made, whether or not it draws.
        const uint64_t before = RngSeedManager::GetNextStreamIndex();
        const std::vector<RdmaPs> automatic = GetDelays(NanoSeconds(80), NONE);
        const uint64_t between = RngSeedManager::GetNextStreamIndex();
        GetDelays(Time(0), NONE);
        const uint64_t after = RngSeedManager::GetNextStreamIndex();
        NS_TEST_EXPECT_MSG_EQ(after - between, between - before, "streams that are taken");
        RngStream first(RngSeedManager::GetSeed(), before + 1, RngSeedManager::GetRun());
        for (const RdmaPs delay : automatic)
        {
            const RdmaPs expected = 1_us + RdmaPs(static_cast<int64_t>(first.RandU01() * 80'001));
            NS_TEST_EXPECT_MSG_EQ(delay, expected, "draw of ns-3, automatic stream");
        }
    }
};

/** The suite. */
class RdmaTiesTestSuite : public TestSuite
{
  public:
    RdmaTiesTestSuite()
        : TestSuite("rdma-ties")
    {
        AddTestCase(new LossyIncastTestCase);
        AddTestCase(new TiedUdpTestCase);
        AddTestCase(new SharedPlaceTestCase);
        AddTestCase(new DelayJitterTestCase);
    }
};

RdmaTiesTestSuite g_rdmaTiesTestSuite; //!< registers the suite

} // namespace
