/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-simai-topology.h"

#include "rdma-text-file.h"
#include "rdma-topology-lines.h"

#include <optional>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** Reads a file, and makes its topology. */
class SimaiReader
{
  public:
    SimaiReader(const std::string& text, const std::string& fileName)
        : m_lines(text, fileName, RdmaLineReader::Separator::BLANKS)
    {
    }

    RdmaSimaiTopology Read()
    {
        ReadHead();
        AddNodes();
        for (const RdmaTopologyLink& link : ReadRdmaTopologyLinks(m_lines, m_nodes, m_links))
        {
            AddLink(link);
        }
        try
        {
            m_result.topology.Validate();
        }
        catch (const std::invalid_argument& e)
        {
            m_lines.FailFile("", e.what());
        }
        return std::move(m_result);
    }

  private:
    /** What a node of the file is. */
    enum class Kind
    {
        GPU,
        NV_SWITCH,
        SWITCH
    };

    void ReadHead()
    {
        const std::string fields = "nodes gpus-per-server nvswitches switches links gpu-type";
        m_lines.Require(fields);
        m_lines.RequireFields(6, fields);
        m_nodes = m_lines.GetInteger(0, "nodes", 1, RdmaTopology::MAX_NODES);
        m_result.gpusPerServer =
            static_cast<uint32_t>(m_lines.GetInteger(1, "gpus-per-server", 1, m_nodes));
        const uint64_t nvSwitches = m_lines.GetInteger(2, "nvswitches", 0, m_nodes - 1);
        const uint64_t switches = m_lines.GetInteger(3, "switches", 0, m_nodes - 1 - nvSwitches);
        m_links = m_lines.GetInteger(4, "links", 0, RdmaTopology::MAX_LINKS);
        m_result.gpuType = m_lines.GetFields()[5];
        m_result.nvSwitches = static_cast<uint32_t>(nvSwitches);
        m_gpus = m_nodes - nvSwitches - switches;
        if (m_gpus % m_result.gpusPerServer != 0)
        {
            m_lines.Fail("gpus-per-server",
                         std::to_string(m_result.gpusPerServer) + " with " +
                             std::to_string(m_gpus) + " GPUs (nodes less nvswitches and switches)",
                         "a number that divides the number of GPUs");
        }
        m_servers = static_cast<uint32_t>(m_gpus / m_result.gpusPerServer);
        m_ids = ReadRdmaTopologyIds(m_lines, m_nodes, nvSwitches + switches, "switch");
        for (const uint32_t id : m_ids)
        {
            if (id < m_gpus)
            {
                m_lines.Fail("switch id",
                             std::to_string(id) + " is an id of a GPU",
                             std::to_string(m_gpus) + " to " + std::to_string(m_nodes - 1) +
                                 ", because GPUs have the lowest ids");
            }
        }
    }

    void AddNodes()
    {
        RdmaTopology& topology = m_result.topology;
        for (uint32_t server = 0; server < m_servers; ++server)
        {
            topology.AddHost();
        }
        for (uint32_t gpu = 1; gpu < m_result.gpusPerServer; ++gpu)
        {
            for (uint32_t server = 0; server < m_servers; ++server)
            {
                topology.AddNic(server);
            }
        }
        m_kinds.assign(m_nodes, Kind::GPU);
        m_idOf.resize(m_nodes);
        for (uint32_t gpu = 0; gpu < m_gpus; ++gpu)
        {
            m_idOf[gpu] = gpu % m_result.gpusPerServer * m_servers + GetServer(gpu);
        }
        for (std::size_t i = 0; i < m_ids.size(); ++i)
        {
            const bool isNv = i < m_result.nvSwitches;
            m_kinds[m_ids[i]] = isNv ? Kind::NV_SWITCH : Kind::SWITCH;
            m_idOf[m_ids[i]] = isNv ? static_cast<uint32_t>(i)
                                    : topology.AddSwitch("switch-" + std::to_string(m_ids[i]));
        }
        m_serverOf.resize(m_result.nvSwitches);
        m_ports.resize(m_gpus);
    }

    /** Takes a link with the ids of the file. */
    void AddLink(const RdmaTopologyLink& link)
    {
        const auto isKind = [&](Kind kind) {
            return std::pair(m_kinds[link.a] == kind, m_kinds[link.b] == kind);
        };
        const auto [isGpuA, isGpuB] = isKind(Kind::GPU);
        const auto [isNvA, isNvB] = isKind(Kind::NV_SWITCH);
        if ((isNvA && !isGpuB) || (isNvB && !isGpuA))
        {
            Refuse(link, "an NVSwitch has a link to no GPU", "NVSwitches are linked to GPUs alone");
        }
        if (isNvA || isNvB)
        {
            const auto [gpu, nvSwitch] =
                isGpuA ? std::pair(link.a, link.b) : std::pair(link.b, link.a);
            const uint32_t server = GetServer(gpu);
            std::optional<uint32_t>& owner = m_serverOf[m_idOf[nvSwitch]];
            if (owner.value_or(server) != server)
            {
                Refuse(link,
                       "NVSwitch " + std::to_string(nvSwitch) + " joins GPUs of the servers " +
                           std::to_string(*owner) + " and " + std::to_string(server),
                       "NVSwitches of one server each");
            }
            owner = server;
            m_result.nvLinks.push_back(
                {m_idOf[gpu], m_idOf[nvSwitch], link.rate, link.delay, link.errorRate});
            return;
        }
        if (isGpuA && isGpuB && GetServer(link.a) == GetServer(link.b))
        {
            Refuse(link,
                   "joins two GPUs of server " + std::to_string(GetServer(link.a)),
                   "GPUs of one server are linked by NVSwitches alone");
        }
        for (const auto& [node, isGpu] : {std::pair(link.a, isGpuA), std::pair(link.b, isGpuB)})
        {
            if (isGpu && ++m_ports[node] == 2)
            {
                m_result.topology.SetBonded(m_idOf[node]);
            }
        }
        m_result.topology.AddLink(m_idOf[link.a],
                                  m_idOf[link.b],
                                  link.rate,
                                  link.delay,
                                  link.errorRate);
    }

    [[noreturn]] void Refuse(const RdmaTopologyLink& link,
                             const std::string& problem,
                             const std::string& accepted) const
    {
        m_lines.FailFile("link " + std::to_string(link.a) + " " + std::to_string(link.b),
                         problem + "; accepted: " + accepted);
    }

    uint32_t GetServer(uint64_t gpu) const
    {
        return static_cast<uint32_t>(gpu / m_result.gpusPerServer);
    }

    RdmaLineReader m_lines;
    RdmaSimaiTopology m_result;
    uint64_t m_nodes{0};           //!< nodes of the file
    uint64_t m_links{0};           //!< links of the file
    uint64_t m_gpus{0};            //!< GPUs of the file
    uint32_t m_servers{0};         //!< servers of the file
    std::vector<uint32_t> m_ids;   //!< ids of the NVSwitches, then of the switches
    std::vector<Kind> m_kinds;     //!< what the nodes of the file are
    std::vector<uint32_t> m_idOf;  //!< ids in the topology, by id of the file; places of NVSwitches
    std::vector<uint32_t> m_ports; //!< links to the network, by GPU
    std::vector<std::optional<uint32_t>> m_serverOf; //!< servers of the NVSwitches, by place
};

} // namespace

bool
IsRdmaSimaiTopology(const std::string& text)
{
    RdmaLineReader lines(text, "", RdmaLineReader::Separator::BLANKS);
    if (!lines.Next() || lines.GetFields().size() != 6)
    {
        return false;
    }
    const char first = lines.GetFields()[5].front();
    return first < '0' || first > '9';
}

RdmaSimaiTopology
ParseRdmaSimaiTopology(const std::string& text, const std::string& fileName)
{
    return SimaiReader(text, fileName).Read();
}

} // namespace ns3
