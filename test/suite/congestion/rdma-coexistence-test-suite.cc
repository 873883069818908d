/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"
#include "rdma-test-writer.h"

#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/string.h>
#include <ns3/tcp-header.h>
#include <ns3/test.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

/**
 * \file
 * \ingroup rdma-tests
 * TCP of ns-3's stack and RDMA at full load share one bottleneck: the shares follow the DWRR
 * weights, and RDMA loses nothing.
 */

using namespace ns3;

namespace
{

/** The bytes of a connection that TCP may deliver: those received before the first hole. */
class CoexistenceReassembly
{
  public:
    /** \param header header of an arriving segment \param bytes payload of the segment */
    void Take(const TcpHeader& header, uint32_t bytes)
    {
        const auto begin = header.GetSequenceNumber().GetValue();
        if (header.GetFlags() & TcpHeader::SYN)
        {
            m_first = m_next = begin + 1;
            return;
        }
        auto& end = m_pieces[begin];
        end = std::max<uint64_t>(end, uint64_t{begin} + bytes);
        while (!m_pieces.empty() && m_pieces.begin()->first <= m_next)
        {
            m_next = std::max(m_next, m_pieces.begin()->second);
            m_pieces.erase(m_pieces.begin());
        }
    }

    /** \return bytes before the first hole */
    uint64_t GetBytes() const
    {
        return m_next - m_first;
    }

  private:
    uint64_t m_first{0};                   //!< sequence number of the first byte
    uint64_t m_next{0};                    //!< sequence number of the first missing byte
    std::map<uint64_t, uint64_t> m_pieces; //!< received ranges after the first hole, from and to
};

/** How the bottleneck is shared. */
struct Sharing
{
    const char* name;      //!< name of the test case
    const char* rate;      //!< rate of all links
    const char* scheduler; //!< scheduler of all ports
    uint32_t rdmaFlows;    //!< queue pairs, two per host
    uint32_t tcpFlows;     //!< connections, two per host
    double tcpShare;       //!< bytes of class 0 over bytes of both classes
    double tolerance;      //!< tolerance of tcpShare
    RdmaPs from;           //!< when counting begins
    RdmaPs to;             //!< when counting ends
};

/** Two switches, one link between them; RDMA and TCP from left to right. */
class SharingTestCase : public TestCase
{
  public:
    /** \param sharing how the bottleneck is shared */
    explicit SharingTestCase(const Sharing& sharing)
        : TestCase(sharing.name),
          m_sharing(sharing)
    {
    }

  private:
    static constexpr uint32_t BUFFER_BYTES = 4 << 20; //!< memory of a switch

    void DoRun() override
    {
        RdmaFabricHelper::SetTcpDefaults();
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.helper.SetDeviceAttribute("Scheduler", StringValue(m_sharing.scheduler));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(BUFFER_BYTES));
        RdmaTopologyRates rates;
        rates.hostRate = RdmaBitRate(DataRate(m_sharing.rate));
        rates.uplinkRate = rates.hostRate;
        // Hosts 0 .. 7 are on the left, 8 .. 15 on the right. Links 0 .. 15 are the hosts', link 16
        // is the bottleneck.
        const RdmaTopology topology = MakeRdmaDumbbell(8, rates);
        test.Install(topology, {});
        const auto bottleneck = test.fabric->GetDevice(16, 16);

        std::vector<std::unique_ptr<RdmaTestEndlessWriter>> writers;
        for (uint32_t i = 0; i < m_sharing.rdmaFlows; ++i)
        {
            const auto [sender, receiver] = test.fabric->Connect(i / 2, 8 + i / 2);
            writers.push_back(std::make_unique<RdmaTestEndlessWriter>(sender, 1'000'000, 4));
        }
        ApplicationContainer sinks;
        for (uint32_t host = 4; host < 8; ++host)
        {
            PacketSinkHelper sink("ns3::TcpSocketFactory",
                                  InetSocketAddress(Ipv4Address::GetAny(), 5000));
            sinks.Add(sink.Install(test.fabric->GetNode(8 + host)));
        }
        for (uint32_t i = 0; i < m_sharing.tcpFlows; ++i)
        {
            BulkSendHelper bulk("ns3::TcpSocketFactory",
                                InetSocketAddress(test.fabric->GetAddress(12 + i / 2), 5000));
            bulk.SetAttribute("SendSize", UintegerValue(65536));
            bulk.Install(test.fabric->GetNode(4 + i / 2)).Start(MicroSeconds(20 * i));
        }

        struct Count
        {
            uint64_t rdma{0};
            uint64_t tcp{0};
            uint64_t line{0};
            uint64_t tcpArrived{0};
            uint64_t tcpPayload{0};
            uint64_t tcpWhole{0};
        };

        // Payload of all segments that come to the hosts on the right, repeated ones included.
        uint64_t arrived = 0;
        std::map<std::pair<uint32_t, uint16_t>, CoexistenceReassembly> connections;
        for (uint32_t host = 12; host < 16; ++host)
        {
            test.fabric->GetNode(host)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "LocalDeliver",
                Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>([&](const Ipv4Header&
                                                                                       ip,
                                                                                   Ptr<const Packet>
                                                                                       packet,
                                                                                   uint32_t) {
                    TcpHeader header;
                    const uint32_t bytes = packet->GetSize() - packet->PeekHeader(header);
                    arrived += bytes;
                    connections[{ip.GetSource().Get(), header.GetSourcePort()}].Take(header, bytes);
                }));
        }

        auto count = [&]() {
            Count now;
            const auto& counters = bottleneck->GetCounters();
            now.rdma = counters.classes[3].txBytes;
            now.tcp = counters.classes[0].txBytes;
            // Pause frames and RDMA's acknowledgements go the other way.
            now.line = now.rdma + now.tcp + 20 * counters.GetTxFrames();
            now.tcpArrived = arrived;
            for (const auto& [peer, connection] : connections)
            {
                now.tcpWhole += connection.GetBytes();
            }
            for (uint32_t i = 0; i < sinks.GetN(); ++i)
            {
                now.tcpPayload += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
            }
            return now;
        };
        Count from;
        RdmaTestPair::At(m_sharing.from, [&]() { from = count(); });
        Simulator::Stop(RdmaToTime(m_sharing.to));
        Simulator::Run();
        const Count to = count();

        const auto rdma = static_cast<double>(to.rdma - from.rdma);
        const auto tcp = static_cast<double>(to.tcp - from.tcp);
        NS_TEST_EXPECT_MSG_EQ_TOL(tcp / (rdma + tcp),
                                  m_sharing.tcpShare,
                                  m_sharing.tolerance,
                                  "TCP's part of the bottleneck");
        const double seconds = static_cast<double>(m_sharing.to - m_sharing.from) * 1e-12;
        const double line = static_cast<double>(rates.uplinkRate) * seconds / 8;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(to.line - from.line) / line,
                                  1.0,
                                  0.005,
                                  "the bottleneck is never idle");
        if (m_sharing.tcpShare > 0.1)
        {
            // 1448 of 1518 B (MAC, IPv4, TCP with timestamps, FCS) are payload.
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(to.tcpArrived - from.tcpArrived) / tcp,
                                      1448.0 / 1518,
                                      0.002,
                                      "payload that comes to the hosts");
            // TCP delivers the bytes before the first hole. Releases of ns-3 differ in bytes after
            // a hole and in duplicate bytes.
            NS_TEST_EXPECT_MSG_EQ(from.tcpPayload, from.tcpWhole, "handed on before");
            NS_TEST_EXPECT_MSG_EQ(to.tcpPayload, to.tcpWhole, "handed on in the end");
            NS_TEST_EXPECT_MSG_GT(to.tcpWhole, from.tcpWhole, "TCP goes on");
        }
        for (const auto& row : test.fabric->GetPortResults())
        {
            if (row.priority == 3)
            {
                NS_TEST_EXPECT_MSG_EQ(row.drops, 0U, "RDMA loses nothing, " << row.port->name);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric), "", "books");
        Config::Reset();
    }

    Sharing m_sharing;
};

/** The suite. */
class RdmaCoexistenceTestSuite : public TestSuite
{
  public:
    RdmaCoexistenceTestSuite()
        : TestSuite("rdma-coexistence")
    {
        // Weights are of class 0 (TCP) and class 3 (RDMA). TCP finds its rate in the first ms.
        AddTestCase(new SharingTestCase({"100 Gb per s, weights 1 to 1",
                                         "100Gbps",
                                         "1,strict,strict,1,strict,strict,strict,strict",
                                         4,
                                         8,
                                         0.5,
                                         0.01,
                                         5_ms,
                                         15_ms}));
        AddTestCase(new SharingTestCase({"10 Gb per s, weights 1 to 1",
                                         "10Gbps",
                                         "1,strict,strict,1,strict,strict,strict,strict",
                                         2,
                                         4,
                                         0.5,
                                         0.01,
                                         20_ms,
                                         80_ms}));
        AddTestCase(new SharingTestCase({"25 Gb per s, weights 1 to 3",
                                         "25Gbps",
                                         "1,strict,strict,3,strict,strict,strict,strict",
                                         4,
                                         4,
                                         0.25,
                                         0.01,
                                         10_ms,
                                         40_ms}));
        AddTestCase(new SharingTestCase({"25 Gb per s, TCP alone",
                                         "25Gbps",
                                         "1,strict,strict,1,strict,strict,strict,strict",
                                         0,
                                         4,
                                         1,
                                         0,
                                         10_ms,
                                         30_ms}));
        // Strict priority, the default: class 3 leaves nothing.
        AddTestCase(new SharingTestCase(
            {"25 Gb per s, strict priority", "25Gbps", "strict", 4, 4, 0, 0.001, 10_ms, 30_ms}));
    }
};

RdmaCoexistenceTestSuite g_rdmaCoexistenceTestSuite; //!< registers the suite

} // namespace
