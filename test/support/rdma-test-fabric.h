/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_FABRIC_H
#define RDMA_TEST_FABRIC_H

#include "qbb-buffer-manager.h"
#include "qbb-event-order.h"
#include "qbb-time.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-flow-runner.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A fabric with flows to test with, and the books that must balance at every instant.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \param rates host links and uplinks in Gb/s, and the delay of every link in ns
 * \return the links of a regular topology
 */
inline RdmaTopologyRates
MakeTestRates(uint64_t hostGbps, uint64_t uplinkGbps, int64_t delayNs)
{
    RdmaTopologyRates rates;
    rates.hostRate = hostGbps * 1_gbps;
    rates.uplinkRate = uplinkGbps * 1_gbps;
    rates.delay = delayNs * 1_ns;
    return rates;
}

/**
 * \ingroup rdma-tests
 * \param rounds rounds of a random test in a usual run
 * \return that, or what the environment variable RDMA_TEST_ROUNDS says, for a long run
 */
inline uint32_t
GetTestRounds(uint32_t rounds)
{
    const char* text = std::getenv("RDMA_TEST_ROUNDS");
    return text ? static_cast<uint32_t>(std::stoul(text)) : rounds;
}

/**
 * \ingroup rdma-tests
 * \param id flow id
 * \param source node id of the sender
 * \param destination node id of the receiver
 * \param bytes size
 * \param start start
 * \param priority class
 * \return the flow
 */
inline RdmaFlow
MakeTestFlow(uint64_t id,
             uint32_t source,
             uint32_t destination,
             uint64_t bytes,
             QbbPs start = 0_ps,
             uint32_t priority = 3)
{
    RdmaFlow flow;
    flow.id = id;
    flow.srcHost = source;
    flow.dstHost = destination;
    flow.bytes = bytes;
    flow.start = start;
    flow.priority = priority;
    return flow;
}

/**
 * \ingroup rdma-tests
 * The books of a fabric: what went in must have come out, have been lost and counted, or be there.
 * True at every instant between events.
 */
class RdmaTestBooks
{
  public:
    /**
     * Every frame sent is received, damaged, lost with its link, or on the line.
     *
     * \param fabric the fabric
     * \return what does not balance; empty if all does
     */
    static std::string CheckLinks(const RdmaFabric& fabric)
    {
        std::ostringstream wrong;
        for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = fabric.GetTopology().GetLink(link);
            uint64_t sent = 0;
            uint64_t gone =
                fabric.GetChannel(link)->GetInFlight() + fabric.GetChannel(link)->GetLostInFlight();
            for (const uint32_t node : {ends.a, ends.b})
            {
                const auto& counters = fabric.GetDevice(link, node)->GetCounters();
                sent += counters.GetTxFrames();
                gone += counters.GetRxFrames() + CountDrops(counters, QbbDropReason::CORRUPTED) +
                        CountDrops(counters, QbbDropReason::MALFORMED);
            }
            if (sent != gone)
            {
                wrong << "link " << link << ": " << sent << " frames sent, " << gone
                      << " accounted for; ";
            }
        }
        return wrong.str();
    }

    /**
     * Every frame that came into a switch has been sent, has been dropped, or waits in a queue; the
     * buffer manager's books agree with the queues, byte for byte.
     *
     * Only for frames that the switches forward (ARP replies are their own), and as long as no
     * link goes down.
     *
     * \param fabric the fabric
     * \return what does not balance; empty if all does
     */
    static std::string CheckSwitches(const RdmaFabric& fabric)
    {
        std::ostringstream wrong;
        for (const uint32_t id : fabric.GetTopology().GetSwitches())
        {
            const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
            uint64_t framesIn = 0;
            uint64_t framesOut = 0;
            uint64_t bytesIn = 0;
            uint64_t bytesOut = 0;
            uint64_t dropped = 0;
            for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
            {
                const auto& counters = sw->GetPort(p)->GetCounters();
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    const auto& c = counters.classes[priority];
                    framesIn += c.rxFrames;
                    framesOut += c.txFrames + sw->GetPort(p)->GetQueues().GetFrames(priority);
                    bytesIn += c.rxBytes;
                    bytesOut += c.txBytes + sw->GetPort(p)->GetQueues().GetBytes(priority);
                }
                dropped += counters.GetDrops() - CountDrops(counters, QbbDropReason::CORRUPTED) -
                           CountDrops(counters, QbbDropReason::MALFORMED);
            }
            if (framesIn != framesOut + dropped || (dropped == 0 && bytesIn != bytesOut))
            {
                wrong << "switch " << id << ": " << framesIn << " frames (" << bytesIn << " B) in, "
                      << framesOut << " (" << bytesOut << " B) out or queued, " << dropped
                      << " dropped; ";
            }
            wrong << CheckBuffer(*sw, id);
        }
        return wrong.str();
    }

    /**
     * The buffer's totals are the sums over its ports, the bytes in the queues, and within limits.
     *
     * \param sw a switch
     * \param id its node id, for the message
     * \return what does not balance; empty if all does
     */
    static std::string CheckBuffer(const QbbSwitch& sw, uint32_t id)
    {
        std::ostringstream wrong;
        const auto& buffer = *sw.GetBufferManager();
        const QbbBufferUsage usage = buffer.GetUsage();
        // Cells make frames larger, each by less than a cell.
        UintegerValue cell(1);
        buffer.GetAttributeFailSafe("CellBytes", cell);
        uint64_t ingress = 0;
        uint64_t egress = 0;
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            for (uint8_t priority = 0; priority < 8; ++priority)
            {
                const QbbPort& port = *sw.GetPort(p);
                const QbbIngressUsage of = buffer.GetIngress(p, priority);
                ingress += of.bytes;
                // What has crossed to the port of an input-queued switch has left the buffer.
                const uint64_t queue =
                    port.GetQueues().GetBytes(priority) -
                    (sw.GetInputQueueing() ? port.GetQueues().GetBytesHere(priority) : 0);
                const uint64_t charged = buffer.GetEgressBytes(p, priority);
                egress += charged;
                if (charged < queue ||
                    charged > queue + port.GetQueues().GetFrames(priority) * (cell.Get() - 1) ||
                    of.bytes != of.reservedBytes + of.sharedBytes + of.headroomBytes ||
                    of.headroomBytes > of.headroomLimit)
                {
                    wrong << "switch " << id << " port " << p << " class " << +priority
                          << ": queue " << queue << " B, charged " << charged << " B; ingress "
                          << of.bytes << " = " << of.reservedBytes << " + " << of.sharedBytes
                          << " + " << of.headroomBytes << " of " << of.headroomLimit << "; ";
                }
            }
        }
        if (ingress != usage.usedBytes || egress != usage.usedBytes ||
            usage.usedBytes > usage.sizeBytes || usage.sharedBytes > usage.sharedSize ||
            usage.headroomBytes > usage.headroomSize)
        {
            wrong << "switch " << id << ": " << usage.usedBytes << " B used, " << ingress
                  << " B at ingress, " << egress << " B in queues; ";
        }
        return wrong.str();
    }

    /**
     * Nothing is left of a run: no frame anywhere, nobody paused.
     *
     * \param fabric the fabric
     * \return what is left; empty if nothing is
     */
    static std::string CheckRest(const RdmaFabric& fabric)
    {
        std::ostringstream wrong;
        if (!fabric.AreBuffersEmpty())
        {
            wrong << "a switch's buffer is not empty; ";
        }
        for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = fabric.GetTopology().GetLink(link);
            if (fabric.GetChannel(link)->GetInFlight() != 0)
            {
                wrong << "frames on link " << link << "; ";
            }
            for (const uint32_t node : {ends.a, ends.b})
            {
                const auto device = fabric.GetDevice(link, node);
                if (device->GetFlowControl().GetPauseReceiver().GetPaused() ||
                    device->GetFlowControl().GetPauseSender().GetWanted())
                {
                    wrong << "link " << link << " at node " << node << ": classes paused "
                          << +device->GetFlowControl().GetPauseReceiver().GetPaused()
                          << ", asked to pause "
                          << +device->GetFlowControl().GetPauseSender().GetWanted() << "; ";
                }
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    if (device->GetQueues().GetFrames(priority) ||
                        device->GetQueues().GetBytes(priority))
                    {
                        wrong << "link " << link << " at node " << node << ": "
                              << device->GetQueues().GetFrames(priority) << " frames of class "
                              << +priority << " wait; ";
                    }
                }
            }
        }
        return wrong.str();
    }

    /** \param counters a port's \param reason why \return frames dropped for that reason */
    static uint64_t CountDrops(const QbbPortCounters& counters, QbbDropReason reason)
    {
        return counters.dropsByReason[static_cast<std::size_t>(reason)];
    }

    /** \param fabric the fabric \param reason why \return frames dropped for that reason anywhere
     */
    static uint64_t CountDrops(const RdmaFabric& fabric, QbbDropReason reason)
    {
        uint64_t sum = 0;
        for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = fabric.GetTopology().GetLink(link);
            sum += CountDrops(fabric.GetDevice(link, ends.a)->GetCounters(), reason);
            sum += CountDrops(fabric.GetDevice(link, ends.b)->GetCounters(), reason);
        }
        return sum;
    }
};

/**
 * \ingroup rdma-tests
 * A fabric, flows over it, and their results. One at a time: it ends with Simulator::Destroy().
 *
 *     RdmaTestFabric test;
 *     test.helper.SetBufferAttribute(...);
 *     test.Install(topology, flows);
 *     test.Run();
 */
struct RdmaTestFabric
{
    RdmaTestFabric()
    {
        SetMtu(1024);
    }

    ~RdmaTestFabric()
    {
        Simulator::Destroy();
    }

    RdmaTestFabric(const RdmaTestFabric&) = delete;
    RdmaTestFabric& operator=(const RdmaTestFabric&) = delete;

    /** \param mtu payload of a full packet; ports get what that needs, 1500 at least */
    void SetMtu(uint32_t mtu)
    {
        // IPv4 20, UDP 8, BTH 12, RETH and immediate 20, ICRC 4
        helper.SetQueuePairAttribute("PathMtu", UintegerValue(mtu));
        helper.SetDeviceAttribute("Mtu", UintegerValue(std::max(1500U, mtu + 64)));
    }

    /**
     * \param topology the fabric's
     * \param flows what to run
     */
    void Install(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
    {
        fabric = helper.Install(topology);
        fabric->AssignStreams(1);
        runner = CreateObject<RdmaFlowRunner>();
        // Tests look at queue pairs before and after their flows.
        runner->SetAttribute("KeepQueuePairs", BooleanValue(keepQueuePairs));
        // The run goes on until nothing is left to happen.
        runner->SetStopWhenDone(false);
        if (!flows.empty())
        {
            runner->Install(fabric, flows);
        }
    }

    /**
     * Checks the books at every multiple of a period, until all flows have ended.
     *
     * \param period how often
     */
    void CheckBooksEvery(QbbPs period)
    {
        const QbbEventTime at((QbbNow() / period + 1) * period, QbbEventOrder::Observers::At<0>());
        Simulator::Schedule(QbbGetDelay(at, QbbEventNow()), [this, period]() {
            ++checks;
            if (wrong.empty())
            {
                wrong = RdmaTestBooks::CheckLinks(*fabric) + RdmaTestBooks::CheckSwitches(*fabric);
            }
            if (runner->GetNEnded() < runner->GetNFlows())
            {
                CheckBooksEvery(period);
            }
        });
    }

    /** \param stop simulated time after which the run is given up */
    void Run(QbbPs stop = 10_s)
    {
        Simulator::Stop(QbbToTime(stop));
        Simulator::Run();
        results = runner->GetResults();
    }

    /** \return flows that did not complete, with their statuses; empty if all did */
    std::string GetUnfinished() const
    {
        std::ostringstream text;
        for (const auto& result : results)
        {
            if (!result.IsCompleted())
            {
                text << "flow " << result.flow.id << ": " << result.status << "; ";
            }
        }
        return text.str();
    }

    /** \return hash over all that is known of the flows */
    std::string GetDigest() const
    {
        return GetRdmaDigest(results);
    }

    RdmaFabricHelper helper;             //!< makes the fabric
    Ptr<RdmaFabric> fabric;              //!< the fabric
    Ptr<RdmaFlowRunner> runner;          //!< runs the flows
    bool keepQueuePairs{true};           //!< RdmaFlowRunner::KeepQueuePairs
    std::vector<RdmaFlowResult> results; //!< what became of the flows, after Run()
    std::string wrong;                   //!< what CheckBooksEvery() found
    uint64_t checks{0};                  //!< how often it looked
};

} // namespace ns3

#endif /* RDMA_TEST_FABRIC_H */
