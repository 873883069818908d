/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The incast whose arrivals at the receiver the authors of IRN have published
 * (NetSys/irn-vivado-hls, irn_receiver/traces/recvInput-40Gbps-incast.txt): 50 senders of 2807
 * packets each, at most 110 packets in flight. Prints as JSON how many packets arrived early, how
 * many arrived twice, the largest distance from the expected packet, and when the run ended.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** Distances of arriving packets from the next packet in order, by queue pair. */
class Distances
{
  public:
    /** \param port a host's port; its data packets are measured */
    void Watch(const Ptr<QbbNetDevice>& port)
    {
        const uint32_t host = port->GetNode()->GetId();
        port->TraceConnectWithoutContext(
            "MacRx",
            Callback<void, Ptr<const Packet>>(
                [this, host](Ptr<const Packet> packet) { Receive(host, *packet); }));
    }

    /** \return the largest distance in packets, to either side */
    int64_t GetLargest() const
    {
        return m_largest;
    }

  private:
    /** The packets of a queue pair that have arrived. */
    struct Arrived
    {
        int64_t expected{0};     //!< number of the next packet in order
        std::set<int64_t> early; //!< packets that arrived early
    };

    void Receive(uint32_t host, const Packet& packet)
    {
        m_bytes.resize(packet.GetSize());
        packet.CopyData(m_bytes.data(), packet.GetSize());
        const auto parsed = QbbFrameCodec::Parse(m_bytes.data(), m_bytes.size(), m_pool);
        if (!parsed || parsed.frame->type != QbbFrameType::ROCE ||
            !GetRdmaOpcodeInfo(parsed.frame->opcode).request)
        {
            return;
        }
        // Queue pairs begin with PSN 0, and no flow is long enough for PSNs to wrap.
        Arrived& arrived = m_arrived[{host, parsed.frame->destQp}];
        const int64_t number = parsed.frame->psn;
        m_largest = std::max<int64_t>(m_largest, std::abs(number - arrived.expected));
        if (number >= arrived.expected)
        {
            arrived.early.insert(number);
        }
        while (arrived.early.erase(arrived.expected))
        {
            ++arrived.expected;
        }
    }

    std::map<std::pair<uint32_t, uint32_t>, Arrived> m_arrived; //!< by host and queue pair
    std::vector<uint8_t> m_bytes;                               //!< bytes of the latest packet
    QbbFramePool m_pool;                                        //!< memory of parsed frames
    int64_t m_largest{0};                                       //!< largest distance
};

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t seed = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("seed", "of all random numbers", seed);
    cmd.Parse(argc, argv);

    RdmaFabricOptions options;
    ApplyRdmaPreset("irn", options);
    options.workload = "incast:50";
    options.bytes = "3000000";
    options.mtu = 1069;
    options.bdpCap = "110";
    options.seed = seed;
    options.keepQueuePairs = true;
    RdmaFabricRun run(options);
    Distances distances;
    for (const uint32_t host : run.GetFabric()->GetTopology().GetHosts())
    {
        const Ptr<Node> node = run.GetFabric()->GetNode(host);
        distances.Watch(DynamicCast<QbbNetDevice>(node->GetDevice(0)));
    }
    run.Run();

    const RdmaQueuePairStats all = run.GetFabric()->GetQueuePairStats();
    const double packets = static_cast<double>(all.packetsAccepted);
    const RdmaFabricOutcome outcome = run.GetOutcome();
    std::cout << "{\"flows_completed\": " << outcome.summary.flowsCompleted
              << ", \"packets\": " << all.packetsAccepted
              << ", \"early_packets\": " << all.outOfOrder << ", \"duplicates\": " << all.duplicates
              << ", \"duplicates_percent\": " << 100 * static_cast<double>(all.duplicates) / packets
              << ", \"largest_distance\": " << distances.GetLargest()
              << ", \"end_ms\": " << Simulator::Now().GetSeconds() * 1e3 << "}\n";
    Simulator::Destroy();
    return 0;
}
