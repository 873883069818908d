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
 * Installs applications of one class on nodes with an RdmaNic; aborts with a message for a node
 * without one.
 */
class RdmaApplicationHelper
{
  public:
    /** \param name attribute of the class \param value value for applications installed later */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /** \param node a node with an RdmaNic \return the application on that node */
    ApplicationContainer Install(Ptr<Node> node) const;

    /** \param nodes nodes with an RdmaNic \return one application per node */
    ApplicationContainer Install(const NodeContainer& nodes) const;

  protected:
    /** \param type class of the applications */
    explicit RdmaApplicationHelper(TypeId type);
    ~RdmaApplicationHelper() = default;

  private:
    ObjectFactory m_factory; //!< factory of the applications
};

/**
 * \ingroup rdma
 * Installs RdmaServer applications.
 */
class RdmaServerHelper : public RdmaApplicationHelper
{
  public:
    /** \param port value of the attribute Port of the servers */
    explicit RdmaServerHelper(uint16_t port = RdmaServer::DEFAULT_PORT);
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
 * Create an RdmaFabricHelper or a QbbHelper first, because these helpers set ns-3's time
 * resolution.
 */
class RdmaClientHelper : public RdmaApplicationHelper
{
  public:
    /**
     * \param address value of the attribute RemoteAddress of the clients
     * \param port value of the attribute RemotePort of the clients
     */
    explicit RdmaClientHelper(Ipv4Address address, uint16_t port = RdmaServer::DEFAULT_PORT);

    /** \param server server of the clients, reached at the first port of its node's RdmaNic */
    explicit RdmaClientHelper(Ptr<RdmaServer> server);
};

} // namespace ns3

#endif /* RDMA_APPLICATION_HELPER_H */
