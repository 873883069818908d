/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-generated-workload.h"
#include "rdma-test-workload.h"
#include "rdma-topology-builders.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

using namespace ns3;

namespace
{

/// Poisson arrivals.
class RdmaPoissonWorkloads : public RdmaWorkloads
{
};

} // namespace

TEST_F(RdmaPoissonWorkloads, Poisson)
{
    RdmaTopologyRates rates;
    rates.hostRate = 40_gbps;
    const auto topology = MakeRdmaLeafSpine(2, 4, 2, rates);
    const auto flows = MakeRdmaFlows("poisson[Start=5ms|Duration=2s|Load=0.5|Cdf=irn-uniform|"
                                     "Priority=5|DestinationPort=100]",
                                     topology);
    ExpectOrdered(flows);

    double bytes = 0;
    std::map<uint32_t, double> sent;
    std::map<uint32_t, double> received;
    std::map<uint32_t, RdmaPs> last;
    double gaps = 0;
    double squares = 0;
    for (const auto& flow : flows)
    {
        EXPECT_GE(flow.start, 5_ms);
        EXPECT_LT(flow.start, 5_ms + 2_s);
        EXPECT_TRUE(topology.IsHost(flow.srcHost));
        EXPECT_TRUE(topology.IsHost(flow.dstHost));
        EXPECT_EQ(flow.priority, 5u);
        EXPECT_EQ(flow.dstPort, 100u);
        bytes += static_cast<double>(flow.bytes);
        sent[flow.srcHost] += 1;
        received[flow.dstHost] += 1;
        const RdmaPs before = last.count(flow.srcHost) > 0 ? last[flow.srcHost] : 5_ms;
        const auto gap = static_cast<double>(flow.start - before);
        last[flow.srcHost] = flow.start;
        gaps += gap;
        squares += gap * gap;
    }
    // 8 hosts of 40 Gb/s at a load of 0.5 send 40 GB in 2 s: 14545 flows of 2.75 MB. The standard
    // deviation is 0.8% from the number of flows and 0.5% from their sizes.
    EXPECT_NEAR(bytes / 40e9, 1.0, 0.04);
    const auto n = static_cast<double>(flows.size());
    for (const uint32_t host : topology.GetHosts())
    {
        // 1818 flows for each host, standard deviation 43.
        EXPECT_NEAR(sent[host], n / 8, 4 * 43);
        EXPECT_NEAR(received[host], n / 8, 4 * 43);
    }
    // Exponential gaps: the standard deviation equals the mean.
    const double mean = gaps / n;
    EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1.0, 0.04);
}

TEST_F(RdmaPoissonWorkloads, PoissonContinues)
{
    const auto topology = MakeRdmaLeafSpine(2, 4, 2);
    const auto make = [&topology](RdmaPs block) {
        const auto workload = MakeRdmaWorkload(
            RdmaPart::Parse("poisson[Start=1ms|WarmUp=200us|Measure=300us|Cdf=storage]",
                            RdmaWorkload::GetTypeId()));
        auto flows = workload->MakeFlows(topology);
        for (RdmaPs at = 1'500_us; at < 10'500_us;)
        {
            at = std::min(at + block, 10'500_us);
            const auto more = workload->MakeMoreFlows(topology, at);
            EXPECT_TRUE(more.empty() || more.back().start < at);
            flows.insert(flows.end(), more.begin(), more.end());
        }
        return flows;
    };
    const auto flows = make(9'000_us);
    ExpectOrdered(flows);
    for (const RdmaPs block : {11_us, 100_us, 1_ms})
    {
        EXPECT_EQ(make(block), flows) << block;
    }
    // The window has the flows of a workload without a window.
    const auto plain = MakeRdmaFlows("poisson[Start=1ms|Duration=500us|Cdf=storage]", topology);
    ASSERT_LT(plain.size(), flows.size());
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), flows.begin()));
    EXPECT_GE(flows[plain.size()].start, 1'500_us);
    // Every host goes on at the mean rate.
    const auto longPlain = MakeRdmaFlows("poisson[Duration=9ms|Cdf=storage]", topology);
    const auto later = static_cast<double>(flows.size() - plain.size());
    EXPECT_NEAR(later / static_cast<double>(longPlain.size()), 1.0, 0.1);
    std::map<uint32_t, double> sent;
    for (std::size_t i = plain.size(); i < flows.size(); ++i)
    {
        sent[flows[i].srcHost] += 1;
    }
    for (const uint32_t host : topology.GetHosts())
    {
        EXPECT_NEAR(sent[host], later / 8, 5 * std::sqrt(later / 8));
    }
}

TEST_F(RdmaPoissonWorkloads, PoissonWindow)
{
    const auto getWindow = [](const std::string& text) {
        return MakeRdmaWorkload(RdmaPart::Parse(text, RdmaWorkload::GetTypeId()))->GetWindow();
    };
    EXPECT_FALSE(getWindow("poisson"));
    const auto window = getWindow("poisson[Start=1ms|WarmUp=2ms|Measure=4ms]");
    ASSERT_TRUE(window);
    EXPECT_EQ(window->begin, 3_ms);
    EXPECT_EQ(window->end, 7_ms);
    EXPECT_TRUE(window->Contains(3_ms));
    EXPECT_FALSE(window->Contains(7_ms));
    const auto topology = MakeRdmaStar(4);
    const auto make = [&topology](const std::string& text) { MakeRdmaFlows(text, topology); };
    ExpectError<std::invalid_argument>([&] { make("poisson[WarmUp=1ms]"); },
                                       {"WarmUp 1000000ns without Measure; accepted: 0s"});
    ExpectError<std::invalid_argument>(
        [&] { make("poisson[WarmUp=9000s|Measure=9000s]"); },
        {"Measure 9000000000000ns with WarmUp 9000000000000ns; accepted: up to "});
}

TEST_F(RdmaPoissonWorkloads, LoadOf)
{
    // Headers and ACKs leave less of the load for payload, and fewer flows start: 1024 B of payload
    // take 1106 B on the wire, and their ACK takes 86 B.
    const auto topology = MakeRdmaStar(4);
    const auto count = [&topology](const std::string& of) {
        const auto flows = MakeRdmaFlows("poisson[Duration=100ms|Cdf=irn-uniform" + of, topology);
        return static_cast<double>(flows.size());
    };
    const double payload = count("]");
    EXPECT_EQ(count("|LoadOf=Payload|Mtu=256]"), payload);
    EXPECT_NEAR(count("|LoadOf=Wire]") / payload, 1024.0 / 1106, 0.03);
    EXPECT_NEAR(count("|LoadOf=WireAcks]") / payload, 1024.0 / 1192, 0.03);
    EXPECT_NEAR(count("|LoadOf=Wire|Mtu=256]") / payload, 256.0 / 338, 0.03);
}

TEST_F(RdmaPoissonWorkloads, PoissonFollowsHostRates)
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    topology.AddSwitch();
    topology.AddLink(0, 2, 30_gbps, 1_ns);
    topology.AddLink(1, 2, 5_gbps, 1_ns);
    topology.AddLink(1, 2, 5_gbps, 1_ns);
    double first = 0;
    const auto flows = MakeRdmaFlows("poisson[Duration=1s|Cdf=storage]", topology);
    for (const auto& flow : flows)
    {
        first += flow.srcHost == 0 ? 1 : 0;
    }
    EXPECT_NEAR(first / static_cast<double>(flows.size()), 0.75, 0.01);
}
