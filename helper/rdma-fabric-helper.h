/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_HELPER_H
#define RDMA_FABRIC_HELPER_H

#include "qbb-ps.h"
#include "rdma-fabric.h"
#include "rdma-topology.h"

#include <ns3/attribute.h>
#include <ns3/ipv4-address.h>
#include <ns3/object-factory.h>
#include <ns3/random-variable-stream.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Where the class of a packet stands (Guo et al., SIGCOMM 2016, section 3).
 */
enum class RdmaPfcDeployment
{
    DSCP, //!< in the IP header: it is the same at every hop
    /// In the PCP of the 802.1Q tag: hosts tag, switches trust the tag, and tags end where switches
    /// route. The hosts of a switch are one VLAN; links between switches are routed.
    VLAN
};

/**
 * \ingroup rdma
 * Builds a fabric from a topology: nodes, QbbNetDevices and QbbChannels, a QbbSwitch on every
 * switch, an RdmaNic on every host, addresses and routes.
 *
 *     RdmaFabricHelper helper;
 *     helper.SetBufferAttribute("BufferSize", UintegerValue(16 << 20));
 *     Ptr<RdmaFabric> fabric = helper.Install(MakeRdmaLeafSpine(...));
 *     auto [here, there] = fabric->Connect(0, 17);
 *     here->PostSend(...);
 *
 * The constructor sets ns-3's time resolution to femtoseconds, so make the helper first of all.
 * Attributes that are set here apply to everything that Install() makes from then on.
 */
class RdmaFabricHelper
{
  public:
    /// The largest addition to a cable's delay that SetDelayJitter() takes (4 ms).
    static constexpr QbbPs MAX_DELAY_JITTER = 4_ms;

    /** Sets the time resolution. */
    RdmaFabricHelper();

    /** \param name an attribute of QbbNetDevice \param value its value for all ports */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets the attributes Trust, TagFrames and RoutedPort of all ports.
     *
     * \param deployment where the class of a packet stands; DSCP is the default
     */
    void SetPfcDeployment(RdmaPfcDeployment deployment);

    /** \param name an attribute of QbbChannel \param value its value for all cables */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /** \param name an attribute of QbbSwitch \param value its value for all switches */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /** \param name an attribute of QbbRouting \param value its value */
    void SetRoutingAttribute(const std::string& name, const AttributeValue& value);

    /** \param type TypeId name of a QbbPathSelector, of which each switch gets one; none: ECMP */
    void SetPathSelector(const std::string& type);

    /** \param name an attribute of the path selector \param value its value for all switches */
    void SetPathSelectorAttribute(const std::string& name, const AttributeValue& value);

    /** \param type TypeId name of a QbbMarker, of which each switch gets one beside the others */
    void SetMarker(const std::string& type);

    /** \param name an attribute of that marker \param value its value */
    void SetMarkerAttribute(const std::string& name, const AttributeValue& value);

    /** \param type TypeId name of a QbbCongestionDetector, of which each switch gets one */
    void SetCongestionDetector(const std::string& type);

    /** \param name an attribute of the detector \param value its value for all switches */
    void SetCongestionDetectorAttribute(const std::string& name, const AttributeValue& value);

    /** \param type TypeId name of a QbbBufferManager for all switches */
    void SetBufferManager(const std::string& type);

    /** \param name an attribute of the buffer manager \param value its value for all switches */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Turns ECN marking on in all switches.
     *
     * \param name an attribute of QbbEcnMarker
     * \param value its value
     */
    void SetEcnAttribute(const std::string& name, const AttributeValue& value);

    /** \param enable true: switches mark ECN-capable packets; false, the default: they do not */
    void EnableEcn(bool enable);

    /**
     * IrnTransport with BdpFc and without a BdpCap gets one from the topology: GetRdmaBdpPackets().
     *
     * \param type TypeId name of an RdmaTransport for all NICs
     */
    void SetTransport(const std::string& type);

    /** \param name an attribute of the transport \param value its value for all NICs */
    void SetTransportAttribute(const std::string& name, const AttributeValue& value);

    /** \param type TypeId name of an RdmaCongestionControl for all NICs; none unless it is set */
    void SetCongestionControl(const std::string& type);

    /** \param name an attribute of the congestion control \param value its value for all NICs */
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /** \param name an attribute of RdmaNic \param value its value for all NICs */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /** \param name an attribute of RdmaQueuePair \param value its value for all queue pairs */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param network network of the hosts' addresses, which are given out in ascending order
     * \param mask its mask
     */
    void SetAddressRange(Ipv4Address network, Ipv4Mask mask);

    /**
     * \param install true: hosts get ns-3's Internet stack beside the NIC, with the same addresses;
     *        false, the default: they do not
     */
    void SetInternetStack(bool install);

    /**
     * Makes cables differ, as real ones do: each gets a random addition to its delay, the same in
     * both directions. The fabric's topology has the delays with it.
     *
     * \param jitter largest addition, in whole picoseconds, at most MAX_DELAY_JITTER; 0, the
     *        default: none
     */
    void SetDelayJitter(Time jitter);

    /**
     * Fixes the random numbers of SetDelayJitter().
     *
     * \param stream first random stream to use
     * \return streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Aborts with a message if the topology does not make a fabric.
     *
     * \param topology hosts, switches and links
     * \return the fabric
     */
    Ptr<RdmaFabric> Install(const RdmaTopology& topology) const;

  private:
    /** \param topology a topology \return the same with random additions to the delays */
    RdmaTopology AddDelayJitter(const RdmaTopology& topology) const;
    Ptr<RdmaTransport> MakeTransport(const RdmaTopology& topology) const;
    /**
     * \param transport of the queue pairs
     * \param trailer bytes of telemetry
     * \return bytes of a full packet on the line, and of its acknowledgement
     */
    std::pair<uint32_t, uint32_t> GetLineBytes(const RdmaTransport& transport,
                                               uint32_t trailer) const;
    /** Tells what congestion control needs of the whole network. */
    void FinishControl(RdmaFabric& fabric,
                       const RdmaTransport& transport,
                       const RdmaCongestionControl& control) const;
    /** \param fabric its switches get its longest round trip, unless they have one */
    static void SetPintBaseRtt(const RdmaFabric& fabric);
    void InstallLink(RdmaFabric& fabric, uint32_t link) const;
    void InstallHost(RdmaFabric& fabric,
                     uint32_t host,
                     Ptr<RdmaTransport> transport,
                     Ptr<RdmaCongestionControl> control) const;
    void InstallSwitch(RdmaFabric& fabric, uint32_t sw, Ptr<QbbEcnMarker> marker) const;
    void InstallAddresses(RdmaFabric& fabric) const;

    ObjectFactory m_deviceFactory;    //!< QbbNetDevice
    ObjectFactory m_channelFactory;   //!< QbbChannel
    ObjectFactory m_switchFactory;    //!< QbbSwitch
    ObjectFactory m_bufferFactory;    //!< a QbbBufferManager
    ObjectFactory m_routingFactory;   //!< QbbRouting
    ObjectFactory m_selectorFactory;  //!< a QbbPathSelector, if it has a type
    ObjectFactory m_markerFactory;    //!< a QbbMarker, if it has a type
    ObjectFactory m_detectorFactory;  //!< a QbbCongestionDetector, if it has a type
    ObjectFactory m_ecnFactory;       //!< QbbEcnMarker
    ObjectFactory m_transportFactory; //!< an RdmaTransport
    ObjectFactory m_controlFactory;   //!< an RdmaCongestionControl, if it has a type
    ObjectFactory m_nicFactory;       //!< RdmaNic
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_queuePairAttributes; //!< for NICs
    bool m_vlan{false};                       //!< RdmaPfcDeployment::VLAN
    bool m_ecn{false};                        //!< switches mark
    bool m_internet{false};                   //!< hosts get ns-3's stack
    QbbPs m_delayJitter{0};                   //!< largest addition to a cable's delay
    Ptr<UniformRandomVariable> m_delayRandom; //!< these additions
    Ipv4Address m_network;                    //!< network of the hosts
    Ipv4Mask m_mask;                          //!< its mask
};

} // namespace ns3

#endif /* RDMA_FABRIC_HELPER_H */
