/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-dual-tor.h"
#include "rdma-test-udp.h"
#include "rdma-test-verbs.h"

#include <ns3/nstime.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <memory>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Bonds of a NIC's ports, at times worked out by hand, and ports with addresses of their own.
 */

using namespace ns3;

namespace
{

/**
 * Hosts 0 and 1 on leaves 2 and 3, a spine 4 above the leaves; all links 100 Gb/s and 1 us, a byte
 * every 80 ps. Links: 0 and 1 of host 0 to leaves 2 and 3, 2 and 3 of host 1, then the spine's.
 *
 * \param bonded true: a host's two ports have one address
 * \return the topology
 */
RdmaTopology
MakeBondTopology(bool bonded)
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    topology.AddSwitch();
    topology.AddSwitch();
    topology.AddSwitch();
    for (const uint32_t host : {0, 1})
    {
        topology.AddLink(host, 2, 100_gbps, 1_us);
        topology.AddLink(host, 3, 100_gbps, 1_us);
        if (bonded)
        {
            topology.SetBonded(host);
        }
    }
    topology.AddLink(2, 4, 100_gbps, 1_us);
    topology.AddLink(3, 4, 100_gbps, 1_us);
    return topology;
}

/** Two hosts with two ports each, and queue pairs between them. */
class BondTestCase : public TestCase
{
  protected:
    /** \param name name of the test case */
    explicit BondTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * \param [in,out] test a fabric that is not built yet
     * \param failover FailoverDelay of both NICs
     * \param bonded true: a host's ports have one address
     */
    static void Install(RdmaTestFabric& test, RdmaPs failover, bool bonded = true)
    {
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(5000));
        test.Install(MakeBondTopology(bonded), {});
        for (const uint32_t host : {0, 1})
        {
            test.fabric->GetNic(host)->SetAttribute("FailoverDelay",
                                                    TimeValue(RdmaToTime(failover)));
        }
    }

    /**
     * Connects queue pairs until one sends through a port and is answered through a port.
     *
     * \param test a fabric that is built
     * \param sends index of the port of the sender
     * \param answers index of the port of the receiver
     * \param from host that sends
     * \param to host that receives
     * \return the queue pair of the sender
     */
    static Ptr<RdmaQueuePair> Connect(const RdmaTestFabric& test,
                                      uint32_t sends,
                                      uint32_t answers,
                                      uint32_t from = 0,
                                      uint32_t to = 1)
    {
        for (uint32_t tries = 0; tries < 200; ++tries)
        {
            const auto [a, b] = test.fabric->Connect(from, to);
            if (a->GetPort()->GetPortNumber() == sends && b->GetPort()->GetPortNumber() == answers)
            {
                return a;
            }
        }
        return nullptr;
    }

    /** \param qp queue pair that writes \param packets packets of 1024 bytes */
    static void Write(RdmaQueuePair& qp, uint64_t packets)
    {
        RdmaSendRequest request;
        request.opcode = RdmaWrOpcode::RDMA_WRITE;
        request.length = 1024 * packets;
        qp.PostSend(request);
    }

    /** \param test a fabric \param host 0 or 1 \param port 0 or 1 \return the port */
    static Ptr<QbbNetDevice> GetPort(const RdmaTestFabric& test, uint32_t host, uint32_t port)
    {
        return test.fabric->GetNic(host)->GetPort(port);
    }

    /** \param test a fabric \param host 0 or 1 \param port 0 or 1 \return frames sent */
    static uint64_t GetSent(const RdmaTestFabric& test, uint32_t host, uint32_t port)
    {
        return GetPort(test, host, port)->GetCounters().GetTxFrames();
    }

    /**
     * Notes when the frames of a port begin.
     *
     * \param port a port
     * \param [out] times instants, in ps
     */
    static void Watch(const Ptr<QbbNetDevice>& port, std::vector<int64_t>& times)
    {
        port->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&times](Ptr<const Packet>) {
                times.push_back(static_cast<int64_t>(RdmaNow().Get()));
            }));
    }
};

/**
 * The link of the port in use goes down at 50 us and comes up at 100 us; FailoverDelay is 20 us.
 *
 * The first packet is a WRITE FIRST of 1102 B and occupies the line for 1122 x 80 = 89 760 ps. All
 * others have 1086 B; with preamble they take S = 1094 x 80 = 87 520 ps, and with the gap F = 88
 * 480 ps. Packet k (from 1) begins at 89 760 + (k - 1) F and has arrived at the leaf S + 1 us
 * later. At 50 us, packets up to k - 1 = 551 have arrived (49 929 760 ps) and packet k - 1 = 564
 * has begun (49 992 480 ps): the 13 packets 553 to 565 are lost on the cable. Packet 566 begins at
 * the other port at 70 us and arrives 2 (S + 1 us) later, at 72 175 040 ps. It is answered by a NAK
 * of 66 B, which takes 2 x (74 x 80 + 1 us) = 2 011 840 ps, to 74 186 880 ps. Until then packets up
 * to 566 + 47 have begun (70 us + 47 F = 74 158 560 ps). Packet 553 begins again at 74 247 040 ps,
 * so that 613 - 552 = 61 packets are sent twice. At 120 us the packet begun at 74 247 040 + 517 F =
 * 119 991 200 ps is on the line, and the next one begins at the first port at 120 us. The last of
 * 2000 packets, k = 1999, is the 1446 th after packet 553 and the 928 th after that of 120 us: it
 * begins at 120 us + 928 F = 202 109 440 ps and has arrived 2 (S + 1 us) later.
 */
class FailoverTestCase : public BondTestCase
{
  public:
    FailoverTestCase()
        : BondTestCase("queue pairs leave a dead port after FailoverDelay, and come back")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 20_us);
        const auto qp = Connect(test, 0, 1);
        std::vector<int64_t> first;
        std::vector<int64_t> second;
        Watch(GetPort(test, 0, 0), first);
        Watch(GetPort(test, 0, 1), second);
        std::string changes;
        test.fabric->GetNic(0)->AddPortWatcher([&](uint32_t port, bool isUp) {
            changes += std::to_string(port) + (isUp ? " up " : " down ") +
                       std::to_string(RdmaNow().Get()) + "; ";
        });
        RdmaPs last{0};
        GetPort(test, 1, 0)
            ->TraceConnectWithoutContext("PhyRxEnd",
                                         Callback<void, Ptr<const Packet>>(
                                             [&last](Ptr<const Packet>) { last = RdmaNow(); }));
        Write(*qp, 2000);
        RdmaTestPair::At(50_us, [&]() { test.fabric->SetLinkUp(0, false); });
        RdmaTestPair::At(100_us, [&]() { test.fabric->SetLinkUp(0, true); });
        test.Run(1_ms);

        NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 2000U, "all packets");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetChannel(0)->GetLostInFlight(), 13U, "on the cable");
        const auto& leaf = test.fabric->GetDevice(0, 2)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(leaf, QbbDropReason::LINK_DOWN),
                              13U,
                              "the port at the other end counts them");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::LINK_DOWN),
                              13U,
                              "and nothing else is lost");
        NS_TEST_ASSERT_MSG_EQ(second.empty(), false, "the other port is used");
        NS_TEST_EXPECT_MSG_EQ(second.front(), 70'000'000, "from 50 us + FailoverDelay on");
        NS_TEST_EXPECT_MSG_EQ(second.back(), 119'991'200, "until 100 us + FailoverDelay");
        NS_TEST_EXPECT_MSG_EQ(first.at(564 + 1), 49'992'480, "the last before the failure");
        NS_TEST_EXPECT_MSG_EQ(first.at(564 + 2), 120'000'000, "the first after the repair");
        NS_TEST_EXPECT_MSG_EQ(qp->GetStats().packetsRetransmitted, 61U, "sent twice");
        NS_TEST_EXPECT_MSG_EQ(first.size() + second.size(), 2061U, "all that was sent");
        NS_TEST_EXPECT_MSG_EQ(last, 202'109'440_ps + 2'175'040_ps, "the last arrival");
        NS_TEST_EXPECT_MSG_EQ(changes, "0 down 70000000; 0 up 120000000; ", "the watcher");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric) +
                                  RdmaTestBooks::CheckRest(*test.fabric),
                              "",
                              "books");
    }
};

/** Data, acknowledgements and CNPs of each queue pair keep to the port that its hash names. */
class BondSpreadTestCase : public BondTestCase
{
  public:
    BondSpreadTestCase()
        : BondTestCase("requests, acknowledgements and responses use the port of their queue pair")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t sends : {0, 1})
        {
            for (const uint32_t answers : {0, 1})
            {
                RdmaTestFabric test;
                Install(test, 1_ms);
                const auto qp = Connect(test, sends, answers);
                Write(*qp, 100);
                RdmaSendRequest read;
                read.opcode = RdmaWrOpcode::RDMA_READ;
                read.length = 1024 * 50;
                qp->PostSend(read);
                test.Run(1_ms);
                const std::string what = std::to_string(sends) + std::to_string(answers);
                NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, sends), 101U, "WRITE and READ " << what);
                NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 1 - sends), 0U, "other port " << what);
                // The responses to the READ acknowledge the WRITE, or an acknowledgement does.
                NS_TEST_EXPECT_MSG_GT(GetSent(test, 1, answers), 49U, "responses " << what);
                NS_TEST_EXPECT_MSG_EQ(GetSent(test, 1, 1 - answers), 0U, "other port " << what);
                NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 101U, "all " << what);
            }
        }
    }
};

/** A link that is down for less than FailoverDelay moves nothing. */
class FlapTestCase : public BondTestCase
{
  public:
    FlapTestCase()
        : BondTestCase("a link that is down for less than FailoverDelay moves no queue pair")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 20_us);
        const auto qp = Connect(test, 0, 1);
        uint32_t changes = 0;
        test.fabric->GetNic(0)->AddPortWatcher([&changes](uint32_t, bool) { ++changes; });
        Write(*qp, 2000);
        RdmaTestPair::At(50_us, [&]() { test.fabric->SetLinkUp(0, false); });
        RdmaTestPair::At(69_us, [&]() { test.fabric->SetLinkUp(0, true); });
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 1), 0U, "the other port");
        NS_TEST_EXPECT_MSG_EQ(changes, 0U, "changes");
        NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 2000U, "all packets");
    }
};

/** With no port up the queue pairs wait; the first port that comes up gets them. */
class AllDownTestCase : public BondTestCase
{
  public:
    AllDownTestCase()
        : BondTestCase("queue pairs of a bond without a port that is up")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 5_us);
        const auto qp = Connect(test, 0, 0);
        Write(*qp, 1000);
        RdmaTestPair::At(20_us, [&]() { test.fabric->SetLinkUp(0, false); });
        RdmaTestPair::At(22_us, [&]() { test.fabric->SetLinkUp(1, false); });
        RdmaTestPair::At(30_us, [&]() {
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetNic(0)->IsPortUp(0), false, "port 0");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetNic(0)->IsPortUp(1), false, "port 1");
        });
        RdmaTestPair::At(40_us, [&]() { test.fabric->SetLinkUp(1, true); });
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(qp->GetPort(), GetPort(test, 0, 1), "the port that is up");
        NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 1000U, "all packets");
    }
};

/** A link that is down from the beginning is known at once. */
class DownAtStartTestCase : public BondTestCase
{
  public:
    DownAtStartTestCase()
        : BondTestCase("a link that is down from the beginning")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 100_ms);
        const auto qp = Connect(test, 0, 1);
        test.fabric->SetLinkUp(0, false);
        Write(*qp, 100);
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(qp->GetPort(), GetPort(test, 0, 1), "the other port");
        NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 100U, "all packets");
    }
};

/** Acknowledgements that wait for their delay when their port fails leave through the other one. */
class DelayedReplyTestCase : public BondTestCase
{
  public:
    DelayedReplyTestCase()
        : BondTestCase("an acknowledgement that waits goes over with its queue pair")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 5_us);
        test.fabric->GetNic(1)->SetAttribute("AckTurnaround", TimeValue(MicroSeconds(30)));
        // Data over leaf 3, acknowledgements over leaf 2.
        const auto qp = Connect(test, 1, 0);
        Write(*qp, 1);
        // The packet arrives before 3 us, its acknowledgement is due before 33 us.
        RdmaTestPair::At(10_us, [&]() { test.fabric->SetLinkUp(2, false); });
        RdmaTestPair::At(40_us, [&]() {
            NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 1U, "acknowledged");
        });
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(GetSent(test, 1, 0), 0U, "the dead port");
        NS_TEST_EXPECT_MSG_EQ(GetSent(test, 1, 1), 1U, "the other port");
    }
};

/** Ports with addresses of their own keep their queue pairs; a watcher is told of them. */
class OwnAddressesTestCase : public BondTestCase
{
  public:
    OwnAddressesTestCase()
        : BondTestCase("ports with addresses of their own keep their queue pairs")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetRetries(100_us, 1000);
        Install(test, 5_us, false);
        const auto a = test.fabric->GetNic(0)->CreateQueuePair(1);
        const auto b = test.fabric->GetNic(1)->CreateQueuePair(1);
        RdmaQueuePair::ConnectPair(a, b);
        std::string changes;
        test.fabric->GetNic(0)->AddPortWatcher([&](uint32_t port, bool isUp) {
            changes += std::to_string(port) + (isUp ? " up " : " down ") +
                       std::to_string(RdmaNow().Get()) + "; ";
        });
        Write(*a, 1000);
        RdmaTestPair::At(20_us, [&]() { test.fabric->SetLinkUp(1, false); });
        RdmaTestPair::At(200_us, [&]() {
            NS_TEST_EXPECT_MSG_LT(a->GetPacketsAcknowledged(), 1000U, "it waits");
            test.fabric->SetLinkUp(1, true);
        });
        test.Run(10_ms);
        NS_TEST_EXPECT_MSG_EQ(changes, "1 down 25000000; 1 up 205000000; ", "the watcher");
        NS_TEST_EXPECT_MSG_EQ(a->GetPacketsAcknowledged(), 1000U, "all packets");
        NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 0), 0U, "port 0 of host 0");
        NS_TEST_EXPECT_MSG_EQ(GetSent(test, 1, 0), 0U, "port 0 of host 1");
    }
};

/** Who begins to watch sees the present state. */
class LateWatcherTestCase : public BondTestCase
{
  public:
    LateWatcherTestCase()
        : BondTestCase("a NIC that gets its first watcher knows the present state of its ports")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 5_us, false);
        const auto nic = test.fabric->GetNic(0);
        std::string changes;
        RdmaTestPair::At(10_us, [&]() { test.fabric->SetLinkUp(1, false); });
        RdmaTestPair::At(50_us, [&]() {
            NS_TEST_EXPECT_MSG_EQ(nic->IsPortUp(1), true, "nobody looks");
            nic->AddPortWatcher([&](uint32_t port, bool isUp) {
                changes += std::to_string(port) + (isUp ? " up " : " down ") +
                           std::to_string(RdmaNow().Get()) + "; ";
            });
            NS_TEST_EXPECT_MSG_EQ(nic->IsPortUp(0), true, "port 0");
            NS_TEST_EXPECT_MSG_EQ(nic->IsPortUp(1), false, "port 1");
        });
        RdmaTestPair::At(60_us, [&]() { test.fabric->SetLinkUp(1, true); });
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(changes, "1 up 65000000; ", "the watcher");
    }
};

/** Queue pairs that are used again for other numbers use the port that is asked for. */
class SparesTestCase : public BondTestCase
{
  public:
    SparesTestCase()
        : BondTestCase("a queue pair that is used again sends through its new port")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Install(test, 1_ms, false);
        const auto nic = test.fabric->GetNic(0);
        const auto peer = test.fabric->GetNic(1);
        const uint32_t first = nic->ReserveQueuePairNumbers(2);
        for (const uint32_t port : {0, 1})
        {
            RdmaTestPair::At(port == 0 ? 1_us : 50_us, [&, port]() {
                const auto qp = nic->CreateQueuePairAs(first + port, port);
                RdmaQueuePair::ConnectPair(qp, peer->CreateQueuePair(port));
                Write(*qp, 10);
            });
            RdmaTestPair::At(port == 0 ? 40_us : 90_us, [&, port]() {
                NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 0), 10U, "frames of port 0");
                NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 1), 10U * port, "frames of port 1");
                nic->DestroyQueuePair(nic->GetQueuePair(first + port));
            });
        }
        test.Run(1_ms);
    }
};

/** Queue pairs under DCQCN: CNPs take the port of their queue pair, and paced ones go over. */
class BondCnpTestCase : public BondTestCase
{
  public:
    BondCnpTestCase()
        : BondTestCase("CNPs use the port of their queue pair; paced queue pairs go over")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetRetries(200_us, 1000);
        test.helper.SetCongestionControl("ns3::RdmaDcqcn");
        test.helper.EnableEcn(true);
        test.helper.SetNicAttribute("FailoverDelay", TimeValue(MicroSeconds(10)));
        test.Install(MakeTestDualTor(3, 1, 1), {});
        std::vector<Ptr<RdmaQueuePair>> pairs;
        for (uint32_t i = 0; i < 6; ++i)
        {
            pairs.push_back(Connect(test, 0, 1, i % 2, 2));
            Write(*pairs.back(), 2000);
        }
        RdmaTestPair::At(400_us, [&]() {
            const auto stats = test.fabric->GetNic(2)->GetStats();
            NS_TEST_EXPECT_MSG_GT(stats.cnpsSent, 10U, "CNPs");
            NS_TEST_EXPECT_MSG_EQ(GetSent(test, 2, 0), 0U, "port of the data");
            NS_TEST_EXPECT_MSG_GT(GetSent(test, 2, 1), stats.cnpsSent, "port of the answers");
            NS_TEST_EXPECT_MSG_EQ(GetSent(test, 0, 1), 0U, "other port of a sender");
            test.fabric->SetLinkUp(0, false); // host 0 and the first leaf
            test.fabric->SetLinkUp(5, false); // host 2 and the second leaf
        });
        RdmaTestPair::At(420_us, [&]() {
            NS_TEST_EXPECT_MSG_GT(GetSent(test, 0, 1), 0U, "host 0 goes on");
            NS_TEST_EXPECT_MSG_GT(GetSent(test, 2, 0), 0U, "host 2 goes on");
            NS_TEST_EXPECT_MSG_EQ(GetSent(test, 1, 1), 0U, "host 1 is not concerned");
        });
        test.Run(100_ms);
        for (const auto& qp : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 2000U, "all packets");
        }
    }
};

/** Packets of ns-3's stack reach the stack through each port of a bond. */
class BondStackTestCase : public BondTestCase
{
  public:
    BondStackTestCase()
        : BondTestCase("ns-3's stack receives through all ports of a bond")
    {
    }

  private:
    void DoRun() override
    {
        // Hosts 0 and 1 on leaves 2 and 3, hosts alone on their pair of leaves below the spine.
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.Install(MakeTestDualTor(1, 2, 1), {});
        std::vector<std::unique_ptr<RdmaTestUdp>> sockets;
        for (uint16_t i = 0; i < 32; ++i)
        {
            sockets.push_back(std::make_unique<RdmaTestUdp>(test.fabric->GetNode(0),
                                                            test.fabric->GetNode(1),
                                                            test.fabric->GetAddress(1),
                                                            9001 + i));
            sockets.back()->SendEvery(MicroSeconds(20'000 + i), MicroSeconds(50), 2);
        }
        // Few packets wait for ARP, which takes up to 10 ms (ArpL3Protocol::RequestJitter).
        RdmaTestUdp first(*test.fabric, 0, 1);
        first.SendEvery(MicroSeconds(1), MicroSeconds(1), 1);
        test.Run(30_ms);
        for (const auto& socket : sockets)
        {
            NS_TEST_EXPECT_MSG_EQ(socket->GetReceived(), 2U, "packets of a socket");
        }
        for (const uint32_t port : {0, 1})
        {
            NS_TEST_EXPECT_MSG_GT(GetPort(test, 1, port)->GetCounters().GetRxFrames(),
                                  5U,
                                  "the spine's hash uses both leaves");
        }
    }
};

/** The suite. */
class RdmaBondTestSuite : public TestSuite
{
  public:
    RdmaBondTestSuite()
        : TestSuite("rdma-bond")
    {
        AddTestCase(new FailoverTestCase);
        AddTestCase(new BondSpreadTestCase);
        AddTestCase(new FlapTestCase);
        AddTestCase(new AllDownTestCase);
        AddTestCase(new DownAtStartTestCase);
        AddTestCase(new DelayedReplyTestCase);
        AddTestCase(new OwnAddressesTestCase);
        AddTestCase(new LateWatcherTestCase);
        AddTestCase(new SparesTestCase);
        AddTestCase(new BondCnpTestCase);
        AddTestCase(new BondStackTestCase);
    }
};

RdmaBondTestSuite g_rdmaBondTestSuite; //!< registers the suite

} // namespace
