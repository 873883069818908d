/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined instrument, implemented entirely in this file. It periodically samples the queues
 * of all switch ports and prints percentiles of the longest queue. RdmaFabricRun executes the run;
 * its option instruments names the instrument.
 *
 *     rdma-own-instrument --instruments='ns3::QueuePercentiles[Period=500ns],monitor:ports.csv'
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Instrument that samples the length of the longest queue. */
class QueuePercentiles : public RdmaInstrument
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QueuePercentiles")
                                .SetParent<RdmaInstrument>()
                                .AddConstructor<QueuePercentiles>()
                                .AddAttribute("Period",
                                              "Time from look to look.",
                                              TimeValue(MicroSeconds(1)),
                                              MakeTimeAccessor(&QueuePercentiles::m_period),
                                              MakeTimeChecker(PicoSeconds(1)));
        return tid;
    }

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override
    {
        m_fabric = fabric;
        m_runner = runner;
        Look();
    }

    void Print(std::ostream& os) const override
    {
        std::vector<uint64_t> sorted = m_longest;
        std::sort(sorted.begin(), sorted.end());
        const auto at = [&sorted](double share) {
            return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
        };
        os << "\nlongest queue of a switch port: median " << at(0.5) << " B, 99% " << at(0.99)
           << " B, most " << sorted.back() << " B (" << sorted.size() << " looks)\n";
    }

  private:
    /** Samples all queues, and schedules the next sample until all flows have ended. */
    void Look()
    {
        uint64_t longest = 0;
        for (const uint32_t id : m_fabric->GetTopology().GetSwitches())
        {
            const Ptr<QbbSwitch> sw = m_fabric->GetSwitch(id);
            for (uint32_t port = 0; port < sw->GetNPorts(); ++port)
            {
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    longest = std::max(longest, sw->GetPort(port)->GetQueues().GetBytes(priority));
                }
            }
        }
        m_longest.push_back(longest);
        if (m_runner->GetNEnded() < m_runner->GetNFlows())
        {
            // Observers run after all other events of an instant.
            const RdmaEventTime next(RdmaNow() + RdmaToPs(m_period),
                                     RdmaEventOrder::Observers::At<0>());
            Simulator::Schedule(RdmaGetDelay(next, RdmaEventNow()), &QueuePercentiles::Look, this);
        }
    }

    Time m_period;                    //!< attribute Period
    Ptr<RdmaFabric> m_fabric;         //!< fabric under observation
    Ptr<RdmaFlowRunnerBase> m_runner; //!< flows of the fabric
    std::vector<uint64_t> m_longest;  //!< bytes of the longest queue, by sample
};

NS_OBJECT_ENSURE_REGISTERED(QueuePercentiles);

/** Optional short name: `queue-percentiles` stands for ns3::QueuePercentiles. */
const RdmaPartName g_queuePercentilesName("queue-percentiles",
                                          QueuePercentiles::GetTypeId(),
                                          "",
                                          "percentiles of the longest queue");

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "Defines an instrument of its own. All options are those of rdma-fabric.");
    RdmaFabricOptions options;
    options.topology = "leaf-spine:4x4x2";
    options.workload = "incast:8";
    options.instruments = "queue-percentiles";
    cmd.Include(options);
    return cmd.Run(argc, argv, [&] {
        RdmaFabricRun run(options);
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        std::cout << outcome.summary.flowsCompleted << " flows, mean slowdown "
                  << outcome.summary.avgSlowdown.value_or(0) << "\n";
        run.PrintFailures(std::cout);
        Simulator::Destroy();
        return 0;
    });
}
