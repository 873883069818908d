/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

/**
 * \file
 * \ingroup rdma-tests
 * The packets that a switch marks, the frequency of marks, and the responses of receivers.
 */

using namespace ns3;

namespace
{

/** The first bytes of a frame: Ethernet, IPv4, UDP, BTH. */
struct Bytes
{
    explicit Bytes(Ptr<const Packet> packet)
    {
        packet->CopyData(data.data(), data.size());
    }

    bool IsIpv4() const
    {
        return data[12] == 0x08 && data[13] == 0x00;
    }

    uint8_t GetEcn() const
    {
        return data[15] & 3;
    }

    uint8_t GetDscp() const
    {
        return data[15] >> 2;
    }

    bool IsTcp() const
    {
        return IsIpv4() && data[23] == 6;
    }

    uint8_t GetOpcode() const
    {
        return data[42];
    }

    uint32_t GetDestQp() const
    {
        return (data[47] << 16) | (data[48] << 8) | data[49];
    }

    std::array<uint8_t, 54> data{}; //!< the bytes
};

/** Four senders and one receiver: the marks at the switch's port to the receiver. */
class MarksTestCase : public TestCase
{
  public:
    MarksTestCase()
        : TestCase("marks by queue length: never, with the curve's probability, always; on arrival "
                   "and departure")
    {
    }

  private:
    /** Packets and marks at the port. */
    struct Seen
    {
        uint64_t packets{0};  //!< packets between Kmin and Kmax
        uint64_t marks{0};    //!< marked packets between Kmin and Kmax
        double expected{0};   //!< sum of the marking probabilities p of these packets
        double variance{0};   //!< sum of p (1 - p) over these packets
        uint64_t wrong{0};    //!< packets marked below Kmin, or not marked above Kmax
        uint64_t below{0};    //!< packets below or at Kmin
        uint64_t above{0};    //!< packets above Kmax
        uint64_t allMarks{0}; //!< marked packets
        uint64_t counted{0};  //!< marks that the port counted
    };

    /**
     * \param kmin attribute Kmin
     * \param kmax attribute Kmax
     * \param pmax attribute Pmax
     * \param rateFactor link rate over reference rate
     * \param capable data packets are ECN-capable
     * \param markAt attribute MarkAt
     * \return packets and marks at the port
     */
    static Seen RunOnce(uint64_t kmin,
                        uint64_t kmax,
                        double pmax,
                        double rateFactor,
                        bool capable,
                        const std::string& markAt = "Arrival")
    {
        RdmaTestFabric test;
        test.helper.SetEcnAttribute("MarkAt", StringValue(markAt));
        test.helper.SetEcnAttribute("Kmin", UintegerValue(kmin));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(kmax));
        test.helper.SetEcnAttribute("Pmax", DoubleValue(pmax));
        test.helper.SetEcnAttribute(
            "ReferenceRate",
            DataRateValue(DataRate(static_cast<uint64_t>(100e9 / rateFactor))));
        test.helper.SetQueuePairAttribute("EcnCapable", BooleanValue(capable));
        auto flows = MakeTestIncast(4, 4, 4'000'000);
        test.Install(MakeRdmaStar(5, MakeTestRates(100, 100, 1000)), flows);
        const auto port = test.fabric->GetDevice(4, 5);
        const double from = kmin * rateFactor;
        const double to = kmax * rateFactor;
        Seen seen;
        port->TraceConnectWithoutContext(
            markAt == "Arrival" ? "MacTx" : "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                // The frame has just come to the port and is not yet in the queue, or has just left
                // the queue.
                const auto queue = static_cast<double>(port->GetQueues().GetBytes(3));
                const bool marked = Bytes(packet).GetEcn() == 3;
                seen.allMarks += marked;
                if (queue <= from)
                {
                    ++seen.below;
                    seen.wrong += marked;
                }
                else if (queue > to)
                {
                    ++seen.above;
                    seen.wrong += !marked;
                }
                else
                {
                    const double p = pmax * (queue - from) / (to - from);
                    ++seen.packets;
                    seen.marks += marked;
                    seen.expected += p;
                    seen.variance += p * (1 - p);
                }
            }));
        test.Run();
        seen.counted = port->GetCounters().classes[3].ecnMarks;
        return seen;
    }

    void DoRun() override
    {
        {
            // The queue grows at 300 Gb/s: thousands of packets find it between the two thresholds.
            const Seen seen = RunOnce(100'000, 2'500'000, 0.5, 1, true);
            NS_TEST_EXPECT_MSG_GT(seen.below, 100U, "below Kmin");
            NS_TEST_EXPECT_MSG_GT(seen.above, 1000U, "above Kmax");
            NS_TEST_EXPECT_MSG_GT(seen.packets, 1000U, "between");
            NS_TEST_EXPECT_MSG_EQ(seen.wrong, 0U, "never below, always above");
            NS_TEST_EXPECT_MSG_GT(seen.expected, 100.0, "marks to be expected");
            // Four standard deviations are exceeded once in 16 000 seeds; the test has one seed.
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(seen.marks),
                                      seen.expected,
                                      4 * std::sqrt(seen.variance),
                                      "marks");
            NS_TEST_EXPECT_MSG_EQ(seen.counted, seen.allMarks, "the port's counter");
        }
        {
            // With marks at departure the queue behind the last packet is empty.
            const Seen seen = RunOnce(100'000, 2'500'000, 0.5, 1, true, "Departure");
            NS_TEST_EXPECT_MSG_GT(seen.below, 90U, "below Kmin: the last 100 000 B");
            NS_TEST_EXPECT_MSG_GT(seen.above, 1000U, "above Kmax");
            NS_TEST_EXPECT_MSG_GT(seen.packets, 1000U, "between");
            NS_TEST_EXPECT_MSG_EQ(seen.wrong, 0U, "never below, always above");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(seen.marks),
                                      seen.expected,
                                      4 * std::sqrt(seen.variance),
                                      "marks");
            NS_TEST_EXPECT_MSG_EQ(seen.counted, seen.allMarks, "the port's counter");
        }
        {
            // Kmin = Kmax is a step. The thresholds hold at 40 Gb/s; at 100 Gb/s the step is at 2.5
            // times the bytes.
            const Seen seen = RunOnce(40'000, 40'000, 1, 2.5, true);
            NS_TEST_EXPECT_MSG_GT(seen.below, 50U, "up to 100 000 B");
            NS_TEST_EXPECT_MSG_GT(seen.above, 1000U, "above");
            NS_TEST_EXPECT_MSG_EQ(seen.packets + seen.wrong, 0U, "a step");
        }
        {
            const Seen seen = RunOnce(0, 0, 1, 1, false);
            NS_TEST_EXPECT_MSG_GT(seen.above, 1000U, "a queue");
            NS_TEST_EXPECT_MSG_EQ(seen.allMarks + seen.counted, 0U, "Not-ECT is never marked");
        }
    }
};

/** ns-3's TCP with and without ECN. */
class TcpMarksTestCase : public TestCase
{
  public:
    TcpMarksTestCase()
        : TestCase("TCP is marked if it is ECN-capable, and never otherwise")
    {
    }

  private:
    /** \param ecn TCP negotiates ECN \return TCP packets that left, ECN-capable ones, marks */
    std::array<uint64_t, 3> RunOnce(bool ecn)
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(ecn ? "On" : "Off"));
        // Both senders begin at once; ns-3 would delay their ARP requests by up to 10 ms.
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        // A packet gets a mark as soon as one packet waits.
        test.helper.SetEcnAttribute("Kmin", UintegerValue(0));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(0));
        test.Install(MakeRdmaStar(3, MakeTestRates(10, 10, 1000)), {});
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 5000));
        auto sinks = sink.Install(test.fabric->GetNode(2));
        for (uint32_t host = 0; host < 2; ++host)
        {
            BulkSendHelper source("ns3::TcpSocketFactory",
                                  InetSocketAddress(test.fabric->GetAddress(2), 5000));
            source.SetAttribute("MaxBytes", UintegerValue(500'000));
            source.Install(test.fabric->GetNode(host));
        }
        std::array<uint64_t, 3> seen{};
        test.fabric->GetDevice(2, 3)->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                const Bytes bytes(packet);
                if (bytes.IsTcp())
                {
                    ++seen[0];
                    seen[1] += bytes.GetEcn() != 0;
                    seen[2] += bytes.GetEcn() == 3;
                }
            }));
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(),
                              1'000'000U,
                              "bytes");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().ecnMarks, seen[2], "the port's counter");
        return seen;
    }

    void DoRun() override
    {
        const auto off = RunOnce(false);
        NS_TEST_EXPECT_MSG_GT(off[0], 600U, "TCP packets");
        NS_TEST_EXPECT_MSG_EQ(off[1], 0U, "ECN-capable");
        NS_TEST_EXPECT_MSG_EQ(off[2], 0U, "marks");
        const auto on = RunOnce(true);
        NS_TEST_EXPECT_MSG_GT(on[1], 600U, "ECN-capable");
        NS_TEST_EXPECT_MSG_GT(on[2], 0U, "marks");
        NS_TEST_EXPECT_MSG_LT(on[2], on[1], "not all: the queue was empty at times");
        Config::Reset();
    }
};

/** Congestion notifications. */
class CnpTestCase : public TestCase
{
  public:
    /** \param interval attribute CnpInterval */
    explicit CnpTestCase(RdmaPs interval)
        : TestCase("congestion notifications, interval " + std::to_string(interval / 1_us) + " us"),
          m_interval(interval)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetNicAttribute("CnpInterval", TimeValue(RdmaToTime(m_interval)));
        // Acknowledgements are rare: CNPs do not depend on them.
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(1000));
        test.helper.SetEcnAttribute("Kmin", UintegerValue(0));
        test.helper.SetEcnAttribute("Kmax", UintegerValue(0));
        // Two queue pairs of host 0 and one of host 1 send to host 2: 6 MB at 100 Gb/s, about
        // 520 us, all of it behind a queue.
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 2'000'000),
                      MakeTestFlow(1, 0, 2, 2'000'000),
                      MakeTestFlow(2, 1, 2, 2'000'000)});
        std::map<std::pair<uint32_t, uint32_t>, std::vector<RdmaPs>> sentAt;
        const auto nic = test.fabric->GetNic(2)->GetPort(0);
        nic->TraceConnectWithoutContext(
            "MacTx",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                const Bytes bytes(packet);
                if (bytes.GetOpcode() == 0x81)
                {
                    NS_TEST_EXPECT_MSG_EQ(+bytes.GetDscp(), 48, "DSCP of a CNP");
                    NS_TEST_EXPECT_MSG_EQ(+bytes.GetEcn(), 0, "a CNP is not ECN-capable");
                    // BTH byte 4: FECN 0x80, BECN 0x40
                    NS_TEST_EXPECT_MSG_EQ(+bytes.data[46], 0x40, "BECN");
                    sentAt[{bytes.data[33], bytes.GetDestQp()}].push_back(RdmaNow());
                }
            }));
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().ecnMarks, 3000U, "marks");
        uint64_t received = 0;
        for (uint64_t flow = 0; flow < 3; ++flow)
        {
            received += test.runner->GetSender(flow)->GetStats().cnpsReceived;
        }
        if (m_interval == 0_ps)
        {
            NS_TEST_EXPECT_MSG_EQ(sentAt.size(), 0U, "no notifications");
            NS_TEST_EXPECT_MSG_EQ(received, 0U, "no notifications");
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(sentAt.size(), 3U, "each queue pair is notified");
        uint64_t sent = 0;
        for (const auto& [qp, times] : sentAt)
        {
            sent += times.size();
            // Marked packets come without a break. A CNP is due as soon as the interval is over,
            // and leaves at most one packet of each flow and a short wait later.
            for (std::size_t i = 1; i < times.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ((times[i] - times[i - 1] >= m_interval), true, "too soon");
            }
            const auto most = static_cast<uint64_t>(520_us / m_interval + 2);
            NS_TEST_EXPECT_MSG_EQ((times.size() <= most), true, times.size() << " in 520 us");
            NS_TEST_EXPECT_MSG_GT(times.size(), most / 2, "CNPs of a queue pair in 520 us");
        }
        NS_TEST_EXPECT_MSG_EQ(received, sent, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(nic->GetCounters().classes[6].txFrames, sent, "class 6");
    }

    RdmaPs m_interval;
};

/** The suite. */
class RdmaSwitchEcnTestSuite : public TestSuite
{
  public:
    RdmaSwitchEcnTestSuite()
        : TestSuite("rdma-switch-ecn")
    {
        AddTestCase(new MarksTestCase);
        AddTestCase(new TcpMarksTestCase);
        AddTestCase(new CnpTestCase(50_us));
        AddTestCase(new CnpTestCase(5_us));
        AddTestCase(new CnpTestCase(0_us));
    }
};

RdmaSwitchEcnTestSuite g_rdmaSwitchEcnTestSuite; //!< registers the suite

} // namespace
