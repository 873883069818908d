/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-entropy.h"
#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/packet.h>
#include <ns3/pointer.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * UDP source ports of packets and acknowledgements on the wire, and the paths that they lead to.
 */

using namespace ns3;

namespace
{

/** What a frame on the wire says of itself. */
struct EntropyFrame
{
    uint16_t port{0};  //!< UDP source port
    uint8_t opcode{0}; //!< BTH opcode
};

/** \return the UDP source port and the opcode in the bytes of an untagged frame */
EntropyFrame
ReadEntropyFrame(const Packet& packet)
{
    // Ethernet 14, IPv4 20, UDP 8
    uint8_t bytes[43];
    packet.CopyData(bytes, sizeof(bytes));
    return {static_cast<uint16_t>(bytes[34] << 8 | bytes[35]), bytes[42]};
}

/** Collects the frames that a trace source of a port reports. */
void
CollectEntropyFrames(const RdmaTestPair& pair,
                     uint32_t host,
                     const char* source,
                     std::vector<EntropyFrame>& frames)
{
    pair.test.fabric->GetNic(host)->GetPort(0)->TraceConnectWithoutContext(
        source,
        Callback<void, Ptr<const Packet>>(
            [&frames](Ptr<const Packet> packet) { frames.push_back(ReadEntropyFrame(*packet)); }));
}

/** \return ports of frames for which a condition holds */
template <typename Condition>
std::vector<uint16_t>
GetEntropyPorts(const std::vector<EntropyFrame>& frames, Condition condition)
{
    std::vector<uint16_t> ports;
    for (const EntropyFrame& frame : frames)
    {
        if (condition(frame.opcode))
        {
            ports.push_back(frame.port);
        }
    }
    return ports;
}

/** \return true for the acknowledgements and NAKs of RoCE and IRN */
bool
IsEntropyAck(uint8_t opcode)
{
    return opcode == static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE) ||
           opcode == static_cast<uint8_t>(RdmaOpcode::IRN_ACKNOWLEDGE) ||
           opcode == static_cast<uint8_t>(RdmaOpcode::IRN_READ_ACKNOWLEDGE);
}

/** \return ports in text */
std::string
ToEntropyText(const std::vector<uint16_t>& ports)
{
    std::string text;
    for (const uint16_t port : ports)
    {
        text += std::to_string(port) + " ";
    }
    return text;
}

/** Ports of packets in turn, and of their acknowledgements. */
class EntropyPortsTestCase : public TestCase
{
  public:
    explicit EntropyPortsTestCase(RdmaWireFormat format)
        : TestCase(GetTestName(format) + ": requests and responses have ports in turn"),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair pair([this](RdmaTestFabric& test) {
            SetTestTransport(test, m_format);
            test.helper.SetEntropy("turn:5");
            test.helper.SetNicAttribute("EchoSourcePort", BooleanValue(false));
        });
        std::vector<EntropyFrame> sent;
        std::vector<EntropyFrame> answered;
        CollectEntropyFrames(pair, 0, "PhyTxBegin", sent);
        CollectEntropyFrames(pair, 1, "PhyTxBegin", answered);
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 7 * 1024);
        pair.Read(2, 6 * 1024);
        pair.Post(3, RdmaWrOpcode::RDMA_WRITE, 3 * 1024);
        pair.test.Run();
        // The port without entropies, to which the n-th entropy adds n.
        const uint16_t own = pair.sender->GetSourcePort();
        const uint16_t peers = pair.receiver->GetSourcePort();
        CheckTurn(GetEntropyPorts(sent, [](uint8_t opcode) { return !IsEntropyAck(opcode); }),
                  own,
                  11,
                  "requests");
        CheckTurn(GetEntropyPorts(answered, [](uint8_t opcode) { return !IsEntropyAck(opcode); }),
                  peers,
                  6,
                  "responses");
        for (const uint16_t port : GetEntropyPorts(answered, IsEntropyAck))
        {
            NS_TEST_EXPECT_MSG_EQ(port, peers, "acknowledgements of requests");
        }
        for (const uint16_t port : GetEntropyPorts(sent, IsEntropyAck))
        {
            NS_TEST_EXPECT_MSG_EQ(port, own, "acknowledgements of responses");
        }
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                              "1 RDMA_WRITE 7168 IBV_WC_SUCCESS; 2 RDMA_READ 6144 IBV_WC_SUCCESS; "
                              "3 RDMA_WRITE 3072 IBV_WC_SUCCESS; ",
                              "completions");
    }

    void CheckTurn(const std::vector<uint16_t>& ports,
                   uint16_t own,
                   std::size_t count,
                   const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ(ports.size(), count, what);
        uint32_t entropy = 5;
        for (uint32_t n = 0; n < 5; ++n)
        {
            entropy = ports[0] == (0xc000 | ((own + n) & 0x3fff)) ? n : entropy;
        }
        NS_TEST_ASSERT_MSG_LT(entropy, 5U, what << " begin with " << ports[0]);
        for (const uint16_t port : ports)
        {
            NS_TEST_EXPECT_MSG_EQ(port,
                                  (0xc000 | ((own + entropy) & 0x3fff)),
                                  what << ": " << ToEntropyText(ports));
            entropy = (entropy + 1) % 5;
        }
    }

    RdmaWireFormat m_format;
};

/** Acknowledgements that repeat the port of the packet that causes them. */
class EntropyEchoTestCase : public TestCase
{
  public:
    explicit EntropyEchoTestCase(RdmaWireFormat format)
        : TestCase(GetTestName(format) + ": acknowledgements and NAKs repeat the packet's port"),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair pair([this](RdmaTestFabric& test) {
            SetTestTransport(test, m_format);
            test.helper.SetEntropy("random[Entropies=1000]");
        });
        // The receiver loses the packet with the number 3 once.
        LoseFrames(pair.test.fabric->GetNic(1)->GetPort(0), {3});
        std::vector<EntropyFrame> arrived[2];
        std::vector<EntropyFrame> sent[2];
        for (uint32_t host = 0; host < 2; ++host)
        {
            CollectEntropyFrames(pair, host, "MacRx", arrived[host]);
            CollectEntropyFrames(pair, host, "PhyTxBegin", sent[host]);
        }
        pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 8 * 1024);
        pair.Read(2, 4 * 1024);
        pair.receiver->PostReceive({});
        pair.Post(3, RdmaWrOpcode::SEND, 0);
        pair.test.Run();
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                              "1 RDMA_WRITE 8192 IBV_WC_SUCCESS; 2 RDMA_READ 4096 IBV_WC_SUCCESS; "
                              "3 SEND 0 IBV_WC_SUCCESS; ",
                              "completions");
        for (uint32_t host = 0; host < 2; ++host)
        {
            // Packets of 1 KB come 86 ns apart, and an acknowledgement takes 7 ns: each one leaves
            // before the next packet comes, or waits for READ responses. Each port of theirs is one
            // that has come in, and in the order of arrival.
            const auto causes = GetEntropyPorts(arrived[host], [](uint8_t opcode) {
                return !IsEntropyAck(opcode);
            });
            const auto echoes = GetEntropyPorts(sent[host], IsEntropyAck);
            std::size_t place = 0;
            for (const uint16_t echo : echoes)
            {
                while (place < causes.size() && causes[place] != echo)
                {
                    ++place;
                }
                NS_TEST_EXPECT_MSG_LT(place,
                                      causes.size(),
                                      "host " << host << " got " << ToEntropyText(causes)
                                              << "and sent " << ToEntropyText(echoes));
                ++place;
            }
            if (m_format == RdmaWireFormat::IRN)
            {
                NS_TEST_EXPECT_MSG_EQ(echoes.empty(), false, "host " << host);
            }
        }
        const auto echoes = GetEntropyPorts(sent[1], IsEntropyAck);
        const auto causes =
            GetEntropyPorts(arrived[1], [](uint8_t opcode) { return !IsEntropyAck(opcode); });
        // 0, 1, 2 and the NAK of 4. The SEND is the last packet of all.
        NS_TEST_ASSERT_MSG_GT(echoes.size(), 4U, "acknowledgements");
        NS_TEST_EXPECT_MSG_EQ(ToEntropyText({echoes.begin(), echoes.begin() + 4}),
                              ToEntropyText({causes.begin(), causes.begin() + 4}),
                              "the first packets that arrive");
        NS_TEST_EXPECT_MSG_EQ(echoes.back(), causes.back(), "the acknowledgement of the SEND");
    }

    RdmaWireFormat m_format;
};

/** The flow hash of a frame follows its port. */
class EntropyPathsTestCase : public TestCase
{
  public:
    explicit EntropyPathsTestCase(bool serialized)
        : TestCase(std::string("Packets take the path of their port") +
                   (serialized ? ", as bytes" : "")),
          m_serialized(serialized)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t PACKETS = 64;
        RdmaTestFabric test;
        test.helper.SetEntropy("turn[Entropies=64]");
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(m_serialized));
        test.Install(MakeRdmaLeafSpine(2, 1, 4, MakeTestRates(100, 100, 100)), {});
        const auto [a, b] = test.fabric->Connect(0, 1);
        // Each packet is a message, and the next one is posted when it has been acknowledged, so
        // that none overtakes another one.
        uint32_t posted = 0;
        RdmaSendRequest request;
        request.length = 100;
        a->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>([&, qp = a](const RdmaWorkCompletion&) {
                if (++posted < PACKETS)
                {
                    qp->PostSend(request);
                }
            }));
        a->PostSend(request);
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(posted, PACKETS, "messages");
        const auto leaf = test.fabric->GetSwitch(2);
        std::map<uint16_t, uint64_t> expected;
        for (uint32_t n = 0; n < PACKETS; ++n)
        {
            const auto port = static_cast<uint16_t>(0xc000 | ((a->GetSourcePort() + n) & 0x3fff));
            const uint32_t hash = QbbFlowHash(test.fabric->GetAddress(0).Get(),
                                              test.fabric->GetAddress(1).Get(),
                                              17,
                                              port,
                                              4791);
            ++expected[static_cast<uint16_t>(1 + leaf->SelectPath(hash, 4))];
        }
        NS_TEST_EXPECT_MSG_EQ(expected.size(), 4U, "64 ports lead to all four uplinks");
        for (const auto& [uplink, count] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(uplink)->GetCounters().classes[3].txFrames,
                                  count,
                                  "uplink " << uplink);
        }
    }

    bool m_serialized;
};

/** REPS and random entropies where one of four paths has a tenth of the rate. */
class EntropySlowPathTestCase : public TestCase
{
  public:
    EntropySlowPathTestCase()
        : TestCase("REPS avoids a slow path, and random entropies do not")
    {
    }

  private:
    /** \return the slow path's share of the packets, and the time of the flow in us */
    std::pair<double, double> Measure(const std::string& entropy)
    {
        RdmaTopology topology;
        topology.AddHost();
        topology.AddHost();
        const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
        topology.AddLink(0, leaves[0], 100_gbps, 1_us);
        topology.AddLink(1, leaves[1], 100_gbps, 1_us);
        for (const uint64_t gbps : {100, 100, 100, 10})
        {
            const uint32_t spine = topology.AddSwitch();
            topology.AddLink(leaves[0], spine, gbps * 1_gbps, 1_us);
            topology.AddLink(leaves[1], spine, gbps * 1_gbps, 1_us);
        }
        RdmaTestFabric test;
        test.helper.SetTransport("irn[BdpFc=false]");
        test.helper.SetEntropy(entropy);
        test.Install(topology, {MakeTestFlow(0, 0, 1, 4'000'000)});
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "the flow ends");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].retransmittedPackets, 0U, "no packet is sent again");
        const auto leaf = test.fabric->GetSwitch(2);
        double all = 0;
        for (uint32_t port = 1; port <= 4; ++port)
        {
            all += static_cast<double>(leaf->GetPort(port)->GetCounters().classes[3].txFrames);
        }
        const auto slow = static_cast<double>(leaf->GetPort(4)->GetCounters().classes[3].txFrames);
        return {slow / all, static_cast<double>(test.results[0].fct.value_or(10_s)) / 1e6};
    }

    void DoRun() override
    {
        // 3907 packets: a random entropy takes the slow path with a probability of 1/4, with a
        // standard deviation of 0.007. The slow path can carry a tenth of the host's rate.
        const auto [random, randomTime] = Measure("random");
        NS_TEST_EXPECT_MSG_EQ_TOL(random, 0.25, 0.035, "share with random entropies");
        const auto [reps, repsTime] = Measure("reps");
        NS_TEST_EXPECT_MSG_LT(reps, 0.15, "share with REPS");
        // A quarter of 4 MB takes 0.8 ms at 10 Gb/s, and all of it 0.32 ms at 100 Gb/s.
        NS_TEST_EXPECT_MSG_GT(randomTime, 750, "time with random entropies");
        NS_TEST_EXPECT_MSG_LT(repsTime, 500, "time with REPS");
    }
};

/** A NIC that does not repeat ports beside NICs with REPS. */
class EntropyRefusalTestCase : public TestCase
{
  public:
    EntropyRefusalTestCase()
        : TestCase("REPS is refused with a NIC that does not echo ports")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetEntropy("reps");
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 100)), {});
        for (uint32_t host = 0; host < 3; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetNic(host)->HasSourcePortEcho(),
                                  true,
                                  "the helper turns it on");
        }
        const auto nic = test.fabric->GetNic(1);
        nic->SetAttribute("EchoSourcePort", BooleanValue(false));
        std::string message;
        try
        {
            test.Run();
        }
        catch (const std::invalid_argument& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message,
                              "ns3::RdmaRepsEntropy needs acknowledgements with the source port of "
                              "the packet that they acknowledge, and RdmaNic::EchoSourcePort of "
                              "node 1 is false; accepted: true for all NICs, which is the default "
                              "with this entropy",
                              "message");
    }
};

/** The suite. */
class RdmaEntropyTestSuite : public TestSuite
{
  public:
    RdmaEntropyTestSuite()
        : TestSuite("rdma-entropy")
    {
        ForBothTransports(
            [this](RdmaWireFormat format) { AddTestCase(new EntropyPortsTestCase(format)); });
        ForBothTransports(
            [this](RdmaWireFormat format) { AddTestCase(new EntropyEchoTestCase(format)); });
        AddTestCase(new EntropyPathsTestCase(false));
        AddTestCase(new EntropyPathsTestCase(true));
        AddTestCase(new EntropySlowPathTestCase);
        AddTestCase(new EntropyRefusalTestCase);
    }
};

RdmaEntropyTestSuite g_rdmaEntropyTestSuite; //!< registers the suite

} // namespace
