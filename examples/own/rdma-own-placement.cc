/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined placement, implemented entirely in this file: the hosts of a job are a fixed
 * number of hosts apart.
 *
 * The table compares placements of a job of 8 hosts on 32 hosts with two NICs each. All hosts of
 * the job send to the host four places further. The distance decides how many of them share the
 * uplinks of a leaf.
 *
 *     rdma-own-placement --placement='ns3::StridePlacement[Hosts=8|Stride=5]'
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Host i of the first job is host i x Stride of the topology. The base class has Hosts. */
class StridePlacement : public RdmaPlacement
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::StridePlacement")
                                .SetParent<RdmaPlacement>()
                                .AddConstructor<StridePlacement>()
                                .AddAttribute("Stride",
                                              "Distance of two neighbours of a job in hosts.",
                                              UintegerValue(4),
                                              MakeUintegerAccessor(&StridePlacement::m_stride),
                                              MakeUintegerChecker<uint32_t>(1, 1024));
        return tid;
    }

  protected:
    std::vector<std::vector<uint32_t>> ChooseHosts(const RdmaTopology& topology,
                                                   const std::vector<RdmaJobSize>& jobs) override
    {
        const auto hosts = topology.GetHosts();
        std::vector<uint32_t> order; // 0, Stride, 2 Stride, ..., 1, 1 + Stride, ...
        for (std::size_t first = 0; first < m_stride; ++first)
        {
            for (std::size_t i = first; i < hosts.size(); i += m_stride)
            {
                order.push_back(hosts[i]);
            }
        }
        return Deal(jobs, order);
    }

  private:
    uint32_t m_stride{4}; //!< value of the attribute Stride
};

NS_OBJECT_ENSURE_REGISTERED(StridePlacement);

/** Optional short name: `stride:8` stands for ns3::StridePlacement[Hosts=8]. */
const RdmaPartName g_strideName("stride",
                                StridePlacement::GetTypeId(),
                                "",
                                "hosts at a fixed distance",
                                {"Hosts?"});

/** Each host of a job sends to the host four places further. */
class ShiftWorkload : public RdmaGeneratedWorkload
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ShiftWorkload")
                                .SetParent<RdmaGeneratedWorkload>()
                                .AddConstructor<ShiftWorkload>()
                                .AddAttribute("Bytes",
                                              "Size of a flow.",
                                              UintegerValue(1'000'000),
                                              MakeUintegerAccessor(&ShiftWorkload::m_bytes),
                                              MakeUintegerChecker<uint64_t>(1, 1'000'000'000));
        return tid;
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        constexpr std::size_t SHIFT = 4;
        const auto hosts = topology.GetHosts(); // the hosts of the job
        std::vector<RdmaFlow> flows;
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            flows.push_back(
                MakeFlow(hosts[i], hosts[(i + SHIFT) % hosts.size()], m_bytes, RdmaPs(0)));
        }
        return flows;
    }

  private:
    uint64_t m_bytes{1'000'000}; //!< value of the attribute Bytes
};

NS_OBJECT_ENSURE_REGISTERED(ShiftWorkload);

/**
 * Runs the workload with a placement and prints a row of the table.
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
    std::cout << header << std::setw(28) << std::left << options.placement << std::right;
    for (const RdmaFlowResult& result : outcome.flows)
    {
        std::cout << std::setw(4) << result.flow.srcHost;
    }
    std::cout << std::setw(15) << outcome.summary.avgSlowdown.value_or(0) << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines a placement of its own and runs it by its name, as rdma-fabric would.");
    RdmaFabricOptions options;
    options.topology = "rail:4x8x2x2";
    options.rate = "100Gbps";
    options.uplinkRate = "100Gbps";
    options.workload = "ns3::ShiftWorkload";
    std::string only;
    cmd.Add("placement", "one placement in place of the table's four", only);
    cmd.Include(options, {"topology", "bytes"});
    return cmd.Run(argc, argv, [&] {
        std::vector<std::string> placements{"blocks:8", "stride:8", "spread:8", "random:8"};
        if (!only.empty())
        {
            placements = {only};
        }
        std::string header =
            "placement                   senders, by flow             mean slowdown\n";
        std::cout << std::fixed << std::setprecision(2);
        for (const std::string& placement : placements)
        {
            options.placement = placement;
            RunOne(options, header);
            header.clear();
        }
        return 0;
    });
}
