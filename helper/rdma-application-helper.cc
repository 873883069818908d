/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-application-helper.h"

#include "rdma-client.h"
#include "rdma-nic.h"
#include "rdma-part.h"

#include <ns3/abort.h>
#include <ns3/node.h>
#include <ns3/uinteger.h>

namespace ns3
{

RdmaApplicationHelper::RdmaApplicationHelper(TypeId type)
{
    m_factory.SetTypeId(type);
}

void
RdmaApplicationHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, *CheckRdmaAttribute(m_factory.GetTypeId(), name, value));
}

ApplicationContainer
RdmaApplicationHelper::Install(Ptr<Node> node) const
{
    NS_ABORT_MSG_IF(!node->GetObject<RdmaNic>(),
                    "rdma: " << m_factory.GetTypeId().GetName() << " on node " << node->GetId()
                             << ", which has no RdmaNic");
    auto application = m_factory.Create<Application>();
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
RdmaApplicationHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(Install(*node));
    }
    return applications;
}

RdmaServerHelper::RdmaServerHelper(uint16_t port)
    : RdmaApplicationHelper(RdmaServer::GetTypeId())
{
    SetAttribute("Port", UintegerValue(port));
}

RdmaClientHelper::RdmaClientHelper(Ipv4Address address, uint16_t port)
    : RdmaApplicationHelper(RdmaClient::GetTypeId())
{
    SetAttribute("RemoteAddress", Ipv4AddressValue(address));
    SetAttribute("RemotePort", UintegerValue(port));
}

RdmaClientHelper::RdmaClientHelper(Ptr<RdmaServer> server)
    : RdmaClientHelper(server->GetNode()->GetObject<RdmaNic>()->GetAddress(0), server->GetPort())
{
}

} // namespace ns3
