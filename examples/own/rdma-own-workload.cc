/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined workload, implemented entirely in this file: a ring all-reduce. N hosts divide
 * their data into N chunks each. In each of 2 (N - 1) steps, every host sends a chunk to the next
 * host of the ring. The slowest host determines the duration of a step.
 *
 * The table compares the ring in host order, the ring in random order, and the module's workload
 * permutation. Each leaf has four hosts and two uplinks of equal rate, so the order of the ring
 * determines congestion at the uplinks. RdmaFabricRun executes each run; the runs differ only in
 * the option workload.
 *
 *     rdma-own-workload --workload='ns3::RingWorkload[N=8|Bytes=4000000]'
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Ring all-reduce. The base class has the attributes Start, Priority and DestinationPort. */
class RingWorkload : public RdmaGeneratedWorkload
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RingWorkload")
                .SetParent<RdmaGeneratedWorkload>()
                .AddConstructor<RingWorkload>()
                .AddAttribute("N",
                              "Hosts of the ring.",
                              UintegerValue(16),
                              MakeUintegerAccessor(&RingWorkload::m_n),
                              MakeUintegerChecker<uint32_t>(2, 1024))
                .AddAttribute("Bytes",
                              "Data of each host, in bytes.",
                              UintegerValue(16'000'000),
                              MakeUintegerAccessor(&RingWorkload::m_bytes),
                              MakeUintegerChecker<uint64_t>(1024, 1'000'000'000'000))
                .AddAttribute("Shuffle",
                              "True: the ring visits the hosts in random order.",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RingWorkload::m_shuffle),
                              MakeBooleanChecker());
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_order->SetStream(stream);
        return 1;
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        auto ring = topology.GetHosts();
        if (m_n > ring.size())
        {
            Refuse("N", std::to_string(m_n), "2 to " + std::to_string(ring.size()));
        }
        for (std::size_t i = ring.size() - 1; m_shuffle && i > 0; --i)
        {
            std::swap(ring[i], ring[Draw(m_order, i + 1)]);
        }
        ring.resize(m_n);

        const auto rates = topology.GetNodeRates();
        const uint64_t chunk = m_bytes / m_n;
        RdmaPs step{0};
        for (const uint32_t host : ring)
        {
            // 9 instead of 8 bits per byte leave time for headers.
            const double ps = 9e12 * static_cast<double>(chunk) / static_cast<double>(rates[host]);
            step = std::max(step, RdmaPs(static_cast<int64_t>(ps)));
        }
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < 2 * (m_n - 1); ++i)
        {
            for (uint32_t k = 0; k < m_n; ++k)
            {
                flows.push_back(MakeFlow(ring[k], ring[(k + 1) % m_n], chunk, step * i));
            }
        }
        return flows;
    }

  private:
    uint32_t m_n{16};             //!< value of the attribute N
    uint64_t m_bytes{16'000'000}; //!< value of the attribute Bytes
    bool m_shuffle{false};        //!< value of the attribute Shuffle
    /// Random order of the hosts
    Ptr<UniformRandomVariable> m_order{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(RingWorkload);

/** Optional short name: `ring:16` stands for ns3::RingWorkload[N=16]. */
const RdmaPartName g_ringName("ring", RingWorkload::GetTypeId(), "", "ring all-reduce", {"N"});

/**
 * Runs a workload and prints a row of the table.
 *
 * \param options options of the run
 * \param header printed before the row, once the run has shown that the options are right
 */
void
RunOne(const RdmaFabricOptions& options, const std::string& header)
{
    RdmaFabricRun run(options);
    run.Run();
    const auto outcome = run.GetOutcome();
    RdmaPs end{0};
    for (const RdmaFlowResult& result : outcome.flows)
    {
        end = std::max(end, result.flow.start + result.fct.value_or(0_ps));
    }
    const RdmaFabricSummary& summary = outcome.summary;
    std::cout << header << std::setw(24) << std::left << options.workload << std::right
              << std::setw(7) << summary.flowsCompleted << std::setw(11)
              << FormatRdmaReal(static_cast<double>(end) / 1e6) << std::setw(15)
              << summary.avgSlowdown.value_or(0) << std::setw(14) << summary.p99Slowdown.value_or(0)
              << std::setw(9) << summary.pauseFrames << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines a workload of its own and runs it by its name, as rdma-fabric would.");
    RdmaFabricOptions options;
    options.topology = "leaf-spine:4x4x2";
    options.uplinkRate = "100Gbps";
    std::string only;
    cmd.Add("workload", "one workload in place of the table's three", only);
    cmd.Include(options, {"topology", "bytes"});
    return cmd.Run(argc, argv, [&] {
        std::vector<std::string> workloads{"ring:16", "ring:16[Shuffle=true]", "permutation"};
        if (!only.empty())
        {
            workloads = {only};
        }
        std::string header =
            "workload                  flows    end, us  mean slowdown  p99 slowdown   pauses\n";
        std::cout << std::fixed << std::setprecision(2);
        for (const std::string& workload : workloads)
        {
            options.workload = workload;
            RunOne(options, header);
            header.clear();
        }
        return 0;
    });
}
