/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-net-device.h"
#include "rdma-expect-error.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-simulator-impl.h"

#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Ports of a bond: which one a flow gets, and which bonds are refused.
 */

namespace ns3
{
namespace
{

/** Two NICs with several cables between them. */
class RdmaBondChoiceTest : public testing::Test
{
  protected:
    RdmaBondChoiceTest()
    {
        RdmaSimulatorImpl::Select();
        m_nodes.Create(2);
        for (const uint32_t i : {0, 1})
        {
            m_nodes.Get(i)->AggregateObject(CreateObject<RdmaNic>());
        }
    }

    ~RdmaBondChoiceTest() override
    {
        Simulator::Destroy();
    }

    /** Adds a cable. \param a address at NIC 0 \param b address at NIC 1 \param rate its rate */
    void Cable(Ipv4Address a, Ipv4Address b, const std::string& rate = "100Gbps")
    {
        QbbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue(rate));
        const auto devices = helper.Install(m_nodes.Get(0), m_nodes.Get(1));
        GetNic(0)->AddPort(DynamicCast<QbbNetDevice>(devices.Get(0)), a);
        GetNic(1)->AddPort(DynamicCast<QbbNetDevice>(devices.Get(1)), b);
    }

    /** \param i 0 or 1 \return the NIC */
    Ptr<RdmaNic> GetNic(uint32_t i) const
    {
        return m_nodes.Get(i)->GetObject<RdmaNic>();
    }

    /** \param hashes flows \return port of NIC 0 for each flow */
    std::vector<uint32_t> Choose(const std::vector<uint32_t>& hashes) const
    {
        std::vector<uint32_t> ports;
        for (const uint32_t hash : hashes)
        {
            ports.push_back(GetNic(0)->ChoosePort(0, hash));
        }
        return ports;
    }

    NodeContainer m_nodes; //!< the two nodes
};

TEST_F(RdmaBondChoiceTest, PortsWithAddressesOfTheirOwnAreNoBond)
{
    Cable("10.0.0.1", "10.0.0.2");
    Cable("10.0.1.1", "10.0.1.2");
    const auto nic = GetNic(0);
    EXPECT_FALSE(nic->IsBonded(0));
    EXPECT_EQ(nic->GetBond(1), std::vector<uint32_t>{1});
    EXPECT_EQ(nic->ChoosePort(1, 12345), 1U);
    EXPECT_TRUE(nic->IsPortUp(1));
    EXPECT_DEATH(nic->IsPortUp(2), "rdma: port 2 of a NIC with 2 ports");
}

TEST_F(RdmaBondChoiceTest, TwoBondsOfANic)
{
    Cable("10.0.0.1", "10.0.0.2");
    Cable("10.0.1.1", "10.0.1.2");
    Cable("10.0.0.1", "10.0.0.2");
    Cable("10.0.1.1", "10.0.1.2");
    Cable("10.0.2.1", "10.0.2.2");
    const auto nic = GetNic(0);
    EXPECT_EQ(nic->GetBond(0), (std::vector<uint32_t>{0, 2}));
    EXPECT_EQ(nic->GetBond(3), (std::vector<uint32_t>{1, 3}));
    EXPECT_FALSE(nic->IsBonded(4));
    for (uint32_t hash = 0; hash < 100; ++hash)
    {
        EXPECT_EQ(nic->ChoosePort(0, hash) % 2, 0U);
        EXPECT_EQ(nic->ChoosePort(0, hash), nic->ChoosePort(2, hash)) << "any port of the bond";
        EXPECT_EQ(nic->ChoosePort(1, hash) % 2, 1U);
        EXPECT_EQ(nic->ChoosePort(4, hash), 4U);
    }
}

TEST_F(RdmaBondChoiceTest, AChangeOfAPortMovesItsFlowsAlone)
{
    constexpr uint32_t PORTS = 4;
    constexpr uint32_t FLOWS = 40'000;
    for (uint32_t i = 0; i < PORTS; ++i)
    {
        Cable("10.0.0.1", "10.0.0.2");
    }
    std::mt19937 random(1);
    std::vector<uint32_t> hashes(FLOWS);
    for (uint32_t& hash : hashes)
    {
        hash = random();
    }
    const std::vector<uint32_t> all = Choose(hashes);
    std::vector<uint32_t> count(PORTS);
    for (const uint32_t port : all)
    {
        ++count[port];
    }
    // Four standard deviations of a binomial distribution: 4 sqrt(40000 x 1/4 x 3/4) = 346
    for (const uint32_t flows : count)
    {
        EXPECT_NEAR(flows, FLOWS / PORTS, 346);
    }
    GetNic(0)->GetPort(2)->GetQbbChannel()->SetUp(false); // at time 0, thus at once
    Simulator::Stop(NanoSeconds(1));
    Simulator::Run();
    EXPECT_FALSE(GetNic(0)->IsPortUp(2));
    const std::vector<uint32_t> three = Choose(hashes);
    std::map<uint32_t, uint32_t> heirs;
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        EXPECT_TRUE(all[i] == 2 || three[i] == all[i]) << "flow " << i << " need not move";
        EXPECT_NE(three[i], 2U);
        heirs[three[i]] += all[i] == 2 ? 1 : 0;
    }
    // 4 sqrt(10000 x 1/3 x 2/3) = 189
    for (const uint32_t port : {0, 1, 3})
    {
        EXPECT_NEAR(heirs[port], count[2] / 3.0, 189) << "port " << port;
    }
}

TEST_F(RdmaBondChoiceTest, PortsOfABondAreAlike)
{
    Cable("10.0.0.1", "10.0.0.2");
    Cable("10.0.0.1", "10.0.0.2", "50Gbps");
    const auto qp = GetNic(0)->CreateQueuePair();
    ExpectRefusal([&] { qp->Connect("10.0.0.2", 2, 0); },
                  "ports 0 and 1 of node 0 are a bond and differ in rate.*accepted: .*alike");
}

TEST_F(RdmaBondChoiceTest, APortJoinsBeforeTheQueuePairs)
{
    Cable("10.0.0.1", "10.0.0.2");
    GetNic(0)->CreateQueuePair();
    EXPECT_DEATH(
        Cable("10.0.0.1", "10.0.1.2"),
        "a port with address 10.0.0.1 joins a bond of node 0, whose NIC has 1 queue pairs; "
        "accepted: before");
}

} // namespace
} // namespace ns3
