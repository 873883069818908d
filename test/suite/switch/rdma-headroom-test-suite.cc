/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-headroom-probe.h"
#include "rdma-test-fabric.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <sstream>
#include <stdexcept>

/**
 * \file
 * \ingroup rdma-tests
 * Headroom found by bisection over simulations, compared with the computed headroom.
 */

using namespace ns3;

namespace
{

/** Rates and cables from the paper and from later networks. */
class BisectionTestCase : public TestCase
{
  public:
    BisectionTestCase()
        : TestCase("the smallest headroom without loss is at most the computed one, and near it")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t gbps : {10, 40, 100, 400})
        {
            for (const double length : {2.0, 20.0, 300.0})
            {
                for (const uint32_t mtu : {1024U, 4096U})
                {
                    RdmaHeadroomCase link;
                    link.rate = gbps * 1_gbps;
                    link.delay = GetRdmaCableDelay(length);
                    link.mtu = mtu;
                    const RdmaHeadroomFinding found = FindRdmaHeadroom(link);
                    std::ostringstream name;
                    name << gbps << " Gb/s, " << length << " m, MTU " << mtu << ": found "
                         << found.smallestBytes << " B, computed " << found.formulaBytes << " B";
                    NS_TEST_EXPECT_MSG_LT_OR_EQ(found.smallestBytes,
                                                found.formulaBytes,
                                                name.str());
                    NS_TEST_EXPECT_MSG_GT_OR_EQ(found.GetRatio(), 0.85, name.str());
                    // The scenario cannot fill words of 4 bytes, nor the space of a shortest
                    // packet.
                    NS_TEST_EXPECT_MSG_GT(found.smallestBytes + 100,
                                          found.formulaBytes,
                                          name.str());
                    // The peak use of sufficient headroom equals the headroom that is needed.
                    NS_TEST_EXPECT_MSG_EQ(found.smallestBytes, found.peakBytes, name.str());
                    // With less headroom, by a frame and the bytes in flight, frames are lost.
                    NS_TEST_EXPECT_MSG_GT(found.smallestBytes,
                                          found.formulaBytes - found.frameBytes -
                                              found.inFlightBytes,
                                          name.str());
                }
            }
        }
    }
};

/** Links for which no headroom can be found. */
class WrongLinkTestCase : public TestCase
{
  public:
    WrongLinkTestCase()
        : TestCase("links that make no sense are refused")
    {
    }

  private:
    /** \param change makes a valid link invalid \return message that refuses the link */
    static std::string Refusal(void (*change)(RdmaHeadroomCase&))
    {
        RdmaHeadroomCase link;
        change(link);
        try
        {
            FindRdmaHeadroom(link);
        }
        catch (const std::invalid_argument& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(
            Refusal([](RdmaHeadroomCase& link) { link.mtu = 1000; }),
            "headroom probe: an MTU of 1000; accepted: 256, 512, 1024, 2048, 4096",
            "MTU");
        NS_TEST_EXPECT_MSG_EQ(Refusal([](RdmaHeadroomCase& link) { link.rate = 0_bps; }),
                              "headroom probe: 0 bit/s; accepted: 1 bit/s to 8 Tb/s",
                              "rate");
        NS_TEST_EXPECT_MSG_EQ(Refusal([](RdmaHeadroomCase& link) { link.delay = 0_ps; }),
                              "headroom probe: a cable of 0 ps; accepted: 1 ps to 1 s",
                              "cable");
        NS_TEST_EXPECT_MSG_EQ(Refusal([](RdmaHeadroomCase& link) { link.reaction = -1_ps; }),
                              "headroom probe: a reaction time of -1 ps; accepted: 0 to 1 s",
                              "reaction");
        NS_TEST_EXPECT_MSG_EQ(Refusal([](RdmaHeadroomCase& link) { link.delay = 1_s; }),
                              "headroom probe: a link that needs that much headroom; accepted: at "
                              "most 256 MB of it",
                              "too much");
        NS_TEST_EXPECT_MSG_EQ(GetRdmaCableDelay(300), 1500_ns, "5 ns/m");
        NS_TEST_EXPECT_MSG_EQ(GetRdmaCableDelay(0), 1_ps, "a cable has a delay");
    }
};

/**
 * \ingroup rdma-tests
 * 802.3x: one headroom per port suffices for all eight classes.
 */
class PlainPauseHeadroomTestCase : public TestCase
{
  public:
    PlainPauseHeadroomTestCase()
        : TestCase("802.3x PAUSE: eight classes at once share one headroom of a port, and lose "
                   "nothing")
    {
    }

  private:
    /** Results of a run. */
    struct Outcome
    {
        uint64_t headroomBytes{0}; //!< headroom of the switch
        uint64_t peakHeadroom{0};  //!< most headroom in use at a port
        uint64_t drops{0};         //!< frames lost
        uint64_t pauses{0};        //!< pause frames
        std::string unfinished;    //!< flows that did not complete
    };

    static Outcome RunOnce(const char* flowControl, const char* bufferType)
    {
        constexpr uint32_t SENDERS = 6;
        RdmaTestFabric test;
        test.helper.SetDeviceAttribute("FlowControl", StringValue(flowControl));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        test.helper.SetBufferManager(bufferType);
        if (std::string(bufferType) == "ns3::QbbSharedBuffer")
        {
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(1'200'000));
        }
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                flows.push_back(MakeTestFlow(flows.size(), i, SENDERS, 200'000, 0_ps, priority));
            }
        }
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)), flows);
        test.Run();
        Outcome outcome;
        const auto buffer = test.fabric->GetSwitch(SENDERS + 1)->GetBufferManager();
        outcome.headroomBytes = buffer->GetUsage().headroomSize;
        outcome.peakHeadroom = buffer->GetUsage().peakHeadroomBytes;
        outcome.drops = test.fabric->GetTotals().drops;
        outcome.pauses = test.fabric->GetTotals().pauseFrames;
        outcome.unfinished = test.GetUnfinished();
        return outcome;
    }

    void DoRun() override
    {
        for (const char* buffer : {"ns3::QbbSharedBuffer", "ns3::QbbInputPortBuffer"})
        {
            const Outcome pause = RunOnce("Pause", buffer);
            NS_TEST_EXPECT_MSG_EQ(pause.unfinished, "", buffer);
            NS_TEST_EXPECT_MSG_EQ(pause.drops, 0U, buffer);
            NS_TEST_EXPECT_MSG_GT(pause.pauses, 0U, buffer);
            NS_TEST_EXPECT_MSG_GT(pause.peakHeadroom, 0U, buffer);
            if (std::string(buffer) == "ns3::QbbSharedBuffer")
            {
                // PFC of one class needs as much headroom as PAUSE of all classes.
                const Outcome pfc = RunOnce("Pfc", buffer);
                NS_TEST_EXPECT_MSG_EQ(pause.headroomBytes, pfc.headroomBytes, "headroom");
            }
        }
    }
};

/**
 * \ingroup rdma-tests
 * Headroom by bisection.
 */
class RdmaHeadroomTestSuite : public TestSuite
{
  public:
    RdmaHeadroomTestSuite()
        : TestSuite("rdma-headroom")
    {
        AddTestCase(new BisectionTestCase);
        AddTestCase(new WrongLinkTestCase);
        AddTestCase(new PlainPauseHeadroomTestCase);
    }
};

RdmaHeadroomTestSuite g_rdmaHeadroomTestSuite; //!< registers the suite

} // namespace
