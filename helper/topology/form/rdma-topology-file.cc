/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-topology-file.h"

#include "rdma-part-name.h"
#include "rdma-topology-reader.h"

#include <ns3/string.h>

#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTopologyFile);

namespace
{

/// Name under which programs take the class.
const RdmaPartName g_rdmaTopologyFileName("file",
                                          RdmaTopologyFile::GetTypeId(),
                                          "",
                                          "a file in the format of the HPCC simulator",
                                          {"Path*"});

} // namespace

TypeId
RdmaTopologyFile::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaTopologyFile")
                            .SetParent<RdmaTopologyBuilder>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaTopologyFile>()
                            .AddAttribute("Path",
                                          "The file, in the format of the HPCC simulator.",
                                          StringValue(""),
                                          MakeStringAccessor(&RdmaTopologyFile::m_path),
                                          MakeStringChecker());
    return tid;
}

RdmaTopology
RdmaTopologyFile::Build(const RdmaTopologyRates& /* rates */) const
{
    if (m_path.empty())
    {
        throw std::invalid_argument("ns3::RdmaTopologyFile: Path ''; accepted: the path of a "
                                    "topology file, as in file:PATH");
    }
    return ReadRdmaTopology(m_path);
}

} // namespace ns3
