/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined topology, implemented entirely in this file: a torus of two dimensions, in which
 * each switch has four neighbours and some hosts. The program runs a workload over the topology and
 * prints the table of rdma-fabric:
 *
 *     ns3 run "rdma-own-topology --topology=torus:6x3 --workload=incast:8"
 *     ns3 run "rdma-own-topology --topology='ns3::OwnTorus[Columns=6|Rows=3|Hosts=2]'"
 *     ns3 run "rdma-own-topology --topology=leaf-spine:4x8x4"
 *
 * Cables of a torus form rings, in which PFC can deadlock when packets take the shortest path. The
 * routes therefore go up a tree, then down, unless
 * --ns3::QbbRouting::Algorithm=ShortestPath says otherwise.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <exception>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

/** Torus. Switch (column, row) has number row x Columns + column. */
class OwnTorus : public RdmaTopologyBuilder
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OwnTorus")
                                .SetParent<RdmaTopologyBuilder>()
                                .AddConstructor<OwnTorus>()
                                .AddAttribute("Columns",
                                              "Switches from west to east.",
                                              UintegerValue(4),
                                              MakeUintegerAccessor(&OwnTorus::m_columns),
                                              MakeUintegerChecker<uint32_t>(3, 64))
                                .AddAttribute("Rows",
                                              "Switches from north to south.",
                                              UintegerValue(4),
                                              MakeUintegerAccessor(&OwnTorus::m_rows),
                                              MakeUintegerChecker<uint32_t>(3, 64))
                                .AddAttribute("Hosts",
                                              "Hosts on each switch.",
                                              UintegerValue(2),
                                              MakeUintegerAccessor(&OwnTorus::m_hosts),
                                              MakeUintegerChecker<uint32_t>(1, 64));
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        RdmaTopologyDraft draft("torus", rates);
        const uint32_t switches = m_columns * m_rows;
        draft.AddHosts(switches * m_hosts);
        const uint32_t first = draft.AddSwitches("torus", switches);
        for (uint32_t host = 0; host < first; ++host)
        {
            draft.LinkHost(host, first + host / m_hosts);
        }
        for (uint32_t row = 0; row < m_rows; ++row)
        {
            for (uint32_t column = 0; column < m_columns; ++column)
            {
                const uint32_t here = first + row * m_columns + column;
                const uint32_t east = first + row * m_columns + (column + 1) % m_columns;
                const uint32_t south = first + (row + 1) % m_rows * m_columns + column;
                draft.LinkSwitches(here, east);
                draft.LinkSwitches(here, south);
            }
        }
        return draft.Finish();
    }

  private:
    uint32_t m_columns{4}; //!< attribute Columns
    uint32_t m_rows{4};    //!< attribute Rows
    uint32_t m_hosts{2};   //!< attribute Hosts
};

NS_OBJECT_ENSURE_REGISTERED(OwnTorus);

/** Optional short name, as in torus:6x3, or torus:6x3x2 with the hosts of each switch. */
const RdmaPartName g_torusName("torus",
                               OwnTorus::GetTypeId(),
                               "",
                               "a torus of two dimensions",
                               {"Columns", "Rows", "Hosts?"});

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Defines a topology of its own and runs a workload over it.");
    RdmaFabricOptions options;
    options.topology = "torus:4x4";
    options.uplinkRate = "100Gbps";
    options.workload = "permutation";
    cmd.Include(options, {"topology", "workload", "bytes", "uplinkRate"});
    return cmd.Run(argc, argv, [&] {
        // Shortest paths over a torus can deadlock. --ns3::QbbRouting::Algorithm= still applies.
        SetRdmaDefault("ns3::QbbRouting", "Algorithm", StringValue("UpDown"));
        RdmaFabricRun run(options);
        run.Run();
        PrintRdmaOutcome(std::cout, run.GetOutcome());
        Simulator::Destroy();
        return 0;
    });
}
