/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-flow-reader.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"
#include "rdma-test-link.h"
#include "rdma-test-threads.h"
#include "rdma-topology-reader.h"
#include "rdma-units.h"
#include "rdma-workload.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iomanip>

/**
 * \file
 * \ingroup rdma-tests
 * Equal runs give equal results to the bit: a second run, frames as bytes, flows inserted in
 * another order, another scheduler, input from files, traces connected, several threads.
 */

using namespace ns3;

namespace
{

/** Differences of a run from the plain run. */
struct Variant
{
    const char* name{"again"};                  //!< name of the variant
    const char* scheduler{"ns3::MapScheduler"}; //!< ns-3's event list
    bool serialize{false};                      //!< frames cross links as bytes
    bool own{false};                            //!< the module's simulator, not ns-3's
    uint32_t threads{1};                        //!< threads of the module's simulator
    uint32_t groups{0};                         //!< its groups of nodes; 0: its own choice
    bool reverse{false};                        //!< flows are given in reverse order
    bool files{false};                          //!< topology and flows come from files
    bool traces{false};                         //!< captures and trace sinks are connected
};

/** All results of a run. */
struct RunOutcome
{
    std::string digest; //!< digest of flows.csv
    std::string ports;  //!< ports.csv without names, which a topology from a file lacks
    uint64_t hops{0};   //!< frames sent on all links
};

/** A run that is done in many ways. */
class DeterminismTestCase : public TestCase
{
  protected:
    /** \param name name of the test case */
    explicit DeterminismTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * \param duration time in which flows start
     * \param load payload over the hosts' rate
     * \return flows like those of the HPCC simulator's traffic generator: WebSearch sizes, Poisson
     */
    static std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology,
                                           RdmaPs duration,
                                           double load)
    {
        RngSeedManager::SetSeed(11);
        return MakeRdmaFlows("poisson[Duration=" + FormatRdmaTime(duration) +
                                 "|Load=" + FormatRdmaReal(load) + "]",
                             topology);
    }

    /** \param path file name \param flows written to it in the HPCC format */
    static void WriteFlows(const std::string& path, const std::vector<RdmaFlow>& flows)
    {
        std::ofstream file(path);
        file << flows.size() << "\n";
        for (const auto& flow : flows)
        {
            file << flow.srcHost << " " << flow.dstHost << " " << flow.priority << " 100 "
                 << flow.bytes << " " << flow.start / 1_s << "." << std::setw(12)
                 << std::setfill('0') << (flow.start % 1_s).Get() << "\n";
        }
    }

    /**
     * \param topology topology of the fabric
     * \param flows in ascending order of ids, from 0
     * \param variant how the run differs from the plain run
     * \return the results
     */
    RunOutcome RunOnce(RdmaTopology topology, std::vector<RdmaFlow> flows, const Variant& variant)
    {
        if (variant.own)
        {
            SelectTestThreads(variant.threads, variant.groups);
        }
        ObjectFactory scheduler;
        scheduler.SetTypeId(variant.scheduler);
        Simulator::SetScheduler(scheduler);
        NS_TEST_EXPECT_MSG_EQ(bool(DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation())),
                              variant.own,
                              variant.name << ": simulator");
        RngSeedManager::SetSeed(1);
        if (variant.files)
        {
            const std::string topologyPath = CreateTempDirFilename("topology.txt");
            const std::string flowPath = CreateTempDirFilename("flow.txt");
            WriteRdmaTopology(topology, topologyPath);
            WriteFlows(flowPath, flows);
            topology = ReadRdmaTopology(topologyPath);
            flows = ReadRdmaFlows(flowPath, topology).flows;
        }
        if (variant.reverse)
        {
            std::reverse(flows.begin(), flows.end());
        }
        RdmaTestFabric test;
        test.SetMtu(1000);
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(variant.serialize));
        Configure(test);
        test.Install(topology, flows);
        m_traced = 0;
        if (variant.traces)
        {
            ConnectTraces(test);
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", variant.name << ": flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckAll(*test.fabric), "", variant.name << ": books");
        NS_TEST_EXPECT_MSG_EQ((m_traced > 0), variant.traces, "traces fire if connected");
        Look(test);
        std::vector<RdmaPortResult> ports = test.fabric->GetPortResults();
        for (RdmaPortResult& row : ports)
        {
            auto port = std::make_shared<RdmaFabricPort>(*row.port);
            port->nodeName.clear();
            port->name.clear();
            row.port = port;
        }
        return {test.GetDigest(), FormatRdmaPortsCsv(ports), test.fabric->GetTotals().packetHops};
    }

    /**
     * \param topology topology of the fabric
     * \param flows the flows
     * \param variants runs whose results must equal those of the plain run
     */
    void Compare(const RdmaTopology& topology,
                 const std::vector<RdmaFlow>& flows,
                 const std::vector<Variant>& variants)
    {
        const RunOutcome plain = RunOnce(topology, flows, Variant());
        for (const auto& variant : variants)
        {
            const RunOutcome other = RunOnce(topology, flows, variant);
            NS_TEST_EXPECT_MSG_EQ(other.digest, plain.digest, variant.name << ": flows");
            NS_TEST_EXPECT_MSG_EQ((other.ports == plain.ports), true, variant.name << ": ports");
            NS_TEST_EXPECT_MSG_EQ(other.hops, plain.hops, variant.name << ": hops");
        }
    }

    /** \param test fabric that is not built yet, to be configured */
    virtual void Configure(RdmaTestFabric& test)
    {
    }

    /** \param test fabric that has run */
    virtual void Look(RdmaTestFabric& test)
    {
    }

  private:
    void ConnectTraces(RdmaTestFabric& test)
    {
        const auto count = Callback<void, Ptr<const Packet>>(
            [this](Ptr<const Packet> packet) { m_traced += packet->GetSize() > 0; });
        const auto& topology = test.fabric->GetTopology();
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            for (const uint32_t node : {topology.GetLink(link).a, topology.GetLink(link).b})
            {
                const auto device = test.fabric->GetDevice(link, node);
                for (const char* source : RDMA_TEST_PACKET_SOURCES)
                {
                    NS_TEST_EXPECT_MSG_EQ(device->TraceConnectWithoutContext(source, count),
                                          true,
                                          source);
                }
            }
        }
        QbbHelper captures;
        captures.EnablePcap(CreateTempDirFilename("run"), test.fabric->GetNodes(), true);
        captures.EnableAscii(CreateTempDirFilename("run"), test.fabric->GetNodes());
    }

    uint64_t m_traced{0}; //!< calls of the trace sink
};

/** Workload A: 64 hosts, leaf-spine, WebSearch at half load, 2 ms. */
class WorkloadATestCase : public DeterminismTestCase
{
  public:
    WorkloadATestCase()
        : DeterminismTestCase("workload A, 2 ms")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaTopology topology = MakeRdmaLeafSpine(4, 16, 4, MakeTestRates(100, 400, 1000));
        const auto flows = MakeFlows(topology, 2_ms, 0.5);
        NS_TEST_ASSERT_MSG_GT(flows.size(), 300U, "flows");
        std::vector<Variant> variants(3);
        variants[1].name = "as bytes";
        variants[1].serialize = true;
        variants[2].name = "reversed flows, another scheduler";
        variants[2].reverse = true;
        variants[2].scheduler = "ns3::QbbWheelScheduler";
        Compare(topology, flows, variants);
    }

    void Look(RdmaTestFabric& test) override
    {
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "lossless");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 0U, "under load");
    }
};

/** Settings of a run with a shorter workload. */
struct Setting
{
    const char* name;                               //!< for the test case's name
    double errorRate;                               //!< frames lost on each link
    std::function<void(RdmaTestFabric&)> configure; //!< before the fabric is built
    std::function<bool(RdmaTestFabric&)> happened;  //!< the run had the setting's events
};

/** Every variant, on a short workload. */
class VariantsTestCase : public DeterminismTestCase
{
  public:
    /** \param setting settings of the runs */
    explicit VariantsTestCase(const Setting& setting)
        : DeterminismTestCase(setting.name),
          m_setting(setting)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTopologyRates rates = MakeTestRates(100, 400, 1000);
        rates.errorRate = m_setting.errorRate;
        const RdmaTopology topology = MakeRdmaLeafSpine(4, 8, 2, rates);
        auto flows = MakeFlows(topology, 100_us, 4);
        for (auto& flow : flows)
        {
            flow.bytes = std::min<uint64_t>(flow.bytes, 300'000);
            // All flows start at one of two instants: a host starts several flows at once, and all
            // hosts start together.
            flow.start = flow.start / 50_us * 50_us;
        }
        std::vector<Variant> variants(12);
        variants[1].name = "as bytes";
        variants[1].serialize = true;
        variants[2].name = "reversed flows";
        variants[2].reverse = true;
        variants[3].name = "from files";
        variants[3].files = true;
        variants[4].name = "traced";
        variants[4].traces = true;
        variants[5].name = "everything at once";
        variants[5].scheduler = "ns3::QbbWheelScheduler";
        variants[5].serialize = variants[5].reverse = true;
        variants[5].files = variants[5].traces = true;
        variants[6].name = "own simulator";
        variants[6].own = true;
        variants[7] = variants[5];
        variants[7].name = "own simulator, everything at once";
        variants[7].own = true;
        variants[8].name = "threads";
        variants[8].own = true;
        variants[8].threads = 2;
        variants[8].groups = 4;
        variants[9] = variants[7];
        variants[9].name = "threads, everything at once";
        variants[9].threads = 3;
        variants[9].groups = 5;
        variants[10].name = "groups in turn";
        variants[10].own = true;
        variants[10].groups = 4;
        variants[11].name = "groups in turn, frames as bytes";
        variants[11].own = true;
        variants[11].groups = 3;
        variants[11].serialize = true;
        for (const char* scheduler : {"ns3::HeapScheduler",
                                      "ns3::PriorityQueueScheduler",
                                      "ns3::CalendarScheduler",
                                      "ns3::ListScheduler",
                                      "ns3::QbbWheelScheduler"})
        {
            Variant& variant = variants.emplace_back();
            variant.scheduler = variant.name = scheduler;
        }
        Compare(topology, flows, variants);
    }

    void Configure(RdmaTestFabric& test) override
    {
        m_setting.configure(test);
    }

    void Look(RdmaTestFabric& test) override
    {
        NS_TEST_EXPECT_MSG_EQ(m_setting.happened(test), true, "it happened");
    }

    Setting m_setting;
};

/** \param test fabric that gets a short timeout and retries without end */
void
SetShortTimeout(RdmaTestFabric& test)
{
    test.SetRetries(100_us, 1'000'000);
}

/** \return the settings of all test cases */
std::vector<Setting>
MakeSettings()
{
    return {
        {"lossless, many starts at one instant",
         0,
         [](RdmaTestFabric& test) {
             test.helper.SetBufferAttribute("BufferSize", UintegerValue(1 << 20));
         },
         [](RdmaTestFabric& test) { return test.fabric->GetTotals().pauseFrames > 0; }},
        {"random ECN marks",
         0,
         [](RdmaTestFabric& test) {
             test.helper.SetEcnAttribute("Pmax", DoubleValue(0.3));
             test.helper.SetNicAttribute("CnpInterval", TimeValue(MicroSeconds(5)));
         },
         [](RdmaTestFabric& test) { return test.fabric->GetTotals().ecnMarks > 100; }},
        {"frames lost at random",
         0.001,
         SetShortTimeout,
         [](RdmaTestFabric& test) {
             return RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::CORRUPTED) > 10;
         }},
        {"without PFC",
         0,
         [](RdmaTestFabric& test) {
             SetShortTimeout(test);
             test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
             test.helper.SetBufferAttribute("BufferSize", UintegerValue(600'000));
         },
         [](RdmaTestFabric& test) {
             return RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::EGRESS_LIMIT) > 0;
         }},
        {"DCQCN, CNPs shared by destination",
         0,
         [](RdmaTestFabric& test) {
             test.helper.SetCongestionControl("ns3::RdmaDcqcn");
             test.helper.EnableEcn(true);
             test.helper.SetNicAttribute("CnpModeration", StringValue("Destination"));
         },
         [](RdmaTestFabric& test) { return test.fabric->GetTotals().ecnMarks > 100; }},
        {"HPCC over PINT, rounded at random",
         0,
         [](RdmaTestFabric& test) {
             test.helper.SetCongestionControl("ns3::RdmaHpccPint");
             test.helper.SetCongestionControlAttribute("SamplePeriod", UintegerValue(2));
         },
         [](RdmaTestFabric& test) { return test.fabric->GetTotals().pauseFrames == 0; }},
    };
}

/** The suite. */
class RdmaDeterminismTestSuite : public TestSuite
{
  public:
    RdmaDeterminismTestSuite()
        : TestSuite("rdma-determinism")
    {
        AddTestCase(new WorkloadATestCase);
        for (const auto& setting : MakeSettings())
        {
            AddTestCase(new VariantsTestCase(setting));
        }
    }
};

RdmaDeterminismTestSuite g_rdmaDeterminismTestSuite; //!< registers the suite

} // namespace
