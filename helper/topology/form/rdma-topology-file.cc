/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-htsim-topology.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-topology-builder.h"
#include "rdma-topology-reader.h"

#include <ns3/string.h>

namespace ns3
{

/**
 * A topology from a file, `file:PATH`, with the file's own rates: the format of the HPCC simulator
 * (ParseRdmaTopology()), or .topo of htsim (ParseRdmaHtsimTopology()).
 */
class RdmaTopologyFile : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaTopologyFile>("ns3::RdmaTopologyFile")
                .AddAttribute("Path",
                              "The file, in the format of the HPCC simulator, or .topo "
                              "of htsim.",
                              StringValue(""),
                              MakeStringAccessor(&RdmaTopologyFile::m_path),
                              MakeStringChecker());
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& /* rates */) const override
    {
        RefuseRdmaIf(m_path.empty(),
                     "ns3::RdmaTopologyFile: Path ''; accepted: the path of a "
                     "topology file, as in file:PATH");
        const std::string text = ReadRdmaFile(m_path);
        return IsRdmaHtsimTopology(m_path, text) ? ParseRdmaHtsimTopology(text, m_path)
                                                 : ParseRdmaTopology(text, m_path);
    }

    bool HasOwnRates() const override
    {
        return true;
    }

  private:
    std::string m_path; //!< attribute Path
};

NS_OBJECT_ENSURE_REGISTERED(RdmaTopologyFile);

const RdmaPartName g_rdmaTopologyFileName(
    "file",
    RdmaTopologyFile::GetTypeId(),
    "",
    "a file in the format of the HPCC simulator, or .topo of htsim",
    {"Path*"});

} // namespace ns3
