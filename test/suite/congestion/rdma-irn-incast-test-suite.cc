/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/rdma-fabric-options.h>
#include <ns3/rdma-fabric-run.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * The incast whose arrivals at the receiver IRN's authors have published: NetSys/irn-vivado-hls,
 * irn_receiver/traces/recvInput-40Gbps-incast.txt. 50 senders send 2807 packets each and have at
 * most 110 packets in flight. 83,321 packets come early and 11 a second time.
 */

using namespace ns3;

namespace
{

constexpr uint64_t INCAST_PACKETS = 50 * 2807; //!< packets in the trace
constexpr uint64_t TRACE_EARLY = 83'321;       //!< packets that come early in the trace
/// Time in ms for all packets of 50 senders, back to back at line rate. Each sender sends 3 MB of
/// payload in 2807 packets with 82 B of headers and gap. 2806 packets have 3 B of pad, and one
/// packet has an RETH of 16 B.
constexpr double IDEAL_MS = 50 * (3e6 + 2807 * 82 + 2806 * 3 + 16) * 8 / 40e9 * 1e3;

/** The incast of the trace, in the fabric of the paper. */
class IrnPublishedIncastTestCase : public TestCase
{
  public:
    IrnPublishedIncastTestCase()
        : TestCase("IRN: the incast of the authors' published receiver trace")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options;
        ApplyRdmaPreset("irn", options);
        options.workload = "incast:50";
        options.bytes = "3000000";
        options.mtu = 1069;
        options.transport = "irn[BdpCap=110]";
        options.keepQueuePairs = true;
        RdmaFabricRun run(options);
        run.Run();
        const RdmaQueuePairStats all = run.GetFabric()->GetQueuePairStats();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted, 50U, "flows");
        NS_TEST_EXPECT_MSG_EQ(all.packetsAccepted, INCAST_PACKETS, "packets");
        NS_TEST_EXPECT_MSG_LT(all.duplicates, INCAST_PACKETS / 1000, "packets that come again");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(all.outOfOrder),
                                  static_cast<double>(TRACE_EARLY),
                                  0.05 * static_cast<double>(TRACE_EARLY),
                                  "early packets");
        NS_TEST_EXPECT_MSG_EQ_TOL(Simulator::Now().GetSeconds() * 1e3,
                                  IDEAL_MS,
                                  0.02 * IDEAL_MS,
                                  "end in ms");
        Simulator::Destroy();
    }
};

/** The suite. */
class RdmaIrnIncastTestSuite : public TestSuite
{
  public:
    RdmaIrnIncastTestSuite()
        : TestSuite("rdma-irn-incast")
    {
        AddTestCase(new IrnPublishedIncastTestCase);
    }
};

RdmaIrnIncastTestSuite g_rdmaIrnIncastTestSuite; //!< registers the suite

} // namespace
