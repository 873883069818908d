/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"
#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * PFC by DSCP and by VLAN (Guo et al., SIGCOMM 2016, section 3): pauses are equal within a subnet;
 * across subnets the class is lost with the tag. Further cases check the tags along a path and the
 * presets of switch memory.
 */

using namespace ns3;

namespace
{

/** Results of a run. */
struct Incast
{
    uint64_t drops{0};                      //!< frames lost
    std::array<uint64_t, 8> pausesSent{};   //!< XOFF and XON frames of switches, by class
    std::array<uint64_t, 8> bytesBetween{}; //!< bytes from switch to switch, by class
    std::size_t completed{0};               //!< completed flows
};

/**
 * \param deployment field of a packet that carries the class
 * \param across true: the senders are at the other leaf; false: at the leaf of host 0
 * \return results of an incast of seven flows to host 0
 */
Incast
RunIncast(RdmaPfcDeployment deployment, bool across)
{
    RdmaTestFabric test;
    test.helper.SetPfcDeployment(deployment);
    test.SetRetries(320_us, UINT32_MAX);
    test.helper.SetBufferAttribute("BufferSize", UintegerValue(3'000'000));
    // The queue of a class that is not lossless overflows.
    test.helper.SetBufferAttribute("EgressLimitBytes", UintegerValue(300'000));
    const RdmaTopology topology = MakeRdmaLeafSpine(2, 8, 1, MakeTestRates(100, 400, 500));
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < 7; ++i)
    {
        flows.push_back(MakeTestFlow(i, (across ? 8 : 1) + i, 0, 500'000));
    }
    test.Install(topology, flows);
    test.Run();
    Incast result;
    result.drops = test.fabric->GetTotals().drops;
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const RdmaTopologyLink ends = topology.GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            const auto device = test.fabric->GetDevice(link, node);
            const bool between = !topology.IsHost(ends.a) && !topology.IsHost(ends.b);
            for (uint8_t i = 0; i < 8; ++i)
            {
                const auto& sender = device->GetFlowControl().GetPauseSender();
                result.pausesSent[i] +=
                    topology.IsHost(node) ? 0 : sender.GetXoffSent(i) + sender.GetXonSent(i);
                // The peer derives the class from the tag or the DSCP.
                result.bytesBetween[i] += between ? device->GetCounters().classes[i].rxBytes : 0;
            }
        }
    }
    for (const auto& flow : test.results)
    {
        result.completed += flow.IsCompleted() ? 1 : 0;
    }
    return result;
}

/** Row C2. */
class DeploymentTestCase : public TestCase
{
  public:
    DeploymentTestCase()
        : TestCase(
              "equal pauses within a subnet; across subnets, the class survives with DSCP only")
    {
    }

  private:
    void DoRun() override
    {
        const Incast dscpWithin = RunIncast(RdmaPfcDeployment::DSCP, false);
        const Incast vlanWithin = RunIncast(RdmaPfcDeployment::VLAN, false);
        NS_TEST_EXPECT_MSG_EQ(dscpWithin.drops, 0, "DSCP, one subnet");
        NS_TEST_EXPECT_MSG_EQ(vlanWithin.drops, 0, "VLAN, one subnet");
        NS_TEST_EXPECT_MSG_GT(dscpWithin.pausesSent[3], 10, "DSCP, one subnet");
        // A tag makes a frame of 1106 B longer by 4 B, and thresholds count bytes.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(vlanWithin.pausesSent[3]),
                                  static_cast<double>(dscpWithin.pausesSent[3]),
                                  0.05 * static_cast<double>(dscpWithin.pausesSent[3]),
                                  "VLAN, one subnet");

        const Incast dscpAcross = RunIncast(RdmaPfcDeployment::DSCP, true);
        const Incast vlanAcross = RunIncast(RdmaPfcDeployment::VLAN, true);
        NS_TEST_EXPECT_MSG_EQ(dscpAcross.drops, 0, "DSCP, two subnets");
        NS_TEST_EXPECT_MSG_GT(dscpAcross.pausesSent[3], 10, "DSCP, two subnets");
        NS_TEST_EXPECT_MSG_GT(dscpAcross.bytesBetween[3], 7 * 500'000, "class 3 at every hop");
        NS_TEST_EXPECT_MSG_EQ(dscpAcross.bytesBetween[0], 0, "and no other");
        NS_TEST_EXPECT_MSG_GT(vlanAcross.drops, 100, "VLAN, two subnets");
        NS_TEST_EXPECT_MSG_EQ(vlanAcross.bytesBetween[3], 0, "the class is gone");
        NS_TEST_EXPECT_MSG_GT(vlanAcross.bytesBetween[0], 7 * 500'000, "class 0 instead");
        for (const Incast& result : {dscpWithin, vlanWithin, dscpAcross, vlanAcross})
        {
            NS_TEST_EXPECT_MSG_EQ(result.completed, 7, "flows");
        }
    }
};

/** Length and tag of a frame at each hop. */
class TagTestCase : public TestCase
{
  public:
    TagTestCase()
        : TestCase("a tag ends at a routed port, also on frames of the smallest length")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RdmaTestFabric test;
            test.helper.SetPfcDeployment(RdmaPfcDeployment::VLAN);
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
            const RdmaTopology topology = MakeRdmaDumbbell(1, MakeTestRates(100, 100, 500));
            // A WRITE of 1000 B. The acknowledgement, 14 + 20 + 8 + 12 + 4 + 4 + 4 = 66 B, has 70 B
            // with a tag.
            test.Install(topology, {MakeTestFlow(0, 0, 1, 1000)});
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "the flow");
            const auto bytes = [&](uint32_t link, uint32_t node) {
                uint64_t sum = 0;
                for (const auto& c : test.fabric->GetDevice(link, node)->GetCounters().classes)
                {
                    sum += c.txBytes;
                }
                return sum;
            };
            const auto links = topology.GetLinks();
            // WRITE: 14 + 4 + 20 + 8 + 12 + 16 + 1000 + 4 + 4
            NS_TEST_EXPECT_MSG_EQ(bytes(0, 0), 1082, "the host tags");
            NS_TEST_EXPECT_MSG_EQ(bytes(2, links[2].a), 1078, "the routed port does not");
            NS_TEST_EXPECT_MSG_EQ(bytes(1, topology.GetSwitches()[1]), 1078, "nor does the last");
            NS_TEST_EXPECT_MSG_EQ(bytes(1, 1), 70, "acknowledgement with its tag");
            NS_TEST_EXPECT_MSG_EQ(bytes(2, links[2].b), 66, "and without");
        }
    }
};

/** The buffers of chips. */
class PresetTestCase : public TestCase
{
  public:
    PresetTestCase()
        : TestCase("presets of switch memory")
    {
    }

  private:
    static std::string Refusal(const RdmaFabricOptions& options)
    {
        std::string message;
        try
        {
            RdmaFabricRun run(options);
        }
        catch (const std::invalid_argument& error)
        {
            message = error.what();
        }
        Simulator::Destroy();
        return message;
    }

    void DoRun() override
    {
        for (const auto& [name, bytes] : {std::pair("trident2", 12U << 20),
                                          std::pair("trident3", 32U << 20),
                                          std::pair("tomahawk3", 64U << 20)})
        {
            RdmaFabricOptions options;
            options.topology = "star:8";
            options.workload = "incast:7";
            options.buffer = std::string(name) + "[ClassAlphas=3:1/16]";
            RdmaFabricRun run(options);
            const auto sw = run.GetFabric()->GetSwitch(8);
            run.Run();
            const auto usage = sw->GetBufferManager()->GetUsage();
            NS_TEST_EXPECT_MSG_EQ(usage.sizeBytes, bytes, name);
            NS_TEST_EXPECT_MSG_EQ(sw->GetBufferManager()->GetIngress(0, 3).threshold,
                                  usage.sharedSize / 16,
                                  name);
            NS_TEST_EXPECT_MSG_EQ(run.GetOutcome().summary.drops, 0, name);
            Simulator::Destroy();
        }
        const auto refuse = [](const std::string& option, const std::string& value) {
            RdmaFabricOptions options;
            try
            {
                options.SetText(option, value);
            }
            catch (const std::invalid_argument& error)
            {
                return std::string(error.what());
            }
            return std::string(Refusal(options));
        };
        NS_TEST_EXPECT_MSG_EQ(refuse("buffer", "trident9").substr(0, 62),
                              "--buffer: 'trident9' is no ns3::QbbBufferManager; did you mean",
                              "preset");
        NS_TEST_EXPECT_MSG_EQ(refuse("trust", "mpls"),
                              "--trust: unknown value \"mpls\"; accepted: dscp, vlan",
                              "trust");
        NS_TEST_EXPECT_MSG_EQ(refuse("buffer", "shared[ClassAlphas=3:2000]").substr(0, 50),
                              "--buffer: QbbSharedBuffer: class alphas \"3:2000\": ",
                              "alphas");
        NS_TEST_EXPECT_MSG_EQ(refuse("buffer", "0B"),
                              "--buffer: 0B; accepted: 1 byte to 1 TiB, or auto",
                              "buffer");
    }
};

/**
 * \ingroup rdma-tests
 * PFC by DSCP and by VLAN, and presets.
 */
class RdmaDeploymentTestSuite : public TestSuite
{
  public:
    RdmaDeploymentTestSuite()
        : TestSuite("rdma-deployment")
    {
        AddTestCase(new DeploymentTestCase);
        AddTestCase(new TagTestCase);
        AddTestCase(new PresetTestCase);
    }
};

RdmaDeploymentTestSuite g_rdmaDeploymentTestSuite; //!< registers the suite

} // namespace
