/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-file-error.h"
#include "rdma-sonic-reader.h"
#include "rdma-test-sonic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>
#include <string>

using namespace ns3;

namespace
{

RdmaSonicConfig
Read(const std::string& buffers = SONIC_BUFFERS, const std::string& qos = SONIC_QOS)
{
    return ParseRdmaSonicConfig({"buffers.json", buffers}, {"qos.json", qos});
}

/// \return \p text with its only or first \p from replaced by \p to
std::string
Replace(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// \return true if a note of \p config contains \p text
bool
HasNote(const RdmaSonicConfig& config, const std::string& text)
{
    return std::any_of(config.notes.begin(), config.notes.end(), [&](const auto& note) {
        return note.find(text) != std::string::npos;
    });
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
                  "qos.json:16: WRED_PROFILE|LOSSLESS: ecn_all without wred_green_enable marks "
                  "here, as SAI describes; there are chips that then do not mark",
                  "qos.json:9: PORT_QOS_MAP: pfcwd_sw_enable is not used",
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
    const RdmaSonicConfig config = ParseRdmaSonicConfig({"config_db.json", both});
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
              "number, 0 to 1099511627776");
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
              "\"40m\", up to 200000000m");
    EXPECT_EQ(Refusal(R"("5": "2", "8")", R"("5": "16", "8")"),
              "qos.json:2: DSCP_TO_TC_MAP|AZURE: 5: '16'; accepted: a whole number, 0 to 15");
    EXPECT_EQ(Refusal(R"("8": "0"}})", R"("64": "0"}})"),
              "qos.json:2: DSCP_TO_TC_MAP|AZURE: 64: is no key of this table; accepted: 0 to 63");
    EXPECT_EQ(
        Refusal(R"("2": "1", "3": "3", "4": "4"}})", R"("2": "3", "3": "3", "4": "4"}})"),
        "qos.json:4: TC_TO_QUEUE_MAP|AZURE: classes 2 and 3 share queue 3, and at least one is "
        "lossless at Ethernet0; accepted: a queue of its own for each lossless class");
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
    EXPECT_EQ(Refusal(R"("PFC_WD": {"GLOBAL": {)", R"("BUFFER_PG": {"GLOBAL": {)"),
              "qos.json:22: BUFFER_PG: is in both files; accepted: in one of them");
    EXPECT_EQ(Refusal(R"("PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}})", R"("PORT": [])"),
              "qos.json:22: PORT: is no object; accepted: a table in {}");
    EXPECT_EQ(Refusal(R"({"type": "STRICT"})", R"("STRICT")"),
              "qos.json:14: SCHEDULER|scheduler.2: is no object; accepted: fields in {}");
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
              "\"40m\", up to 200000000m");
}

TEST(RdmaSonicReader, PoolForBothDirections)
{
    std::string buffers = Replace(SONIC_BUFFERS,
                                  R"("type": "ingress", "mode": "dynamic", "size": "3000000")",
                                  R"("type": "both", "mode": "dynamic", "size": "3000000")");
    buffers = Replace(buffers,
                      R"("egress_lossless_profile": {"pool": "egress_lossless_pool")",
                      R"("egress_lossless_profile": {"pool": "ingress_lossless_pool")");
    const RdmaSonicConfig config = Read(buffers);
    ASSERT_EQ(config.plan.pools.size(), 5U);
    const QbbBufferPool& ingress = config.plan.pools[2];
    const QbbBufferPool& egress = config.plan.pools[3];
    EXPECT_EQ(ingress.name, "ingress_lossless_pool");
    EXPECT_FALSE(ingress.egress);
    EXPECT_EQ(ingress.headroomBytes, 500'000U);
    EXPECT_EQ(egress.name, "ingress_lossless_pool");
    EXPECT_TRUE(egress.egress);
    EXPECT_EQ(egress.bytes, 3'000'000U);
    EXPECT_EQ(egress.headroomBytes, 0U);
    const QbbPortBufferPlan& port = config.plan.ports[0];
    EXPECT_EQ(config.plan.profiles[port.groups[3]].pool, 2U);
    EXPECT_EQ(config.plan.profiles[port.queues[3]].pool, 3U);
    CheckQbbBufferPlan(config.plan);
}

TEST(RdmaSonicReader, PoolOfNoBytesGivesNoMemory)
{
    std::string buffers =
        Replace(SONIC_BUFFERS,
                R"("BUFFER_POOL": {)",
                R"("BUFFER_POOL": {"zero": {"type": "ingress", "mode": "static", )"
                R"("size": "0"},)");
    buffers =
        Replace(buffers,
                R"("BUFFER_PROFILE": {)",
                R"("BUFFER_PROFILE": {"none": {"pool": "zero", "size": "0", "static_th": "0"},)");
    EXPECT_EQ(Read(buffers).plan.pools.size(), 4U);
    const std::string lossy = Replace(buffers, "[BUFFER_PROFILE|ingress_lossy_profile]", "none");
    EXPECT_EQ(Read(lossy).plan.ports[0].groups[0], QbbPortBufferPlan::NONE);
    const std::string lossless =
        Replace(buffers, R"(|3": {"profile": "pg_lossless_bulk")", R"(|3": {"profile": "none")");
    try
    {
        Read(lossless);
        ADD_FAILURE() << "accepted";
    }
    catch (const RdmaFileError& error)
    {
        EXPECT_STREQ(error.what(),
                     "buffers.json:17: BUFFER_PG|Ethernet0,Ethernet4,Ethernet8,Ethernet12|3: "
                     "profile: its pool has 0 bytes, and class 3 of Ethernet0 is lossless; "
                     "accepted: a pool with memory for a lossless class");
    }
}

TEST(RdmaSonicReader, PoolWithoutASize)
{
    const RdmaSonicConfig config = Read(Replace(SONIC_BUFFERS, R"(, "size": "900000")", ""));
    EXPECT_EQ(config.plan.pools[1].name, "egress_lossy_pool");
    EXPECT_EQ(config.plan.pools[1].bytes, 0U);
}

TEST(RdmaSonicReader, SizesOf64Bits)
{
    EXPECT_EQ(Read(Replace(SONIC_BUFFERS, R"("size": "3000000")", R"("size": "25766440000")"))
                  .plan.pools[2]
                  .bytes,
              25'766'440'000U);
    EXPECT_EQ(Refusal(R"("size": "3000000")", R"("size": "1099511627777")"),
              "buffers.json:3: BUFFER_POOL|ingress_lossless_pool: size: '1099511627777'; accepted: "
              "a whole number, 0 to 1099511627776");
}

TEST(RdmaSonicReader, XoffOfZeroIsNoHeadroom)
{
    EXPECT_EQ(Read().plan.profiles[3].headroomBytes, 60'000U);
    const std::string from = R"("xoff": "60000", )";
    EXPECT_EQ(Read(Replace(SONIC_BUFFERS, from, R"("xoff": "0", )")).plan.profiles[3].headroomBytes,
              0U);
    EXPECT_EQ(Read(Replace(SONIC_BUFFERS, from, "")).plan.profiles[3].headroomBytes, 0U);
}

TEST(RdmaSonicReader, TrafficClassesTo15)
{
    // Class 9 has neither a queue nor a group in the maps: queue 0 and group 0, as class 0.
    std::string qos = Replace(SONIC_QOS, R"("8": "0"}})", R"("8": "9", "9": "15"}})");
    qos = Replace(qos,
                  R"("2": "1", "3": "3", "4": "4"}})",
                  R"("2": "1", "3": "3", "4": "4", "15": "2"}})");
    const RdmaSonicConfig config = Read(SONIC_BUFFERS, qos);
    EXPECT_EQ(config.ports[0].classOfDscp[8], 0);
    EXPECT_EQ(config.ports[0].classOfDscp[9], 1); // class 1 is in queue 2
    EXPECT_EQ(Refusal(R"("5": "2", "8": "0"}})", R"("5": "9", "8": "0"}})"), "accepted");
    qos = Replace(qos, R"("15": "2"}})", R"("15": "7"}})");
    try
    {
        Read(SONIC_BUFFERS,
             Replace(qos, R"("3": "3", "4": "4"}})", R"("3": "3", "4": "4", "15": "4"}})"));
        ADD_FAILURE() << "accepted";
    }
    catch (const RdmaFileError& error)
    {
        EXPECT_STREQ(error.what(),
                     "qos.json:4: TC_TO_QUEUE_MAP|AZURE: 15: no class has the queue and the "
                     "priority group of traffic class 15 at Ethernet0; accepted: above 7, those of "
                     "a class 0 to 7");
    }
}

// Lossy classes in one queue each get a queue with its settings.
TEST(RdmaSonicReader, SharedQueues)
{
    const std::string qos = Replace(SONIC_QOS,
                                    R"("1": "2", "2": "1", "3": "3", "4": "4"}})",
                                    R"("1": "0", "2": "1", "3": "3", "4": "4"}})");
    std::string buffers = Replace(SONIC_BUFFERS,
                                  "Ethernet12|0-2\": {\"profile\": \"egress_lossy",
                                  "Ethernet12|0\": {\"profile\": \"egress_lossy");
    const RdmaSonicConfig config = Read(buffers, qos);
    const auto& queues = config.plan.ports[0].queues;
    EXPECT_NE(queues[0], QbbPortBufferPlan::NONE);
    EXPECT_EQ(queues[1], queues[0]);
    EXPECT_EQ(queues[2], QbbPortBufferPlan::NONE);
    EXPECT_TRUE(HasNote(config,
                        "TC_TO_QUEUE_MAP|AZURE: classes 0 and 1 share queue 0; here each has a "
                        "queue of its own with the settings of queue 0"));
    EXPECT_EQ(
        std::count_if(config.notes.begin(),
                      config.notes.end(),
                      [](const auto& note) { return note.find("share") != std::string::npos; }),
        1);
    EXPECT_FALSE(HasNote(Read(), "share"));
}

TEST(RdmaSonicReader, MarkingProbabilities)
{
    const std::string from = R"(, "green_drop_probability": "10")";
    EXPECT_EQ(Read().ports[0].ecn[3]->pmax, 0.1);
    EXPECT_EQ(Read(SONIC_BUFFERS, Replace(SONIC_QOS, from, "")).ports[0].ecn[3]->pmax, 1);
    // 0% up to the maximum, and every packet above
    const auto step =
        Read(SONIC_BUFFERS, Replace(SONIC_QOS, from, R"(, "green_drop_probability": "0")"))
            .ports[0]
            .ecn[3];
    EXPECT_EQ(step->kminBytes, 200'000U);
    EXPECT_EQ(step->kmaxBytes, 200'000U);
}

TEST(RdmaSonicReader, MarksByEcnModeWithANote)
{
    const std::string note = "qos.json:16: WRED_PROFILE|LOSSLESS: ecn_all without "
                             "wred_green_enable marks here, as SAI describes";
    const auto read = [](const std::string& ecn) {
        return Read(SONIC_BUFFERS, Replace(SONIC_QOS, R"("ecn": "ecn_all")", ecn));
    };
    EXPECT_TRUE(HasNote(read(R"("ecn": "ecn_all", "wred_green_enable": "false")"), note));
    EXPECT_TRUE(HasNote(read(R"("ecn": "ecn_all")"), note));
    const RdmaSonicConfig enabled = read(R"("ecn": "ecn_all", "wred_green_enable": "true")");
    EXPECT_FALSE(HasNote(enabled, "wred_green_enable"));
    EXPECT_TRUE(enabled.ports[0].ecn[3]);
    const RdmaSonicConfig drops = read(R"("ecn": "ecn_none", "wred_green_enable": "true")");
    EXPECT_TRUE(HasNote(drops, "ecn_none with wred_green_enable drops green packets early"));
    EXPECT_FALSE(drops.ports[0].ecn[3]);
    EXPECT_FALSE(read(R"("wred_green_enable": "false")").ports[0].ecn[3]);
}

TEST(RdmaSonicReader, LastOfRepeatedNamesCounts)
{
    const std::string twice = Replace(SONIC_QOS, R"("5": "2", "8")", R"("5": "2", "5": "0", "8")");
    const RdmaSonicConfig config = Read(SONIC_BUFFERS, twice);
    EXPECT_EQ(config.ports[0].classOfDscp[5], 0);
    EXPECT_TRUE(
        HasNote(config,
                "qos.json:2: DSCP_TO_TC_MAP|AZURE: 5 is there twice; the last value counts"));
    const RdmaSonicConfig object = Read(
        SONIC_BUFFERS,
        Replace(
            SONIC_QOS,
            R"("scheduler.2": {"type": "STRICT"})",
            R"("scheduler.2": {"type": "DWRR", "weight": "9"}, "scheduler.2": {"type": "STRICT"})"));
    EXPECT_EQ(object.ports[0].scheduler, "14,14,14,30,strict,strict,strict,strict");
    EXPECT_TRUE(HasNote(object, "qos.json:14: SCHEDULER|scheduler.2 is there twice"));
    // A table that is not used may hold anything.
    const RdmaSonicConfig other = Read(
        SONIC_BUFFERS,
        Replace(SONIC_QOS, R"({"GLOBAL": {"POLL_INTERVAL": "200"}})", R"({"A": {}, "A": [1, 2]})"));
    EXPECT_FALSE(HasNote(other, "twice"));
    EXPECT_TRUE(HasNote(other, "table PFC_WD is not used"));
}

TEST(RdmaSonicReader, OneFileAlone)
{
    const RdmaSonicConfig buffers = ParseRdmaSonicConfig({"buffers.json", SONIC_BUFFERS});
    EXPECT_TRUE(buffers.hasBuffers);
    EXPECT_FALSE(buffers.hasQos);
    ASSERT_EQ(buffers.ports.size(), 4U);
    EXPECT_EQ(buffers.ports[0].losslessMask, 0);
    EXPECT_EQ(buffers.plan.profiles[buffers.plan.ports[0].groups[3]].name, "pg_lossless_bulk");
    EXPECT_EQ(buffers.ports[0].cableMetres, 40U);

    const RdmaSonicConfig qos = ParseRdmaSonicConfig({}, {"qos.json", SONIC_QOS});
    EXPECT_FALSE(qos.hasBuffers);
    EXPECT_TRUE(qos.hasQos);
    ASSERT_EQ(qos.ports.size(), 4U);
    EXPECT_EQ(qos.ports[0].losslessMask, 0x18);
    EXPECT_TRUE(qos.plan.pools.empty());
    for (const char* text : {"{}", R"({"PFC_WD": {}})"})
    {
        try
        {
            ParseRdmaSonicConfig({"f.json", text});
            ADD_FAILURE() << "accepted";
        }
        catch (const RdmaFileError& error)
        {
            EXPECT_STREQ(error.what(),
                         "f.json: neither BUFFER_POOL nor PORT_QOS_MAP is there; accepted: tables "
                         "of SONiC with one of them");
        }
    }
}

TEST(RdmaSonicReader, ByteOrderMark)
{
    EXPECT_EQ(Read("\xef\xbb\xbf" + SONIC_BUFFERS, "\xef\xbb\xbf" + SONIC_QOS).ports.size(), 4U);
}

TEST(RdmaSonicReader, ProfileOfTheDynamicModel)
{
    const RdmaSonicConfig config =
        Read(Replace(SONIC_BUFFERS, R"("profile": "pg_lossless_bulk")", R"("profile": "NULL")"));
    EXPECT_EQ(config.ports[0].dynamicGroups, 0x08);
    EXPECT_EQ(config.plan.ports[0].groups[3], QbbPortBufferPlan::NONE);
    EXPECT_EQ(config.computedAlpha, 0.125);
    EXPECT_EQ(Read(Replace(SONIC_BUFFERS,
                           R"("BUFFER_PROFILE": {)",
                           R"("DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": )"
                           R"({"default_dynamic_th": "1"}}, "BUFFER_PROFILE": {)"))
                  .computedAlpha,
              2);
    EXPECT_EQ(
        Refusal(R"("profile": "[BUFFER_PROFILE|egress_lossless_profile]")", R"("profile": "NULL")"),
        "buffers.json:22: BUFFER_QUEUE|Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4: profile: "
        "there "
        "is no 'NULL'; accepted: one of BUFFER_PROFILE");
}

// Only ports of PORT_QOS_MAP are ports of the switch.
TEST(RdmaSonicReader, PortsWithoutQualityOfService)
{
    const RdmaSonicConfig config =
        Read(SONIC_BUFFERS,
             Replace(SONIC_QOS, R"("Ethernet8,Ethernet12": {)", R"("Ethernet8": {)"));
    ASSERT_EQ(config.ports.size(), 3U);
    EXPECT_EQ(config.ports[2].name, "Ethernet8");
    EXPECT_TRUE(HasNote(config,
                        "BUFFER_PG and BUFFER_QUEUE name 1 port without an entry in PORT_QOS_MAP, "
                        "from Ethernet12 on; left out"));
}

TEST(RdmaSonicReader, QueuesOfAChassis)
{
    std::string buffers =
        Replace(SONIC_BUFFERS,
                R"("Ethernet0,Ethernet4,Ethernet8,Ethernet12|0-2": {"profile")",
                R"("card2|asic0|Ethernet0|0-2": {"profile": "egress_lossy_profile"}, )"
                R"("card2|asic0|Ethernet99|0-2": {"profile": "egress_lossy_profile"}, )"
                R"("card1|asic0|Ethernet0,Ethernet4,Ethernet8,Ethernet12|0-2": {"profile")");
    const RdmaSonicConfig config = Read(buffers);
    ASSERT_EQ(config.ports.size(), 4U);
    EXPECT_EQ(config.plan.profiles[config.plan.ports[0].queues[0]].name, "egress_lossy_profile");
    EXPECT_EQ(config.plan.ports[1].queues[0], config.plan.ports[0].queues[0]);
    EXPECT_TRUE(HasNote(config, "the tables of queues name 2 line cards or chips, as card1|asic0"));
}

TEST(RdmaSonicReader, PgProfileLookup)
{
    const auto read = [](const std::string& text, const std::string& buffers = SONIC_BUFFERS) {
        return ParseRdmaSonicConfig({"buffers.json", buffers}, {}, {"pg.ini", text});
    };
    const RdmaSonicConfig config = read("# speed cable size xon xoff threshold xon_offset\r\n\n"
                                        "  40000  5m   1100 2200 61000 -3   2300\r\n"
                                        " 100000 300m  0    0    99000  1\n");
    ASSERT_EQ(config.pgLookup.size(), 2U);
    const RdmaSonicPgLine& line = config.pgLookup[0];
    EXPECT_EQ(line.rate, 40_gbps);
    EXPECT_EQ(line.metres, 5U);
    EXPECT_EQ(line.profile.name, "pg_lossless_40000_5m_profile");
    EXPECT_EQ(line.profile.pool, 2U);
    EXPECT_EQ(line.profile.reserveBytes, 1100U);
    EXPECT_EQ(line.profile.xonBytes, 2200U);
    EXPECT_EQ(line.profile.headroomBytes, 61'000U);
    EXPECT_EQ(line.profile.alpha, 0.125);
    EXPECT_EQ(line.profile.xonOffsetBytes, 2300U);
    EXPECT_EQ(config.pgLookup[1].profile.alpha, 2);
    EXPECT_EQ(config.pgLookup[1].profile.xonOffsetBytes, 0U);

    // In a static pool the threshold is a number of bytes.
    const RdmaSonicConfig fixed =
        read("40000 5m 0 0 61000 77000",
             Replace(SONIC_BUFFERS, R"("mode": "dynamic")", R"("mode": "static")"));
    EXPECT_FALSE(fixed.pgLookup[0].profile.alpha);
    EXPECT_EQ(fixed.pgLookup[0].profile.limitBytes, 77'000U);

    // A profile of the files with that name counts.
    EXPECT_EQ(read("40000 5m 0 0 1 1",
                   std::regex_replace(SONIC_BUFFERS,
                                      std::regex("pg_lossless_bulk"),
                                      "pg_lossless_40000_5m_profile"))
                  .pgLookup[0]
                  .profile.headroomBytes,
              60'000U);

    const auto refusal = [&read](const std::string& text, const std::string& buffers) {
        try
        {
            read(text, buffers);
        }
        catch (const RdmaFileError& error)
        {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refusal("40G 5m 0 0 1 1", SONIC_BUFFERS).substr(0, 16), "pg.ini:1: speed:");
    EXPECT_EQ(refusal("\n40000 5 0 0 1 1", SONIC_BUFFERS),
              "pg.ini:2: cable: '5'; accepted: metres, as in \"40m\"");
    EXPECT_EQ(refusal("40000 5m 0 0 1 9", SONIC_BUFFERS),
              "pg.ini:1: threshold: '9'; accepted: a whole number, -8 to 8");
    EXPECT_EQ(refusal("40000 5m 0 0 1", SONIC_BUFFERS),
              "pg.ini:1: 5 fields; accepted: 7: speed cable size xon xoff threshold, and if wanted "
              "xon_offset");
    EXPECT_EQ(refusal("# nothing", SONIC_BUFFERS),
              "pg.ini: there is no line with speed, cable and profile");
    EXPECT_EQ(
        refusal("40000 5m 0 0 1 1",
                std::regex_replace(SONIC_BUFFERS, std::regex("ingress_lossless_pool"), "pool1")),
        "buffers.json: BUFFER_POOL: there is no ingress pool ingress_lossless_pool with a "
        "size; accepted: with pg.ini the pool in which buffermgrd makes its profiles");
}
