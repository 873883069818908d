/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-failure-plan.h"
#include "rdma-file-error.h"
#include "rdma-text-file.h"
#include "rdma-topology-builders.h"
#include "rdma-units.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/** Hosts 0 to 3, leaves 4 and 5, spines 6 and 7; links 0 to 3 of hosts, 4: 4-6, 5: 4-7, 6: 5-6, 7:
 * 5-7; one more link, 8, between leaf 4 and spine 6. */
RdmaTopology
MakeFailureTopology()
{
    RdmaTopology topology = MakeRdmaLeafSpine(2, 2, 2);
    topology.AddLink(4, 6, 40_gbps, 1_us, 0.001);
    return topology;
}

/** \return the changes of a plan, each as "TIMEus KIND LINK[>FROM][=VALUE]" */
std::string
ResolveFailures(const RdmaFailurePlan& plan)
{
    using Kind = RdmaLinkChange::Kind;
    std::string text;
    for (const RdmaLinkChange& change : plan.Resolve(MakeFailureTopology()))
    {
        text += text.empty() ? "" : " ";
        text += std::to_string(change.at / 1_us) + "us:";
        const std::string link = std::to_string(change.link);
        const std::string way = link + ">" + std::to_string(change.from) + "=";
        text += change.kind == Kind::DOWN   ? "down:" + link
                : change.kind == Kind::UP   ? "up:" + link
                : change.kind == Kind::RATE ? "rate:" + way + FormatRdmaRate(change.rate)
                                            : "loss:" + way + FormatRdmaReal(change.loss);
    }
    return text;
}

std::string
ResolveFailures(const std::string& text)
{
    return ResolveFailures(RdmaFailurePlan::Parse(text));
}

} // namespace

TEST(RdmaFailurePlan, Empty)
{
    EXPECT_TRUE(RdmaFailurePlan::Parse("").IsEmpty());
    EXPECT_EQ(ResolveFailures(""), "");
}

TEST(RdmaFailurePlan, LinksGoDownAndComeUp)
{
    EXPECT_EQ(ResolveFailures("leaf-0/spine-1:down:100us"), "100us:down:5");
    EXPECT_EQ(ResolveFailures("7/4:down:100us:200us"), "100us:down:5 200us:up:5");
    EXPECT_EQ(ResolveFailures("spine-1/leaf-0:up:200us,4/7:down:100us"), "100us:down:5 200us:up:5");
    EXPECT_EQ(ResolveFailures("host-3/leaf-1:down:0us"), "0us:down:3");
    // Down again at the instant at which the link would come up: the link stays down.
    EXPECT_EQ(ResolveFailures("4/7:down:1us:2us,4/7:down:2us:3us"), "1us:down:5 3us:up:5");
}

TEST(RdmaFailurePlan, ParallelLinksFailTogetherOrByNumber)
{
    EXPECT_EQ(ResolveFailures("leaf-0/spine-0:down:1us"), "1us:down:4 1us:down:8");
    EXPECT_EQ(ResolveFailures("leaf-0/spine-0#1:down:1us"), "1us:down:4");
    EXPECT_EQ(ResolveFailures("spine-0/leaf-0#2:down:1us"), "1us:down:8");
}

TEST(RdmaFailurePlan, NodesFailWithAllTheirLinks)
{
    EXPECT_EQ(ResolveFailures("spine-1:down:1us:2us"), "1us:down:5 1us:down:7 2us:up:5 2us:up:7");
    EXPECT_EQ(ResolveFailures("leaf-1:down:1us"), "1us:down:2 1us:down:3 1us:down:6 1us:down:7");
    // A link is up if neither the link itself nor one of its nodes is down.
    EXPECT_EQ(ResolveFailures("spine-1:down:1us:5us,leaf-1:down:3us:8us,4/7:down:4us:6us"),
              "1us:down:5 1us:down:7 3us:down:2 3us:down:3 3us:down:6 6us:up:5 8us:up:2 8us:up:3 "
              "8us:up:6 8us:up:7");
}

TEST(RdmaFailurePlan, RatesOfLinksAndDirections)
{
    EXPECT_EQ(ResolveFailures("leaf-0/spine-1:rate=25Gbps:1us"),
              "1us:rate:5>4=25Gbps 1us:rate:5>7=25Gbps");
    EXPECT_EQ(ResolveFailures("spine-1->leaf-0:rate=25%:1us:3us"),
              "1us:rate:5>7=25Gbps 3us:rate:5>7=100Gbps");
    // A part of each link's own rate.
    EXPECT_EQ(ResolveFailures("4->6:rate=50%:0us:1us"),
              "0us:rate:4>4=50Gbps 0us:rate:8>4=20Gbps 1us:rate:4>4=100Gbps 1us:rate:8>4=40Gbps");
    EXPECT_EQ(ResolveFailures("4->7:rate=50%:1us:2us,4->7:rate=100%:5us,4->7:rate=1Mbps:2us"),
              "1us:rate:5>4=50Gbps 2us:rate:5>4=1Mbps 5us:rate:5>4=100Gbps");
    const RdmaTopology slowest =
        RdmaFailurePlan::Parse("4->7:rate=50%:1us:2us,4/7:down:1us,7->4:rate=20%:3us")
            .GetSlowest(MakeFailureTopology());
    EXPECT_EQ(slowest.GetLink(5).rate, 20_gbps);
    EXPECT_EQ(slowest.GetLink(4).rate, 100_gbps);
    EXPECT_EQ(slowest.GetLink(8), MakeFailureTopology().GetLink(8));
}

TEST(RdmaFailurePlan, Losses)
{
    EXPECT_EQ(ResolveFailures("leaf-0->spine-0#2:loss=0.5:1us:2us"),
              "1us:loss:8>4=0.5 2us:loss:8>4=0.001");
    EXPECT_EQ(ResolveFailures("host-0:loss=1:0us"), "0us:loss:0>0=1 0us:loss:0>4=1");
    EXPECT_EQ(ResolveFailures("host-0->leaf-0:loss=0:0us"), "0us:loss:0>0=0");
}

TEST(RdmaFailurePlan, Descriptions)
{
    const RdmaTopology topology = MakeFailureTopology();
    const RdmaFailurePlan plan =
        RdmaFailurePlan::Parse("7/4:down:1us:3us,6->4#2:rate=25%:2us,7:down:5us,spine-1:up:6us,"
                               "host-0:loss=0.1:9us,host-1:loss=0.1:9us,host-2:loss=0.1:9us")
            .WithNames(topology);
    EXPECT_EQ(RdmaFailurePlan::Describe(plan.GetFailures()[0]),
              "leaf-0/spine-1 down from 1us to 3us");
    EXPECT_EQ(RdmaFailurePlan::Describe(plan.GetFailures()[1]),
              "spine-0->leaf-0#2 rate=25% from 2us");
    EXPECT_EQ(plan.DescribeAt(500_ns), "");
    EXPECT_EQ(plan.DescribeAt(1_us), "leaf-0/spine-1 down from 1us to 3us");
    EXPECT_EQ(plan.DescribeAt(5_us), "spine-0->leaf-0#2 rate=25% from 2us, spine-1 down from 5us");
    EXPECT_EQ(plan.DescribeAt(6_us), "spine-0->leaf-0#2 rate=25% from 2us");
    EXPECT_EQ(plan.DescribeAt(9_us),
              "spine-0->leaf-0#2 rate=25% from 2us, host-0 loss=0.1 from 9us, host-1 loss=0.1 from "
              "9us and 1 more");
    EXPECT_EQ(plan.GetLinks(topology)[1], std::vector<uint32_t>{8});
    EXPECT_EQ(plan.GetLinks(topology)[2], (std::vector<uint32_t>{5, 7}));
}

TEST(RdmaFailurePlan, Files)
{
    const std::string path = testing::TempDir() + "failures.csv";
    WriteRdmaFile(path, "event,where,stop,start\r\n\"rate=25%\",4->7,,1us\ndown,spine-1,5us,2us\n");
    const std::string expected = "1us:rate:5>4=25Gbps 2us:down:5 2us:down:7 5us:up:5 5us:up:7";
    EXPECT_EQ(ResolveFailures(path), expected);
    EXPECT_EQ(ResolveFailures("file:" + path), expected);
    const auto expect = [&path](const std::string& text, const std::string& problem) {
        WriteRdmaFile(path, text);
        ExpectError<RdmaFileError>([&] { RdmaFailurePlan::Parse(path); }, {path + problem});
    };
    expect("", ": where,event,start,stop: the file ends");
    expect("where,event\n", ":1: start: the column is missing; accepted: the columns where, event");
    expect("where,event,start,end\n", ":1: end: an unknown column; accepted: the columns where");
    expect("where,event,start,start\n", ":1: start: a column twice");
    expect("where,event,start\n4/7,down\n", ":2: 2 fields");
    expect("where,event,start\n4/7,,1us\n", ":2: event: the field is empty");
    WriteRdmaFile(path, "where,event,start\n4/7,down,1us\n\n4/9,down,2us\n");
    ExpectError<std::invalid_argument>([&] { ResolveFailures(path); },
                                       {path + ":4: there is no node '9'; accepted: a name such as "
                                               "spine-1, or 0 to 7"});
    std::remove(path.c_str());
    EXPECT_THROW(RdmaFailurePlan::Parse("file:/does/not/exist"), RdmaFileError);
}

TEST(RdmaFailurePlan, Errors)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { ResolveFailures(text); },
                                           {problem, "; accepted: "});
    };
    expect("spine-0", "'spine-0'; accepted: WHERE:EVENT:START[:STOP], as in spine-0:down:100us");
    expect("spine-0:down", "accepted: WHERE:EVENT:START[:STOP]");
    expect("spine-0:down::2us", "accepted: WHERE:EVENT:START[:STOP]");
    expect("spine-0:down:1us:2us:3us", "accepted: WHERE:EVENT:START[:STOP]");
    expect("spine-9:down:1us", "'spine-9:down:1us': there is no node 'spine-9'; accepted: a name");
    expect("8:down:1us", "there is no node '8'; accepted: a name such as spine-1, or 0 to 7");
    expect("host-0/spine-0:down:1us",
           "there is no link between host-0 and spine-0; accepted: a neighbour of host-0: leaf-0");
    expect("4/6#3:down:1us",
           "there is no link number 3 between leaf-0 and spine-0; accepted: 1 to");
    expect("4/6#x:down:1us", "number of a link: 'x'");
    expect("4->6:down:1us", "one direction of a link goes neither down nor up; accepted: A/B for");
    expect("4/6:explode:1us", "an unknown event 'explode'; accepted: down, up, rate=25Gbps");
    expect("4/6:downs:1us", "an unknown event 'downs'");
    expect("4/6:down:1", "'4/6:down:1': start: '1' has no unit");
    expect("4/6:down:1us:2x", "stop: '2x' has the unknown unit 'x'");
    expect("4/6:down:2us:1us", "the stop is not after the start; accepted: a stop after 2us");
    expect("4/6:down:2us:2us", "the stop is not after the start");
    expect("4/7:up:1us", "leaf-0/spine-1 comes up at 1000ns and has not gone down before");
    expect("4/7:up:1us,4/7:down:1us", "comes up at 1000ns and has not gone down before");
    expect("4/7:up:2us:3us,4/7:down:1us", "up has a stop; accepted: down, or no stop");
    expect("spine-1:down:1us,4/7:up:2us", "leaf-0/spine-1 comes up at 2000ns");
    expect("4/7:down:1us:3us,7/4:down:2us", "leaf-0/spine-1 goes down at 2000ns and is down alrea");
    expect("4/7:rate=0Gbps:1us",
           "rate '0Gbps'; accepted: 1Mbps to 100Gbps, the link's own rate, o");
    expect("4/7:rate=200Gbps:1us", "rate '200Gbps'; accepted: 1Mbps to 100Gbps");
    expect("4/6:rate=50Gbps:1us", "rate '50Gbps'; accepted: 1Mbps to 40Gbps");
    expect("4/7:rate=0%:1us", "rate '0%'; accepted: 1Mbps to 100Gbps");
    expect("4/7:rate=101%:1us", "rate 101%; accepted: 1Mbps to 100Gbps");
    expect("4/7:rate=fast:1us", "rate 'fast'; accepted: 1Mbps to 100Gbps");
    expect("4/7:loss=1.5:1us", "loss 1.5; accepted: 0 to 1");
    expect("4/7:loss=-1:1us", "loss: '-1' is negative");
    expect("4/7:rate=50%:1us,spine-1:rate=25%:1us",
           "the link has another rate by '4/7:rate=50%:1us' at that time; accepted: one at a time");
    expect("4/7:rate=50%:1us:5us,7->4:rate=25%:3us", "the link has another rate by");
    expect("4/7:loss=0.1:1us:5us,4/7:loss=0.2:3us", "the link has another loss by");
}
