/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_BOOKS_H
#define RDMA_TEST_BOOKS_H

#include "qbb-buffer-manager.h"
#include "rdma-fabric.h"

#include <ns3/uinteger.h>

#include <cstdint>
#include <sstream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * The books of a fabric, which must balance at every instant.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * The books of a fabric: every frame that went in has come out, was lost and counted, or is still
 * there. True between any two events.
 */
class RdmaTestBooks
{
  public:
    /**
     * Every frame sent is received, damaged, lost with its link, or on the line.
     *
     * \param fabric the fabric
     * \return the accounts that do not balance; empty if all do
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
                // A frame that has crossed to the port of an input-queued switch has left the
                // buffer.
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
     * All books after a run: those of links and switches agree, and nothing is left.
     *
     * \param fabric the fabric
     * \return what is wrong; empty if nothing is
     */
    static std::string CheckAll(const RdmaFabric& fabric)
    {
        return CheckLinks(fabric) + CheckSwitches(fabric) + CheckRest(fabric);
    }

    /**
     * Nothing is left of a run: no frame anywhere, no port paused.
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

} // namespace ns3

#endif /* RDMA_TEST_BOOKS_H */
