/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/config.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * RdmaNic::SetQueuePairAttribute() and SetQueuePairAttributesOf().
 */

namespace ns3
{
namespace
{

/** Three hosts at one switch. */
class QueuePairSettings : public ::testing::Test
{
  protected:
    QueuePairSettings()
    {
        m_helper.SetQueuePairAttribute("PathMtu", UintegerValue(512));
        m_fabric = m_helper.Install(MakeRdmaStar(3));
    }

    ~QueuePairSettings() override
    {
        m_fabric = nullptr;
        Simulator::Destroy();
        Config::Reset();
    }

    /** \param host number of a host \return its NIC */
    Ptr<RdmaNic> GetNic(uint32_t host) const
    {
        return m_fabric->GetNic(host);
    }

    RdmaFabricHelper m_helper; //!< helper of the fabric
    Ptr<RdmaFabric> m_fabric;  //!< the fabric
};

TEST_F(QueuePairSettings, AllNicsOfAFabricHaveThoseOfTheHelper)
{
    for (uint32_t host = 0; host < 3; ++host)
    {
        EXPECT_EQ(GetNic(host)->GetPathMtu(), 512U);
        EXPECT_EQ(GetNic(host)->CreateQueuePair()->GetPathMtu(), 512U);
    }
}

TEST_F(QueuePairSettings, AChangeConcernsOneNic)
{
    EXPECT_EQ(GetNic(1)->GetPathMtu(), 512U);
    GetNic(1)->SetQueuePairAttribute("PathMtu", UintegerValue(256));
    EXPECT_EQ(GetNic(0)->GetPathMtu(), 512U);
    EXPECT_EQ(GetNic(1)->GetPathMtu(), 256U);
    EXPECT_EQ(GetNic(2)->GetPathMtu(), 512U);
    GetNic(2)->SetQueuePairAttributesOf(*GetNic(1));
    GetNic(1)->SetQueuePairAttribute("PathMtu", UintegerValue(1024));
    EXPECT_EQ(GetNic(1)->GetPathMtu(), 1024U);
    EXPECT_EQ(GetNic(2)->GetPathMtu(), 256U);
    const uint32_t qpn = GetNic(2)->ReserveQueuePairNumbers(1);
    EXPECT_EQ(GetNic(2)->CreateQueuePairAs(qpn)->GetPathMtu(), 256U);
}

TEST_F(QueuePairSettings, DefaultValuesAreReadOnceForReservedNumbers)
{
    const uint32_t first = GetNic(0)->ReserveQueuePairNumbers(1);
    const uint32_t second = GetNic(1)->ReserveQueuePairNumbers(1);
    Config::SetDefault("ns3::RdmaQueuePair::Ttl", UintegerValue(9));
    const auto getTtl = [](const Ptr<RdmaQueuePair>& qp) {
        UintegerValue ttl;
        qp->GetAttribute("Ttl", ttl);
        return ttl.Get();
    };
    EXPECT_EQ(getTtl(GetNic(0)->CreateQueuePairAs(first)), 64U);
    EXPECT_EQ(getTtl(GetNic(1)->CreateQueuePairAs(second)), 64U);
    EXPECT_EQ(getTtl(GetNic(1)->CreateQueuePair()), 9U);
}

// Events of two NICs may need the settings for the first time at one instant.
TEST_F(QueuePairSettings, SeveralThreadsMayNeedThemFirst)
{
    std::vector<uint32_t> mtus(3);
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < 3; ++host)
    {
        threads.emplace_back(
            [nic = PeekPointer(GetNic(host)), &mtu = mtus[host]] { mtu = nic->GetPathMtu(); });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    EXPECT_EQ(mtus, std::vector<uint32_t>(3, 512));
}

} // namespace
} // namespace ns3
