/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-net-device.h"
#include "rdma-file-error.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-shared-run.h"

#include <ns3/boolean.h>
#include <ns3/node-list.h>
#include <ns3/string.h>
#include <ns3/trace-helper.h>

#include <cerrno>
#include <cstring>
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
    /** Removes the files of a run that did not take place. */
    ~RdmaPcapInstrument() override;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Finish() override;

    bool SupportsSharedRuns() const override
    {
        return true; // each process writes the files of its own ports
    }

  private:
    /** Capture file of a port. */
    struct Capture
    {
        std::string name;          //!< name of the file at the end of the run
        Ptr<PcapFileWrapper> file; //!< the file, whose name until then is GetPartPath()
    };

    static std::string GetPartPath(const std::string& name);
    void Open(const Ptr<QbbNetDevice>& port);

    std::string m_prefix;            //!< attribute Prefix
    std::vector<Capture> m_captures; //!< captures whose files have no name yet
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
        for (uint32_t i = 0; IsRdmaNodeLocal(**it) && i < (*it)->GetNDevices(); ++i)
        {
            const auto port = DynamicCast<QbbNetDevice>((*it)->GetDevice(i));
            if (!port)
            {
                continue;
            }
            Open(port);
        }
    }
    for (const Capture& capture : m_captures)
    {
        std::filesystem::remove(capture.name, ignored);
        std::filesystem::remove(RdmaOutputFile::GetCutPath(capture.name), ignored);
    }
}

void
RdmaPcapInstrument::Open(const Ptr<QbbNetDevice>& port)
{
    const std::string name = PcapHelper().GetFilenameFromDevice(m_prefix, port);
    RdmaOutputFile::Check(name);
    const auto file =
        CreateObjectWithAttributes<PcapFileWrapper>("NanosecMode", BooleanValue(true));
    errno = 0;
    file->Open(GetPartPath(name), std::ios::out);
    file->Init(QbbHelper::PCAP_LINK_TYPE);
    if (file->Fail())
    {
        throw RdmaFileError(name,
                            0,
                            "",
                            std::string("cannot be written") +
                                (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
    }
    m_captures.push_back({name, file});
    QbbHelper::Capture(*port, file, true);
}

RdmaPcapInstrument::~RdmaPcapInstrument()
{
    for (const Capture& capture : m_captures)
    {
        std::error_code ignored;
        std::filesystem::remove(GetPartPath(capture.name), ignored);
    }
}

void
RdmaPcapInstrument::Finish()
{
    std::string incomplete;
    for (const Capture& capture : m_captures)
    {
        capture.file->Close();
        std::error_code error;
        if (capture.file->Fail())
        {
            incomplete = incomplete.empty() ? capture.name : incomplete;
            std::filesystem::remove(GetPartPath(capture.name), error);
            continue;
        }
        std::filesystem::rename(GetPartPath(capture.name),
                                IsCut() ? RdmaOutputFile::GetCutPath(capture.name) : capture.name,
                                error);
        if (error)
        {
            throw RdmaFileError(capture.name, 0, "", "could not be written: " + error.message());
        }
    }
    m_captures.clear();
    if (!incomplete.empty())
    {
        throw RdmaFileError(incomplete, 0, "", "could not be written completely");
    }
}

std::string
RdmaPcapInstrument::GetPartPath(const std::string& name)
{
    return name + ".part";
}

} // namespace ns3
