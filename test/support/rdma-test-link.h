/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_LINK_H
#define RDMA_TEST_LINK_H

#include "qbb-channel.h"
#include "qbb-frame-codec.h"
#include "qbb-helper.h"
#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-time.h"

#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Two ports and a cable to test with.
 */

namespace ns3
{

/// Trace sources of a port that report packets.
inline constexpr const char* RDMA_TEST_PACKET_SOURCES[] = {"MacTx",
                                                           "MacTxDrop",
                                                           "MacPromiscRx",
                                                           "MacRx",
                                                           "MacRxDrop",
                                                           "PhyTxBegin",
                                                           "PhyTxEnd",
                                                           "PhyRxEnd",
                                                           "PhyRxDrop",
                                                           "Sniffer",
                                                           "PromiscSniffer"};

/**
 * \ingroup rdma-tests
 * Writes down the frames that come in and those that leave the queues.
 */
class RdmaTestSink : public QbbFrameSink
{
  public:
    /** A frame that has come in. */
    struct Arrival
    {
        RdmaPs at{0};        //!< when
        uint32_t psn{0};     //!< which, as MakeTestFrame() numbered it
        uint8_t priority{0}; //!< its class here
        uint32_t size{0};    //!< bytes
    };

    void ReceiveFrame(QbbPort&, QbbFramePtr&& frame) override
    {
        arrivals.push_back({RdmaNow(), frame->psn, frame->priority, frame->size});
    }

    void FrameDeparts(QbbPort&, QbbFrame& frame, RdmaPs start) override
    {
        if (!frame.IsMacControl())
        {
            left.push_back({start, frame.psn, frame.priority, frame.size});
        }
    }

    void FrameGone(QbbPort&, const QbbFrame& frame) override
    {
        left.push_back({RdmaNow(), frame.psn, frame.priority, frame.size});
    }

    void LinkChanged(QbbPort& port) override
    {
        changes.push_back(port.IsUp());
    }

    /** \param list arrivals \return "number@picoseconds" for each, separated by spaces */
    static std::string ToText(const std::vector<Arrival>& list)
    {
        std::string text;
        for (const auto& arrival : list)
        {
            text += (text.empty() ? "" : " ") + std::to_string(arrival.psn) + "@" +
                    std::to_string(arrival.at.Get());
        }
        return text;
    }

    /** \return the numbers of the frames that came in, in order, separated by spaces */
    std::string GetOrder() const
    {
        std::string text;
        for (const auto& arrival : arrivals)
        {
            text += (text.empty() ? "" : " ") + std::to_string(arrival.psn);
        }
        return text;
    }

    std::vector<Arrival> arrivals; //!< frames that came in
    std::vector<Arrival> left;     //!< frames that left the queues
    std::vector<bool> changes;     //!< link states
};

/**
 * \ingroup rdma-tests
 * A RoCE frame that is complete on the wire.
 *
 * \param from the port that will send it
 * \param number goes into its PSN
 * \param priority class; its DSCP is 8 * priority
 * \param size bytes from MAC address to FCS: 64, or 62 and a multiple of 4
 * \return the frame
 */
inline QbbFramePtr
MakeTestFrame(QbbPort& from, uint32_t number, uint8_t priority = 3, uint32_t size = 1250)
{
    QbbFramePtr frame = from.GetPool().Allocate();
    frame->type = QbbFrameType::ROCE;
    frame->priority = priority;
    frame->size = size;
    frame->etherType = QbbWire::ETHERTYPE_IPV4;
    frame->srcMac = from.GetMac();
    frame->dstMac = from.GetPeer()->GetMac();
    frame->ipv4 = true;
    frame->dscp = static_cast<uint8_t>(8 * priority);
    frame->ttl = 64;
    frame->protocol = QbbWire::IP_PROTOCOL_UDP;
    frame->srcIp = 0x0a000001;
    frame->dstIp = 0x0a000002;
    frame->srcPort = 49152;
    frame->dstPort = QbbWire::ROCE_UDP_PORT;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::SEND_ONLY);
    frame->psn = number;
    frame->payload = size <= QbbWire::MIN_FRAME_BYTES ? 0 : size - QbbWire::ROCE_BASE_BYTES;
    frame->flowHash =
        QbbFlowHash(frame->srcIp, frame->dstIp, frame->protocol, frame->srcPort, frame->dstPort);
    return frame;
}

/**
 * \ingroup rdma-tests
 * \param frame a frame \return its bytes on the wire, without FCS
 */
inline std::vector<uint8_t>
GetTestBytes(const QbbFrame& frame)
{
    std::vector<uint8_t> bytes(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, bytes.data());
    return bytes;
}

/**
 * \ingroup rdma-tests
 * A PFC frame that no QbbPauseSender has made.
 *
 * \param from the port that will send it
 * \param classes class-enable vector
 * \param quanta pause time of all classes
 * \return the frame
 */
inline QbbFramePtr
MakeTestPfc(QbbPort& from, uint8_t classes, uint16_t quanta)
{
    QbbFramePtr frame = from.GetPool().Allocate();
    frame->type = QbbFrameType::PFC;
    frame->etherType = QbbWire::ETHERTYPE_MAC_CONTROL;
    frame->size = QbbWire::MIN_FRAME_BYTES;
    frame->dstMac = Mac48Address("01:80:c2:00:00:01");
    frame->srcMac = from.GetMac();
    frame->classEnable = classes;
    frame->quanta.fill(quanta);
    return frame;
}

/**
 * \ingroup rdma-tests
 * Two nodes and a cable of 1 us between them, 100 Gb/s if nothing else is asked for.
 *
 * A byte at 100 Gb/s takes 80 ps. With preamble and gap (20 B) a frame of 1250 B takes
 * 1270 x 80 = 101 600 ps of the line; its last bit arrives (8 + 1250) x 80 = 100 640 ps and the
 * delay after its start.
 */
struct RdmaTestLink
{
    /**
     * \param attributes names of QbbNetDevice's attributes and their values as text
     */
    explicit RdmaTestLink(
        std::initializer_list<std::pair<const char*, const char*>> attributes = {})
    {
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        for (const auto& [name, value] : attributes)
        {
            helper.SetDeviceAttribute(name, StringValue(value));
        }
        nodes.Create(2);
        const NetDeviceContainer ports = helper.Install(nodes);
        a = DynamicCast<QbbNetDevice>(ports.Get(0));
        b = DynamicCast<QbbNetDevice>(ports.Get(1));
        channel = a->GetQbbChannel();
        a->SetSink(&sinkA);
        b->SetSink(&sinkB);
    }

    ~RdmaTestLink()
    {
        Simulator::Destroy();
    }

    RdmaTestLink(const RdmaTestLink&) = delete;
    RdmaTestLink& operator=(const RdmaTestLink&) = delete;

    /** \param at an instant \param what action at that instant */
    template <typename T>
    static void At(RdmaPs at, T what)
    {
        Simulator::Schedule(RdmaToTime(at) - Simulator::Now(), std::move(what));
    }

    /**
     * Puts frames into the queue of a at once.
     *
     * \param at when
     * \param first number of the first
     * \param count how many
     * \param priority their class
     * \param size their bytes
     */
    void SendAt(RdmaPs at, uint32_t first, uint32_t count, uint8_t priority, uint32_t size = 1250)
    {
        At(at, [this, first, count, priority, size]() {
            for (uint32_t i = 0; i < count; ++i)
            {
                a->Enqueue(MakeTestFrame(*a, first + i, priority, size));
            }
        });
    }

    /** \return how long port a was not allowed to send class 3 */
    RdmaPs GetPausedTime() const
    {
        return a->GetFlowControl().GetPauseReceiver().GetPausedTime(3, RdmaNow());
    }

    /** \return frames received at b, as RdmaTestSink::ToText() */
    std::string Arrivals() const
    {
        return RdmaTestSink::ToText(sinkB.arrivals);
    }

    QbbHelper helper;        //!< makes the link
    NodeContainer nodes;     //!< the nodes
    Ptr<QbbNetDevice> a;     //!< one port
    Ptr<QbbNetDevice> b;     //!< the other
    Ptr<QbbChannel> channel; //!< the cable
    RdmaTestSink sinkA;      //!< stands behind a
    RdmaTestSink sinkB;      //!< stands behind b
};

/**
 * \ingroup rdma-tests
 * The reports of a trace source PfcSent or PfcReceived, each as "class:quanta@picoseconds".
 */
class RdmaTestPfcLog
{
  public:
    /** \param port a port \param source its trace source */
    RdmaTestPfcLog(Ptr<QbbNetDevice> port, const std::string& source)
    {
        port->TraceConnectWithoutContext(
            source,
            Callback<void, uint8_t, uint16_t>([this](uint8_t priority, uint16_t quanta) {
                m_text += (m_text.empty() ? "" : " ") + std::to_string(priority) + ":" +
                          std::to_string(quanta) + "@" + std::to_string(RdmaNow().Get());
            }));
    }

    RdmaTestPfcLog(const RdmaTestPfcLog&) = delete;
    RdmaTestPfcLog& operator=(const RdmaTestPfcLog&) = delete;

    /** \return everything so far */
    const std::string& GetText() const
    {
        return m_text;
    }

  private:
    std::string m_text; //!< everything so far
};

} // namespace ns3

#endif /* RDMA_TEST_LINK_H */
