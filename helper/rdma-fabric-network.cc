/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-network.h"

#include "qbb-pfc-headroom.h"
#include "qbb-pfc-watchdog.h"
#include "rdma-bdp.h"
#include "rdma-fabric.h"
#include "rdma-for-each-index.h"
#include "rdma-line-rate.h"
#include "rdma-port-kinds.h"
#include "rdma-simulator-impl.h"

#include <ns3/error-model.h>
#include <ns3/nstime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3
{

namespace
{

using Classes = std::array<RdmaClassNetwork, 8>;

/// Upper limit of a queue's time, 60 s: the least upper limit of a timeout (RFC 6298, 2.5).
constexpr double LONGEST_QUEUE_PS = 60e12;

/** \return true if the error model of a port can lose a frame */
bool
CanLose(const QbbNetDevice& device)
{
    const auto model = device.GetReceiveErrorModel();
    if (!model || !model->IsEnabled())
    {
        return false;
    }
    const auto rate = DynamicCast<RateErrorModel>(model);
    return !rate || rate->GetRate() > 0;
}

/** \return true if a class of a mask has no cause of loss yet */
bool
HasNoCause(const Classes& classes, uint8_t mask)
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if ((mask >> priority & 1) && classes[priority].loss.empty())
        {
            return true;
        }
    }
    return false;
}

/** Adds a cause of loss to the classes of a mask that have none yet. */
void
Lose(Classes& classes, uint8_t mask, const std::string& cause)
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if ((mask >> priority & 1) && classes[priority].loss.empty())
        {
            classes[priority].loss = cause;
        }
    }
}

/** \return name of a port for messages */
std::string
GetPortName(const RdmaFabric& fabric, uint32_t node, const QbbNetDevice& device)
{
    return "port " + std::to_string(device.GetPortNumber()) + " of " +
           fabric.GetTopology().GetNode(node).name;
}

/** Adds the losses of the ports of a link. */
void
ExamineLink(Classes& classes, const RdmaFabric& fabric, uint32_t link)
{
    const RdmaTopologyLink& ends = fabric.GetTopology().GetLink(link);
    for (const uint32_t node : {ends.a, ends.b})
    {
        const Ptr<QbbNetDevice> device = fabric.GetDevice(link, node);
        const uint8_t lossy = static_cast<uint8_t>(~device->GetFlowControl().GetLosslessClasses());
        if (HasNoCause(classes, lossy))
        {
            const std::string name = GetPortName(fabric, node, *device);
            const bool isOff = device->GetFlowControl().GetKind() == QbbFlowControl::NONE;
            Lose(classes,
                 lossy,
                 isOff ? name + " has no flow control" : name + " does not pause the class");
        }
        if (CanLose(*device))
        {
            Lose(classes, 0xff, GetPortName(fabric, node, *device) + " has an error model");
        }
    }
}

/** Adds the losses for lack of headroom of a switch's buffer. */
void
ExamineHeadroom(Classes& classes,
                const std::string& name,
                const QbbBufferManager& buffer,
                const std::vector<QbbPortProfile>& profiles)
{
    std::vector<uint64_t> needed;
    needed.reserve(profiles.size());
    for (const QbbPortProfile& profile : profiles)
    {
        needed.push_back(profile.losslessMask ? QbbPfcHeadroom::GetBytes(profile) : 0);
    }
    Lose(classes,
         buffer.GetClassesShortOfHeadroom(needed),
         name + " has less headroom than its ports need");
}

/** Adds the longest queues of a switch. */
void
ExamineQueues(Classes& classes,
              const QbbBufferManager& buffer,
              const std::vector<QbbPortProfile>& profiles)
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        const std::vector<uint64_t> queues = buffer.GetLongestQueues(priority);
        for (std::size_t port = 0; port < queues.size(); ++port)
        {
            const double ps =
                static_cast<double>(queues[port]) * 8e12 / static_cast<double>(profiles[port].rate);
            const RdmaPs time(static_cast<int64_t>(std::min(ps, LONGEST_QUEUE_PS)));
            classes[priority].queueTime = std::max(classes[priority].queueTime, time);
        }
    }
}

/** Adds the losses of a switch's PFC watchdog to classes that lose no frames otherwise. */
void
ExamineWatchdog(Classes& classes, const QbbSwitch& sw, const std::string& name)
{
    const auto watchdog = sw.GetObject<QbbPfcWatchdog>();
    if (!watchdog || watchdog->GetAction() == QbbPfcWatchdog::ALERT)
    {
        return;
    }
    TimeValue detection;
    TimeValue restoration;
    watchdog->GetAttribute("DetectionTime", detection);
    watchdog->GetAttribute("RestorationTime", restoration);
    const RdmaPs time = RdmaToPs(detection.Get() + restoration.Get());
    for (RdmaClassNetwork& network : classes)
    {
        if (network.loss.empty() || network.stormTime > 0_ps)
        {
            network.loss = "the PFC watchdog of " + name + " may drop them";
            network.stormTime = std::max(network.stormTime, time);
        }
    }
}

/** Adds the losses of planned failures. */
void
ExamineFailures(Classes& classes, const RdmaFabric& fabric)
{
    for (const RdmaFailurePlan::Failure& failure : fabric.GetFailures().GetFailures())
    {
        const bool slowsOneWay = failure.where.find("->") != std::string::npos;
        if (failure.event.compare(0, 5, "rate=") != 0 || slowsOneWay)
        {
            Lose(classes, 0xff, RdmaFailurePlan::Describe(failure));
        }
    }
}

} // namespace

Classes
ExamineRdmaNetwork(const RdmaFabric& fabric)
{
    const RdmaTopology& topology = fabric.GetTopology();
    Classes classes;
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        ExamineLink(classes, fabric, link);
    }
    ExamineFailures(classes, fabric);
    const RdmaFailurePlan& failures = fabric.GetFailures();
    const RdmaTopology slowest =
        failures.IsEmpty() ? RdmaTopology() : failures.GetSlowest(topology);
    const auto slowLinks = slowest.GetLinksByNode();
    const auto switches = topology.GetSwitches();
    std::vector<Ptr<const QbbBufferManager>> buffers;
    buffers.reserve(switches.size());
    for (const uint32_t id : switches)
    {
        buffers.push_back(GetRdmaBuffer(*fabric.GetSwitch(id)));
    }
    std::vector<Classes> classesOf(switches.size());
    RdmaForEachIndex(switches.size(), RdmaSimulatorImpl::GetThreads(), [&](std::size_t i) {
        const uint32_t id = switches[i];
        if (buffers[i])
        {
            auto profiles = fabric.GetSwitch(id)->GetPortProfiles();
            ExamineHeadroom(classesOf[i], topology.GetNode(id).name, *buffers[i], profiles);
            for (std::size_t port = 0; !slowLinks.empty() && port < profiles.size(); ++port)
            {
                profiles[port].rate = slowest.GetLink(slowLinks[id].at(port)).rate;
            }
            ExamineQueues(classesOf[i], *buffers[i], profiles);
        }
    });
    for (const Classes& ofSwitch : classesOf)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            Lose(classes, static_cast<uint8_t>(1U << priority), ofSwitch[priority].loss);
            classes[priority].queueTime =
                std::max(classes[priority].queueTime, ofSwitch[priority].queueTime);
        }
    }
    for (const uint32_t id : switches)
    {
        ExamineWatchdog(classes, *fabric.GetSwitch(id), topology.GetNode(id).name);
    }
    return classes;
}

RdmaNetworkTimes
GetRdmaNetworkTimes(const RdmaFabric& fabric,
                    const Classes& network,
                    uint8_t classes,
                    uint32_t packetBytes,
                    uint32_t ackBytes)
{
    const RdmaTopology slowest = fabric.GetFailures().IsEmpty()
                                     ? RdmaTopology()
                                     : fabric.GetFailures().GetSlowest(fabric.GetTopology());
    const RdmaTopology& topology = fabric.GetFailures().IsEmpty() ? fabric.GetTopology() : slowest;
    const Ptr<RdmaNic> first = fabric.GetNic(topology.GetHosts().front());
    const uint32_t overhead = first->GetPort(0)->GetLineOverheadBytes();
    const uint32_t lineBytes = packetBytes + overhead;
    RdmaNetworkTimes times;
    const RdmaLongestPath longest = GetRdmaLongestPath(topology, lineBytes, ackBytes + overhead);
    times.roundTrip = longest.roundTrip;
    RdmaPs turnaround{0};
    for (const uint32_t nic : topology.GetNics())
    {
        turnaround =
            std::max(turnaround, fabric.GetNic(nic)->GetReplies().GetDelay(RdmaReplyDelays::ACK));
    }
    times.roundTrip += turnaround;
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        times.packet = std::max(times.packet, RdmaLineRate(link.rate).BytesToPs(lineBytes));
    }
    RdmaPs storm{0};
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if (classes >> priority & 1)
        {
            times.queue = std::max(times.queue, network[priority].queueTime);
            storm = std::max(storm, network[priority].stormTime);
        }
    }
    // A queue is counted in frames, which take more bytes on the line.
    times.queue = RdmaPs(static_cast<int64_t>(static_cast<double>(times.queue.Get()) *
                                              static_cast<double>(lineBytes) /
                                              static_cast<double>(packetBytes)));
    times.queue = std::max(times.queue, storm);
    // All paths of two hosts have the first and the last link in common, with their queues.
    times.spread = longest.links > 2 ? int64_t{longest.links - 2} * times.queue : RdmaPs(0);
    return times;
}

} // namespace ns3
