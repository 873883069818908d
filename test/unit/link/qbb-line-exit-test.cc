/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-line-exit.h"
#include "qbb-net-device.h"

#include <ns3/node-container.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A port whose frames go to an exit, as at a link to another thread or rank.
 */

namespace ns3
{
namespace
{

/** An exit that remembers when the frames arrive. */
class RecordingExit : public QbbLineExit
{
  public:
    void Send(QbbFramePtr&& frame, RdmaPs arrival) override
    {
        sizes.push_back(frame->size);
        arrivals.push_back(arrival);
    }

    std::vector<uint32_t> sizes;  //!< sizes of the frames
    std::vector<RdmaPs> arrivals; //!< instants of their arrival
};

} // namespace

TEST(QbbLineExit, TakesTheFramesInPlaceOfTheLine)
{
    NodeContainer nodes;
    nodes.Create(2);
    QbbHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    helper.SetChannelAttribute("Delay", StringValue("1us"));
    const NetDeviceContainer ports = helper.Install(nodes);
    const auto sender = DynamicCast<QbbNetDevice>(ports.Get(0));
    const auto receiver = DynamicCast<QbbNetDevice>(ports.Get(1));
    const auto cable = sender->GetQbbChannel();
    RecordingExit exit;
    cable->SetExit(cable->GetEnd(PeekPointer(sender)), &exit);
    const auto send = [&](Time at) {
        Simulator::Schedule(at, [&] {
            sender->Send(Create<Packet>(100), receiver->GetAddress(), 0x88b6);
        });
    };
    send(MicroSeconds(1));
    Simulator::Schedule(MicroSeconds(2), [&] {
        EXPECT_FALSE(cable->GetLineFrom(PeekPointer(sender)).IsBusy());
        cable->SetDelay(NanoSeconds(300));
    });
    send(MicroSeconds(3));
    Simulator::Schedule(MicroSeconds(4),
                        [&] { cable->SetExit(cable->GetEnd(PeekPointer(sender)), nullptr); });
    send(MicroSeconds(5));
    Simulator::Run();
    // 118 bytes of frame and 8 bytes of preamble take 10.08 ns at 100 Gb/s.
    EXPECT_EQ(exit.sizes, (std::vector<uint32_t>{118, 118}));
    EXPECT_EQ(exit.arrivals, (std::vector<RdmaPs>{2'010'080_ps, 3'310'080_ps}));
    EXPECT_EQ(receiver->GetCounters().GetRxFrames(), 1U) << "the frame that had no exit";
    Simulator::Destroy();
}

} // namespace ns3
