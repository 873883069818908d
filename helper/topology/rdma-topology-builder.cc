/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-topology-builder.h"

#include "rdma-part.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTopologyBuilder);

TypeId
RdmaTopologyBuilder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaTopologyBuilder").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

Ptr<RdmaTopologyBuilder>
MakeRdmaTopologyBuilder(const std::string& text)
{
    const TypeId kind = RdmaTopologyBuilder::GetTypeId();
    return RdmaPart::Parse(text, kind).Create<RdmaTopologyBuilder>();
}

RdmaTopology
MakeRdmaTopology(const std::string& text, const RdmaTopologyRates& rates)
{
    return MakeRdmaTopologyBuilder(text)->Build(rates);
}

} // namespace ns3
