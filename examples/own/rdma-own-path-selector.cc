/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined path selector, implemented entirely in this file. The first frame of a flow takes
 * the port with the shortest queue, and the flow keeps that port. A switch forgets a flow that is
 * idle for the time of the attribute Forget.
 *
 * The table compares the selector with ECMP, which chooses by a hash, and with the flowlets of the
 * module. RdmaFabricRun executes each run; the runs differ only in the option paths.
 *
 *     rdma-own-path-selector --paths='ns3::LeastQueuePathSelector[Forget=100us]'
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace ns3;

namespace
{

/** Path selector that assigns a flow to the port with the shortest queue. */
class LeastQueuePathSelector : public QbbPathSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::LeastQueuePathSelector")
                                .SetParent<QbbPathSelector>()
                                .AddConstructor<LeastQueuePathSelector>()
                                .AddAttribute("Forget",
                                              "A flow without a frame for this long is forgotten.",
                                              TimeValue(MicroSeconds(50)),
                                              MakeTimeAccessor(&LeastQueuePathSelector::m_forget),
                                              MakeTimeChecker(NanoSeconds(1)));
        return tid;
    }

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override
    {
        const RdmaPs now = RdmaNow();
        Flow& flow = m_flows[frame.flowHash];
        // The stored port may be missing in the group after a link failure.
        const bool known = flow.last + RdmaToPs(m_forget) >= now && flow.last > 0_ps &&
                           std::find(ports.begin(), ports.end(), flow.port) != ports.end();
        if (!known)
        {
            flow.port = *std::min_element(ports.begin(), ports.end(), [&](uint16_t a, uint16_t b) {
                return GetWaiting(a, frame.priority) < GetWaiting(b, frame.priority);
            });
        }
        flow.last = now;
        return flow.port;
    }

    int64_t AssignStreams(int64_t) override
    {
        return 0; // the selector uses no random numbers
    }

    bool MayReorder(RdmaPs roundTrip) const override
    {
        return RdmaToPs(m_forget) < roundTrip;
    }

  private:
    /** State of a flow. */
    struct Flow
    {
        RdmaPs last{0};   //!< time of the latest frame
        uint16_t port{0}; //!< egress port of the flow
    };

    /** \param port a port \param priority a class \return queue length in bytes */
    uint64_t GetWaiting(uint16_t port, uint8_t priority) const
    {
        return GetSwitch().GetPort(port)->GetQueues().GetBytes(priority);
    }

    Time m_forget;                              //!< value of the attribute Forget
    std::unordered_map<uint32_t, Flow> m_flows; //!< flows by flow hash
};

NS_OBJECT_ENSURE_REGISTERED(LeastQueuePathSelector);

/** Optional short name: `least-queue` stands for ns3::LeastQueuePathSelector. */
const RdmaPartName g_leastQueueName("least-queue",
                                    LeastQueuePathSelector::GetTypeId(),
                                    "",
                                    "flows to the port with the least bytes");

/**
 * Runs the workload with one path selector and prints a row of the table.
 *
 * \param options options of the run
 * \param header printed before the row, once the run has shown that the options are right
 */
void
RunOne(const RdmaFabricOptions& options, const std::string& header)
{
    RdmaFabricRun run(options);
    run.Run();
    const RdmaFabricSummary summary = run.GetOutcome().summary;
    std::cout << header << std::setw(16) << std::left << options.paths << std::right << std::setw(7)
              << summary.flowsCompleted << std::setw(15) << summary.avgSlowdown.value_or(0)
              << std::setw(14) << summary.p99Slowdown.value_or(0) << std::setw(9)
              << summary.pauseFrames << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines a path selector of its own and runs it by its name, as rdma-fabric would.");
    RdmaFabricOptions options;
    options.topology = "leaf-spine:4x8x4";
    options.uplinkRate = "100Gbps";
    options.workload = "permutation";
    std::string only;
    cmd.Add("paths", "one choice of paths in place of the table's three", only);
    cmd.Include(options, {"workload", "bytes"});
    return cmd.Run(argc, argv, [&] {
        std::vector<std::string> choices{"ecmp", "flowlet", "least-queue"};
        if (!only.empty())
        {
            choices = {only};
        }
        std::string header = "paths             flows  mean slowdown  p99 slowdown   pauses\n";
        std::cout << std::fixed << std::setprecision(2);
        for (const std::string& paths : choices)
        {
            options.paths = paths;
            RunOne(options, header);
            header.clear();
        }
        return 0;
    });
}
