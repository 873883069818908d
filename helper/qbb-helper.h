/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HELPER_H
#define QBB_HELPER_H

#include "rdma-late-setters.h"

#include <ns3/attribute.h>
#include <ns3/net-device-container.h>
#include <ns3/node-container.h>
#include <ns3/object-factory.h>
#include <ns3/pcap-file-wrapper.h>
#include <ns3/trace-helper.h>

#include <string>

namespace ns3
{

class QbbNetDevice;

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
 * The ports pass received frames to ns-3's stack if the node has one. To build a switch or an RDMA
 * NIC, pass the ports to QbbSwitch::AddPort() or RdmaNic::AddPort(); RdmaFabricHelper does so for
 * whole topologies.
 *
 * The constructor calls RdmaSimulatorImpl::Select(), which sets ns-3's time resolution to
 * femtoseconds. Create the helper before the first event is scheduled, and do not call
 * Time::SetResolution() for another unit. Install() calls Select() too, so that a helper serves
 * several simulations with Simulator::Destroy() between them.
 *
 * **Captures** contain what a capture at a NIC contains: Ethernet frames without preamble and FCS,
 * including pause frames. The timestamp of a sent frame is the start of its transmission; the
 * timestamp of a received frame is the arrival of its last bit. Timestamps are rounded down to
 * nanoseconds. A promiscuous capture contains every frame that the port sends or receives; a
 * non-promiscuous capture omits received frames that are addressed to another MAC address.
 *
 * **Ascii traces** contain one line for each frame and event:
 *
 *     + 0.000001000000 [context] 1086 B 10.0.0.1:49152 > 10.0.0.2:4791 ...
 *
 * The first character names the event, as in all ascii traces of ns-3: `+` the port accepted the
 * frame for transmission, `-` transmission of the frame begins, `r` the port received a frame
 * addressed to it, `d` the frame was dropped, with the reason in brackets at the end of the line.
 * The other fields are the time in seconds with picosecond digits, the path of the trace source if
 * several devices share the file, the size of the frame in bytes from MAC address to FCS, and the
 * headers of the frame. Pause frames cause `-` lines, but no `+` or `r` lines, because ports
 * generate and consume them.
 *
 * Captures and traces do not change the results of a run.
 */
class QbbHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /** Link type of Ethernet in capture files (LINKTYPE_ETHERNET). */
    static constexpr uint32_t PCAP_LINK_TYPE = 1;

    /** Sets ns-3's time resolution to femtoseconds and selects the simulator. */
    QbbHelper();
    ~QbbHelper() override = default;

    /**
     * \param name an attribute of QbbNetDevice except Address, because every port gets a unique
     *        address
     * \param value value of the attribute in all ports created after this call
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param name an attribute of QbbChannel
     * \param value value of the attribute in all cables created after this call
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value)
    {
        m_late.NoteSetterCall("SetChannelAttribute(" + name + ")");
        m_channelFactory.Set(name, value);
    }

    /**
     * \param name an attribute of PcapFileWrapper: CaptureSize truncates captured frames to a
     *        number of bytes; NanosecMode selects nanosecond instead of microsecond timestamps and
     *        defaults to true in this helper
     * \param value value of the attribute in all capture files created after this call
     */
    void SetPcapAttribute(const std::string& name, const AttributeValue& value)
    {
        m_pcapFactory.Set(name, value);
    }

    /**
     * Connects two nodes. Aborts with a message unless the container holds exactly two nodes.
     *
     * \param nodes the two nodes
     * \return the two ports, in the order of the nodes
     */
    NetDeviceContainer Install(const NodeContainer& nodes) const;

    /**
     * Connects two nodes.
     *
     * \param a one node
     * \param b another node
     * \return the port of \p a and the port of \p b
     */
    NetDeviceContainer Install(Ptr<Node> a, Ptr<Node> b) const;

    /**
     * Begins to capture a port. The port keeps the file open. EnablePcap() and the instrument pcap
     * (RdmaPcapInstrument) call this function.
     *
     * The function adds a frame watcher to the port (QbbPort::AddFrameWatcher()). The watcher turns
     * each frame into its bytes by QbbFrameCodec::Serialize() and writes them. The capture makes no
     * packet of ns-3, so that ports of any thread may be captured. A port that nobody captures has
     * no such watcher; QbbFrameCodec lists who else converts frames.
     *
     * \param port port to capture
     * \param file file with a header
     * \param isPromiscuous true: all frames; false: without received frames for other addresses
     */
    static void Capture(QbbNetDevice& port, Ptr<PcapFileWrapper> file, bool isPromiscuous);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> nd,
                             bool explicitFilename) override;

    RdmaLateSetters m_late{"QbbHelper"}; //!< warns of setters after Install()
    ObjectFactory m_deviceFactory;       //!< factory of the ports
    ObjectFactory m_channelFactory;      //!< factory of the cables
    ObjectFactory m_pcapFactory;         //!< factory of the capture files
};

} // namespace ns3

#endif /* QBB_HELPER_H */
