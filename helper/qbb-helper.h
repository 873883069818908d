/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HELPER_H
#define QBB_HELPER_H

#include <ns3/attribute.h>
#include <ns3/net-device-container.h>
#include <ns3/node-container.h>
#include <ns3/object-factory.h>
#include <ns3/trace-helper.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Connects pairs of nodes with a cable: two QbbNetDevices and a QbbChannel.
 *
 *     QbbHelper link;
 *     link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
 *     link.SetChannelAttribute("Delay", StringValue("1us"));
 *     NetDeviceContainer ports = link.Install(host, switchNode);
 *     link.EnablePcap("run", ports, true);
 *
 * The ports hand what comes in to ns-3's stack, if the node has one. For a switch or an RDMA NIC
 * give them to QbbSwitch::AddPort() or RdmaNic::AddPort(); RdmaFabricHelper does so for whole
 * topologies.
 *
 * The constructor sets ns-3's time resolution to femtoseconds, so make the helper before the first
 * Simulator::Run() of the program.
 *
 * **Captures** hold what a capture at a NIC holds: Ethernet frames without preamble and FCS, pause
 * frames included. A sent frame has the time at which its transmission begins, a received one the
 * time at which its last bit has come in; times are rounded down to nanoseconds. A promiscuous
 * capture has all frames that the port sends or sees, the other one leaves out those for another
 * MAC address.
 *
 * **Ascii traces** have a line for each frame and event:
 *
 *     + 0.000001000000 [context] 1086 B 10.0.0.1:49152 > 10.0.0.2:4791 ...
 *
 * The first character says what happened, as in all of ns-3's ascii traces: `+` the frame came to
 * the port to be sent, `-` its transmission begins, `r` a frame for this port has come in, `d` it
 * was dropped, with the reason in brackets at the end of the line. Then come the seconds with
 * picoseconds as decimals, the path of the trace source if several devices share the file, the
 * frame's bytes from MAC address to FCS, and its headers. Pause frames have a `-`, but no `+` and
 * no `r`: they begin and end at the port.
 *
 * Neither changes the result of a run.
 */
class QbbHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /** Link type of Ethernet in capture files (LINKTYPE_ETHERNET). */
    static constexpr uint32_t PCAP_LINK_TYPE = 1;

    /** Sets the time resolution. */
    QbbHelper();
    ~QbbHelper() override = default;

    /**
     * \param name an attribute of QbbNetDevice, but not Address: every port gets one of its own
     * \param value its value for the ports that are made from now on
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param name an attribute of QbbChannel
     * \param value its value for the cables that are made from now on
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param name an attribute of PcapFileWrapper: CaptureSize cuts frames off after so many bytes;
     *        NanosecMode, which is true here, makes timestamps nanoseconds, not microseconds
     * \param value its value for capture files that are made from now on
     */
    void SetPcapAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Connects two nodes. Aborts with a message if it is not two.
     *
     * \param nodes the two nodes
     * \return the two ports, in the order of the nodes
     */
    NetDeviceContainer Install(const NodeContainer& nodes) const;

    /**
     * Connects two nodes.
     *
     * \param a one
     * \param b the other
     * \return the port of \p a and the port of \p b
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b) const;

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> nd,
                             bool explicitFilename) override;

    ObjectFactory m_deviceFactory;  //!< makes ports
    ObjectFactory m_channelFactory; //!< makes cables
    ObjectFactory m_pcapFactory;    //!< makes capture files
};

} // namespace ns3

#endif /* QBB_HELPER_H */
