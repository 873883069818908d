/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-workload.h"

#include "rdma-time.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

#include <ns3/double.h>

#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaWorkload);

TypeId
RdmaWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaWorkload").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

RdmaWorkload::RdmaWorkload()
{
    RdmaSetTimeResolution();
}

std::optional<RdmaFlowWindow>
RdmaWorkload::GetWindow() const
{
    return std::nullopt;
}

std::vector<RdmaFlowDependency>
RdmaWorkload::GetDependencies() const
{
    return {};
}

std::vector<RdmaFlow>
RdmaWorkload::MakeIndependentFlows(const RdmaTopology& topology)
{
    std::vector<RdmaFlow> flows = MakeFlows(topology);
    if (const auto dependencies = GetDependencies(); !dependencies.empty())
    {
        throw std::invalid_argument(
            "flow " + std::to_string(dependencies.front().flow) +
            " waits for others, which a list of flows does not say; accepted: flows that do not "
            "wait, or both of RdmaWorkload::MakeFlows() and GetDependencies()");
    }
    return flows;
}

std::vector<RdmaFlow>
RdmaWorkload::MakeMoreFlows(const RdmaTopology& /* topology */, RdmaPs /* until */)
{
    return {};
}

int64_t
RdmaWorkload::AssignStreams(int64_t /* stream */)
{
    return 0;
}

void
RdmaWorkload::Refuse(const std::string& attribute,
                     const std::string& value,
                     const std::string& accepted) const
{
    throw std::invalid_argument(GetInstanceTypeId().GetName() + ": " + attribute + " " + value +
                                "; accepted: " + accepted);
}

Ptr<RdmaWorkload>
MakeRdmaWorkload(const RdmaPart& workload)
{
    const auto maker = workload.Create<RdmaWorkload>();
    maker->AssignStreams(RdmaWorkload::FIRST_STREAM);
    DoubleValue load;
    if (maker->GetAttributeFailSafe("Load", load) && load.Get() > 1)
    {
        GetRdmaWarnings() << "rdma: note: a load of " << FormatRdmaReal(load.Get()) << " is "
                          << FormatRdmaReal(load.Get()) << " times the line rate of the hosts\n";
    }
    return maker;
}

std::vector<RdmaFlow>
MakeRdmaFlows(const RdmaPart& workload, const RdmaTopology& topology)
{
    return MakeRdmaWorkload(workload)->MakeIndependentFlows(topology);
}

std::vector<RdmaFlow>
MakeRdmaFlows(const std::string& workload, const RdmaTopology& topology)
{
    RdmaSetTimeResolution(); // must precede parsing of times
    return MakeRdmaFlows(RdmaPart::Parse(workload, RdmaWorkload::GetTypeId()), topology);
}

} // namespace ns3
