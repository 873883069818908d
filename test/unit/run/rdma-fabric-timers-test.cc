/* SPDX-License-Identifier: GPL-2.0-only */

// Which queue pairs have a retransmission timer, and how long it is.

#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-options.h"
#include "rdma-fabric-run.h"
#include "rdma-flow-runner.h"
#include "rdma-packet-engine.h"
#include "rdma-tcp-flow-runner.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <tuple>

using namespace ns3;

namespace
{

/** \param qp a queue pair \return true if its retransmission timer is running */
bool
HasTimer(const RdmaQueuePair& qp)
{
    return RdmaPacketEngine::Of(qp).GetRequester().HasRetransmissionTimer();
}

/** Three hosts, 0 to 2, at a switch, 3. */
class RdmaFabricTimersTest : public testing::Test
{
  protected:
    ~RdmaFabricTimersTest() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    /** \param delay delay of the cables */
    void Install(RdmaPs delay = 1_us)
    {
        RdmaTopologyRates rates;
        rates.delay = delay;
        fabric = helper.Install(MakeRdmaStar(3, rates));
    }

    /** Sends one packet from host 0 to host 1, and runs until an instant. */
    void Send(uint8_t priority = 3)
    {
        qp = fabric->Connect(0, 1, priority).first;
        RdmaSendRequest request;
        request.length = 1000;
        qp->PostSend(request);
    }

    /** Loses all frames that arrive at a host. */
    void Lose(uint32_t host)
    {
        const auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(1);
        fabric->GetNic(host)->GetPort(0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /** \return first whole us after a timeout of qp, or 0 if there is none in 2 ms */
    RdmaPs FindTimeout()
    {
        RdmaPs found{0};
        for (uint32_t us = 1; us < 2000; ++us)
        {
            Simulator::Schedule(MicroSeconds(us), [&found, this] {
                if (found == 0_ps && qp->GetStats().timeouts > 0)
                {
                    found = RdmaNow();
                }
            });
        }
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        return found;
    }

    /** \return attribute of the transport of host 0 */
    RdmaPs GetTimeout(const std::string& attribute) const
    {
        TimeValue value;
        fabric->GetNic(0)->GetTransport()->GetAttribute(attribute, value);
        return RdmaToPs(value.Get());
    }

    RdmaFabricHelper helper;
    Ptr<RdmaFabric> fabric;
    Ptr<RdmaQueuePair> qp;
};

using RdmaFabricTimersDeathTest = RdmaFabricTimersTest;

} // namespace

TEST_F(RdmaFabricTimersTest, ThereIsNoneWhereNothingCanGetLost)
{
    for (const std::string transport : {"roce", "irn"})
    {
        helper.SetTransport(transport);
        Install();
        Send();
        Simulator::Stop(MicroSeconds(2)); // the packet is on its way
        Simulator::Run();
        EXPECT_EQ(qp->GetPacketsInFlight(), 1U);
        EXPECT_FALSE(HasTimer(*qp)) << transport;
        EXPECT_EQ(fabric->GetTimers().Describe(3),
                  "Retransmission timer: off. No frame of the class can get lost.");
        qp = nullptr;
        Simulator::Destroy();
    }
}

TEST_F(RdmaFabricTimersTest, AnErrorModelOfAScriptIsSeenUntilTheRunBegins)
{
    for (const std::string transport : {"roce", "irn"})
    {
        for (const bool isLate : {false, true})
        {
            helper.SetTransport(transport);
            Install();
            isLate ? Send() : Lose(1);
            isLate ? Lose(1) : Send();
            EXPECT_GT(FindTimeout(), 0_ps) << transport << " " << isLate;
            qp = nullptr;
            Simulator::Destroy();
        }
    }
}

TEST_F(RdmaFabricTimersTest, AQueuePairOfBeforeTheRunMayBeConnectedInTheRun)
{
    for (const std::string transport : {"roce", "irn"})
    {
        helper.SetTransport(transport);
        Install();
        Lose(1);
        fabric->Connect(2, 0, 3); // the run begins with the timeouts that the network needs
        qp = fabric->GetNic(0)->CreateQueuePair();
        const Ptr<RdmaQueuePair> peer = fabric->GetNic(1)->CreateQueuePair();
        Simulator::Schedule(MicroSeconds(10), [this, peer] {
            RdmaQueuePair::ConnectPair(qp, peer);
            RdmaSendRequest request;
            request.length = 1000;
            qp->PostSend(request);
        });
        EXPECT_GT(FindTimeout(), 100_us) << transport;
        qp = nullptr;
        Simulator::Destroy();
    }
}

TEST_F(RdmaFabricTimersTest, AModelThatLosesNothingIsNone)
{
    Install();
    const auto model = CreateObject<RateErrorModel>();
    model->SetRate(0);
    fabric->GetNic(0)->GetPort(0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    EXPECT_EQ(fabric->GetTimers().Describe(3).find("Retransmission timer: off"), 0U);
}

TEST_F(RdmaFabricTimersTest, FollowTheClassOfTheQueuePair)
{
    for (const std::string transport : {"roce", "irn"})
    {
        for (const auto& [priority, hasTimer] : {std::pair{3, false}, std::pair{1, true}})
        {
            helper.SetTransport(transport);
            Install();
            Send(static_cast<uint8_t>(priority));
            Simulator::Stop(MicroSeconds(2));
            Simulator::Run();
            EXPECT_EQ(HasTimer(*qp), hasTimer) << transport << " " << priority;
            qp = nullptr;
            Simulator::Destroy();
        }
    }
}

TEST_F(RdmaFabricTimersTest, FollowTheHeadroomOfTheSwitches)
{
    for (const auto& [attribute, value] : {std::pair{"HeadroomBytes", 2000}, {"HeadroomPool", 1}})
    {
        RdmaFabricHelper other;
        other.SetBufferAttribute(attribute, StringValue(std::to_string(value)));
        const auto small = other.Install(MakeRdmaStar(3));
        EXPECT_NE(small->GetTimers().Describe(3).find(
                      "Frames may get lost: hub has less headroom than its ports need."),
                  std::string::npos)
            << small->GetTimers().Describe(3);
    }
}

TEST_F(RdmaFabricTimersTest, LastOneRoundTripAndTheLongestQueue)
{
    // A lossy queue takes half of the 12 MiB of memory. At 100 Gb/s, with 20 of 1106 bytes on the
    // line for preamble and gap, that lasts 512 us; the round trip takes 4.2 us.
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    Install();
    Lose(1);
    Send();
    const RdmaPs timeout = FindTimeout();
    EXPECT_EQ(GetTimeout("RetransmissionTimeout"), 520_us);
    EXPECT_EQ(timeout, 521_us);
}

TEST_F(RdmaFabricTimersTest, AreLongerThanTheRoundTrip)
{
    helper.SetTransport("irn");
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    Install(15_ms);
    Send();
    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    EXPECT_EQ(GetTimeout("RtoLow"), 61_ms) << "four times 15 ms, and the packets";
    EXPECT_EQ(GetTimeout("RtoHigh"), 61_ms);
    EXPECT_EQ(qp->GetStats().packetsRetransmitted, 0U);
    EXPECT_EQ(qp->GetPacketsAcknowledged(), 1U);
}

TEST_F(RdmaFabricTimersTest, ThatTheUserGivesStay)
{
    helper.SetTransport("irn[RtoHigh=40us|RtoLow=30us]");
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    Install();
    Lose(1);
    Send();
    EXPECT_EQ(FindTimeout(), 31_us) << "RtoLow";
    EXPECT_EQ(GetTimeout("RtoHigh"), 40_us);
}

TEST_F(RdmaFabricTimersTest, ThatTheUserSetsAfterInstallStay)
{
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    Install();
    fabric->GetNic(0)->GetTransport()->SetAttribute("RetransmissionTimeout",
                                                    TimeValue(MicroSeconds(50)));
    Lose(1);
    Send();
    EXPECT_EQ(FindTimeout(), 51_us);
}

TEST_F(RdmaFabricTimersTest, ThatTheUserGivesHoldWithoutLoss)
{
    helper.SetTransport("irn[RtoLow=90us]");
    Install();
    Send();
    Simulator::Stop(MicroSeconds(2));
    Simulator::Run();
    EXPECT_TRUE(HasTimer(*qp));
}

TEST_F(RdmaFabricTimersTest, OfTheIrnPaperAreThePapers)
{
    RdmaFabricOptions options;
    ApplyRdmaPreset("irn", options);
    options.duration = "1us";
    RdmaFabricRun run(options);
    fabric = run.GetFabric();
    EXPECT_EQ(fabric->GetTimers().Describe(3),
              "Retransmission timer: RtoHigh 320 us, RtoLow 100 us, MinRto 100 us. Frames may get "
              "lost: port 0 of host-0 has no flow control. Longest round trip 25.41 us, longest "
              "queue 293.42 us.");
    fabric = nullptr;
    Simulator::Destroy();
    options.transport = "iwarp";
    RdmaFabricRun tcp(options);
    TimeValue value;
    tcp.GetRunner()->GetAttribute("MinRto", value);
    EXPECT_EQ(RdmaToPs(value.Get()), 320_us);
}

TEST_F(RdmaFabricTimersTest, OfTcpFollowTheNetwork)
{
    helper.SetInternetStack(true);
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    Install(15_ms);
    RdmaFlow flow;
    flow.dstHost = 1;
    flow.bytes = 1'000'000;
    const auto runner = RdmaTcpFlowRunner::Make(fabric, {flow});
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    const auto results = runner->GetResults();
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].status, "IBV_WC_SUCCESS");
    EXPECT_EQ(results[0].timeouts, 0U);
    EXPECT_EQ(results[0].retransmittedPackets, 0U);
    // Slow start from 10 segments: 10, 20, ... 640 need 6.5 round trips of 60 ms.
    EXPECT_GT(results[0].fct.value(), 380_ms);
    EXPECT_LT(results[0].fct.value(), 400_ms);
}

TEST_F(RdmaFabricTimersDeathTest, RefuseATimeoutOfZeroWherePacketsMayGetLost)
{
    helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(Time(0)));
    Install();
    fabric->Connect(0, 1, 3); // of a lossless class
    ExpectRefusal([&] { fabric->Connect(0, 1, 1); },
                  "RoceTransport::RetransmissionTimeout is 0; frames of class 1 may get lost .port "
                  "0 of host-0 does not pause the class.*accepted: the default");
    Lose(1);
    ExpectRefusal(
        [&] {
            Simulator::Run();
            fabric->Connect(0, 1, 3);
        },
        "frames of class 3 may get lost .port 0 of host-1 has an error model");
}

TEST_F(RdmaFabricTimersTest, RefuseARunWithTheTimeZero)
{
    RdmaFabricOptions options;
    options.topology = "star:3";
    options.workload = "incast:2";
    for (const auto& [transport, pfc, loss] :
         {std::tuple{"roce[RetransmissionTimeout=0s]", "off", 0.0},
          std::tuple{"irn[RtoHigh=0s]", "off", 0.0},
          std::tuple{"roce[RetransmissionTimeout=0s]", "on", 0.01}})
    {
        options.transport = transport;
        options.pfc = pfc;
        options.loss = loss;
        ExpectError<std::invalid_argument>([&] { RdmaFabricRun run(options); },
                                           {"--transport: ",
                                            " without a timeout; frames of class 3 may get lost",
                                            "accepted: a time above 0"});
        Simulator::Destroy();
    }
    options.pfc = "on";
    options.loss = 0;
    RdmaFabricRun run(options); // nothing gets lost
}
