/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_DEADLOCK_H
#define RDMA_TEST_DEADLOCK_H

#include "qbb-deadlock-detector.h"
#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/node-list.h>
#include <ns3/string.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics whose deadlocks are watched.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \param switches of a ring with one host each
 * \param ahead how many switches on each host sends to
 * \param bytes size of each flow
 * \return a flow from each host
 */
inline std::vector<RdmaFlow>
MakeTestRingFlows(uint32_t switches, uint32_t ahead, uint64_t bytes)
{
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < switches; ++i)
    {
        flows.push_back(MakeTestFlow(i, i, (i + ahead) % switches, bytes));
    }
    return flows;
}

/**
 * \ingroup rdma-tests
 * Switches that deadlocks are looked for in.
 */
enum class RdmaTestArchitecture
{
    SHARED,   //!< output queues, shared buffer
    INPUT,    //!< virtual output queues, a buffer for each port
    CROSSBAR, //!< the same with a crossbar
};

/**
 * \ingroup rdma-tests
 * \param architecture of the switches \return name for a test case
 */
inline std::string
GetTestArchitectureName(RdmaTestArchitecture architecture)
{
    return architecture == RdmaTestArchitecture::SHARED  ? "shared buffers"
           : architecture == RdmaTestArchitecture::INPUT ? "input queues"
                                                         : "crossbars";
}

/**
 * \ingroup rdma-tests
 * \param helper gets it
 * \param architecture of the switches
 * \param bytes of each switch, or of each port
 */
inline void
SetTestArchitecture(RdmaFabricHelper& helper, RdmaTestArchitecture architecture, uint64_t bytes)
{
    if (architecture == RdmaTestArchitecture::SHARED)
    {
        helper.SetBufferAttribute("BufferSize", UintegerValue(bytes));
        return;
    }
    helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
    helper.SetSwitchAttribute("Crossbar",
                              BooleanValue(architecture == RdmaTestArchitecture::CROSSBAR));
    helper.SetBufferManager("ns3::QbbInputPortBuffer");
    helper.SetBufferAttribute("PortBufferBytes", UintegerValue(bytes));
}

/**
 * \ingroup rdma-tests
 * A fabric whose deadlocks are watched.
 */
struct RdmaTestWatched : public RdmaTestFabric
{
    /**
     * \param topology the fabric's
     * \param flows what to run
     */
    void InstallAndWatch(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
    {
        Install(topology, flows);
        detector = CreateObject<QbbDeadlockDetector>();
        detector->Watch(fabric->GetRouting()->GetSwitches());
        detector->TraceConnectWithoutContext(
            "Deadlock",
            Callback<void, const QbbDeadlock&>(
                [this](const QbbDeadlock& deadlock) { found.push_back(deadlock); }));
        detector->TraceConnectWithoutContext(
            "DeadlockEnded",
            Callback<void, const QbbDeadlock&>([this](const QbbDeadlock&) { ++ended; }));
    }

    /** \param point a buffer \return the port that it has paused */
    QbbPort* GetPaused(const QbbBufferPoint& point) const
    {
        return NodeList::GetNode(point.node)
            ->GetObject<QbbSwitch>()
            ->GetPort(point.port)
            ->GetPeer();
    }

    /** \return frames of their classes that the ports which the deadlock has paused have sent */
    uint64_t CountSent(const QbbDeadlock& deadlock) const
    {
        uint64_t frames = 0;
        for (const QbbBufferPoint& point : deadlock.stuck)
        {
            frames += GetPaused(point)->GetCounters().classes[point.priority].txFrames;
        }
        return frames;
    }

    /** \return errors in a deadlock at the moment of detection; empty if there are none */
    std::string Examine(const QbbDeadlock& deadlock) const
    {
        std::ostringstream wrong;
        if (deadlock.cycle.size() < 2)
        {
            wrong << "a cycle of " << deadlock.cycle.size() << "; ";
        }
        for (std::size_t i = 0; i < deadlock.cycle.size(); ++i)
        {
            const QbbBufferPoint& at = deadlock.cycle[i];
            const QbbBufferPoint& next = deadlock.cycle[(i + 1) % deadlock.cycle.size()];
            const QbbPort* egress = GetPaused(next);
            const auto sw = NodeList::GetNode(at.node)->GetObject<QbbSwitch>();
            uint64_t waiting = 0;
            for (const auto& [port, bytes] :
                 sw->GetWaitingBytes(egress->GetPortNumber(), next.priority))
            {
                waiting += port == at.port ? bytes : 0;
            }
            if (egress->GetNodeId() != at.node || waiting == 0 ||
                !sw->GetBufferManager()->IsPaused(at.port, at.priority) ||
                !(egress->GetFlowControl().GetPauseReceiver().GetPaused() & (1U << next.priority)))
            {
                wrong << at << " does not wait for " << next << "; ";
            }
            if (!std::binary_search(deadlock.stuck.begin(), deadlock.stuck.end(), at))
            {
                wrong << at << " is not among the stuck; ";
            }
        }
        return wrong.str();
    }

    Ptr<QbbDeadlockDetector> detector; //!< watches
    std::vector<QbbDeadlock> found;    //!< reports
    uint32_t ended{0};                 //!< reports of ends
};

} // namespace ns3

#endif /* RDMA_TEST_DEADLOCK_H */
