/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_APPLICATION_HELPER_H
#define RDMA_APPLICATION_HELPER_H

#include "rdma-server.h"

#include <ns3/application-container.h>
#include <ns3/attribute.h>
#include <ns3/ipv4-address.h>
#include <ns3/node-container.h>
#include <ns3/object-factory.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Installs RdmaServer applications.
 */
class RdmaServerHelper
{
  public:
    /** \param port attribute Port of the servers */
    explicit RdmaServerHelper(uint16_t port = RdmaServer::DEFAULT_PORT);

    /** \param name an attribute of RdmaServer \param value its value from now on */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /** \param node a node with an RdmaNic \return the server on it */
    ApplicationContainer Install(Ptr<Node> node) const;

    /** \param nodes nodes with an RdmaNic \return a server on each */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    ObjectFactory m_factory; //!< RdmaServer
};

/**
 * \ingroup rdma
 * Installs RdmaClient applications.
 *
 *     RdmaServerHelper servers;
 *     servers.Install(fabric->GetNode(7));
 *     RdmaClientHelper clients(fabric->GetAddress(7));
 *     clients.SetAttribute("Operation", StringValue("Read"));
 *     ApplicationContainer apps = clients.Install(fabric->GetNode(0));
 *     apps.Start(MicroSeconds(10));
 *     Simulator::Run();
 *     RdmaClientResult result = DynamicCast<RdmaClient>(apps.Get(0))->GetResult();
 *
 * Make an RdmaFabricHelper or QbbHelper first: it sets ns-3's time resolution.
 */
class RdmaClientHelper
{
  public:
    /**
     * \param address attribute RemoteAddress of the clients
     * \param port attribute RemotePort of the clients
     */
    explicit RdmaClientHelper(Ipv4Address address, uint16_t port = RdmaServer::DEFAULT_PORT);

    /**
     * \param server the server of the clients; they use the first port of its node's RdmaNic
     */
    explicit RdmaClientHelper(Ptr<RdmaServer> server);

    /** \param name an attribute of RdmaClient \param value its value from now on */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /** \param node a node with an RdmaNic \return the client on it */
    ApplicationContainer Install(Ptr<Node> node) const;

    /** \param nodes nodes with an RdmaNic \return a client on each */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  private:
    ObjectFactory m_factory; //!< RdmaClient
};

} // namespace ns3

#endif /* RDMA_APPLICATION_HELPER_H */
