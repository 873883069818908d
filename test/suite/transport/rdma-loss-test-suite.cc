/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics that lose and reorder packets, with both transports: everything ends, and IRN's goodput
 * and tail latency are what its mechanisms give.
 */

using namespace ns3;

namespace
{

/** How a run is set up. */
struct Setup
{
    bool irn{true};       //!< IRN, else RoCE
    bool bdpFc{true};     //!< IRN with BDP-FC
    std::string recovery; //!< attribute LossRecovery, if not the default
    double loss{0};       //!< probability that a frame is lost, see SetLoss()
    std::string spray;    //!< order of packet spraying, if any
};

/** \param test a fabric that is not installed yet \param setup how it runs */
void
Configure(RdmaTestFabric& test, const Setup& setup)
{
    test.helper.SetTransport(setup.irn ? "ns3::IrnTransport" : "ns3::RoceTransport");
    if (setup.irn)
    {
        test.helper.SetTransportAttribute("BdpFc", BooleanValue(setup.bdpFc));
    }
    else
    {
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(320)));
    }
    if (!setup.recovery.empty())
    {
        test.helper.SetTransportAttribute("LossRecovery", StringValue(setup.recovery));
    }
    test.helper.SetTransportAttribute("RetryCount", UintegerValue(UINT32_MAX));
    test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    if (!setup.spray.empty())
    {
        test.helper.SetPathSelector("ns3::QbbSprayPathSelector");
        test.helper.SetPathSelectorAttribute("Order", StringValue(setup.spray));
    }
}

/** \param device what comes in here is lost \param rate with this probability \param stream RNG */
void
SetLoss(Ptr<QbbNetDevice> device, double rate, int64_t stream)
{
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(rate);
    model->AssignStreams(stream);
    device->SetAttribute("ReceiveErrorModel", PointerValue(model));
}

/** \param setup a run \return its name */
std::string
Describe(const Setup& setup)
{
    std::ostringstream name;
    name << (setup.irn ? "IRN" : "RoCE") << (setup.bdpFc || !setup.irn ? "" : " without BDP-FC")
         << (setup.recovery.empty() ? "" : " " + setup.recovery) << ", loss " << setup.loss;
    if (!setup.spray.empty())
    {
        name << ", spraying " << setup.spray;
    }
    return name.str();
}

/** Many flows over a leaf-spine with random loss on every link, or spraying, or both. */
class AllEndTestCase : public TestCase
{
  public:
    /** \param setup how */
    explicit AllEndTestCase(const Setup& setup)
        : TestCase("all flows end: " + Describe(setup)),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        // 16 hosts behind 4 leaves and 4 spines. Each host sends to 3 others: 1 byte, one full
        // packet, and 200 packets and a bit; a frame crosses 2 or 4 links.
        RdmaTestFabric test;
        Configure(test, m_setup);
        const auto topology = MakeRdmaLeafSpine(4, 4, 4, MakeTestRates(40, 40, 1000));
        std::vector<RdmaFlow> flows;
        const auto hosts = topology.GetHosts();
        const std::array<uint64_t, 3> sizes{1, 1024, 200 * 1024 + 3};
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            for (uint32_t j = 0; j < sizes.size(); ++j)
            {
                flows.push_back(MakeTestFlow(3 * i + j,
                                             hosts[i],
                                             hosts[(i + 1 + 5 * j) % hosts.size()],
                                             sizes[j],
                                             j * 1_us));
            }
        }
        test.Install(topology, flows);
        for (uint32_t link = 0; link < topology.GetNLinks() && m_setup.loss > 0; ++link)
        {
            const auto ends = topology.GetLink(link);
            SetLoss(test.fabric->GetDevice(link, ends.a), m_setup.loss, 1000 + 2 * link);
            SetLoss(test.fabric->GetDevice(link, ends.b), m_setup.loss, 1001 + 2 * link);
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric), "", "books");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
        uint64_t outOfOrder = 0;
        uint64_t again = 0;
        for (uint64_t i = 0; i < flows.size(); ++i)
        {
            const auto receiver = test.fabric->GetNic(flows[i].dstHost)
                                      ->GetQueuePair(test.runner->GetSender(i)->GetRemoteQpn());
            const auto stats = receiver->GetStats();
            const uint64_t packets = (flows[i].bytes + 1023) / 1024;
            // Go-back-0 forgets what it has of a message when it begins again.
            NS_TEST_EXPECT_MSG_EQ((m_setup.recovery == "GoBack0"
                                       ? stats.packetsAccepted >= packets
                                       : stats.packetsAccepted == packets),
                                  true,
                                  "each packet of flow " << i << " counts once");
            outOfOrder += stats.outOfOrder;
            again += test.results[i].retransmittedPackets;
        }
        if (m_setup.loss > 0)
        {
            NS_TEST_EXPECT_MSG_GT(again, 0U, "something was lost");
        }
        else if (!m_setup.spray.empty())
        {
            NS_TEST_EXPECT_MSG_GT(outOfOrder, 0U, "something was overtaken");
        }
    }

    Setup m_setup; //!< how
};

/** The first, a middle, the last, or the only packet of a message is lost once, or its answer. */
class OnePacketTestCase : public TestCase
{
  public:
    /** \param setup how */
    explicit OnePacketTestCase(const Setup& setup)
        : TestCase("loss of a first, middle, last and only packet, and of acknowledgements: " +
                   Describe(setup)),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        // A WRITE of one packet or ten. The n-th frame that comes in at one of the hosts is lost.
        for (const uint64_t packets : {1U, 10U})
        {
            for (uint32_t lost = 0; lost < packets; ++lost)
            {
                Measure(packets, lost, true);
                Measure(packets, lost, false);
            }
        }
    }

    /** \param packets of the WRITE \param lost which is lost \param data at the receiver */
    void Measure(uint64_t packets, uint32_t lost, bool data)
    {
        RdmaTestFabric test;
        Configure(test, m_setup);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, packets * 1024)});
        const auto sender = test.runner->GetSender(0);
        const auto receiver = test.fabric->GetNic(1)->GetQueuePair(sender->GetRemoteQpn());
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({lost});
        (data ? receiver : sender)
            ->GetPort()
            ->SetAttribute("ReceiveErrorModel", PointerValue(model));
        test.Run();
        std::ostringstream where;
        where << (data ? "packet " : "acknowledgement ") << lost << " of " << packets;
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", where.str());
        NS_TEST_EXPECT_MSG_EQ(receiver->GetStats().packetsAccepted, packets, where.str());
        const auto stats = sender->GetStats();
        const bool last = lost + 1 == packets;
        // What comes behind a lost packet asks for it; behind the last one there is only the timer.
        NS_TEST_EXPECT_MSG_EQ(stats.timeouts, (last ? 1U : 0U), where.str() << ": timeouts");
        uint64_t again = last || data ? 1 : 0;
        if (data && !m_setup.irn)
        {
            again = packets - lost; // go-back-N, and all had gone out before the NAK came
        }
        NS_TEST_EXPECT_MSG_EQ(stats.packetsRetransmitted, again, where.str() << ": sent again");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", where.str());
    }

    Setup m_setup; //!< how
};

/** A packet is lost, and so is the first that is sent again, with NAKs for each packet and without.
 */
class LostAgainTestCase : public TestCase
{
  public:
    LostAgainTestCase()
        : TestCase("RoCE: a packet that is lost twice")
    {
    }

  private:
    void DoRun() override
    {
        // Ten packets of 88.48 ns over a round trip of more than 4 us: 0 to 9 have gone out when
        // the first NAK comes. Packet 3 is lost, and the eleventh frame is the same packet again.
        //
        // Once for a gap: 4 brings a NAK, 5 to 9 do not, and 3 to 9 go out again. 3 is lost, nobody
        // asks, and the timer sends 3 to 9 once more.
        Measure(false, 1, 14);
        // For each packet: 4 to 9 bring six NAKs, 88.48 ns apart, each of which sends 3 again as
        // the port gets free. The first of these is lost, the next closes the gap. Behind the last
        // one follow 4 to 9.
        Measure(true, 0, 12);
    }

    /** \param each NAK for each packet \param timeouts expected \param again sent again */
    void Measure(bool each, uint64_t timeouts, uint64_t again)
    {
        RdmaTestFabric test;
        Setup setup;
        setup.irn = false;
        Configure(test, setup);
        test.helper.SetTransportAttribute("NakEachPacket", BooleanValue(each));
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, 10 * 1024)});
        const auto sender = test.runner->GetSender(0);
        const auto receiver = test.fabric->GetNic(1)->GetQueuePair(sender->GetRemoteQpn());
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({3, 10});
        receiver->GetPort()->SetAttribute("ReceiveErrorModel", PointerValue(model));
        test.Run();
        const std::string where = each ? "NAK for each packet" : "NAK once for a gap";
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", where);
        NS_TEST_EXPECT_MSG_EQ(receiver->GetStats().packetsAccepted, 10U, where);
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().timeouts, timeouts, where << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().packetsRetransmitted, again, where << ": again");
    }
};

/** One long flow over 6 links at 40 Gbps, with packets and acknowledgements lost at the hosts. */
class GoodputTestCase : public TestCase
{
  public:
    GoodputTestCase()
        : TestCase("goodput of one long flow at 1% loss over 6 links")
    {
    }

  private:
    /// 40 MB: 40 000 packets of 1000 B.
    static constexpr uint64_t BYTES = 40'000'000;

    /** \param setup how \param cap where the BDP cap goes, if given \return bits per second */
    double Measure(const Setup& setup, uint64_t* cap = nullptr)
    {
        RdmaTestFabric test;
        test.SetMtu(1000);
        Configure(test, setup);
        const auto topology = MakeRdmaFatTree(4, MakeTestRates(40, 40, 2000));
        const auto hosts = topology.GetHosts();
        test.Install(topology, {MakeTestFlow(0, hosts.front(), hosts.back(), BYTES)});
        const auto sender = test.runner->GetSender(0);
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetPath(sender).size(), 6U, "hops");
        if (setup.loss > 0)
        {
            SetLoss(test.fabric->GetNic(hosts.front())->GetPort(0), setup.loss, 77);
            SetLoss(test.fabric->GetNic(hosts.back())->GetPort(0), setup.loss, 78);
        }
        if (cap)
        {
            UintegerValue value;
            test.fabric->GetNic(hosts.front())->GetTransport()->GetAttribute("BdpCap", value);
            *cap = value.Get();
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", Describe(setup));
        return BYTES * 8.0 / (static_cast<double>(test.results[0].fct.value_or(0_ps)) * 1e-12);
    }

    void DoRun() override
    {
        constexpr double LOSS = 0.01;
        Setup setup;
        setup.bdpFc = false;
        const double lossFree = Measure(setup);
        setup.loss = LOSS;
        const double withoutCap = Measure(setup);
        // NACKs never cease before the flow has sent all it has, and each restarts the timer: a
        // retransmission that is lost waits until then, and takes RTO_high.
        NS_TEST_EXPECT_MSG_GT(withoutCap / lossFree, 0.9, "IRN without BDP-FC");

        // With the cap W a lost packet stops new ones for one round trip: W packets after it have
        // gone out until its NACK is there, and those that follow wait until the retransmission is
        // acknowledged, another round trip. Losses among these W packets are repaired in the same
        // time. Then 1/p packets go by until the next one is lost. So W + 1/p packets take
        // W + 1/p + R packet times, R being the round trip in packet times. Each packet is sent
        // 1 + p times, and of the 1 + W p retransmissions one in 1/p is lost, which takes RTO_high.
        uint64_t cap = 0;
        setup.bdpFc = true;
        const double withCap = Measure(setup, &cap);
        const double slotPs = 1098 * 200; // 1000 B and 98 of headers, preamble and gap
        const double roundTripPs = 2 * 6 * 2e6 + 6 * slotPs + 6 * 90 * 200;
        NS_TEST_EXPECT_MSG_EQ(cap,
                              static_cast<uint64_t>(std::ceil(roundTripPs / slotPs)),
                              "the helper's cap is the round trip");
        const double w = static_cast<double>(cap);
        const double packets = w + 1 / LOSS;
        const double slots =
            packets * (1 + LOSS) + roundTripPs / slotPs + (1 + w * LOSS) * LOSS * 320e6 / slotPs;
        const double expected = lossFree * packets / slots;
        NS_TEST_EXPECT_MSG_EQ_TOL(withCap / expected, 1.0, 0.10, "IRN with BDP-FC");

        // Go-back-N loses a round trip of packets with each loss.
        setup = Setup();
        setup.irn = false;
        setup.loss = LOSS;
        const double roce = Measure(setup);
        NS_TEST_EXPECT_MSG_LT(roce / withoutCap, 0.7, "go-back-N");
        std::cout << "goodput at 1% loss, of " << lossFree / 1e9
                  << " Gb/s without loss: IRN without BDP-FC " << withoutCap / 1e9 << ", with "
                  << withCap / 1e9 << " (analysis " << expected / 1e9 << "), RoCE " << roce / 1e9
                  << "\n";
    }
};

/** Single-packet messages, one at a time, at 1% loss. */
class TailTestCase : public TestCase
{
  public:
    TailTestCase()
        : TestCase(
              "99.9% latency of single-packet messages at 1% loss: RTO_low and two round trips")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Configure(test, Setup());
        test.Install(MakeRdmaStar(2, MakeTestRates(40, 40, 1000)), {});
        auto [sender, receiver] = test.fabric->Connect(0, 1);
        SetLoss(sender->GetPort(), 0.01, 105);
        SetLoss(receiver->GetPort(), 0.01, 206);
        constexpr uint32_t MESSAGES = 100'000;
        std::vector<QbbPs> latencies;
        QbbPs posted = 0_ps;
        const auto post = [&, &qp = sender]() {
            posted = QbbNow();
            RdmaSendRequest request;
            request.length = 1000;
            qp->PostSend(request);
        };
        sender->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion& completion) {
                NS_TEST_EXPECT_MSG_EQ(completion.status, RdmaWcStatus::SUCCESS, "completion");
                latencies.push_back(completion.time - posted);
                if (latencies.size() < MESSAGES)
                {
                    post();
                }
            }));
        post();
        test.Run();
        NS_TEST_ASSERT_MSG_EQ(latencies.size(), MESSAGES, "messages");
        std::sort(latencies.begin(), latencies.end());
        // A packet of 1000 B (1098 B with RETH and all) and its acknowledgement (90 B) over two
        // links of 1 us.
        const QbbPs roundTrip = 4_us + 2 * (1098 - 12 + 90 - 12) * 200_ps;
        NS_TEST_EXPECT_MSG_EQ(latencies.front(), roundTrip, "without loss");
        const QbbPs tail = latencies[MESSAGES * 999 / 1000];
        NS_TEST_EXPECT_MSG_GT(tail, 100_us, "a loss takes a timeout");
        NS_TEST_EXPECT_MSG_EQ((tail <= 100_us + 2 * roundTrip), true, "tail " << tail);
    }
};

/** 1 of 256 packets is lost, messages have 4 MB (Guo et al., SIGCOMM 2016, section 4.1). */
class LivelockTestCase : public TestCase
{
  public:
    LivelockTestCase()
        : TestCase("transport livelock: go-back-0 and go-back-N with 1 of 256 packets lost")
    {
    }

  private:
    /** \param recovery of the loss \return goodput of 9 ms as a part of the line rate */
    double Measure(const std::string& recovery)
    {
        RdmaTestFabric test;
        Setup setup;
        setup.irn = false;
        setup.recovery = recovery;
        Configure(test, setup);
        test.Install(MakeRdmaStar(2, MakeTestRates(40, 40, 500)), {});
        auto [sender, receiver] = test.fabric->Connect(0, 1);
        uint64_t bytes = 0;
        receiver->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, const RdmaMessageArrival&>(
                [&](const RdmaMessageArrival& arrival) { bytes += arrival.bytes; }));
        SetLoss(receiver->GetPort(), 1.0 / 256, 9);
        for (uint32_t i = 0; i < 10; ++i)
        {
            RdmaSendRequest request;
            request.length = 4'000'000;
            sender->PostSend(request);
        }
        test.Run(9_ms);
        return static_cast<double>(bytes) * 8 / (40e9 * 9e-3);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Measure("GoBack0"), 0.0, "go-back-0 gets nowhere");
        NS_TEST_EXPECT_MSG_GT(Measure("GoBackN"), 0.7, "go-back-N");
    }
};

/** The suite. */
class RdmaLossTestSuite : public TestSuite
{
  public:
    RdmaLossTestSuite()
        : TestSuite("rdma-loss")
    {
        for (const bool irn : {true, false})
        {
            Setup setup;
            setup.irn = irn;
            AddTestCase(new OnePacketTestCase(setup));
            for (const double loss : {0.001, 0.01, 0.1})
            {
                setup.loss = loss;
                AddTestCase(new AllEndTestCase(setup));
            }
            setup.loss = 0;
            setup.spray = "Random";
            AddTestCase(new AllEndTestCase(setup));
            setup.spray = "RoundRobin";
            AddTestCase(new AllEndTestCase(setup));
            setup.loss = 0.01;
            AddTestCase(new AllEndTestCase(setup));
        }
        for (const char* const recovery : {"SelectiveWithoutSack", "GoBackN", "GoBack0"})
        {
            Setup setup;
            setup.recovery = recovery;
            setup.loss = 0.001;
            AddTestCase(new AllEndTestCase(setup));
        }
        Setup setup;
        setup.bdpFc = false;
        setup.loss = 0.01;
        AddTestCase(new AllEndTestCase(setup));
        AddTestCase(new LostAgainTestCase);
        AddTestCase(new GoodputTestCase);
        AddTestCase(new TailTestCase);
        AddTestCase(new LivelockTestCase);
    }
};

RdmaLossTestSuite g_rdmaLossTestSuite; //!< registers the suite

} // namespace
