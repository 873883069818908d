/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-htsim-topology.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-simai-topology.h"
#include "rdma-text-file.h"
#include "rdma-topology-builder.h"
#include "rdma-topology-reader.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

#include <ns3/string.h>

namespace ns3
{

/**
 * A topology from a file, `file:PATH`, with the file's own rates: the format of the HPCC simulator
 * (ParseRdmaTopology()), .topo of htsim (ParseRdmaHtsimTopology()), or SimAI's
 * (ParseRdmaSimaiTopology()).
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
                              "The file, in the format of the HPCC simulator, .topo of "
                              "htsim, or SimAI's.",
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
        if (IsRdmaHtsimTopology(m_path, text))
        {
            return ParseRdmaHtsimTopology(text, m_path);
        }
        return IsRdmaSimaiTopology(text) ? ReadSimai(text) : ParseRdmaTopology(text, m_path);
    }

    bool HasOwnRates() const override
    {
        return true;
    }

  private:
    /** \return the topology of a file of SimAI; a note says what is left out */
    RdmaTopology ReadSimai(const std::string& text) const
    {
        const RdmaSimaiTopology simai = ParseRdmaSimaiTopology(text, m_path);
        if (!simai.nvLinks.empty())
        {
            const RdmaTopologyLink& first = simai.nvLinks.front();
            GetRdmaWarnings() << "rdma: note: " << m_path << ": " << simai.nvSwitches
                              << " NVSwitches with " << simai.nvLinks.size()
                              << " links to GPUs left out (the first: "
                              << FormatRdmaRate(first.rate) << ", " << FormatRdmaTime(first.delay)
                              << "); traffic between GPUs of a server does not enter the fabric\n";
        }
        return simai.topology;
    }

    std::string m_path; //!< attribute Path
};

NS_OBJECT_ENSURE_REGISTERED(RdmaTopologyFile);

const RdmaPartName g_rdmaTopologyFileName(
    "file",
    RdmaTopologyFile::GetTypeId(),
    "",
    "a file in the format of the HPCC simulator, .topo of htsim, or SimAI's",
    {"Path*"});

} // namespace ns3
