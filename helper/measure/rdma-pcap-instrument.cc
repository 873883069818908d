/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-net-device.h"
#include "rdma-file-error.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-part-name.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"

#include <ns3/node-list.h>
#include <ns3/string.h>
#include <ns3/trace-helper.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Captures every port of all nodes to PREFIX-NODE-DEVICE.pcap (QbbHelper): `pcap:PREFIX`. The files
 * get these names at the end of the run, or the names of files of a run that a signal has cut
 * (RdmaOutputFile::GetCutPath()).
 */
class RdmaPcapInstrument : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Finish() override;

    bool WatchesRanks() const override
    {
        return true; // each rank writes the files of its own ports
    }

  private:
    static std::string GetPartPath(const std::string& file);

    std::string m_prefix;             //!< attribute Prefix
    std::vector<std::string> m_files; //!< names of the files at the end of the run
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
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        for (uint32_t i = 0; RdmaRanks::IsLocal(**it) && i < (*it)->GetNDevices(); ++i)
        {
            const auto port = DynamicCast<QbbNetDevice>((*it)->GetDevice(i));
            if (!port)
            {
                continue;
            }
            const std::string file = PcapHelper().GetFilenameFromDevice(m_prefix, port);
            std::filesystem::remove(file, ignored);
            std::filesystem::remove(RdmaOutputFile::GetCutPath(file), ignored);
            QbbHelper().EnablePcap(GetPartPath(file), port, true, true);
            m_files.push_back(file);
        }
    }
}

void
RdmaPcapInstrument::Finish()
{
    for (const std::string& file : m_files)
    {
        std::error_code error;
        std::filesystem::rename(GetPartPath(file),
                                IsCut() ? RdmaOutputFile::GetCutPath(file) : file,
                                error);
        if (error)
        {
            throw RdmaFileError(file, 0, "", "could not be written: " + error.message());
        }
    }
}

std::string
RdmaPcapInstrument::GetPartPath(const std::string& file)
{
    return file + ".part";
}

} // namespace ns3
