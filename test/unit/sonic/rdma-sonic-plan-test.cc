/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"
#include "rdma-sonic-plan.h"
#include "rdma-test-sonic.h"

#include <gtest/gtest.h>
#include <regex>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/// \return SONIC_BUFFERS without the lossless groups, which buffermgrd would add
std::string
GetBuffersWithoutGroups()
{
    return std::regex_replace(SONIC_BUFFERS,
                              std::regex(R"(,\n  "[^"\n]*\|[34]": \{"profile": "pg_[^}]*\})"),
                              "");
}

/// Ports of 100 Gb/s with 1 m of cable and the lossless classes 3 and 4.
std::vector<QbbPortProfile>
MakePorts()
{
    QbbPortProfile port;
    port.rate = 100_gbps;
    port.delay = 5_ns;
    port.maxFrameBytes = 1100;
    port.losslessMask = 0x18;
    return {port, port};
}

RdmaSonicPlan
Make(const std::string& buffers,
     const std::string& lookup = "",
     uint64_t bytes = 0,
     const std::vector<uint32_t>& which = {0, 1})
{
    const auto config = ParseRdmaSonicConfig({"buffers.json", buffers},
                                             {"qos.json", SONIC_QOS},
                                             {lookup.empty() ? "" : "pg.ini", lookup});
    return MakeRdmaSonicPlan(config, which, MakePorts(), bytes);
}

std::string
Refusal(const std::string& buffers, const std::string& lookup = "", uint64_t bytes = 0)
{
    try
    {
        Make(buffers, lookup, bytes);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "accepted";
}

const QbbBufferProfile&
GetProfile(const RdmaSonicPlan& plan, std::size_t port, uint8_t group)
{
    return plan.plan.profiles.at(plan.plan.ports[port].groups[group]);
}

} // namespace

TEST(RdmaSonicPlan, GroupsOfTheFiles)
{
    const RdmaSonicPlan plan = Make(SONIC_BUFFERS);
    EXPECT_EQ(GetProfile(plan, 0, 3).name, "pg_lossless_bulk");
    EXPECT_EQ(plan.added, (std::vector<uint8_t>{0, 0}));
    EXPECT_EQ(plan.neededBytes, 4'500'000U + 2 * (1248 + 2496));
    EXPECT_EQ(plan.memoryBytes, plan.neededBytes);
    EXPECT_EQ(Make(SONIC_BUFFERS, "", 5'000'000).memoryBytes, 5'000'000U);
}

TEST(RdmaSonicPlan, ComputedGroups)
{
    const RdmaSonicPlan plan = Make(GetBuffersWithoutGroups());
    EXPECT_EQ(plan.added, (std::vector<uint8_t>{0x18, 0x18}));
    EXPECT_FALSE(plan.usesPgLookup);
    const QbbBufferProfile& profile = GetProfile(plan, 1, 4);
    EXPECT_FALSE(profile.headroomBytes);
    EXPECT_EQ(profile.alpha, 0.125);
    EXPECT_EQ(plan.plan.pools[profile.pool].name, "ingress_lossless_pool");
    const auto buffer = CreateObject<QbbSharedBuffer>();
    buffer->SetAttribute("BufferSize", UintegerValue(plan.memoryBytes));
    buffer->SetPlan(plan.plan);
    buffer->Configure(MakePorts());
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomLimit, QbbPfcHeadroom::GetBytes(MakePorts()[0]));
}

// The speed is that of the link if PORT has none; the cable is that of CABLE_LENGTH.
TEST(RdmaSonicPlan, GroupsOfTheLookupFile)
{
    const std::string lookup = "100000 5m 1000 0 50000 -3\n100000 40m 1000 0 60000 -3\n"
                               "40000 5m 1000 0 20000 -3\n";
    const RdmaSonicPlan plan = Make(GetBuffersWithoutGroups(), lookup);
    EXPECT_TRUE(plan.usesPgLookup);
    EXPECT_EQ(GetProfile(plan, 0, 3).name, "pg_lossless_100000_40m_profile");
    EXPECT_EQ(GetProfile(plan, 0, 3).headroomBytes, 60'000U);
    EXPECT_EQ(GetProfile(plan, 1, 4).headroomBytes, 50'000U);
    EXPECT_EQ(plan.plan.ports[0].groups[3], plan.plan.ports[0].groups[4]);

    std::string buffers = GetBuffersWithoutGroups();
    buffers.replace(buffers.find('{'), 1, R"({"PORT": {"Ethernet4": {"speed": "40000"}},)");
    EXPECT_EQ(GetProfile(Make(buffers, lookup), 1, 3).headroomBytes, 20'000U);

    EXPECT_EQ(Refusal(GetBuffersWithoutGroups(), "100000 5m 0 0 1 1\n100000 300m 0 0 1 1\n"),
              "SONiC configuration: pg.ini: there is no line for 100Gbps and 40m, which port "
              "Ethernet0 needs; accepted: for this speed the cables 5m and 300m");
    EXPECT_EQ(Refusal(GetBuffersWithoutGroups(), "10000 5m 0 0 1 1\n40000 300m 0 0 1 1\n"),
              "SONiC configuration: pg.ini: there is no line for 100Gbps and 40m, which port "
              "Ethernet0 needs; accepted: the speeds 10Gbps and 40Gbps");
    EXPECT_EQ(Refusal(std::regex_replace(GetBuffersWithoutGroups(),
                                         std::regex(R"("Ethernet0": "40m", )"),
                                         ""),
                      lookup),
              "SONiC configuration: pg.ini: Ethernet0 has no cable in CABLE_LENGTH; accepted: a "
              "length for each port with lossless classes");
}

TEST(RdmaSonicPlan, NeedsThePoolOfLosslessGroups)
{
    EXPECT_EQ(Refusal(std::regex_replace(GetBuffersWithoutGroups(),
                                         std::regex("ingress_lossless_pool"),
                                         "pool1")),
              "SONiC configuration: class 3 of Ethernet0 is lossless and has no profile in "
              "BUFFER_PG, and there is no pool ingress_lossless_pool in which buffermgrd would "
              "make one; accepted: an entry of BUFFER_PG, or the pool");
}

TEST(RdmaSonicPlan, NeedsAnIngressPool)
{
    EXPECT_EQ(
        Refusal(R"({"BUFFER_POOL": {"a": {"type": "egress", "mode": "static", "size": "9"}}})"),
        "SONiC configuration: BUFFER_POOL has no ingress pool with memory; accepted: at least "
        "one");
}

TEST(RdmaSonicPlan, PoolsWithoutASizeGetTheRest)
{
    // Egress: as much as the ingress pools have together.
    const std::string egress =
        std::regex_replace(SONIC_BUFFERS, std::regex(R"(, "size": "900000")"), "");
    EXPECT_EQ(Make(egress).plan.pools[1].bytes, 4'000'000U);

    // Ingress: the rest of the largest egress pool. 3744 bytes of each port are in reserves.
    std::string buffers =
        std::regex_replace(SONIC_BUFFERS, std::regex(R"(, "size": "3000000")"), "");
    const uint64_t rest = 4'500'000 - 1'000'000 - 500'000 - 2 * 3744;
    RdmaSonicPlan plan = Make(buffers);
    EXPECT_EQ(plan.plan.pools[2].bytes, rest);
    EXPECT_EQ(plan.neededBytes, 4'500'000U);
    EXPECT_EQ(Make(buffers, "", 6'000'000).plan.pools[2].bytes, rest + 1'500'000);

    // Two ingress pools and an egress pool.
    buffers = std::regex_replace(buffers, std::regex(R"x(, "size": "(1000000|900000)")x"), "");
    plan = Make(buffers);
    EXPECT_EQ(plan.plan.pools[2].bytes, (rest + 1'000'000) / 2);
    EXPECT_EQ(plan.plan.pools[3].bytes, (rest + 1'000'000) / 2);
    EXPECT_EQ(plan.plan.pools[1].bytes, (rest + 1'000'000) / 2);

    EXPECT_EQ(Refusal(buffers, "", 400'000).substr(0, 106),
              "SONiC configuration: pool ingress_lossless_pool has no size, and reserves, headroom "
              "and other pools take 5");
    buffers = std::regex_replace(buffers, std::regex(R"(, "size": "4500000")"), "");
    EXPECT_EQ(Refusal(buffers),
              "SONiC configuration: pool ingress_lossless_pool has no size, and no egress pool has "
              "one; accepted: a size, or --buffer=BYTES, the memory that the pools divide");
}

// Groups without a map in the files: 0 for lossy classes, i for the lossless class i.
TEST(RdmaSonicPlan, BuffersAlone)
{
    const auto config = ParseRdmaSonicConfig({"buffers.json", SONIC_BUFFERS});
    const RdmaSonicPlan plan = MakeRdmaSonicPlan(config, {0, 1}, MakePorts(), 0);
    EXPECT_EQ(plan.plan.groupOfClass, (std::array<uint8_t, 8>{0, 0, 0, 3, 4, 0, 0, 0}));
    EXPECT_EQ(GetProfile(plan, 0, 3).name, "pg_lossless_bulk");
}

TEST(RdmaSonicPlaces, DescribesPortsAndClasses)
{
    RdmaSonicPlaces places;
    EXPECT_TRUE(places.IsEmpty());
    places.Add("leaf-0", "Ethernet0");
    EXPECT_EQ(places.Describe(), "port Ethernet0 of switch leaf-0");
    places.Add("leaf-0", "Ethernet0", 3);
    EXPECT_EQ(places.Describe(), "class 3 on port Ethernet0 of switch leaf-0");
    places.Add("leaf-0", "Ethernet4", 4);
    places.Add("leaf-0", "Ethernet4", 4);
    EXPECT_EQ(places.Describe(), "classes 3 and 4 on 2 ports of switch leaf-0");
    places.Add("leaf-1", "Ethernet0");
    EXPECT_EQ(places.Describe(), "classes 3 and 4 on 3 ports of 2 switches");
}
