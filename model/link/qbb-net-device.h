/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "qbb-port.h"
#include "rdma-peak-readers.h"

#include <ns3/data-rate.h>
#include <ns3/net-device-queue-interface.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/traced-callback.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities and priority-based flow control
 * (IEEE 802.1Qbb, part of IEEE 802.1Q as clause 36), as an ns-3 NetDevice: attributes, and the
 * interface to ns-3's stack. The base class QbbPort handles the frames, and states the order of
 * calls, where drops are counted, and what happens when the link goes down.
 *
 * Set the attributes, then Attach() the cable, and add the device to a QbbSwitch or an RdmaNic, as
 * QbbHelper and RdmaFabricHelper do. Attributes that both ends of a cable share (DataRate,
 * LineOverhead, FlowControl, PfcClasses) are compared when the simulation starts.
 */
class QbbNetDevice : public NetDevice, public QbbPort
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbNetDevice() = default;

    /**
     * Creates a device without a node, with some of the attributes of this device.
     * RdmaAlikeFactory sets the others.
     *
     * \return the device; null if this object is of a derived class
     */
    Ptr<QbbNetDevice> MakeBare() const;

    /**
     * Connects the device to a cable.
     *
     * \param channel the cable
     * \return always true
     */
    bool Attach(Ptr<QbbChannel> channel);

    /** \param rate the line rate */
    void SetDataRate(DataRate rate);

    /** \return the line rate */
    DataRate GetDataRate() const
    {
        return m_lineRate.GetBitRate().ToDataRate();
    }

    /**
     * TracedCallback signature of RateChange.
     *
     * \param rate rate at which the port sends from now on
     */
    typedef void (*RateCallback)(DataRate rate);

    /** \param text egress scheduler in the form of QbbEgressScheduler::FromText() */
    void SetScheduler(std::string text);

    /** \return text form of the egress scheduler */
    std::string GetScheduler() const
    {
        return m_scheduler.ToText();
    }

    /** \param trust header field that determines the class of a frame */
    void SetTrust(QbbClassifier::Trust trust)
    {
        m_classifier.SetTrust(trust);
    }

    /** \return header field that determines the class of a frame */
    QbbClassifier::Trust GetTrust() const
    {
        return m_classifier.GetTrust();
    }

    /**
     * Gives the device a NetDeviceQueueInterface, unless it has one: ns-3's traffic control asks it
     * whether a class has room for a packet. It has a transmission queue for each class. A queue is
     * stopped while the egress queue of the class has no room for another packet of the largest
     * size (MaxStackQueueBytes) or the link is down, if a queue disc of ns-3 then keeps the
     * packets. Without a queue disc, the device drops the packets and counts them.
     *
     * QbbHelper calls this function for all ports, and RdmaNic for its ports if the node has ns-3's
     * TrafficControlLayer. A NetDeviceQueueInterface by the user needs 8 transmission queues.
     */
    void AddQueueInterface();

    /** \return a new reader of the peaks of the egress queues, for ReadPeaks() */
    RdmaPeakReaders::Reader AddPeakReader()
    {
        return m_peakReaders.Add(TakePeaks(), GetQueueBytes());
    }

    /**
     * \param reader a reader of this device
     * \return by class, greatest length of the egress queue in bytes since the reader's latest
     *         reading, or since AddPeakReader()
     */
    RdmaPeakReaders::Values ReadPeaks(const RdmaPeakReaders::Reader& reader)
    {
        return m_peakReaders.Read(reader, TakePeaks(), GetQueueBytes());
    }

    // QbbPort

    void DeliverToStack(const QbbFrame& frame) override;

    Ptr<NetDevice> GetDevice() override
    {
        return this;
    }

    // NetDevice

    void SetIfIndex(const uint32_t index) override;

    uint32_t GetIfIndex() const final
    {
        return GetDeviceIndex();
    }

    Ptr<Channel> GetChannel() const override
    {
        return GetQbbChannel();
    }

    void SetAddress(Address address) override
    {
        SetMac(Mac48Address::ConvertFrom(address));
    }

    Address GetAddress() const override
    {
        return GetMac();
    }

    bool SetMtu(const uint16_t mtu) override;

    uint16_t GetMtu() const override
    {
        return m_mtu;
    }

    bool IsLinkUp() const override
    {
        return IsUp();
    }

    void AddLinkChangeCallback(Callback<void> callback) override
    {
        m_linkChange.ConnectWithoutContext(callback);
    }

    bool IsBroadcast() const override
    {
        return true;
    }

    Address GetBroadcast() const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool IsMulticast() const override
    {
        return true;
    }

    Address GetMulticast(Ipv4Address multicastGroup) const override
    {
        return Mac48Address::GetMulticast(multicastGroup);
    }

    Address GetMulticast(Ipv6Address addr) const override
    {
        return Mac48Address::GetMulticast(addr);
    }

    bool IsBridge() const override
    {
        return false;
    }

    bool IsPointToPoint() const override
    {
        // Like CsmaNetDevice, this is Ethernet with ARP and broadcast. GlobalRouter would require
        // an Ipv4 object at the other end of a point-to-point link, which switches lack. ns-3's MPI
        // engines take their lookahead from the cables of point-to-point devices alone.
        return GetQbbChannel() && GetQbbChannel()->IsRemote();
    }

    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override
    {
        return SendFrom(packet, GetMac(), dest, protocolNumber);
    }

    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;

    Ptr<Node> GetNode() const override
    {
        return m_node;
    }

    void SetNode(Ptr<Node> node) override;

    bool NeedsArp() const override
    {
        return true;
    }

    void SetReceiveCallback(ReceiveCallback callback) override
    {
        m_receive = callback;
    }

    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override
    {
        m_promiscReceive = callback;
    }

    bool SupportsSendFrom() const override
    {
        return true;
    }

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    QbbNetDevice(const QbbNetDevice& pattern); // for MakeBare()

    void LinkStateChanged() override;
    void RateChanged() override;
    void StackQueueMoved(uint8_t priority, uint32_t bytes) override;
    uint8_t ClassifyItem(Ptr<QueueItem> item) const;
    bool HasRoomForStack(uint8_t priority) const;
    bool HasQueueDisc() const;
    void EnqueueFromStack(QbbFramePtr&& frame);
    void StopStackQueueIfFull(uint8_t priority);
    void CheckStackRouting() const;
    void RefuseWhileRunning(const char* attribute) const;
    void SetLineOverhead(bool overhead);

    bool HasLineOverhead() const
    {
        return m_lineOverhead;
    }

    template <auto setting, typename T>
    void SetFlow(T value);
    template <auto setting, typename T>
    T GetFlow() const;
    void SetDelayedPause(Time delay);
    RdmaPeakReaders::Values TakePeaks();
    RdmaPeakReaders::Values GetQueueBytes() const;

    Time GetDelayedPause() const
    {
        return PicoSeconds(m_flow.GetSettings().reaction.Get());
    }

    void DropMalformed(Ptr<const Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber);

    uint32_t m_maxStackQueueBytes{0}; //!< attribute MaxStackQueueBytes
    /// Transmission queues, by class, of ns-3's traffic control; null: none. Aggregated to the
    /// device.
    NetDeviceQueueInterface* m_queueInterface{nullptr};
    Ptr<Node> m_node;                        //!< node of the device
    ReceiveCallback m_receive;               //!< receive callback of ns-3's stack
    PromiscReceiveCallback m_promiscReceive; //!< promiscuous receive callback of ns-3's stack
    TracedCallback<> m_linkChange;           //!< link-change callbacks
    TracedCallback<DataRate> m_rateChange;   //!< trace source RateChange
    RdmaPeakReaders m_peakReaders;           //!< readers of the peaks of the egress queues
};

} // namespace ns3

#endif /* QBB_NET_DEVICE_H */
