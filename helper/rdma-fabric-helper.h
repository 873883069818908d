/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_HELPER_H
#define RDMA_FABRIC_HELPER_H

#include "rdma-fabric.h"
#include "rdma-late-setters.h"
#include "rdma-part.h"
#include "rdma-ps.h"
#include "rdma-queue-pair.h"
#include "rdma-refuse.h"
#include "rdma-topology.h"

#include <ns3/attribute.h>
#include <ns3/ipv4-address.h>
#include <ns3/object-factory.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/rng-stream.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Header field that carries the traffic class of a packet (Guo et al., SIGCOMM 2016, section 3).
 */
enum class RdmaPfcDeployment
{
    DSCP, //!< the DSCP of the IP header, which keeps its value at every hop
    /// The PCP of the 802.1Q tag. Hosts tag frames, switches trust the tag, and routing removes the
    /// tag. The hosts of a switch form one VLAN; links between switches are routed.
    VLAN
};

/**
 * \ingroup rdma
 * Components of a fabric and their attribute values, as set in an RdmaFabricHelper.
 */
struct RdmaFabricSettings
{
    ObjectFactory device;  //!< factory of QbbNetDevice
    ObjectFactory channel; //!< factory of QbbChannel
    ObjectFactory sw;      //!< factory of QbbSwitch
    ObjectFactory routing; //!< factory of QbbRouting
    ObjectFactory ecn;     //!< factory of QbbEcnMarker
    ObjectFactory nic;     //!< factory of RdmaNic
    RdmaPart buffer;       //!< the QbbBufferManager of the switches
    RdmaPart selector;     //!< the QbbPathSelector of the switches, or none
    RdmaPart marker;       //!< the additional QbbMarker of the switches, or none
    RdmaPart detector;     //!< the QbbCongestionDetector of the switches, or none
    RdmaPart transport;    //!< the RdmaTransport of the NICs
    RdmaPart control;      //!< the RdmaCongestionControl of the NICs, or none
    RdmaPart entropy;      //!< the RdmaEntropy of the NICs, or none
    /// Attributes of queue pairs
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> queuePair;
    /// Attributes of the factories that the user has set, as in "QbbEcnMarker::Kmin"
    std::set<std::string> given;
    bool vlan{false}; //!< RdmaPfcDeployment::VLAN is selected
    /// Whether QbbEcnMarker marks packets; no value: if congestion control or entropy needs marks
    std::optional<bool> markEcn;
    bool internet{false};            //!< hosts get the Internet stack of ns-3
    Ipv4Address network{"10.0.0.0"}; //!< IPv4 network of the hosts
    Ipv4Mask mask{"255.0.0.0"};      //!< mask of the network
};

/**
 * \ingroup rdma
 * Refuses a topology whose nodes and links alone need more memory than there is. The system would
 * otherwise end the program, after minutes.
 *
 * \param topology a topology
 * \throws std::invalid_argument for such a topology
 */
void CheckRdmaMemory(const RdmaTopology& topology);

/** Without a path selector, switches choose among equal-cost ports by a hash. */
template <>
inline constexpr const char* RDMA_NO_PART<QbbPathSelector> = "ecmp";

/** Each switch has a buffer manager. */
template <>
inline constexpr const char* RDMA_NO_PART<QbbBufferManager> = "";

/** Each NIC has a transport. */
template <>
inline constexpr const char* RDMA_NO_PART<RdmaTransport> = "";

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
 * Exchangeable components are parts (RdmaPart), which may be given as text: a short name such as
 * "dcqcn-nic", or a class name with attribute values such as "ns3::RdmaDcqcn[G=0.01]". Classes
 * defined by the user are accepted as well. An invalid text, an unknown attribute and a value that
 * an attribute does not take cause std::invalid_argument with a list of accepted values.
 *
 * The constructor calls RdmaSimulatorImpl::Select(), which sets ns-3's time resolution to
 * femtoseconds. Create the helper before the first event is scheduled, and do not call
 * Time::SetResolution() for another unit. Install() calls Select() too, so that a helper serves
 * several simulations with Simulator::Destroy() between them. Attribute values set in the helper
 * apply to everything that later calls of Install() create. A setter that is called after the last
 * Install() has no effect, of which a warning tells when the simulation starts.
 */
class RdmaFabricHelper
{
  public:
    /// Upper limit of the argument of SetDelayJitter() (4 ms).
    static constexpr RdmaPs MAX_DELAY_JITTER = 4_ms;

    /** Sets ns-3's time resolution to femtoseconds and selects the simulator. */
    RdmaFabricHelper();

    /** \param name an attribute of QbbNetDevice \param value value for all ports */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value)
    {
        SetChecked(Change("SetDeviceAttribute", name).device, name, value);
    }

    /**
     * Sets the attributes Trust, TagFrames and RoutedPort of all ports.
     *
     * \param deployment header field that carries the traffic class; DSCP is the default
     */
    void SetPfcDeployment(RdmaPfcDeployment deployment)
    {
        Change("SetPfcDeployment").vlan = deployment == RdmaPfcDeployment::VLAN;
    }

    /** \param name an attribute of QbbChannel \param value value for all cables */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value)
    {
        SetChecked(Change("SetChannelAttribute", name).channel, name, value);
    }

    /** \param name an attribute of QbbSwitch \param value value for all switches */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value)
    {
        SetChecked(Change("SetSwitchAttribute", name).sw, name, value);
    }

    /** \param name an attribute of QbbRouting \param value value of the attribute */
    void SetRoutingAttribute(const std::string& name, const AttributeValue& value)
    {
        SetChecked(Change("SetRoutingAttribute", name).routing, name, value);
    }

    /** \param selector the QbbPathSelector of every switch, or "ecmp" (default) */
    void SetPathSelector(const RdmaPartOf<QbbPathSelector>& selector)
    {
        Change("SetPathSelector").selector = selector;
    }

    /** \param name an attribute of the path selector \param value value for all switches */
    void SetPathSelectorAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::selector, "SetPathSelector", name, value);
    }

    /** \param marker a QbbMarker for every switch, or "none"; with EnableEcn() or SetEcnAttribute()
     * in addition to QbbEcnMarker */
    void SetMarker(const RdmaPartOf<QbbMarker>& marker)
    {
        Change("SetMarker").marker = marker;
    }

    /** \param name attribute of the marker of SetMarker() \param value value for all switches */
    void SetMarkerAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::marker, "SetMarker", name, value);
    }

    /** \param detector the QbbCongestionDetector of every switch, or "none"; with EnableEcn() or
     * SetEcnAttribute() in addition to QbbEcnMarker */
    void SetCongestionDetector(const RdmaPartOf<QbbCongestionDetector>& detector)
    {
        Change("SetCongestionDetector").detector = detector;
    }

    /** \param name attribute of the congestion detector \param value value for all switches */
    void SetCongestionDetectorAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::detector, "SetCongestionDetector", name, value);
    }

    /** \param buffer the QbbBufferManager of every switch */
    void SetBufferManager(const RdmaPartOf<QbbBufferManager>& buffer)
    {
        Change("SetBufferManager").buffer = buffer;
    }

    /** \param name attribute of the buffer manager \param value value for all switches */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::buffer, "SetBuffer", name, value);
    }

    /**
     * Sets an attribute of QbbEcnMarker and enables ECN marking in all switches.
     *
     * \param name an attribute of QbbEcnMarker
     * \param value value of the attribute
     */
    void SetEcnAttribute(const std::string& name, const AttributeValue& value)
    {
        RdmaFabricSettings& settings = Change("SetEcnAttribute", name);
        settings.markEcn = true;
        SetChecked(settings.ecn, name, value);
        settings.given.insert(settings.ecn.GetTypeId().GetName() + "::" + name);
    }

    /**
     * Says whether QbbEcnMarker marks packets in all switches. Without this call and without
     * SetEcnAttribute(), it does if the congestion control or the entropy of the NICs needs marks
     * (RdmaCongestionControl::GetMarking(), RdmaEntropy::GetMarking()), and neither a congestion
     * detector nor a marker of SetMarker() is set.
     *
     * \param enable true: switches mark ECN-capable packets. False: they do not; Install() then
     *        refuses a congestion control or an entropy that needs marks, unless a marker or a
     *        congestion detector is set.
     */
    void EnableEcn(bool enable)
    {
        Change("EnableEcn").markEcn = enable;
    }

    /**
     * Selects the transport. GetRdmaBdpPackets() computes the bandwidth-delay product from the
     * topology for transports that need it, such as IrnTransport with BdpFc and without BdpCap.
     * The fabric sets the retransmission timers (RdmaFabricTimers), unless the user sets them.
     *
     * \param transport the RdmaTransport of all NICs
     */
    void SetTransport(const RdmaPartOf<RdmaTransport>& transport)
    {
        Change("SetTransport").transport = transport;
    }

    /** \param name an attribute of the transport \param value value for all NICs */
    void SetTransportAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::transport, "SetTransport", name, value);
    }

    /**
     * Selects the congestion control. Install() also makes the settings that the algorithm needs,
     * unless the user has made them: ECN marks (EnableEcn()), the marking step of DCTCP
     * (GetRdmaDctcpStep()) and RdmaNic::CnpInterval (RdmaCongestionControl::GetCnpInterval()).
     * Install() throws std::invalid_argument if the algorithm looks at each acknowledgement
     * (RdmaCongestionControl::NeedsEachAck()), and the transport acknowledges several packets at
     * once.
     *
     * \param control the RdmaCongestionControl of all NICs, or "none", the default
     */
    void SetCongestionControl(const RdmaPartOf<RdmaCongestionControl>& control)
    {
        Change("SetCongestionControl").control = control;
    }

    /** \param name attribute of the congestion control \param value value for all NICs */
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::control, "SetCongestionControl", name, value);
    }

    /**
     * Selects how the NICs choose the UDP source ports of packets. Unless the script does,
     * Install() sets RdmaNic::EchoSourcePort of all NICs. It makes the switches mark as
     * RdmaEntropy::GetMarking() says, if the congestion control needs no marks.
     *
     * \param entropy the RdmaEntropy of all NICs, or "none", the default: a port for each queue
     * pair
     */
    void SetEntropy(const RdmaPartOf<RdmaEntropy>& entropy)
    {
        Change("SetEntropy").entropy = entropy;
    }

    /** \param name attribute of the entropy \param value value for all NICs */
    void SetEntropyAttribute(const std::string& name, const AttributeValue& value)
    {
        SetOfPart(&RdmaFabricSettings::entropy, "SetEntropy", name, value);
    }

    /** \param name an attribute of RdmaNic \param value value for all NICs */
    void SetNicAttribute(const std::string& name, const AttributeValue& value)
    {
        RdmaFabricSettings& settings = Change("SetNicAttribute", name);
        SetChecked(settings.nic, name, value);
        settings.given.insert(settings.nic.GetTypeId().GetName() + "::" + name);
    }

    /** \param name an attribute of RdmaQueuePair \param value value for all queue pairs */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
    {
        Change("SetQueuePairAttribute", name)
            .queuePair.emplace_back(name,
                                    CheckRdmaAttribute(RdmaQueuePair::GetTypeId(), name, value));
    }

    /**
     * Sets the network of the hosts. A further fabric of a simulation gets the next network of this
     * size if another fabric has addresses of the hosts: 11.0.0.0 after the default 10.0.0.0.
     *
     * \param network IPv4 network of the hosts, whose addresses are assigned in ascending order
     * \param mask mask of \p network
     */
    void SetAddressRange(Ipv4Address network, Ipv4Mask mask);

    /**
     * \param install true: hosts get ns-3's Internet stack in addition to the NIC, with the
     *        addresses of the NIC; false, the default: hosts have no Internet stack
     */
    void SetInternetStack(bool install)
    {
        Change("SetInternetStack").internet = install;
    }

    /**
     * Sets defaults of ns-3's TCP and ARP for a datacentre: segments that fill packets of 1500
     * bytes, send and receive buffers of 4 MiB, a minimum retransmission timeout of 1 ms, and ARP
     * requests without their random delay of up to 10 ms. A default that the user has set, for
     * instance on the command line, stays. Call this function before Install().
     */
    static void SetTcpDefaults();

    /**
     * Adds a random delay to each cable, as real cables differ in length. Both directions of a
     * cable get equal delays. RdmaFabric::GetTopology() reports the resulting delays.
     *
     * \param jitter largest additional delay, in whole picoseconds, at most MAX_DELAY_JITTER; 0,
     *        the default: no additional delay
     */
    void SetDelayJitter(Time jitter);

    /**
     * Assigns a fixed random stream to the delays of SetDelayJitter().
     *
     * \param stream first random stream to use
     * \return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Builds the fabric. Aborts with a message if the topology is not a valid fabric.
     *
     * \param topology hosts, switches and links
     * \return the fabric
     */
    Ptr<RdmaFabric> Install(const RdmaTopology& topology) const;

  private:
    /** \param topology a topology \return a copy with random additions to the link delays */
    RdmaTopology AddDelayJitter(const RdmaTopology& topology) const;

    /**
     * \param setter name of the calling setter
     * \param attribute the attribute that it sets, if any
     * \return the settings, to be changed
     */
    RdmaFabricSettings& Change(const std::string& setter, const std::string& attribute = "")
    {
        m_late.NoteSetterCall(setter + "(" + attribute + ")");
        return m_settings;
    }

    /** Sets an attribute of a factory. \throws std::invalid_argument for a wrong name or value */
    static void SetChecked(ObjectFactory& factory,
                           const std::string& name,
                           const AttributeValue& value)
    {
        factory.Set(name, *CheckRdmaAttribute(factory.GetTypeId(), name, value));
    }

    /**
     * Sets an attribute of a part.
     *
     * \param part the part
     * \param setter name of the setter that selects the part
     * \param name name of the attribute
     * \param value value of the attribute
     * \throws std::invalid_argument for a part that is not selected, a wrong name, or a wrong value
     */
    void SetOfPart(RdmaPart RdmaFabricSettings::*part,
                   const std::string& setter,
                   const std::string& name,
                   const AttributeValue& value)
    {
        RdmaPart& selected = Change(setter + "Attribute", name).*part;
        RefuseRdmaIf(selected.IsNone(),
                     setter,
                     "Attribute(",
                     name,
                     ") without a part; accepted: after ",
                     setter,
                     "()");
        selected.Set(name, value);
    }

    /**
     * Random additions to cable delays. ns-3 takes about 10 ms for the first generator of a
     * process, therefore the first draw makes the generator.
     */
    struct DelayRandom
    {
        uint64_t stream{RngSeedManager::GetNextStreamIndex()}; //!< stream as RngStream counts them
        std::unique_ptr<RngStream>
            generator; //!< generator of the stream; null before the first draw
    };

    RdmaLateSetters m_late{"RdmaFabricHelper"}; //!< warns of setters after Install()
    RdmaFabricSettings m_settings;              //!< components and attribute values of fabrics
    RdmaPs m_delayJitter{0};                    //!< largest random addition to the delay of a cable
    std::shared_ptr<DelayRandom> m_delayRandom; //!< shared with copies of the helper
};

} // namespace ns3

#endif /* RDMA_FABRIC_HELPER_H */
