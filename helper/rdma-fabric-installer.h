/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_INSTALLER_H
#define RDMA_FABRIC_INSTALLER_H

#include "rdma-fabric.h"
#include "rdma-part.h"
#include "rdma-topology.h"

#include <ns3/attribute.h>
#include <ns3/ipv4-address.h>
#include <ns3/object-factory.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
    /// Attributes of queue pairs
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> queuePair;
    /// Attributes of the factories that the user has set, as in "QbbEcnMarker::Kmin"
    std::set<std::string> given;
    bool vlan{false}; //!< RdmaPfcDeployment::VLAN is selected
    /// Whether QbbEcnMarker marks packets; no value: if the congestion control needs marks
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

/**
 * \ingroup rdma
 * Builds one fabric for RdmaFabricHelper::Install().
 */
class RdmaFabricInstaller
{
  public:
    /**
     * \param settings components of the fabric; must outlive this object
     * \param topology a valid topology
     */
    RdmaFabricInstaller(const RdmaFabricSettings& settings, const RdmaTopology& topology);

    /** \return the fabric, with routes */
    Ptr<RdmaFabric> Install();

  private:
    void InstallLink(uint32_t link);
    Ptr<QbbNetDevice> InstallPort(const RdmaTopologyLink& link, uint32_t node, uint32_t peer);
    void InstallHost(uint32_t host);
    void InstallSwitch(uint32_t sw);
    void InstallAddresses();
    /**
     * Throws std::invalid_argument if there is no such network.
     *
     * \return the first network, from that of the settings on, whose addresses for the hosts no NIC
     *         of the simulation has
     */
    uint32_t FindNetwork() const;
    void InstallTimers();
    /** Passes properties of the whole network to the transport. */
    void FinishTransport();
    /** Refuses settings that contradict the congestion control, and makes those that it needs. */
    void ServeControl();
    /** Makes the ECN marker of the switches if packets are marked. */
    void MakeMarker(RdmaMarking marking);
    /** \return true if the user has set the attribute of the class, in the helper or by default */
    bool IsGiven(TypeId type, const std::string& attribute) const;
    /** Passes properties of the whole network to the congestion control and the switches. */
    void FinishControl();
    /**
     * Chooses the telemetry format, and refuses rates that the format cannot carry.
     *
     * \param longestRtt longest round trip with records in the format PAPER
     * \return the format, PAPER or EXACT
     */
    RdmaIntFormat ChooseIntFormat(QbbPs longestRtt);
    /** Sets PINT's base RTT of the switches to the fabric's longest RTT unless already set. */
    void SetPintBaseRtt();
    /** \return payload bytes of a full packet */
    uint32_t GetPathMtu() const;
    /**
     * \param trailer bytes of the telemetry trailer
     * \return size on the line, in bytes, of a full packet and of its acknowledgement
     */
    std::pair<uint32_t, uint32_t> GetLineBytes(uint32_t trailer) const;

    const RdmaFabricSettings& m_settings; //!< components of the fabric
    Ptr<RdmaFabric> m_fabric;             //!< the fabric
    Ptr<RdmaTransport> m_transport;       //!< transport of all NICs
    Ptr<RdmaCongestionControl> m_control; //!< congestion control of all NICs, or null
    Ptr<QbbEcnMarker> m_marker;           //!< ECN marker of all switches, or null
    std::optional<QbbPs> m_cnpInterval;   //!< RdmaNic::CnpInterval that the control needs
};

} // namespace ns3

#endif /* RDMA_FABRIC_INSTALLER_H */
