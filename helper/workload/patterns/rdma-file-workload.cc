/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-file-workload.h"

#include "rdma-flow-reader.h"
#include "rdma-part-name.h"

#include <ns3/string.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFileWorkload);

namespace
{

/// Registers the short name `file` of the workload.
const RdmaPartName g_fileWorkloadName("file",
                                      RdmaFileWorkload::GetTypeId(),
                                      "",
                                      "flows from a file, in CSV or HPCC format",
                                      {"Path*"});

} // namespace

TypeId
RdmaFileWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFileWorkload")
                            .SetParent<RdmaWorkload>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFileWorkload>()
                            .AddAttribute("Path",
                                          "Path of the flow file, in CSV or HPCC format.",
                                          StringValue(""),
                                          MakeStringAccessor(&RdmaFileWorkload::m_path),
                                          MakeStringChecker());
    return tid;
}

std::vector<RdmaFlow>
RdmaFileWorkload::MakeFlows(const RdmaTopology& topology)
{
    if (m_path.empty())
    {
        Refuse("Path", "''", "the path of a flow file, as in file:PATH");
    }
    return ReadRdmaFlows(m_path, topology);
}

} // namespace ns3
