/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-reader.h"
#include "rdma-test-fabric.h"
#include "rdma-test-sonic.h"

#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <regex>

/**
 * \file
 * \ingroup rdma-tests
 * A SONiC configuration applied to a fabric: settings, derived values, and errors.
 */

using namespace ns3;

namespace
{

/** \return the small configuration */
RdmaSonicConfig
GetConfig()
{
    return ParseRdmaSonicConfig({"buffers.json", SONIC_BUFFERS}, {"qos.json", SONIC_QOS});
}

/** Thresholds, headroom, classes, weights and marks. */
class EffectTestCase : public TestCase
{
  public:
    EffectTestCase()
        : TestCase("pools, profiles, classes, weights and marks take effect")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(320)));
        const RdmaTopology topology = MakeRdmaStar(4, MakeTestRates(100, 100, 100));
        test.fabric = test.helper.Install(topology);
        const auto notes = ApplyRdmaSonicConfig(*test.fabric, GetConfig());
        NS_TEST_EXPECT_MSG_EQ(notes.size(), 1, "notes");
        NS_TEST_EXPECT_MSG_EQ((notes.empty() ? "" : notes[0]),
                              "port Ethernet4 of switch " + topology.GetNode(4).name +
                                  ": a delay that is longer than the cable of CABLE_LENGTH has, up "
                                  "to 100ns with 5 m",
                              "note");
        test.fabric->AssignStreams(1);
        test.runner = CreateObject<RdmaFlowRunner>();
        test.runner->SetStopWhenDone(false);
        std::vector<RdmaFlow> flows;
        uint64_t id = 0;
        for (const uint32_t priority : {3, 4, 1})
        {
            for (uint32_t source = 1; source < 4; ++source)
            {
                flows.push_back(MakeTestFlow(id++, source, 0, 2'000'000, 0_ps, priority));
            }
        }
        test.runner->Install(test.fabric, flows);
        test.CheckBooksEvery(10_us);
        const Ptr<QbbSwitch> sw = test.fabric->GetSwitch(4);
        bool looked = false;
        Simulator::Schedule(PicoSeconds(1), [&]() {
            looked = true;
            CheckSettings(*sw);
        });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(looked, true, "settings");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "rest");
        CheckOutcome(test, *sw);
    }

    void CheckSettings(QbbSwitch& sw)
    {
        const auto& buffer = *sw.GetBufferManager();
        const QbbBufferUsage usage = buffer.GetUsage();
        // Four ports with reserves of 1248 + 2496 B each.
        NS_TEST_EXPECT_MSG_EQ(usage.sizeBytes, 4'500'000 + 4 * 3744, "what the files divide");
        NS_TEST_EXPECT_MSG_EQ(usage.sharedSize, 4'000'000, "ingress pools");
        NS_TEST_EXPECT_MSG_EQ(usage.headroomSize, 500'000, "xoff");
        NS_TEST_EXPECT_MSG_EQ(usage.reservedSize, 4 * 3744, "reserves");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetIngress(2, 3).threshold, 3'000'000 / 8, "2^-3");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetIngress(2, 4).threshold, 3'000'000 / 4, "2^-2");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetIngress(2, 0).threshold, 8'000'000, "2^3");
        NS_TEST_EXPECT_MSG_EQ(buffer.GetIngress(2, 3).headroomLimit, 60'000, "xoff");
        StringValue scheduler;
        sw.GetPort(1)->GetAttribute("Scheduler", scheduler);
        NS_TEST_EXPECT_MSG_EQ(scheduler.Get(),
                              "14,14,14,30,strict,strict,strict,strict",
                              "weights");
        NS_TEST_EXPECT_MSG_EQ(+sw.GetPort(1)->GetFlowControl().GetLosslessClasses(),
                              0x18,
                              "switch");
        NS_TEST_EXPECT_MSG_EQ(+sw.GetPort(1)->GetPeer()->GetFlowControl().GetLosslessClasses(),
                              0x18,
                              "host");
        NS_TEST_EXPECT_MSG_EQ(+sw.GetPort(1)->GetPeer()->GetClassifier().ClassifyDscp(5),
                              2,
                              "DSCP at hosts");
        NS_TEST_EXPECT_MSG_EQ(+sw.GetPort(1)->GetClassifier().ClassifyDscp(0), 1, "DSCP");
    }

    void CheckOutcome(const RdmaTestFabric& test, QbbSwitch& sw)
    {
        const auto& port = *sw.GetPort(0);
        const auto& counters = port.GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.classes[3].drops + counters.classes[4].drops, 0, "lossless");
        NS_TEST_EXPECT_MSG_GT(counters.classes[1].drops, 0, "lossy");
        // With dynamic_th -1 one queue takes at most a third of the pool of 900000 B, and 1518 B of
        // its own.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(port.GetQueues().GetPeakBytes(1), 301'518, "egress pool");
        NS_TEST_EXPECT_MSG_GT(port.GetQueues().GetPeakBytes(1), 299'000, "and it is used");
        NS_TEST_EXPECT_MSG_GT(counters.classes[3].ecnMarks, 100, "WRED");
        NS_TEST_EXPECT_MSG_EQ(counters.classes[4].ecnMarks, 0, "no WRED");
        NS_TEST_EXPECT_MSG_EQ(counters.classes[1].ecnMarks, 0, "no WRED");
        uint64_t pauses3 = 0;
        uint64_t pauses4 = 0;
        for (uint32_t p = 0; p < 4; ++p)
        {
            pauses3 += sw.GetPort(p)->GetFlowControl().GetPauseSender().GetXoffSent(3);
            pauses4 += sw.GetPort(p)->GetFlowControl().GetPauseSender().GetXoffSent(4);
        }
        NS_TEST_EXPECT_MSG_GT(pauses3, 0, "bulk");
        // Class 4 is strict, and its threshold is twice as high.
        NS_TEST_EXPECT_MSG_LT(pauses4, pauses3, "real time");
        RdmaPs last[8];
        for (const auto& result : test.results)
        {
            auto& end = last[result.flow.priority];
            end = std::max(end, result.flow.start + result.fct.value_or(0_ps));
        }
        NS_TEST_EXPECT_MSG_LT(last[4], last[3], "strict goes first");
        NS_TEST_EXPECT_MSG_LT(last[3], last[1], "30 to 14");
    }
};

/** Speeds of PORT choose the ports. */
class SpeedTestCase : public TestCase
{
  public:
    SpeedTestCase()
        : TestCase("ports of the configuration go by speed")
    {
    }

  private:
    void DoRun() override
    {
        std::string buffers = SONIC_BUFFERS;
        // The first two ports of the configuration are uplinks and have their own threshold.
        buffers.replace(buffers.find('{'),
                        1,
                        R"({"PORT": {"Ethernet0": {"speed": "400000"}, "Ethernet4": {"speed": )"
                        R"("400000"}, "Ethernet8": {"speed": "100000"}, "Ethernet12": {"speed": )"
                        R"("100000"}},)");
        buffers = std::regex_replace(
            buffers,
            std::regex(R"(Ethernet8,Ethernet12\|3": \{"profile": "pg_lossless_bulk)"),
            R"(Ethernet8,Ethernet12|3": {"profile": "pg_lossless_real_time)");
        buffers = std::regex_replace(
            buffers,
            std::regex(
                R"("Ethernet0,Ethernet4,Ethernet8,Ethernet12\|3": \{"profile": "pg_lossless_real_time"\})"),
            R"("Ethernet0,Ethernet4|3": {"profile": "pg_lossless_bulk"}, "Ethernet8,Ethernet12|3": {"profile": "pg_lossless_real_time"})");
        const auto config =
            ParseRdmaSonicConfig({"buffers.json", buffers}, {"qos.json", SONIC_QOS});
        RdmaTestFabric test;
        const RdmaTopology topology = MakeRdmaLeafSpine(2, 2, 1, MakeTestRates(100, 400, 10));
        test.fabric = test.helper.Install(topology);
        ApplyRdmaSonicConfig(*test.fabric, config);
        for (const uint32_t id : topology.GetSwitches())
        {
            const Ptr<QbbSwitch> sw = test.fabric->GetSwitch(id);
            sw->ConfigureBuffer();
            for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
            {
                const bool uplink = sw->GetPort(p)->GetLineRate().GetBitRate() > 100_gbps;
                NS_TEST_EXPECT_MSG_EQ(sw->GetBufferManager()->GetIngress(p, 3).threshold,
                                      (uplink ? 375'000 : 750'000),
                                      "port " << p << " of node " << id);
            }
        }
    }
};

/** Options that exclude each other. */
class SonicRefusalTestCase : public TestCase
{
  public:
    SonicRefusalTestCase()
        : TestCase("fabrics that a configuration does not fit")
    {
    }

  private:
    static std::string Refusal(const RdmaTopology& topology,
                               const RdmaSonicConfig& config,
                               uint64_t bytes = 0)
    {
        RdmaTestFabric test;
        test.fabric = test.helper.Install(topology);
        try
        {
            ApplyRdmaSonicConfig(*test.fabric, config, bytes);
        }
        catch (const std::invalid_argument& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        const RdmaTopology star = MakeRdmaStar(4, MakeTestRates(100, 100, 10));
        NS_TEST_EXPECT_MSG_EQ(Refusal(MakeRdmaStar(5, MakeTestRates(100, 100, 10)), GetConfig()),
                              "SONiC configuration: nothing is left in it for port 4 of switch "
                              "hub, 100Gbps; accepted: as many ports of that speed as the "
                              "switch has (it has 5 in all, the configuration 4)",
                              "ports");
        NS_TEST_EXPECT_MSG_EQ(Refusal(star, GetConfig(), 4'000'000),
                              "SONiC configuration: pools, reserves and headroom of switch "
                              "hub take 4514976 bytes; accepted: at most 4000000, its memory",
                              "memory");
        RdmaSonicConfig config = GetConfig();
        config.ports[2].losslessMask = 8;
        // Port 2 of each switch connects the two switches of a dumbbell that has two hosts per
        // side.
        NS_TEST_EXPECT_MSG_EQ(Refusal(MakeRdmaDumbbell(2, MakeTestRates(100, 100, 10)), config),
                              "",
                              "the same at both ends");
        config.ports[1].losslessMask = 8;
        NS_TEST_EXPECT_MSG_NE(
            Refusal(MakeRdmaLeafSpine(2, 2, 1, MakeTestRates(100, 100, 10)), config)
                .find("has other lossless classes (pfc_enable) at"),
            std::string::npos,
            "different ends");
    }
};

/** Notes and drops of switches with too little headroom. */
class SonicHeadroomTestCase : public TestCase
{
  public:
    SonicHeadroomTestCase()
        : TestCase("one note for a fact; an xoff of 0 is no headroom and loses frames")
    {
    }

  private:
    /** \return drops of an incast of three hosts with a headroom, and the notes */
    static std::pair<uint64_t, std::vector<std::string>> Run(uint32_t headroom)
    {
        RdmaSonicConfig config = GetConfig();
        config.plan.profiles[3].headroomBytes = headroom;
        RdmaTestFabric test;
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(320)));
        test.fabric = test.helper.Install(MakeRdmaStar(4, MakeTestRates(100, 100, 10)));
        const auto notes = ApplyRdmaSonicConfig(*test.fabric, config);
        test.fabric->AssignStreams(1);
        test.runner = CreateObject<RdmaFlowRunner>();
        test.runner->SetStopWhenDone(false);
        std::vector<RdmaFlow> flows;
        for (uint32_t source = 1; source < 4; ++source)
        {
            flows.push_back(MakeTestFlow(source, source, 0, 2'000'000, 0_ps, 3));
        }
        test.runner->Install(test.fabric, flows);
        test.Run();
        return {test.fabric->GetTotals().drops, notes};
    }

    void DoRun() override
    {
        const auto [noDrops, none] = Run(60'000);
        NS_TEST_EXPECT_MSG_EQ(noDrops, 0, "enough headroom");
        NS_TEST_EXPECT_MSG_EQ(none.size(), 0, "no note");
        for (const uint32_t bytes : {0, 1})
        {
            const auto [drops, notes] = Run(bytes);
            NS_TEST_EXPECT_MSG_GT(drops, 0, "headroom of " << bytes);
            NS_TEST_ASSERT_MSG_EQ(notes.size(), 1, "one note for four ports");
            const std::string begin =
                bytes ? "class 3 on 4 ports of switch hub: 1 bytes of headroom (pg_lossless_bulk), "
                        "computed "
                      : "class 3 on 4 ports of switch hub: no headroom (xoff of "
                        "pg_lossless_bulk), computed ";
            NS_TEST_EXPECT_MSG_EQ(notes[0].substr(0, begin.size()), begin, "note");
        }

        RdmaSonicConfig config = GetConfig();
        for (auto& port : config.plan.ports)
        {
            port.groups[3] = port.groups[4] = QbbPortBufferPlan::NONE;
            port.queues[4] = QbbPortBufferPlan::NONE;
        }
        for (auto& port : config.ports)
        {
            port.cableMetres.reset();
        }
        RdmaTestFabric test;
        test.fabric = test.helper.Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 10)));
        const auto notes = ApplyRdmaSonicConfig(*test.fabric, config);
        NS_TEST_ASSERT_MSG_EQ(notes.size(), 2, "one note for each fact");
        NS_TEST_EXPECT_MSG_EQ(
            notes[0],
            "classes 3 and 4 on 12 ports of 4 switches: no priority group in the files; SONiC's "
            "buffermgrd adds it from pg_profile_lookup.ini (--sonicPgLookup=FILE); without the "
            "file the headroom is computed",
            "groups");
        NS_TEST_EXPECT_MSG_EQ(notes[1],
                              "class 4 on 12 ports of 4 switches: no memory by BUFFER_QUEUE; every "
                              "frame is dropped",
                              "queues");
    }
};

/** Marking curves of single ports, and files with one half of the settings. */
class SonicPartsTestCase : public TestCase
{
  public:
    SonicPartsTestCase()
        : TestCase("marking differs by port; one file alone leaves the rest as it is")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaTopology star = MakeRdmaStar(4, MakeTestRates(100, 100, 10));
        RdmaSonicConfig config = GetConfig();
        config.ports[1].ecn[3].reset();
        config.ports[2].ecn[3]->kminBytes = 7000;
        RdmaTestFabric test;
        test.fabric = test.helper.Install(star);
        ApplyRdmaSonicConfig(*test.fabric, config);
        PointerValue value;
        test.fabric->GetSwitch(4)->GetAttribute("EcnMarker", value);
        const auto marker = value.Get<QbbEcnMarker>();
        NS_TEST_EXPECT_MSG_EQ(marker->GetThresholds(3, 100_gbps, 0).kminBytes, 50'000, "port 0");
        NS_TEST_EXPECT_MSG_EQ(marker->GetThresholds(3, 100_gbps, 1).kminBytes,
                              QbbEcnThresholds().kminBytes,
                              "port 1");
        NS_TEST_EXPECT_MSG_EQ(marker->GetThresholds(3, 100_gbps, 2).kminBytes, 7000, "port 2");

        RdmaTestFabric buffers;
        buffers.fabric = buffers.helper.Install(star);
        const Ptr<QbbSwitch> first = buffers.fabric->GetSwitch(4);
        const uint8_t classes = first->GetPort(0)->GetFlowControl().GetLosslessClasses();
        ApplyRdmaSonicConfig(*buffers.fabric,
                             ParseRdmaSonicConfig({"buffers.json", SONIC_BUFFERS}));
        first->ConfigureBuffer();
        NS_TEST_EXPECT_MSG_EQ(first->GetBufferManager()->GetIngress(2, 3).threshold,
                              375'000,
                              "a pool of the file");
        NS_TEST_EXPECT_MSG_EQ(+first->GetPort(0)->GetFlowControl().GetLosslessClasses(),
                              +classes,
                              "PFC is as before");
        NS_TEST_EXPECT_MSG_EQ(+first->GetPort(0)->GetClassifier().ClassifyDscp(24), 3, "DSCP");

        RdmaTestFabric qos;
        qos.fabric = qos.helper.Install(star);
        const Ptr<QbbSwitch> second = qos.fabric->GetSwitch(4);
        ApplyRdmaSonicConfig(*qos.fabric, ParseRdmaSonicConfig({}, {"qos.json", SONIC_QOS}));
        second->ConfigureBuffer();
        NS_TEST_EXPECT_MSG_EQ(+second->GetPort(0)->GetFlowControl().GetLosslessClasses(),
                              0x18,
                              "PFC of the file");
        NS_TEST_EXPECT_MSG_EQ(second->GetBufferManager()->GetUsage().sizeBytes,
                              12 * 1024 * 1024,
                              "memory is as before");
    }
};

/**
 * \ingroup rdma-tests
 * SONiC configurations.
 */
class RdmaSonicTestSuite : public TestSuite
{
  public:
    RdmaSonicTestSuite()
        : TestSuite("rdma-sonic")
    {
        AddTestCase(new EffectTestCase);
        AddTestCase(new SpeedTestCase);
        AddTestCase(new SonicRefusalTestCase);
        AddTestCase(new SonicHeadroomTestCase);
        AddTestCase(new SonicPartsTestCase);
    }
};

RdmaSonicTestSuite g_rdmaSonicTestSuite; //!< registers the suite

} // namespace
