/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-placement.h"
#include "rdma-text-file.h"

#include <ns3/string.h>

#include <algorithm>
#include <unordered_map>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Placement `file:PATH`: a CSV file with the header `job,host` or `job,host,nic` and a line for
 * each rank of each job, in the order of the ranks:
 *
 *     job,host,nic
 *     0,host-3,0
 *     0,host-3,1
 *     0,7,0
 *     0,7,1
 *
 * Jobs are numbered from 0. A host is an id or a name of the topology. The hosts of a job are those
 * of its lines, in the order in which they first appear. Without the column nic, the first line of
 * a host in a job is NIC 0, the next one NIC 1, and NIC 0 follows the last NIC. Different jobs may
 * share hosts.
 */
class RdmaFilePlacement : public RdmaPlacement
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaFilePlacement")
                                .SetParent<RdmaPlacement>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaFilePlacement>()
                                .AddAttribute("Path",
                                              "Path of the CSV file: job, host and optionally nic "
                                              "of each rank.",
                                              StringValue(""),
                                              MakeStringAccessor(&RdmaFilePlacement::m_path),
                                              MakeStringChecker());
        return tid;
    }

  protected:
    std::vector<std::vector<uint32_t>> ChooseHosts(const RdmaTopology& topology,
                                                   const std::vector<RdmaJobSize>& jobs) override
    {
        Read(topology);
        if (m_ranks.size() != jobs.size())
        {
            Refuse("Path",
                   m_path + " has " + std::to_string(m_ranks.size()) + " jobs",
                   "a file of " + std::to_string(jobs.size()) +
                       (jobs.size() == 1 ? " job" : " jobs"));
        }
        std::vector<std::vector<uint32_t>> chosen;
        for (const auto& ranks : m_ranks)
        {
            std::vector<uint32_t> hosts;
            for (const RdmaRankPlace& rank : ranks)
            {
                if (std::find(hosts.begin(), hosts.end(), rank.host) == hosts.end())
                {
                    hosts.push_back(rank.host);
                }
            }
            const uint32_t asked = jobs[chosen.size()].hosts;
            if (asked != 0 && asked != hosts.size())
            {
                Refuse("Path",
                       m_path + " has " + std::to_string(hosts.size()) + " hosts for job " +
                           std::to_string(chosen.size()),
                       std::to_string(asked));
            }
            chosen.push_back(hosts);
        }
        return chosen;
    }

    std::vector<RdmaRankPlace> ChooseRanks(const RdmaTopology& /* topology */,
                                           uint32_t job,
                                           const std::vector<uint32_t>& /* hosts */,
                                           uint32_t ranks) const override
    {
        if (m_ranks[job].size() != ranks)
        {
            Refuse("Path",
                   m_path + " has " + std::to_string(m_ranks[job].size()) + " ranks for job " +
                       std::to_string(job),
                   std::to_string(ranks));
        }
        return m_ranks[job];
    }

  private:
    void Read(const RdmaTopology& topology)
    {
        if (m_path.empty())
        {
            Refuse("Path", "''", "the path of a file, as in file:PATH");
        }
        const std::string text = ReadRdmaFile(m_path);
        RdmaLineReader lines(text, m_path, RdmaLineReader::Separator::COMMA);
        lines.Require("job,host or job,host,nic");
        const std::vector<std::string> header = lines.GetFields();
        const bool hasNic = header == std::vector<std::string>{"job", "host", "nic"};
        if (!hasNic && header != std::vector<std::string>{"job", "host"})
        {
            lines.Fail("header",
                       QuoteRdmaText(header.front()) + " ...",
                       "job,host or job,host,nic");
        }
        std::unordered_map<std::string, uint32_t> hostOf;
        for (const uint32_t host : topology.GetHosts())
        {
            hostOf.emplace(topology.GetNode(host).name, host);
            hostOf.emplace(std::to_string(host), host);
        }
        m_ranks.clear();
        std::vector<std::unordered_map<uint32_t, uint32_t>> lineOf; // lines of each job's hosts
        while (lines.Next())
        {
            lines.RequireFields(header.size(), hasNic ? "job,host,nic" : "job,host");
            const auto job =
                static_cast<std::size_t>(lines.GetInteger(0, "job", 0, m_ranks.size()));
            m_ranks.resize(std::max(m_ranks.size(), job + 1));
            lineOf.resize(m_ranks.size());
            const auto found = hostOf.find(lines.GetFields()[1]);
            if (found == hostOf.end())
            {
                lines.Fail("host",
                           QuoteRdmaText(lines.GetFields()[1]) + " is no host of the topology",
                           "the id or the name of one of the " +
                               std::to_string(topology.GetHosts().size()) + " hosts");
            }
            const uint32_t host = found->second;
            const auto nics = static_cast<uint32_t>(topology.GetNics(host).size());
            const uint32_t line = lineOf[job][host]++;
            const uint32_t nic =
                hasNic ? static_cast<uint32_t>(lines.GetInteger(2, "nic", 0, nics - 1))
                       : line % nics;
            m_ranks[job].push_back({host, nic});
        }
        if (m_ranks.empty())
        {
            lines.FailFile("", "no line after the header; accepted: a line for each rank");
        }
    }

    std::string m_path;                              //!< attribute Path
    std::vector<std::vector<RdmaRankPlace>> m_ranks; //!< places of the ranks, by job
};

NS_OBJECT_ENSURE_REGISTERED(RdmaFilePlacement);

const RdmaPartName g_rdmaFilePlacementName("file",
                                           RdmaFilePlacement::GetTypeId(),
                                           "",
                                           "job, host and NIC of each rank from a CSV file",
                                           {"Path*"});

} // namespace ns3
