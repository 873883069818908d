/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-loss-setup.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics that lose and reorder packets, with both transports: all flows end.
 */

using namespace ns3;

namespace
{

/** Many flows over a leaf-spine fabric with random loss on every link, spraying, or both. */
class AllEndTestCase : public TestCase
{
  public:
    /** \param setup transport, losses and spraying */
    explicit AllEndTestCase(const RdmaTestLossSetup& setup)
        : TestCase("all flows end: " + GetTestName(setup)),
          m_setup(setup)
    {
    }

  private:
    void DoRun() override
    {
        // 16 hosts behind 4 leaves and 4 spines. Each host sends to 3 others: 1 byte, one full
        // packet, and 200 packets and a bit; a frame crosses 2 or 4 links.
        RdmaTestFabric test;
        ConfigureTestLoss(test, m_setup);
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
            LoseFramesAtRandom(test.fabric->GetDevice(link, ends.a), m_setup.loss, 1000 + 2 * link);
            LoseFramesAtRandom(test.fabric->GetDevice(link, ends.b), m_setup.loss, 1001 + 2 * link);
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
            // Go-back-0 discards the received part of a message when the message begins again.
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
            const bool stands = m_setup.outOfOrder || (m_setup.irn && m_setup.recovery.empty());
            NS_TEST_EXPECT_MSG_EQ((again == 0), stands, "nothing is lost, sent again: " << again);
        }
    }

    RdmaTestLossSetup m_setup; //!< transport, losses and spraying
};

/** A message's first, middle, last or only packet, or the acknowledgement of one, is lost once. */
class OnePacketTestCase : public TestCase
{
  public:
    /** \param setup transport and its options */
    explicit OnePacketTestCase(const RdmaTestLossSetup& setup)
        : TestCase("loss of a first, middle, last and only packet, and of acknowledgements: " +
                   GetTestName(setup)),
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

    /** \param packets packets of the WRITE \param lost index \param data true: at the receiver */
    void Measure(uint64_t packets, uint32_t lost, bool data)
    {
        RdmaTestFabric test;
        ConfigureTestLoss(test, m_setup);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, packets * 1024)});
        const auto sender = test.runner->GetSender(0);
        const auto receiver = test.fabric->GetNic(1)->GetQueuePair(sender->GetRemoteQpn());
        LoseFrames((data ? receiver : sender)->GetPort(), {lost});
        test.Run();
        std::ostringstream where;
        where << (data ? "packet " : "acknowledgement ") << lost << " of " << packets;
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", where.str());
        NS_TEST_EXPECT_MSG_EQ(receiver->GetStats().packetsAccepted, packets, where.str());
        const auto stats = sender->GetStats();
        const bool last = lost + 1 == packets;
        // A packet behind a lost packet triggers a NAK. Only the timer repairs the loss of the last
        // packet.
        NS_TEST_EXPECT_MSG_EQ(stats.timeouts, (last ? 1U : 0U), where.str() << ": timeouts");
        uint64_t again = last || data ? 1 : 0;
        if (data && !m_setup.irn && !m_setup.outOfOrder)
        {
            again = packets - lost; // go-back-N; all packets left before the NAK came
        }
        NS_TEST_EXPECT_MSG_EQ(stats.packetsRetransmitted, again, where.str() << ": sent again");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", where.str());
    }

    RdmaTestLossSetup m_setup; //!< transport and its options
};

/** A packet and its first retransmission are lost, with a NAK for each packet and for each gap. */
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
        // Ten packets of 88.48 ns over a round trip of more than 4 us: packets 0 to 9 have left
        // when the first NAK comes. Packet 3 is lost, and so is the eleventh frame, its
        // retransmission.
        //
        // One NAK for a gap: packet 4 brings a NAK, packets 5 to 9 do not, and packets 3 to 9 are
        // sent again. Packet 3 is lost without another NAK. The timer sends packets 3 to 9 once
        // more.
        Measure(false, 1, 14);
        // A NAK for each packet: packets 4 to 9 bring six NAKs, 88.48 ns apart. Each NAK makes the
        // port send packet 3 again. The first retransmission is lost, the second closes the gap.
        // Packets 4 to 9 follow behind the last retransmission.
        Measure(true, 0, 12);
    }

    /** \param each NAK for each packet \param timeouts expected \param again retransmissions */
    void Measure(bool each, uint64_t timeouts, uint64_t again)
    {
        RdmaTestFabric test;
        RdmaTestLossSetup setup;
        setup.irn = false;
        ConfigureTestLoss(test, setup);
        test.helper.SetTransportAttribute("NakEachPacket", BooleanValue(each));
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 1, 10 * 1024)});
        const auto sender = test.runner->GetSender(0);
        const auto receiver = test.fabric->GetNic(1)->GetQueuePair(sender->GetRemoteQpn());
        LoseFrames(receiver->GetPort(), {3, 10});
        test.Run();
        const std::string where = each ? "NAK for each packet" : "NAK once for a gap";
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", where);
        NS_TEST_EXPECT_MSG_EQ(receiver->GetStats().packetsAccepted, 10U, where);
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().timeouts, timeouts, where << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().packetsRetransmitted, again, where << ": again");
    }
};

/** The suite. */
class RdmaLossTestSuite : public TestSuite
{
  public:
    RdmaLossTestSuite()
        : TestSuite("rdma-loss")
    {
        RdmaTestLossSetup irn;
        RdmaTestLossSetup irnWithRoceWrites;
        irnWithRoceWrites.roceWrites = true;
        RdmaTestLossSetup roce;
        roce.irn = false;
        RdmaTestLossSetup tolerantRoce = roce;
        tolerantRoce.outOfOrder = true;
        for (RdmaTestLossSetup setup : {irn, irnWithRoceWrites, roce, tolerantRoce})
        {
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
            for (RdmaTestLossSetup setup : {irn, irnWithRoceWrites})
            {
                setup.recovery = recovery;
                setup.loss = 0.001;
                AddTestCase(new AllEndTestCase(setup));
            }
        }
        RdmaTestLossSetup setup;
        setup.bdpFc = false;
        setup.loss = 0.01;
        AddTestCase(new AllEndTestCase(setup));
        AddTestCase(new LostAgainTestCase);
    }
};

RdmaLossTestSuite g_rdmaLossTestSuite; //!< registers the suite

} // namespace
