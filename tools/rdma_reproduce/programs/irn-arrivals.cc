/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The incast whose arrivals at the receiver the authors of IRN have published
 * (NetSys/irn-vivado-hls, irn_receiver/traces/recvInput-40Gbps-incast.txt): 50 senders of 2807
 * packets each, at most 110 packets in flight. Prints statistics of the arrivals as JSON. With
 * --trace=FILE the statistics are those of the published file, without a simulation.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A queue pair stops if more packets of other queue pairs than this number arrive between two
/// packets of the queue pair. 1500 packets take 345 us at line rate; RTO_high is 320 us.
constexpr uint64_t STOP_ARRIVALS = 1500;

/** Statistics of the packets that arrive at a receiver, by queue pair and packet number. */
class Arrivals
{
  public:
    /**
     * \param queuePair any number that tells queue pairs apart
     * \param number packet number, from 0
     */
    void Receive(uint64_t queuePair, int64_t number)
    {
        State& state = m_states[queuePair];
        const uint64_t others = state.highest < 0 ? 0 : m_arrivals - state.latest - 1;
        if (others > STOP_ARRIVALS)
        {
            m_stops.push_back(others);
        }
        state.latest = m_arrivals++;
        m_largest = std::max<int64_t>(m_largest, std::abs(number - state.expected));
        if (number < state.expected || !state.early.insert(number).second)
        {
            ++m_duplicates;
            return;
        }
        m_early += number > state.expected ? 1 : 0;
        m_late += number < state.highest ? 1 : 0;
        state.highest = std::max(state.highest, number);
        while (state.early.erase(state.expected))
        {
            ++state.expected;
        }
    }

    /** \param os gets the statistics as the inner part of a JSON object */
    void Print(std::ostream& os)
    {
        const uint64_t packets = m_arrivals - m_duplicates;
        std::sort(m_stops.begin(), m_stops.end());
        os << "\"packets\": " << packets << ", \"early_packets\": " << m_early
           << ", \"late_packets\": " << m_late << ", \"duplicates\": " << m_duplicates
           << ", \"duplicates_percent\": "
           << 100 * static_cast<double>(m_duplicates) / static_cast<double>(packets)
           << ", \"largest_distance\": " << m_largest << ", \"stops\": " << m_stops.size()
           << ", \"stop_arrivals\": " << (m_stops.empty() ? 0 : m_stops[m_stops.size() / 2]);
    }

  private:
    /** The packets of a queue pair that have arrived. */
    struct State
    {
        int64_t expected{0};     //!< number of the next packet in order
        int64_t highest{-1};     //!< highest number that has arrived
        uint64_t latest{0};      //!< arrivals at the receiver before the latest packet
        std::set<int64_t> early; //!< packets that arrived early
    };

    std::map<uint64_t, State> m_states; //!< by queue pair
    std::vector<uint64_t> m_stops;      //!< length of each stop in arrivals of other queue pairs
    uint64_t m_arrivals{0};             //!< packets that arrived, with duplicates
    uint64_t m_early{0};                //!< packets above the next packet in order of a queue pair
    uint64_t m_late{0};                 //!< packets below the highest packet of a queue pair so far
    uint64_t m_duplicates{0};           //!< packets that had arrived before
    int64_t m_largest{0};               //!< largest distance from the expected packet, either side
};

/** Feeds the requests that arrive at a host's port to statistics. */
class PortReader
{
  public:
    /** \param arrivals gets the packets; lives longer than the simulation */
    explicit PortReader(Arrivals& arrivals)
        : m_arrivals(arrivals)
    {
    }

    /** \param port the port of a host */
    void Watch(const Ptr<QbbNetDevice>& port)
    {
        port->TraceConnectWithoutContext("MacRx", MakeCallback(&PortReader::Receive, this));
    }

  private:
    void Receive(Ptr<const Packet> packet)
    {
        m_bytes.resize(packet->GetSize());
        packet->CopyData(m_bytes.data(), packet->GetSize());
        const auto parsed = QbbFrameCodec::Parse(m_bytes.data(), m_bytes.size(), m_pool);
        if (parsed && parsed.frame->type == QbbFrameType::ROCE &&
            GetRdmaOpcodeInfo(parsed.frame->opcode).request)
        {
            // Queue pairs begin with PSN 0, and no flow is long enough for PSNs to wrap.
            m_arrivals.Receive(parsed.frame->destQp, parsed.frame->psn);
        }
    }

    Arrivals& m_arrivals;         //!< gets the packets
    std::vector<uint8_t> m_bytes; //!< bytes of the latest packet
    QbbFramePool m_pool;          //!< memory of parsed frames
};

/**
 * Reads a trace. The first line has the number of packets. Each further line has the queue pair,
 * the opcode and the number of a packet, in the order of arrival.
 *
 * \param name path of the trace
 * \param arrivals gets the packets
 */
void
ReadTrace(const std::string& name, Arrivals& arrivals)
{
    std::ifstream file(name);
    if (!file)
    {
        throw RdmaFileError(name, 0, "", "cannot be opened for reading");
    }
    uint64_t packets = 0;
    if (!(file >> packets) || packets == 0)
    {
        throw RdmaFileError(name, 1, "packets", "is missing", "a number above 0");
    }
    for (uint64_t line = 0; line < packets; ++line)
    {
        uint64_t queuePair = 0;
        uint32_t opcode = 0;
        int64_t number = 0;
        if (!(file >> queuePair >> opcode >> number))
        {
            throw RdmaFileError(name, line + 2, "", "no packet", "QP, opcode and packet number");
        }
        arrivals.Receive(queuePair, number);
    }
    if (!(file >> std::ws).eof())
    {
        throw RdmaFileError(name,
                            packets + 2,
                            "",
                            "more text",
                            "the end of the file after " + std::to_string(packets) + " packets");
    }
}

/**
 * Simulates the published incast.
 *
 * \param seed of all random numbers
 * \param arrivals gets the packets that arrive
 */
void
Simulate(uint32_t seed, Arrivals& arrivals)
{
    RdmaFabricOptions options;
    ApplyRdmaPreset("irn", options);
    options.workload = "incast:50";
    options.bytes = "3000000";
    options.mtu = 1069;
    options.transport = "irn[BdpCap=110]";
    options.seed = seed;
    PortReader reader(arrivals);
    RdmaFabricRun run(options);
    // All requests of the incast go to one host, so that one object can watch all hosts.
    for (const uint32_t host : run.GetFabric()->GetTopology().GetHosts())
    {
        reader.Watch(DynamicCast<QbbNetDevice>(run.GetFabric()->GetNode(host)->GetDevice(0)));
    }
    run.Run();
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Statistics of the arrivals in an incast of IRN's packets.");
    uint32_t seed = 1;
    std::string trace;
    cmd.Add("seed", "of all random numbers of the simulation", seed, {"1", "4294944442"});
    cmd.Add("trace", "published file whose statistics are printed; empty: simulate", trace);

    return cmd.Run(argc, argv, [&] {
        Arrivals arrivals;
        if (trace.empty())
        {
            Simulate(seed, arrivals);
        }
        else
        {
            ReadTrace(trace, arrivals);
        }
        std::cout << "{";
        arrivals.Print(std::cout);
        std::cout << "}\n";
        return 0;
    });
}
