/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-application-helper.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Wrong uses of RdmaClient and RdmaServer: the program ends with a message that names the error.
 * Each case runs in a child process.
 */

namespace ns3
{
namespace
{

/** Two hosts at a switch, which is node 2, and a server on host 1. */
class RdmaApplicationErrorsTest : public testing::Test
{
  protected:
    RdmaApplicationErrorsTest()
    {
        m_fabric = m_helper.Install(MakeRdmaStar(2));
        RdmaServerHelper().Install(m_fabric->GetNode(1));
    }

    ~RdmaApplicationErrorsTest() override
    {
        Simulator::Destroy();
    }

    /** Runs a client. \param name of an attribute \param value its value */
    void Run(const std::string& name,
             const AttributeValue& value,
             const std::string& second = "MessageSize",
             const AttributeValue& secondValue = UintegerValue(8))
    {
        RdmaClientHelper clients(m_fabric->GetAddress(1));
        clients.SetAttribute(name, value);
        clients.SetAttribute(second, secondValue);
        clients.Install(m_fabric->GetNode(0));
        Simulator::Run();
    }

    RdmaFabricHelper m_helper;
    Ptr<RdmaFabric> m_fabric;
};

TEST_F(RdmaApplicationErrorsTest, Addresses)
{
    const std::string message = "accepted: that of a port of another node's RdmaNic";
    EXPECT_DEATH(Run("RemoteAddress", Ipv4AddressValue("10.9.9.9")),
                 "rdma: RdmaClient on node 0 has RemoteAddress 10.9.9.9; " + message);
    EXPECT_DEATH(Run("RemoteAddress", Ipv4AddressValue(m_fabric->GetAddress(0))), message);
    EXPECT_DEATH(Run("NicPort", UintegerValue(1)),
                 "rdma: a queue pair at port 1 of a NIC with 1 ports");
}

TEST_F(RdmaApplicationErrorsTest, Patterns)
{
    for (const char* operation : {"Read", "CompareAndSwap", "FetchAndAdd"})
    {
        EXPECT_DEATH(
            Run("Pattern", StringValue("RequestResponse"), "Operation", StringValue(operation)),
            "rdma: RdmaClient with Pattern RequestResponse and a READ or atomic as "
            "Operation, .*; accepted: Bulk, PingPong");
    }
}

TEST_F(RdmaApplicationErrorsTest, Values)
{
    ExpectRefusal([&] { Run("QueueDepth", UintegerValue(0)); }, "QueueDepth");
    ExpectRefusal([&] { Run("QueuePairs", UintegerValue(0)); }, "QueuePairs");
    ExpectRefusal([&] { Run("MessageSize", UintegerValue(RDMA_MAX_MESSAGE_BYTES + 1)); },
                  "MessageSize");
    ExpectRefusal([&] { Run("Priority", UintegerValue(9)); }, "Priority");
    RdmaServerHelper servers;
    ExpectRefusal([&] { servers.SetAttribute("ReceiveDepth", UintegerValue(0)); }, "ReceiveDepth");
    ExpectRefusal([&] { servers.SetAttribute("Port", UintegerValue(0)); }, "Port");
}

TEST_F(RdmaApplicationErrorsTest, NodesWithoutNic)
{
    EXPECT_DEATH(RdmaServerHelper().Install(m_fabric->GetNode(2)),
                 "rdma: ns3::RdmaServer on node 2, which has no RdmaNic");
    EXPECT_DEATH(RdmaClientHelper(m_fabric->GetAddress(1)).Install(m_fabric->GetNodes()),
                 "rdma: ns3::RdmaClient on node 2, which has no RdmaNic");
}

TEST_F(RdmaApplicationErrorsTest, PeersThatDoNotUnderstandEachOther)
{
    m_fabric->GetNic(0)->SetQueuePairAttribute("PathMtu", UintegerValue(512));
    EXPECT_DEATH(Run("Operation", StringValue("Send")), "path MTUs 512 and 1024");
}

} // namespace
} // namespace ns3
