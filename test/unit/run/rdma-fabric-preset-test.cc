/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "qbb-buffer-manager.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-options.h"
#include "rdma-option-list.h"
#include "rdma-part.h"
#include "rdma-topology-builders.h"

#include <ns3/config.h>

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

TEST(RdmaFabricPreset, IrnIsThePapersDefaultCase)
{
    RdmaFabricOptions options;
    options.seed = 7;
    ApplyRdmaPreset("irn", options);
    const RdmaTopology topology = MakeRdmaTopology(options.topology);
    EXPECT_EQ(topology.GetHosts().size(), 54U);
    EXPECT_EQ(topology.GetSwitches().size(), 45U);
    EXPECT_EQ(options.rate, "40Gbps");
    EXPECT_EQ(options.uplinkRate, "40Gbps");
    EXPECT_EQ(options.delay, "2us");
    EXPECT_EQ(options.mtu, 1000U);
    EXPECT_EQ(options.load, 0.7);
    EXPECT_EQ(options.cdf, "irn-heavy-tail");
    EXPECT_EQ(options.switchType, "input-queued");
    EXPECT_EQ(options.buffer, "auto") << "240 KB a port";
    EXPECT_EQ(options.transport, "irn");
    EXPECT_EQ(options.pfc, "off");
    EXPECT_EQ(options.seed, 7U) << "not the preset's";
    EXPECT_EQ(CreateObject<IrnTransport>()->GetPacketFormat().write, RdmaOpcode::RDMA_WRITE_MIDDLE);
    Config::Reset();
}

TEST(RdmaFabricPreset, NoneChangesNothing)
{
    RdmaFabricOptions options;
    options.topology = "star:3";
    ApplyRdmaPreset("none", options);
    EXPECT_EQ(options.topology, "star:3");
    EXPECT_EQ(options.switchType, RdmaFabricOptions().switchType);
    ExpectError<std::invalid_argument>([&] { ApplyRdmaPreset("ir", options); },
                                       {"--preset", "\"ir\"", "none, irn, parking-lot"});
}

TEST(RdmaFabricPreset, BuffersOfChipsAreParts)
{
    for (const std::string name : {"trident2", "trident3", "tomahawk3"})
    {
        const RdmaPart part = RdmaPart::Parse(name, QbbBufferManager::GetTypeId());
        EXPECT_TRUE(part.Has("BufferSize")) << name;
        EXPECT_TRUE(part.Has("LossyEgressPoolBytes")) << name;
    }
    ExpectError<std::invalid_argument>(
        [] { RdmaPart::Parse("trident9", QbbBufferManager::GetTypeId()); },
        {"'trident9' is no ns3::QbbBufferManager", "accepted: input-port, shared, tomahawk3"});
}
