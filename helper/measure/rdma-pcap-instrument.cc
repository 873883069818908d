/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-instrument.h"
#include "rdma-part-name.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"

#include <ns3/node-container.h>
#include <ns3/node-list.h>
#include <ns3/string.h>

#include <filesystem>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Captures every port of all nodes to PREFIX-NODE-DEVICE.pcap (QbbHelper): `pcap:PREFIX`.
 */
class RdmaPcapInstrument : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    bool WatchesRanks() const override
    {
        return true; // each rank writes the files of its own ports
    }

  private:
    std::string m_prefix; //!< attribute Prefix
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPcapInstrument);

/// Names under which programs take the class.
const RdmaPartName g_pcapName("pcap",
                              RdmaPcapInstrument::GetTypeId(),
                              "",
                              "capture file for every port: PREFIX-NODE-DEVICE.pcap",
                              {"Prefix"});

TypeId
RdmaPcapInstrument::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPcapInstrument")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaPcapInstrument>()
                            .AddAttribute("Prefix",
                                          "Beginning of the file names, folder included.",
                                          StringValue(""),
                                          MakeStringAccessor(&RdmaPcapInstrument::m_prefix),
                                          MakeStringChecker());
    return tid;
}

void
RdmaPcapInstrument::Begin(Ptr<RdmaFabric>, Ptr<RdmaFlowRunnerBase>)
{
    const std::filesystem::path folder = std::filesystem::path(m_prefix).parent_path();
    std::error_code ignored;
    RefuseRdmaIf(!folder.empty() && !std::filesystem::is_directory(folder, ignored),
                 m_prefix + ": there is no folder " + folder.string() +
                     "; accepted: a prefix in one that exists");
    NodeContainer nodes; // nodes of this rank
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        if (RdmaRanks::IsLocal(**it))
        {
            nodes.Add(*it);
        }
    }
    QbbHelper().EnablePcap(m_prefix, nodes, true);
}

} // namespace ns3
