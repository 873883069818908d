/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-list-routing.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/ipv4.h>
#include <ns3/node-list.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <set>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A fabric beside other fabrics, other MTUs and other protocols: nothing goes wrong in silence.
 */

namespace ns3
{
namespace
{

/** A routing protocol with the name of ns-3's nix-vector routing, whose module tests do not link.
 */
class NamesakeOfNixVectorRouting : public Ipv4RoutingProtocol
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::Ipv4NixVectorRouting").SetParent<Ipv4RoutingProtocol>().SetGroupName("");
        return tid;
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>,
                               const Ipv4Header&,
                               Ptr<NetDevice>,
                               Socket::SocketErrno&) override
    {
        return nullptr;
    }

#if __has_include(<ns3/ping.h>)
    bool RouteInput(Ptr<const Packet>,
                    const Ipv4Header&,
                    Ptr<const NetDevice>,
                    const UnicastForwardCallback&,
                    const MulticastForwardCallback&,
                    const LocalDeliverCallback&,
                    const ErrorCallback&) override
#else
    bool RouteInput(Ptr<const Packet>,
                    const Ipv4Header&,
                    Ptr<const NetDevice>,
                    UnicastForwardCallback,
                    MulticastForwardCallback,
                    LocalDeliverCallback,
                    ErrorCallback) override
#endif
    {
        return false;
    }

    void NotifyInterfaceUp(uint32_t) override
    {
    }

    void NotifyInterfaceDown(uint32_t) override
    {
    }

    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void SetIpv4(Ptr<Ipv4>) override
    {
    }

    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override
    {
    }
};

class RdmaFabricNeighbours : public testing::Test
{
  protected:
    ~RdmaFabricNeighbours() override
    {
        Simulator::Destroy();
    }

    /** \return what a run of the simulation says on standard error */
    static std::string RunAndListen()
    {
        testing::internal::CaptureStderr();
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        return testing::internal::GetCapturedStderr();
    }

    /** Sends a frame of a host to its switch. \param type EtherType \param to MAC address */
    static void Send(const RdmaFabric& fabric, uint16_t type, const Address& to)
    {
        const auto port = fabric.GetDevice(0, 0);
        Simulator::Schedule(MicroSeconds(1), [=] { port->Send(Create<Packet>(100), to, type); });
    }

    RdmaFabricHelper m_helper;
};

TEST_F(RdmaFabricNeighbours, AddressesOfSeveralFabricsDiffer)
{
    const auto first = m_helper.Install(MakeRdmaStar(3));
    const auto second = m_helper.Install(MakeRdmaStar(2));
    RdmaFabricHelper other;
    const auto third = other.Install(MakeRdmaStar(2));
    EXPECT_EQ(first->GetAddress(0), Ipv4Address("10.0.0.1"));
    EXPECT_EQ(second->GetAddress(0), Ipv4Address("11.0.0.1"));
    EXPECT_EQ(third->GetAddress(0), Ipv4Address("12.0.0.1"));
    // A network of its own, without hosts in common.
    other.SetAddressRange("10.99.0.0", "255.255.0.0");
    EXPECT_EQ(other.Install(MakeRdmaStar(2))->GetAddress(0), Ipv4Address("10.99.0.1"));
    EXPECT_EQ(other.Install(MakeRdmaStar(2))->GetAddress(0), Ipv4Address("10.100.0.1"));
    std::set<Mac48Address> addresses;
    uint32_t ports = 0;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i, ++ports)
        {
            addresses.insert(Mac48Address::ConvertFrom((*node)->GetDevice(i)->GetAddress()));
        }
    }
    EXPECT_EQ(ports, 22U);
    EXPECT_EQ(addresses.size(), ports);
    // Nothing is left of an earlier simulation.
    Simulator::Destroy();
    EXPECT_EQ(m_helper.Install(MakeRdmaStar(3))->GetAddress(0), Ipv4Address("10.0.0.1"));
}

TEST_F(RdmaFabricNeighbours, NoNetworkIsLeft)
{
    m_helper.SetAddressRange("223.255.255.0", "255.255.255.0");
    m_helper.Install(MakeRdmaStar(2));
    ExpectRefusal([&] { m_helper.Install(MakeRdmaStar(2)); },
                  "other fabrics have addresses of network 223.255.255.0 with mask "
                  "255.255.255.0 and of all that follow; .*SetAddressRange");
}

TEST_F(RdmaFabricNeighbours, TheLeastMtuOfAPath)
{
    // Hosts 0 to 3, leaves 4 and 5, spine 6. Headers and ICRC have 64 bytes.
    const auto fabric = m_helper.Install(MakeRdmaLeafSpine(2, 2, 1));
    const auto& topology = fabric->GetTopology();
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const auto ends = topology.GetLink(link);
        if (ends.a == 6 || ends.b == 6)
        {
            fabric->GetDevice(link, 6)->SetMtu(1087);
        }
    }
    fabric->Connect(0, 1);
    ExpectRefusal([&] { fabric->Connect(0, 2); },
                  "path MTU 1024 of a queue pair does not fit port . of node 6, which has "
                  "port MTU 1087; set QbbNetDevice::Mtu to 1088 or more");
    // The switch's port to a host, also for queue pairs that the fabric does not connect.
    fabric->GetDevice(1, 4)->SetMtu(600);
    ExpectRefusal([&] { fabric->GetNic(1)->CreateQueuePair()->Connect("10.0.0.1", 2); },
                  "path MTU 1024 .* port 1 of node 4, which has port MTU 600");
}

TEST_F(RdmaFabricNeighbours, FramesTooLongForTheNextPortAreTold)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    const auto qp = fabric->Connect(0, 1).first;
    fabric->GetDevice(1, 2)->SetMtu(600);
    RdmaSendRequest request;
    request.length = 10'000;
    qp->PostSend(request);
    EXPECT_EQ(RunAndListen(),
              "rdma: warning: port 1 of node 2 drops a frame of 1102 bytes, because its MTU is 600 "
              "(QbbNetDevice::Mtu) and a switch sends no ICMP message; such drops are counted as "
              "TOO_LONG\n");
}

TEST_F(RdmaFabricNeighbours, Ipv6IsTold)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    Send(*fabric, 0x86dd, fabric->GetDevice(0, 2)->GetAddress());
    Send(*fabric, 0x86dd, Mac48Address("33:33:00:00:00:01")); // neighbour discovery
    EXPECT_EQ(
        RunAndListen(),
        "rdma: warning: switch at node 2 drops IPv6 packets, since switches route IPv4 alone; "
        "the drops are counted as UNEXPECTED, and as NOT_FOR_US for neighbour discovery\n");
    const auto& drops = fabric->GetDevice(0, 2)->GetCounters().dropsByReason;
    EXPECT_EQ(drops[static_cast<std::size_t>(QbbDropReason::UNEXPECTED)], 1U);
    EXPECT_EQ(drops[static_cast<std::size_t>(QbbDropReason::NOT_FOR_US)], 1U);
}

TEST_F(RdmaFabricNeighbours, OtherDropsAreNotTold)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    Send(*fabric, 0x88b6, fabric->GetDevice(0, 2)->GetAddress());
    EXPECT_EQ(RunAndListen(), "");
    EXPECT_EQ(fabric->GetDevice(0, 2)->GetCounters().GetDrops(), 1U);
}

TEST_F(RdmaFabricNeighbours, NixVectorRoutingBehindASwitchIsTold)
{
    m_helper.SetInternetStack(true);
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    for (const uint32_t host : {0U, 1U})
    {
        const auto ip = fabric->GetNode(host)->GetObject<Ipv4>();
        DynamicCast<Ipv4ListRouting>(ip->GetRoutingProtocol())
            ->AddRoutingProtocol(CreateObject<NamesakeOfNixVectorRouting>(), 20);
    }
    EXPECT_EQ(RunAndListen(),
              "rdma: warning: node 0 has nix-vector routing of ns-3, which finds no path through "
              "the switch at port 0, because a switch has no Ipv4 object; accepted: static or "
              "global routing\n");
}

TEST_F(RdmaFabricNeighbours, NixVectorRoutingBetweenHostsIsFine)
{
    QbbHelper link;
    NodeContainer nodes;
    nodes.Create(2);
    link.Install(nodes);
    InternetStackHelper().Install(nodes);
    nodes.Get(0)->GetObject<Ipv4>()->SetRoutingProtocol(CreateObject<NamesakeOfNixVectorRouting>());
    EXPECT_EQ(RunAndListen(), "");
}

TEST_F(RdmaFabricNeighbours, StacksOfHostsGetQueueInterfaces)
{
    m_helper.SetInternetStack(true);
    const auto with = m_helper.Install(MakeRdmaStar(2));
    m_helper.SetInternetStack(false);
    const auto without = m_helper.Install(MakeRdmaStar(2));
    const auto has = [](const RdmaFabric& fabric, uint32_t link, uint32_t node) {
        return bool(fabric.GetDevice(link, node)->GetObject<NetDeviceQueueInterface>());
    };
    EXPECT_TRUE(has(*with, 0, 0));
    EXPECT_FALSE(has(*with, 0, 2)) << "a switch has no stack";
    EXPECT_FALSE(has(*without, 0, 0));
    InternetStackHelper().Install(without->GetNode(0));
    EXPECT_TRUE(has(*without, 0, 0));
}

TEST_F(RdmaFabricNeighbours, AQueueInterfaceOfTheUser)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    EXPECT_DEATH(
        fabric->GetDevice(0, 0)->AggregateObject(
            CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues", UintegerValue(2))),
        "rdma: a NetDeviceQueueInterface with 2 transmission queues for port 0 of node 0; "
        "accepted: 8, one for each class");
}

} // namespace
} // namespace ns3
