/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-reader.h"
#include "rdma-part-name.h"
#include "rdma-workload.h"

#include <ns3/string.h>

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Workload `file:PATH`: reads the flows from a file in a format of ReadRdmaFlows().
 */
class RdmaFileWorkload : public RdmaWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
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

    std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology) override
    {
        if (m_path.empty())
        {
            Refuse("Path", "''", "the path of a flow file, as in file:PATH");
        }
        RdmaFlowList list = ReadRdmaFlows(m_path, topology);
        m_dependencies = std::move(list.dependencies);
        return list.flows;
    }

    std::vector<RdmaFlowDependency> GetDependencies() const override
    {
        return m_dependencies;
    }

  private:
    std::string m_path;                             //!< value of the attribute Path
    std::vector<RdmaFlowDependency> m_dependencies; //!< flows of the file that wait for others
};

NS_OBJECT_ENSURE_REGISTERED(RdmaFileWorkload);

const RdmaPartName g_fileWorkloadName("file",
                                      RdmaFileWorkload::GetTypeId(),
                                      "",
                                      "flows from a file, in CSV or HPCC format",
                                      {"Path*"});

} // namespace ns3
