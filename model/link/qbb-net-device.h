/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "qbb-port.h"

#include <ns3/data-rate.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/traced-callback.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities and priority-based flow control
 * (IEEE 802.1Qbb, now IEEE 802.1Q clause 36), as a device of ns-3: attributes, trace sources, and
 * the packets of ns-3's stack. What frames see of the device is a QbbPort.
 */
class QbbNetDevice : public NetDevice, public QbbPort
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * \param channel the cable
     * \return true
     */
    bool Attach(Ptr<QbbChannel> channel);

    /** \param rate the line rate */
    void SetDataRate(DataRate rate);

    /** \return the line rate */
    DataRate GetDataRate() const
    {
        return m_rate.GetBitRate().ToDataRate();
    }

    /** \param text see QbbEgressScheduler::FromText() */
    void SetScheduler(std::string text);

    /** \return the scheduler's text form */
    std::string GetScheduler() const
    {
        return m_scheduler.ToText();
    }

    /** \param trust what gives a frame its class */
    void SetTrust(QbbClassifier::Trust trust)
    {
        m_classifier.SetTrust(trust);
    }

    /** \return what gives a frame its class */
    QbbClassifier::Trust GetTrust() const
    {
        return m_classifier.GetTrust();
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
        m_address = Mac48Address::ConvertFrom(address);
    }

    Address GetAddress() const override
    {
        return m_address;
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
        // Ethernet with ARP and broadcast, as CsmaNetDevice. GlobalRouter asks the other end of a
        // point-to-point link for its Ipv4, and switches have none. ns-3's MPI engines look for
        // true at a channel that crosses ranks; such a channel will need a device of its own.
        return false;
    }

    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override
    {
        return SendFrom(packet, m_address, dest, protocolNumber);
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
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void LinkStateChanged() override;
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

    Time GetDelayedPause() const
    {
        return PicoSeconds(m_flow.GetSettings().reaction.Get());
    }

    void DropMalformed(Ptr<const Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber);

    uint32_t m_maxStackQueueBytes{0};        //!< attribute MaxStackQueueBytes
    Ptr<Node> m_node;                        //!< the node
    ReceiveCallback m_receive;               //!< ns-3's stack
    PromiscReceiveCallback m_promiscReceive; //!< ns-3's stack, promiscuous
    TracedCallback<> m_linkChange;           //!< link-change callbacks
};

} // namespace ns3

#endif /* QBB_NET_DEVICE_H */
