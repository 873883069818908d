/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * TCP and ping of ns-3's Internet stack share a bottleneck with RDMA.
 *
 * One link joins two switches. Two hosts on the left send to two hosts on the right: host 0 sends
 * endless RDMA writes to host 2, and host 1 sends endless TCP streams and pings to host 3. RDMA
 * uses the lossless class 3, all other traffic the lossy class 0. The bottleneck schedules the two
 * classes by DWRR.
 *
 *     ns3 run rdma-coexistence
 *     ns3 run "rdma-coexistence --weights=3:1"
 *     ns3 run "rdma-coexistence --flowControl=Pause --loss=0.001 --pcap=mixed"
 *
 * The program also runs on several ranks of MPI (tools/with-ns3 mpirun). Each rank installs the
 * applications of its own hosts, and the ranks add up their results.
 */

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/rdma-module.h"

#include <iostream>
#include <optional>

using namespace ns3;

namespace
{

/** Sends echo requests over a raw ICMP socket and measures the round trips of the replies. */
class Pinger
{
  public:
    Pinger(Ptr<Node> node, Ipv4Address destination, Time interval)
        : m_destination(destination),
          m_interval(interval)
    {
        m_socket = Socket::CreateSocket(node, TypeId::LookupByName("ns3::Ipv4RawSocketFactory"));
        m_socket->SetAttribute("Protocol", UintegerValue(1));
        m_socket->Bind();
        m_socket->SetRecvCallback(MakeCallback(&Pinger::Receive, this));
        Send();
    }

    uint32_t m_sent{0};     //!< number of echo requests
    uint32_t m_received{0}; //!< number of echo replies
    Time m_sum;             //!< sum of the round-trip times

  private:
    void Send()
    {
        Icmpv4Echo echo;
        echo.SetIdentifier(1);
        echo.SetSequenceNumber(static_cast<uint16_t>(m_sent));
        echo.SetData(Create<Packet>(56));
        Icmpv4Header header;
        header.SetType(Icmpv4Header::ICMPV4_ECHO);
        header.SetCode(0);
        header.EnableChecksum(); // ns-3 computes no checksum by default
        Ptr<Packet> packet = Create<Packet>();
        packet->AddHeader(echo);
        packet->AddHeader(header);
        m_lastSent = Simulator::Now();
        m_socket->SendTo(packet, 0, InetSocketAddress(m_destination, 0));
        ++m_sent;
        Simulator::Schedule(m_interval, &Pinger::Send, this);
    }

    void Receive(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            ++m_received;
            m_sum += Simulator::Now() - m_lastSent;
        }
    }

    Ptr<Socket> m_socket;      //!< raw ICMP socket
    Ipv4Address m_destination; //!< destination of the echo requests
    Time m_interval;           //!< time between two echo requests
    Time m_lastSent;           //!< time of the latest echo request
};

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "TCP and ping beside RDMA, over one bottleneck.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate"},
        {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
        {"ns3::QbbNetDevice::Scheduler", "--weights"},
        {"ns3::QbbNetDevice::FlowControl", "--flowControl"},
    });
    RdmaBitRate rate = 10_gbps;
    std::vector<uint32_t> weights{1, 1};
    std::string flowControl = "Pfc";
    std::string pcap;
    double loss = 0;
    Time duration = MilliSeconds(100);
    uint32_t connections = 4;
    cmd.Add("rate", "rate of every link", rate);
    cmd.Add("weights", "DWRR weights of RDMA and of the rest, as in 1:1", weights, {"1", "1000"});
    cmd.Add("flowControl",
            "Pfc or Pause (802.3x; stops TCP as well)",
            flowControl,
            {"Pfc", "Pause"});
    cmd.Add("loss", "part of the frames that the bottleneck loses", loss, {"0", "0.999999"});
    cmd.Add("duration", "simulated time", duration, {"1us"});
    cmd.Add("connections", "TCP connections", connections, {"1", "1000"});
    cmd.Add("pcap", "prefix of a capture file for every port", pcap);

    return cmd.Run(argc, argv, [&] {
        RdmaFabricHelper helper;
        helper.SetDeviceAttribute("Scheduler",
                                  StringValue(std::to_string(weights[1]) + ",strict,strict," +
                                              std::to_string(weights[0]) +
                                              ",strict,strict,strict,strict"));
        helper.SetDeviceAttribute("FlowControl", StringValue(flowControl));
        SetRdmaDefault("ns3::QbbSharedBuffer", "BufferSize", UintegerValue(4 << 20));
        if (loss > 0)
        {
            SetRdmaDefault("ns3::RoceTransport",
                           "RetransmissionTimeout",
                           TimeValue(MicroSeconds(320)));
        }
        helper.SetInternetStack(true);
        RdmaFabricHelper::SetTcpDefaults();

        RdmaTopologyRates rates;
        rates.hostRate = rate;
        rates.uplinkRate = rates.hostRate;
        RdmaTopology topology = MakeRdmaDumbbell(2, rates);
        auto fabric = helper.Install(topology);
        const auto isLocal = [&fabric](uint32_t host) {
            return IsRdmaNodeLocal(*fabric->GetNode(host));
        };
        const uint32_t bottleneck = topology.GetNLinks() - 1;
        if (loss > 0)
        {
            const RdmaTopologyLink ends = topology.GetLink(bottleneck);
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(loss);
            model->AssignStreams(1);
            fabric->GetDevice(bottleneck, ends.b)
                ->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }

        RdmaMessageLoop writer(fabric, 1'000'000);
        writer.SetOutstanding(4);
        writer.Add(0, 2);
        const RdmaMessageLoop::Pair& rdma = writer.GetPairs().front();
        uint64_t rdmaBytes = 0;
        rdma.receiver->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, const RdmaMessageArrival&>(
                [&rdmaBytes](const RdmaMessageArrival& arrival) { rdmaBytes += arrival.bytes; }));

        const uint16_t port = 50000; // a port that tshark does not assign to another protocol
        PacketSinkHelper sinkHelper("ns3::TcpSocketFactory",
                                    InetSocketAddress(Ipv4Address::GetAny(), port));
        ApplicationContainer sinks;
        if (isLocal(3))
        {
            sinks = sinkHelper.Install(fabric->GetNode(3));
        }
        for (uint32_t i = 0; i < connections && isLocal(1); ++i)
        {
            BulkSendHelper bulk("ns3::TcpSocketFactory",
                                InetSocketAddress(fabric->GetAddress(3), port));
            bulk.SetAttribute("SendSize", UintegerValue(64 * 1024));
            // Start connections at intervals: ns-3 queues at most three packets while ARP is
            // pending.
            bulk.Install(fabric->GetNode(1)).Start(MicroSeconds(20 * i));
        }
        std::optional<Pinger> pinger;
        if (isLocal(1))
        {
            pinger.emplace(fabric->GetNode(1), fabric->GetAddress(3), duration / 20);
        }
        if (!pcap.empty())
        {
            QbbHelper().EnablePcapAll(pcap, true);
        }

        // Exclude the first quarter, in which TCP converges.
        uint64_t rdmaBefore = 0;
        uint64_t tcpBefore = 0;
        const auto getTcpBytes = [&sinks]() {
            return sinks.GetN() > 0 ? DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx() : 0;
        };
        Simulator::Schedule(duration / 4, [&]() {
            rdmaBefore = rdmaBytes;
            tcpBefore = getTcpBytes();
        });
        Simulator::Stop(duration);
        Simulator::Run();
        if (rdma.status != RdmaWcStatus::SUCCESS)
        {
            std::cerr << "rdma-coexistence: the RDMA flow ended with " << rdma.status << "\n";
            return 1;
        }

        const double seconds = (duration * 3 / 4).GetSeconds();
        const auto gbps = [seconds](uint64_t bytes) {
            return static_cast<double>(bytes) * 8 / seconds / 1e9;
        };
        const double rdmaRate = gbps(SumRdmaValues(rdmaBytes - rdmaBefore));
        const double tcpRate = gbps(SumRdmaValues(getTcpBytes() - tcpBefore));
        const uint64_t again = SumRdmaValues(rdma.sender->GetStats().packetsRetransmitted);
        auto ports = fabric->GetPortResults();
        GatherRdmaPorts(ports, *fabric);
        uint64_t rdmaDrops = 0;
        for (const auto& row : ports)
        {
            rdmaDrops += row.priority == 3 ? row.drops : 0;
        }
        const uint64_t drops = GatherRdmaTotals(fabric->GetTotals()).drops;
        const uint64_t pings = SumRdmaValues(pinger ? pinger->m_sent : 0);
        const uint64_t replies = SumRdmaValues(pinger ? pinger->m_received : 0);
        const uint64_t waited = SumRdmaValues(pinger ? pinger->m_sum.GetMicroSeconds() : 0);
        std::cout << "RDMA " << rdmaRate << " Gb/s, TCP " << tcpRate
                  << " Gb/s of payload; TCP's part is " << tcpRate / (rdmaRate + tcpRate) << "\n"
                  << rdmaDrops << " RDMA packets lost, " << again << " sent again; "
                  << drops - rdmaDrops << " packets of TCP lost\n"
                  << replies << " of " << pings << " pings answered";
        if (replies > 0)
        {
            std::cout << ", round trip " << waited / replies << " us on average";
        }
        std::cout << "\n";
        Simulator::Destroy();
        return 0;
    });
}
