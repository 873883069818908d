/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-net-device.h"
#include "rdma-expect-error.h"

#include <ns3/mac48-address.h>
#include <ns3/node-container.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <map>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Wrong uses of a link: the program ends with a message that names the error. Each case
 * runs in a child process.
 */

namespace ns3
{
namespace
{

/** Two ports and a cable that may be set up wrongly. */
class QbbLinkErrorsTest : public testing::Test
{
  protected:
    QbbLinkErrorsTest()
    {
        m_nodes.Create(2);
        const NetDeviceContainer ports = m_helper.Install(m_nodes);
        m_a = DynamicCast<QbbNetDevice>(ports.Get(0));
        m_b = DynamicCast<QbbNetDevice>(ports.Get(1));
    }

    ~QbbLinkErrorsTest() override
    {
        Simulator::Destroy();
    }

    /** Sets an attribute of both ends. */
    void SetAtBoth(const std::string& name, const std::string& atA, const std::string& atB)
    {
        m_a->SetAttribute(name, StringValue(atA));
        m_b->SetAttribute(name, StringValue(atB));
    }

    /** Expects values of an attribute to end the program. \param message the program's message */
    void ExpectDeath(const std::string& name,
                     const std::string& atA,
                     const std::string& atB,
                     const std::string& message)
    {
        SetAtBoth(name, atA, atB);
        ExpectRefusal([&] { Simulator::Run(); }, message);
    }

    QbbHelper m_helper;
    NodeContainer m_nodes;
    Ptr<QbbNetDevice> m_a;
    Ptr<QbbNetDevice> m_b;
};

TEST_F(QbbLinkErrorsTest, DefaultsAreAccepted)
{
    Simulator::Run();
    EXPECT_TRUE(m_a->IsLinkUp());
    EXPECT_NE(m_a->GetMac(), m_b->GetMac());
    EXPECT_EQ(m_a->GetPeer(), PeekPointer(m_b));
    EXPECT_EQ(m_b->GetPeer(), PeekPointer(m_a));
}

TEST_F(QbbLinkErrorsTest, EqualSettingsAreAccepted)
{
    SetAtBoth("PfcClasses", "24", "24");
    SetAtBoth("DataRate", "25Gbps", "25Gbps");
    Simulator::Run();
}

TEST_F(QbbLinkErrorsTest, LosslessClassOnOneSideOnly)
{
    ExpectDeath("PfcClasses",
                "8",
                "24",
                "the link between nodes 0 and 1: .*lossless on one side only .*PfcClasses 8 "
                "and 24, .*set FlowControl and PfcClasses alike on both ends");
}

TEST_F(QbbLinkErrorsTest, FlowControlOnOneSideOnly)
{
    ExpectDeath("FlowControl", "Pfc", "None", ".*lossless on one side only .*PfcClasses 8 and 0");
}

TEST_F(QbbLinkErrorsTest, TwoKindsOfFlowControl)
{
    SetAtBoth("PfcClasses", "255", "255");
    ExpectDeath("FlowControl",
                "Pfc",
                "Pause",
                ".*set FlowControl and PfcClasses alike on both ends");
}

TEST_F(QbbLinkErrorsTest, TwoRates)
{
    ExpectDeath("DataRate",
                "100Gbps",
                "40Gbps",
                "the link between nodes 0 and 1 has 100000000000bps at one end and "
                "40000000000bps at the other; both ends of a cable need one rate");
}

TEST_F(QbbLinkErrorsTest, LineOverheadAtOneEnd)
{
    SetAtBoth("LineOverhead", "false", "false");
    ExpectDeath("LineOverhead",
                "true",
                "false",
                "the link between nodes 0 and 1: LineOverhead is true at port 0 of node 0 and "
                "false at port 0 of node 1; set LineOverhead alike on both ends");
}

TEST_F(QbbLinkErrorsTest, NoCable)
{
    m_nodes.Get(0)->AddDevice(CreateObject<QbbNetDevice>());
    ExpectRefusal([&] { Simulator::Run(); }, "port 1 of node 0 has no cable");
}

TEST_F(QbbLinkErrorsTest, CableWithOneEnd)
{
    auto port = CreateObject<QbbNetDevice>();
    m_nodes.Get(1)->AddDevice(port);
    port->Attach(CreateObject<QbbChannel>());
    ExpectRefusal([&] { Simulator::Run(); },
                  "port 1 of node 1 has no cable, or its cable has no other");
}

TEST_F(QbbLinkErrorsTest, TooManyEnds)
{
    auto port = CreateObject<QbbNetDevice>();
    EXPECT_DEATH(port->Attach(m_a->GetQbbChannel()), "rdma: a third device");
    EXPECT_DEATH(m_a->Attach(CreateObject<QbbChannel>()), "rdma: a port is attached to a second");
}

TEST_F(QbbLinkErrorsTest, Delay)
{
    auto channel = m_a->GetQbbChannel();
    ExpectRefusal([&] { channel->SetAttribute("Delay", TimeValue(Time(0))); },
                  "a channel delay of .*accepted: whole picoseconds, at least 1 ps");
    ExpectRefusal([&] { channel->SetAttribute("Delay", TimeValue(FemtoSeconds(1500))); },
                  "a channel delay of .*accepted: whole picoseconds");
    ExpectRefusal([&] { channel->SetAttribute("Delay", TimeValue(PicoSeconds(-1))); },
                  "a channel del");
    channel->SetAttribute("Delay", TimeValue(PicoSeconds(1)));
    EXPECT_EQ(channel->GetDelayPs(), 1_ps);
}

TEST_F(QbbLinkErrorsTest, ReactionDelay)
{
    ExpectRefusal([&] { m_a->SetAttribute("PauseReactionDelay", TimeValue(FemtoSeconds(1))); },
                  "a pause reaction delay of .*accepted: whole picoseconds");
}

TEST_F(QbbLinkErrorsTest, PauseRefresh)
{
    ExpectDeath("PauseRefresh", "1", "1", "pauses repeated after 1 .*above 0 and below 1");
}

TEST_F(QbbLinkErrorsTest, PauseThatRunsOutBeforeItsRefresh)
{
    // 1500 + 14 + 4 (tag) + 4 (FCS) + 20 (preamble, gap) = 1542 bytes = 24.09 quanta, which have to
    // fit between refresh and end: half of 48 is too short, half of 49 is not.
    ExpectDeath("PauseQuanta",
                "48",
                "48",
                "port . of node .: a pause of 48 quanta, repeated after 0.5 of its length, "
                "runs out behind a frame of 1542 bytes.*above 24.09");
    SetAtBoth("PauseRefresh", "0.75", "0.75");
    ExpectDeath("PauseQuanta", "96", "96", ".*a pause of 96 quanta, repeated after 0.75 of its");
    // without lossless classes nothing is paused
    SetAtBoth("FlowControl", "None", "None");
    Simulator::Run();
}

TEST_F(QbbLinkErrorsTest, PauseThatIsRefreshedInTime)
{
    SetAtBoth("PauseQuanta", "49", "49");
    Simulator::Run();
    EXPECT_TRUE(m_a->IsLinkUp());
}

TEST_F(QbbLinkErrorsTest, Rate)
{
    ExpectRefusal([&] { m_a->SetAttribute("DataRate", StringValue("0bps")); },
                  "a line rate of 0 bit/s; accepted: 1 bit/s to 8 Tb/s");
}

TEST_F(QbbLinkErrorsTest, RateWhileRunning)
{
    Simulator::Run();
    EXPECT_DEATH(m_a->SetAttribute("DataRate", StringValue("40Gbps")),
                 "rdma: the rate of a port is changed while it is running");
}

TEST_F(QbbLinkErrorsTest, FlowControlWhileRunning)
{
    // Both ends, the switch's headroom and pauses under way rely on these attributes.
    const std::map<std::string, std::string> values{{"FlowControl", "None"},
                                                    {"PfcClasses", "24"},
                                                    {"PauseQuanta", "1000"},
                                                    {"PauseReactionDelay", "+200ns"},
                                                    {"LineOverhead", "false"},
                                                    {"Mtu", "4000"},
                                                    {"PauseRefresh", "0.4"}};
    for (const auto& [name, value] : values)
    {
        m_a->SetAttribute(name, StringValue(value));
        m_b->SetAttribute(name, StringValue(value));
    }
    Simulator::Run();
    for (const auto& [name, value] : values)
    {
        const std::string other = name == "Mtu" ? "5000" : value;
        EXPECT_DEATH(m_a->SetAttribute(name, StringValue(other)),
                     "rdma: QbbNetDevice::" + name +
                         " of port . of node . is set while it is running; accepted: before the "
                         "simulation starts");
        StringValue kept;
        m_a->GetAttribute(name, kept);
        EXPECT_TRUE(name == "PauseReactionDelay" || kept.Get() == value) << kept.Get();
    }
}

TEST_F(QbbLinkErrorsTest, DelayWithFramesOnTheCable)
{
    auto channel = m_a->GetQbbChannel();
    Simulator::Schedule(MicroSeconds(1),
                        [this]() { m_a->Send(Create<Packet>(100), m_b->GetAddress(), 0x88b6); });
    Simulator::Schedule(MicroSeconds(1) + PicoSeconds(1), [&]() {
        EXPECT_DEATH(channel->SetAttribute("Delay", TimeValue(NanoSeconds(10))),
                     "rdma: the delay of a cable is changed while frames are on it");
    });
    Simulator::Run();
    channel->SetAttribute("Delay", TimeValue(NanoSeconds(10)));
    EXPECT_EQ(channel->GetDelayPs(), 10_ns);
}

TEST_F(QbbLinkErrorsTest, Ports)
{
    ExpectRefusal([&] { m_a->SetIfIndex(65'535); }, "a node with more than 65535 ports");
}

TEST_F(QbbLinkErrorsTest, NodesOfACable)
{
    NodeContainer one;
    one.Create(1);
    EXPECT_DEATH(m_helper.Install(one), "rdma: a cable between 1 nodes; accepted: 2");
}

TEST_F(QbbLinkErrorsTest, OneAddressForAll)
{
    EXPECT_DEATH(m_helper.SetDeviceAttribute("Address",
                                             Mac48AddressValue(Mac48Address("00:00:00:00:00:09"))),
                 "rdma: Address for all ports of a QbbHelper; every port gets one of its own");
}

TEST_F(QbbLinkErrorsTest, CaptureFile)
{
    ExpectRefusal([&] { m_helper.EnablePcap("/no/such/folder/capture", m_nodes); },
                  "/no/such/folder/capture-0-0.pcap: the capture file cannot be written");
}

} // namespace
} // namespace ns3
