/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-application-helper.h"

#include "rdma-client.h"
#include "rdma-nic.h"

#include <ns3/abort.h>
#include <ns3/node.h>
#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/** \param factory of applications \param node gets an application \return the application */
ApplicationContainer
InstallOn(const ObjectFactory& factory, Ptr<Node> node)
{
    NS_ABORT_MSG_IF(!node->GetObject<RdmaNic>(),
                    "rdma: " << factory.GetTypeId().GetName() << " on node " << node->GetId()
                             << ", which has no RdmaNic");
    auto application = factory.Create<Application>();
    node->AddApplication(application);
    return ApplicationContainer(application);
}

/** \param factory of applications \param nodes get one application each \return all of them */
ApplicationContainer
InstallOn(const ObjectFactory& factory, const NodeContainer& nodes)
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(InstallOn(factory, *node));
    }
    return applications;
}

} // namespace

RdmaServerHelper::RdmaServerHelper(uint16_t port)
{
    m_factory.SetTypeId(RdmaServer::GetTypeId());
    m_factory.Set("Port", UintegerValue(port));
}

void
RdmaServerHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
RdmaServerHelper::Install(Ptr<Node> node) const
{
    return InstallOn(m_factory, node);
}

ApplicationContainer
RdmaServerHelper::Install(const NodeContainer& nodes) const
{
    return InstallOn(m_factory, nodes);
}

RdmaClientHelper::RdmaClientHelper(Ipv4Address address, uint16_t port)
{
    m_factory.SetTypeId(RdmaClient::GetTypeId());
    m_factory.Set("RemoteAddress", Ipv4AddressValue(address));
    m_factory.Set("RemotePort", UintegerValue(port));
}

RdmaClientHelper::RdmaClientHelper(Ptr<RdmaServer> server)
    : RdmaClientHelper(server->GetNode()->GetObject<RdmaNic>()->GetAddress(0), server->GetPort())
{
}

void
RdmaClientHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
RdmaClientHelper::Install(Ptr<Node> node) const
{
    return InstallOn(m_factory, node);
}

ApplicationContainer
RdmaClientHelper::Install(const NodeContainer& nodes) const
{
    return InstallOn(m_factory, nodes);
}

} // namespace ns3
