/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-file-error.h"
#include "rdma-sonic-reader.h"
#include "rdma-test-sonic.h"

#include <gtest/gtest.h>
#include <regex>
#include <string>

using namespace ns3;

namespace
{

RdmaSonicConfig
Read(const std::string& buffers = SONIC_BUFFERS, const std::string& qos = SONIC_QOS)
{
    return ParseRdmaSonicConfig(buffers, "buffers.json", qos, "qos.json");
}

/// \return the reader's message after \p from is replaced by \p to; "accepted": no error
std::string
Refusal(const std::string& from, const std::string& to)
{
    std::string buffers = SONIC_BUFFERS;
    std::string qos = SONIC_QOS;
    std::string& file = buffers.find(from) == std::string::npos ? qos : buffers;
    const auto at = file.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    file.replace(at, from.size(), to);
    try
    {
        Read(buffers, qos);
    }
    catch (const RdmaFileError& error)
    {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST(RdmaSonicReader, PoolsAndProfiles)
{
    const RdmaSonicConfig config = Read();
    ASSERT_EQ(config.plan.pools.size(), 4U);
    // by name
    EXPECT_EQ(config.plan.pools[2].name, "ingress_lossless_pool");
    EXPECT_FALSE(config.plan.pools[2].egress);
    EXPECT_EQ(config.plan.pools[2].bytes, 3'000'000U);
    EXPECT_EQ(config.plan.pools[2].headroomBytes, 500'000U);
    EXPECT_TRUE(config.plan.pools[1].egress);
    ASSERT_EQ(config.plan.profiles.size(), 5U);
    const QbbBufferProfile& bulk = config.plan.profiles[3];
    EXPECT_EQ(bulk.name, "pg_lossless_bulk");
    EXPECT_EQ(bulk.pool, 2U);
    EXPECT_EQ(bulk.reserveBytes, 1248U);
    EXPECT_EQ(bulk.alpha, 0.125);
    EXPECT_EQ(bulk.headroomBytes, 60'000U);
    EXPECT_EQ(bulk.xonBytes, 2288U);
    EXPECT_EQ(bulk.xonOffsetBytes, 2500U);
    EXPECT_FALSE(config.plan.profiles[0].alpha);
    EXPECT_EQ(config.plan.profiles[0].limitBytes, 4'500'000U);
    EXPECT_EQ(config.plan.profiles[4].reserveBytes, 2496U);
}

TEST(RdmaSonicReader, PortsAndClasses)
{
    const RdmaSonicConfig config = Read();
    ASSERT_EQ(config.ports.size(), 4U);
    ASSERT_EQ(config.plan.ports.size(), 4U);
    EXPECT_EQ(config.ports[1].name, "Ethernet4");
    EXPECT_EQ(config.ports[3].name, "Ethernet12");
    EXPECT_EQ(config.ports[0].cableMetres, 40);
    EXPECT_FALSE(config.ports[2].cableMetres);
    EXPECT_FALSE(config.ports[0].rate);
    EXPECT_EQ(config.plan.groupOfClass[2], 0);
    EXPECT_EQ(config.plan.groupOfClass[4], 4);
    for (const auto& port : config.ports)
    {
        EXPECT_EQ(port.losslessMask, 0x18);
        EXPECT_EQ(port.classOfDscp[0], 1);
        EXPECT_EQ(port.classOfDscp[5], 2);
        EXPECT_EQ(port.classOfDscp[63], 0);
        // class 1 is in queue 2 and class 2 in queue 1, of one weight
        EXPECT_EQ(port.scheduler, "14,14,14,30,strict,strict,strict,strict");
        EXPECT_FALSE(port.ecn[0]);
        ASSERT_TRUE(port.ecn[3]);
        EXPECT_EQ(port.ecn[3]->kminBytes, 50'000U);
        EXPECT_EQ(port.ecn[3]->kmaxBytes, 200'000U);
        EXPECT_EQ(port.ecn[3]->pmax, 0.1);
    }
    const QbbPortBufferPlan& port = config.plan.ports[0];
    EXPECT_EQ(config.plan.profiles[port.groups[0]].name, "ingress_lossy_profile");
    EXPECT_EQ(config.plan.profiles[port.groups[4]].name, "pg_lossless_real_time");
    EXPECT_EQ(port.groups[1], QbbPortBufferPlan::NONE);
    EXPECT_EQ(config.plan.profiles[port.queues[2]].name, "egress_lossy_profile");
    EXPECT_EQ(port.queues[5], QbbPortBufferPlan::NONE);
    EXPECT_EQ(config.notes,
              (std::vector<std::string>{
                  "qos.json:9: PORT_QOS_MAP|Ethernet8,Ethernet12: pfcwd_sw_enable is not used",
                  "buffers.json and qos.json: table PFC_WD is not used"}));
}

TEST(RdmaSonicReader, QueuesAreRenumbered)
{
    std::string qos = SONIC_QOS;
    const std::string from = R"(|3": {"scheduler": "scheduler.1",)";
    qos.replace(qos.find(from), from.size(), R"(|1": {"scheduler": "scheduler.1",)");
    // Queue 1 is the queue of class 2. Its own entry replaces the earlier one for queues 0 to 2.
    const RdmaSonicConfig config = Read(SONIC_BUFFERS, qos);
    EXPECT_EQ(config.ports[0].scheduler, "14,14,30,strict,strict,strict,strict,strict");
    EXPECT_TRUE(config.ports[0].ecn[2]);
    EXPECT_FALSE(config.ports[0].ecn[3]);
}

TEST(RdmaSonicReader, SpeedsAndOneFile)
{
    std::string both = SONIC_BUFFERS;
    both.replace(both.rfind('}'), 1, ",\n" + SONIC_QOS.substr(1));
    both.replace(both.find('{'), 1, R"({"PORT": {"Ethernet8": {"speed": "40000"}},)");
    const RdmaSonicConfig config =
        ParseRdmaSonicConfig(both, "config_db.json", "", "config_db.json");
    EXPECT_EQ(config.ports[2].rate, 40_gbps);
    EXPECT_FALSE(config.ports[0].rate);
}

// Without xoff in the pool each group has its own headroom, and a size that includes it.
TEST(RdmaSonicReader, HeadroomOfTheirOwn)
{
    std::string buffers =
        std::regex_replace(SONIC_BUFFERS, std::regex(", \"xoff\": \"500000\""), "");
    buffers = std::regex_replace(buffers, std::regex("\"size\": \"1248\""), "\"size\": \"61248\"");
    const RdmaSonicConfig config = Read(buffers);
    EXPECT_EQ(config.plan.pools[2].headroomBytes, 0U);
    EXPECT_EQ(config.plan.profiles[3].reserveBytes, 1248U);
    EXPECT_EQ(config.plan.profiles[3].headroomBytes, 60'000U);
    EXPECT_EQ(config.plan.profiles[4].reserveBytes, 2496U);
}

TEST(RdmaSonicReader, ErrorsNameFileObjectAndField)
{
    EXPECT_EQ(Refusal(R"("size": "3000000")", R"("size": "3MB")"),
              "buffers.json:3: BUFFER_POOL|ingress_lossless_pool: size: '3MB'; accepted: a whole "
              "number, 1 to 4294967295");
    EXPECT_EQ(Refusal(R"("type": "egress", "mode": "dynamic")", R"("mode": "dynamic")"),
              "buffers.json:5: BUFFER_POOL|egress_lossy_pool: type: is missing; accepted: a text");
    EXPECT_EQ(Refusal(R"("mode": "static")", R"("mode": "fixed")"),
              "buffers.json:6: BUFFER_POOL|egress_lossless_pool: mode: 'fixed'; accepted: static, "
              "dynamic");
    EXPECT_EQ(Refusal(R"("pool": "egress_lossy_pool")", R"("pool": "none")"),
              "buffers.json:10: BUFFER_PROFILE|egress_lossy_profile: pool: there is no 'none'; "
              "accepted: one of BUFFER_POOL");
    EXPECT_EQ(Refusal("[BUFFER_POOL|ingress_lossy_pool]", "[BUFFER_PROFILE|x]"),
              "buffers.json:9: BUFFER_PROFILE|ingress_lossy_profile: pool: '[BUFFER_PROFILE|x]'; "
              "accepted: a name, alone or as [BUFFER_POOL|NAME]");
    EXPECT_EQ(Refusal(R"("dynamic_th": "-1")", R"("dynamic_th": "9")"),
              "buffers.json:10: BUFFER_PROFILE|egress_lossy_profile: dynamic_th: '9'; accepted: a "
              "whole number, -8 to 8");
    EXPECT_EQ(Refusal(R"(, "dynamic_th": "-1")", ""),
              "buffers.json:10: BUFFER_PROFILE|egress_lossy_profile: has no threshold; accepted: "
              "either dynamic_th or static_th");
    EXPECT_EQ(Refusal(R"("dynamic_th": "-1")", R"("dynamic_th": "-1", "static_th": "1")"),
              "buffers.json:10: BUFFER_PROFILE|egress_lossy_profile: static_th: is there beside "
              "dynamic_th; accepted: either dynamic_th or static_th");
    EXPECT_EQ(Refusal(R"("xoff": "60000", "dynamic_th": "-3")",
                      R"("xoff": "600000", "dynamic_th": "-3")"),
              "buffers.json:12: BUFFER_PROFILE|pg_lossless_bulk: xoff: 600000 bytes; accepted: at "
              "most the xoff of its pool, 500000");
    EXPECT_EQ(
        Refusal(R"("profile": "pg_lossless_bulk")", R"("profile": "NULL")"),
        "buffers.json:17: BUFFER_PG|Ethernet0,Ethernet4,Ethernet8,Ethernet12|3: profile: there "
        "is no 'NULL'; accepted: one of BUFFER_PROFILE");
    EXPECT_EQ(Refusal(R"("profile": "pg_lossless_bulk")", R"("profile": "egress_lossy_profile")"),
              "buffers.json:17: BUFFER_PG|Ethernet0,Ethernet4,Ethernet8,Ethernet12|3: profile: "
              "'egress_lossy_profile' is in pool egress_lossy_pool; accepted: a profile in an "
              "ingress pool");
    EXPECT_EQ(Refusal("Ethernet12|0-2\": {\"profile\"", "Ethernet12|2-0\": {\"profile\""),
              "buffers.json:21: BUFFER_QUEUE|Ethernet0,Ethernet4,Ethernet8,Ethernet12|2-0: "
              "'Ethernet0,Ethernet4,Ethernet8,Ethernet12|2-0'; accepted: PORTS|NUMBER or "
              "PORTS|FIRST-LAST, 0 to 7");
    EXPECT_EQ(
        Refusal("Ethernet12|0-2\": {\"profile\"", "Ethernet12|0-3\": {\"profile\""),
        "buffers.json:22: BUFFER_QUEUE|Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4: number 3 "
        "of Ethernet0 has a profile already; accepted: one profile");
    EXPECT_EQ(Refusal(R"("Ethernet4": "5m")", R"("Ethernet4": "5ft")"),
              "buffers.json:24: CABLE_LENGTH|AZURE: Ethernet4: '5ft'; accepted: metres, as in "
              "\"40m\", up to 1000m");
    EXPECT_EQ(Refusal(R"("5": "2", "8")", R"("5": "8", "8")"),
              "qos.json:2: DSCP_TO_TC_MAP|AZURE: 5: '8'; accepted: a whole number, 0 to 7");
    EXPECT_EQ(Refusal(R"("8": "0"}})", R"("64": "0"}})"),
              "qos.json:2: DSCP_TO_TC_MAP|AZURE: 64: is no key of this table; accepted: 0 to 63");
    EXPECT_EQ(Refusal(R"("2": "1", "3": "3", "4": "4"}})", R"("2": "3", "3": "3", "4": "4"}})"),
              "qos.json:4: TC_TO_QUEUE_MAP|AZURE: 3: class 2 is in queue 3, too; accepted: a queue "
              "for each class");
    EXPECT_EQ(Refusal(R"("pfc_enable": "3,4"})", R"("pfc_enable": "3,8"})"),
              "qos.json:8: PORT_QOS_MAP|Ethernet0,Ethernet4: pfc_enable: '3,8'; accepted: "
              "priorities 0 to 7 separated by commas");
    EXPECT_EQ(Refusal(R"("pfc_enable": "3,4"})", R"("pfc_enable": "2,3"})"),
              "qos.json:8: PORT_QOS_MAP|Ethernet0,Ethernet4: pfc_enable: class 2 is in priority "
              "group 0 with others; accepted: a priority group of its own for each lossless class");
    EXPECT_EQ(
        Refusal(R"({"3": "3", "4": "4"}})", R"({"3": "4", "4": "3"}})"),
        "qos.json:5: MAP_PFC_PRIORITY_TO_QUEUE|AZURE: 3: a pause of priority 3 stops queue 4, "
        "but class 3 is in queue 3; accepted: the queue of class 3");
    EXPECT_EQ(Refusal(R"("tc_to_pg_map": "AZURE", "pfc_to_queue_map")",
                      R"("tc_to_pg_map": "X", "pfc_to_queue_map")"),
              "qos.json:8: PORT_QOS_MAP|Ethernet0,Ethernet4: tc_to_pg_map: there is no 'X'; "
              "accepted: one of TC_TO_PRIORITY_GROUP_MAP");
    EXPECT_EQ(
        Refusal(R"("weight": "30")", R"("weight": "0")"),
        "qos.json:13: SCHEDULER|scheduler.1: weight: '0'; accepted: a whole number, 1 to 100");
    EXPECT_EQ(Refusal(R"("type": "STRICT")", R"("type": "FIFO")"),
              "qos.json:14: SCHEDULER|scheduler.2: type: 'FIFO'; accepted: STRICT, DWRR, WRR");
    EXPECT_EQ(Refusal(R"("green_min_threshold": "50000")", R"("green_min_threshold": "250000")"),
              "qos.json:16: WRED_PROFILE|LOSSLESS: green_min_threshold: 250000 bytes; accepted: at "
              "most green_max_threshold, 200000");
    EXPECT_EQ(
        Refusal(R"("ecn": "ecn_all")", R"("ecn": "ecn_none", "wred_green_enable": "true")"),
        "qos.json:16: WRED_PROFILE|LOSSLESS: ecn: \"ecn_none\" with wred_green_enable drops "
        "green packets; accepted: ecn_green, ecn_green_yellow, ecn_green_red or ecn_all, which "
        "mark them");
    EXPECT_EQ(Refusal(R"("PFC_WD": {"GLOBAL": {)", R"("BUFFER_PG": {"GLOBAL": {)"),
              "qos.json:22: BUFFER_PG: is in both files; accepted: in one of them");
    EXPECT_EQ(Refusal(R"("PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}})", R"("PFC_WD": [])"),
              "qos.json:22: PFC_WD: is no object; accepted: a table in {}");
    EXPECT_EQ(Refusal(R"({"type": "STRICT"})", R"("STRICT")"),
              "qos.json:14: SCHEDULER|scheduler.2: is no object; accepted: fields in {}");
    EXPECT_EQ(Refusal(R"("Ethernet8,Ethernet12": {)", R"("Ethernet8": {)"),
              "buffers.json and qos.json: PORT_QOS_MAP: has nothing for Ethernet12; accepted: an "
              "object for each port");
    EXPECT_EQ(Refusal(R"("Ethernet8,Ethernet12": {)", R"("Ethernet4,Ethernet12": {)"),
              "qos.json:9: PORT_QOS_MAP|Ethernet4,Ethernet12: port Ethernet4 is there twice; "
              "accepted: each port once");
    EXPECT_EQ(Refusal(R"("Ethernet8,Ethernet12": {)", R"("Ethernet8,Ethernet12|3": {)"),
              "qos.json:9: PORT_QOS_MAP|Ethernet8,Ethernet12|3: 'Ethernet8,Ethernet12|3'; "
              "accepted: ports separated by commas, or global");
    EXPECT_EQ(Refusal(R"("Ethernet0,Ethernet4,Ethernet8,Ethernet12|4": {"scheduler")",
                      R"("global|4": {"scheduler")"),
              "qos.json:20: QUEUE|global|4: 'global|4'; accepted: PORTS|NUMBER or "
              "PORTS|FIRST-LAST, 0 to 7");
    EXPECT_EQ(Refusal(R"("Ethernet4": "5m")", R"("Ethernet4": "m")"),
              "buffers.json:24: CABLE_LENGTH|AZURE: Ethernet4: 'm'; accepted: metres, as in "
              "\"40m\", up to 1000m");
}
