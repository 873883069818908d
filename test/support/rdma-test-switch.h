/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_SWITCH_H
#define RDMA_TEST_SWITCH_H

#include "qbb-input-port-buffer.h"
#include "qbb-switch.h"
#include "rdma-test-link.h"

#include <ns3/enum.h>

/**
 * \file
 * \ingroup rdma-tests
 * An input-queued switch to test with.
 *
 * Times by hand, at 100 Gb/s over cables of 1 us: a frame of 1250 B takes 101 600 ps of the line
 * and arrives 1 100 640 ps after its start. Frames that hosts send one behind the other from time 0
 * on have arrived at the switch at T0 + k x 101 600, T0 = 1 100 640. One that leaves the switch at
 * t arrives at t + 1 100 640.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A switch with hosts' ports, which send the frames of a test and record the frames that arrive.
 */
class RdmaTestSwitch
{
  public:
    static constexpr RdmaPs FRAME = 101'600_ps;   //!< line time of a frame
    static constexpr RdmaPs HOP = 1'100'640_ps;   //!< from its start to its arrival
    static constexpr RdmaPs T0 = HOP;             //!< arrival of the first frames at the switch
    static constexpr uint32_t FRAME_BYTES = 1250; //!< a frame

    /** \param n hosts \param attributes of the switch, as text */
    explicit RdmaTestSwitch(
        uint32_t n,
        std::initializer_list<std::pair<const char*, const char*>> attributes = {})
    {
        QbbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        nodes.Create(n + 1);
        sw = CreateObject<QbbSwitch>();
        sw->SetAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
        for (const auto& [name, value] : attributes)
        {
            sw->SetAttribute(name, StringValue(value));
        }
        buffer = CreateObject<QbbInputPortBuffer>();
        sw->SetBufferManager(buffer);
        sinks = std::vector<RdmaTestSink>(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            const auto ports = helper.Install(nodes.Get(i), nodes.Get(n));
            hosts.push_back(DynamicCast<QbbNetDevice>(ports.Get(0)));
            hosts.back()->SetSink(&sinks[i]);
            sw->AddPort(DynamicCast<QbbNetDevice>(ports.Get(1)));
            sw->GetForwardingTable().SetRoute(GetAddress(i), {static_cast<uint16_t>(i)});
        }
        sw->GetForwardingTable().Freeze();
        nodes.Get(n)->AggregateObject(sw);
    }

    ~RdmaTestSwitch()
    {
        Simulator::Destroy();
    }

    RdmaTestSwitch(const RdmaTestSwitch&) = delete;
    RdmaTestSwitch& operator=(const RdmaTestSwitch&) = delete;

    static uint32_t GetAddress(uint32_t host)
    {
        return 0x0a000001 + host;
    }

    /**
     * \param at when they are put into the sender's queue
     * \param from host
     * \param to host
     * \param first number of the first frame
     * \param count how many
     * \param priority class
     */
    void SendAt(RdmaPs at,
                uint32_t from,
                uint32_t to,
                uint32_t first,
                uint32_t count,
                uint8_t priority = 3)
    {
        RdmaTestLink::At(at, [this, from, to, first, count, priority]() {
            for (uint32_t i = 0; i < count; ++i)
            {
                QbbFramePtr frame = MakeTestFrame(*hosts[from], first + i, priority, FRAME_BYTES);
                frame->srcIp = GetAddress(from);
                frame->dstIp = GetAddress(to);
                hosts[from]->Enqueue(std::move(frame));
            }
        });
    }

    /** \param host a host \return the frames that it got: "number+time since T0 + HOP" */
    std::string GetArrivals(uint32_t host) const
    {
        std::string text;
        for (const auto& arrival : sinks[host].arrivals)
        {
            text += (text.empty() ? "" : " ") + std::to_string(arrival.psn) + "+" +
                    std::to_string((arrival.at - T0 - HOP).Get());
        }
        return text;
    }

    NodeContainer nodes;                  //!< hosts, then the switch
    Ptr<QbbSwitch> sw;                    //!< the switch
    Ptr<QbbInputPortBuffer> buffer;       //!< its buffer
    std::vector<Ptr<QbbNetDevice>> hosts; //!< ports of the hosts
    std::vector<RdmaTestSink> sinks;      //!< behind them
};

} // namespace ns3

#endif /* RDMA_TEST_SWITCH_H */
