/* SPDX-License-Identifier: GPL-2.0-only */

// The note at the start of a run whose paths reorder packets.

#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>
#include <string>
#include <tuple>

using namespace ns3;

namespace
{

/** \return what a run over four paths writes to standard error */
std::string
RunOver(const std::string& selector,
        const std::string& transport,
        const RdmaTopology& topology = MakeRdmaLeafSpine(2, 1, 4))
{
    RdmaFabricHelper helper;
    helper.SetPathSelector(selector);
    helper.SetTransport(transport);
    const auto fabric = helper.Install(topology);
    RdmaSendRequest request;
    request.length = 1000;
    testing::internal::CaptureStderr();
    fabric->Connect(0, 1, 3).first->PostSend(request);
    Simulator::Run();
    const std::string text = testing::internal::GetCapturedStderr();
    Simulator::Destroy();
    return text;
}

} // namespace

TEST(RdmaReorderingNoteTest, NamesSelectorAndTransport)
{
    // The round trip of the empty network takes 9 us.
    for (const auto& [selector, transport, expected] :
         {std::tuple{"ecmp", "roce", ""},
          std::tuple{"wcmp", "roce", ""},
          std::tuple{"flowlet:20us", "roce", ""},
          std::tuple{"conweave", "roce", ""},
          std::tuple{"conweave[Queues=24]",
                     "roce",
                     "rdma: note: with ns3::QbbConWeavePathSelector packets of a queue pair "
                     "overtake each other, and ns3::RoceTransport takes"},
          std::tuple{
              "flowlet:1us",
              "roce",
              "rdma: note: with ns3::QbbFlowletPathSelector packets of a queue pair overtake "
              "each other, and ns3::RoceTransport takes"},
          std::tuple{"spray",
                     "irn",
                     "rdma: note: with ns3::QbbSprayPathSelector packets of a queue pair overtake "
                     "each other, and ns3::IrnTransport stands this: loss rule Gap: in a class "
                     "that may lose frames, a packet is lost once"},
          std::tuple{"spray",
                     "irn[LossRule=Selective]",
                     "rdma: note: with ns3::QbbSprayPathSelector packets of a queue pair overtake "
                     "each other, and ns3::IrnTransport takes"},
          std::tuple{"spray",
                     "roce[OutOfOrder=true]",
                     "rdma: note: with ns3::QbbSprayPathSelector packets of a queue pair overtake "
                     "each other, and ns3::RoceTransport stands this: OutOfOrder: in a class "
                     "that may lose frames, a gap is a loss once"},
          std::tuple{"drill",
                     "irn",
                     "rdma: note: with ns3::QbbDrillPathSelector packets of a queue pair overtake "
                     "each other, and ns3::IrnTransport stands"}})
    {
        const std::string text = RunOver(selector, transport);
        const std::string begin = expected;
        EXPECT_EQ(text.substr(0, begin.size()), begin) << selector;
        EXPECT_EQ(text.empty(), begin.empty()) << text;
        EXPECT_EQ(RunOver(selector, transport), "") << "once in a process";
    }
}

TEST(RdmaReorderingNoteTest, ATreeHasOnePath)
{
    EXPECT_EQ(RunOver("spray", "roce", MakeRdmaStar(4)), "");
}
