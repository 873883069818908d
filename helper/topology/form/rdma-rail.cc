/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"

#include <ns3/boolean.h>

#include <algorithm>

namespace ns3
{

/**
 * Hosts with several NICs on rails, `rail:2x4x8x4`, `dual-tor:2x4x8x4` or `dual-plane:2x4x8x4`
 * (MakeRdmaRails()).
 */
class RdmaRail : public RdmaTopologyBuilder
{
  public:
    static constexpr uint32_t MAX_NICS = 64;          //!< of a host
    static constexpr uint32_t MAX_PLANES = 16;        //!< ports of a NIC to different planes
    static constexpr uint32_t MAX_LEAVES_PER_NIC = 2; //!< ports of a NIC to one plane

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaRail>(
                "ns3::RdmaRail",
                {{"Units",
                  "Scalable units: groups of hosts on the same leaves.",
                  2,
                  &RdmaRail::m_units},
                 {"HostsPerUnit", "Hosts of a unit.", 4, &RdmaRail::m_hostsPerUnit},
                 {"Nics", "NICs of a host.", 2, &RdmaRail::m_nics, 1, MAX_NICS},
                 {"Spines",
                  "Spine switches of each plane; with CrossRails=false, of each rail of each "
                  "plane. "
                  "0: none, for one unit with CrossRails=false.",
                  2,
                  &RdmaRail::m_spines,
                  0},
                 {"Rails",
                  "Rails: leaves of a unit in each plane, or pairs of leaves with LeavesPerNic=2. "
                  "NIC "
                  "k of each host is on rail k modulo Rails. 0: as many as Nics; 1: all NICs of a "
                  "host are on one leaf.",
                  0,
                  &RdmaRail::m_rails,
                  0,
                  MAX_NICS},
                 {"Planes",
                  "Separate networks of leaves and spines. A NIC has a port, or LeavesPerNic "
                  "ports, "
                  "to each.",
                  1,
                  &RdmaRail::m_planes,
                  1,
                  MAX_PLANES},
                 {"LeavesPerNic",
                  "Leaves to which a NIC is cabled in each plane. 2: dual ToR.",
                  1,
                  &RdmaRail::m_leavesPerNic,
                  1,
                  MAX_LEAVES_PER_NIC}})
                .AddAttribute("Bonded",
                              "All ports of a NIC have one address; false: each port has its own.",
                              BooleanValue(false),
                              MakeBooleanAccessor(&RdmaRail::m_bonded),
                              MakeBooleanChecker())
                .AddAttribute(
                    "CrossRails",
                    "Each spine has a link to every leaf of its plane; false: only to the "
                    "leaves of one rail, so that rails meet in hosts alone.",
                    BooleanValue(true),
                    MakeBooleanAccessor(&RdmaRail::m_crossRails),
                    MakeBooleanChecker());
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        RdmaRailSize size;
        size.units = m_units;
        size.hostsPerUnit = m_hostsPerUnit;
        size.nics = m_nics;
        size.spines = m_spines;
        size.rails = m_rails;
        size.planes = m_planes;
        size.leavesPerNic = m_leavesPerNic;
        size.bonded = m_bonded;
        size.crossRails = m_crossRails;
        return MakeRdmaRails(size, rates);
    }

  private:
    uint32_t m_units{2};        //!< attribute Units
    uint32_t m_hostsPerUnit{4}; //!< attribute HostsPerUnit
    uint32_t m_nics{2};         //!< attribute Nics
    uint32_t m_spines{2};       //!< attribute Spines
    uint32_t m_rails{0};        //!< attribute Rails
    uint32_t m_planes{1};       //!< attribute Planes
    uint32_t m_leavesPerNic{1}; //!< attribute LeavesPerNic
    bool m_bonded{false};       //!< attribute Bonded
    bool m_crossRails{true};    //!< attribute CrossRails
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRail);

const RdmaPartName g_rdmaRailName("rail",
                                  RdmaRail::GetTypeId(),
                                  "",
                                  "hosts with several NICs, and a leaf for each NIC of a unit",
                                  {"Units", "HostsPerUnit", "Nics", "Spines"});

const RdmaPartName g_rdmaDualTorName("dual-tor",
                                     RdmaRail::GetTypeId(),
                                     "LeavesPerNic=2|Bonded=true",
                                     "rails where each NIC is a bond of ports to two leaves",
                                     {"Units", "HostsPerUnit", "Nics", "Spines"});

const RdmaPartName g_rdmaDualPlaneName("dual-plane",
                                       RdmaRail::GetTypeId(),
                                       "Planes=2|Bonded=true",
                                       "rails where each NIC is a bond of ports to two planes",
                                       {"Units", "HostsPerUnit", "Nics", "Spines"});

namespace
{

/** Ids of the switches of MakeRdmaRails(). */
struct RailSwitches
{
    RdmaRailSize size;      //!< the fabric
    uint32_t firstLeaf{0};  //!< id of the first leaf
    uint32_t firstSpine{0}; //!< id of the first spine

    /** \return number of groups of spines that have no leaf in common */
    uint32_t GetSpineGroups() const
    {
        return size.planes * (size.crossRails ? 1 : size.rails);
    }

    /** \return id of a leaf */
    uint32_t GetLeaf(uint32_t plane, uint32_t unit, uint32_t rail, uint32_t ofNic) const
    {
        return firstLeaf + ((plane * size.units + unit) * size.rails + rail) * size.leavesPerNic +
               ofNic;
    }

    /** \return id of a spine above the leaves of a rail */
    uint32_t GetSpine(uint32_t plane, uint32_t rail, uint32_t spine) const
    {
        const uint32_t group = size.crossRails ? plane : plane * size.rails + rail;
        return firstSpine + group * size.spines + spine;
    }
};

/** \return "p1-" for switches of plane 1; empty if there is one plane */
std::string
GetPlanePrefix(const RdmaRailSize& size, uint32_t plane)
{
    return size.planes > 1 ? "p" + std::to_string(plane) + "-" : "";
}

void
CheckRails(const RdmaTopologyDraft& draft, const RdmaRailSize& size)
{
    draft.CheckCount("units", size.units);
    draft.CheckCount("hosts per unit", size.hostsPerUnit);
    draft.CheckCount("NICs", size.nics, 1, RdmaRail::MAX_NICS);
    draft.CheckCount("planes", size.planes, 1, RdmaRail::MAX_PLANES);
    draft.CheckCount("leaves per NIC", size.leavesPerNic, 1, RdmaRail::MAX_LEAVES_PER_NIC);
    if (size.rails == 0 || size.nics % size.rails != 0)
    {
        draft.Refuse(
            "rails",
            std::to_string(size.rails) + " with " + std::to_string(size.nics) + " NICs of a host",
            "a number that divides " + std::to_string(size.nics) + ", or 0 for all of them");
    }
    if (size.bonded && size.planes * size.leavesPerNic == 1)
    {
        draft.Refuse("bonded",
                     "true where a NIC has one port",
                     "true with Planes=2 or more, or with LeavesPerNic=2");
    }
    if (!size.crossRails && size.rails == 1)
    {
        draft.Refuse("cross rails", "false with one rail", "false with two or more rails");
    }
    if (size.spines == 0 && (size.units > 1 || size.crossRails))
    {
        draft.Refuse("spines",
                     "0 with " + std::to_string(size.units) +
                         " units and CrossRails=" + (size.crossRails ? "true" : "false"),
                     "1 to " + std::to_string(RdmaTopology::MAX_NODES) +
                         "; 0 with one unit and CrossRails=false");
    }
    draft.CheckCount("spines", size.spines, 0);
}

/** Counts the nodes, links and ports before they are made. */
void
CountRails(RdmaTopologyDraft& draft, const RailSwitches& switches)
{
    const RdmaRailSize& size = switches.size;
    const uint64_t hosts = draft.Multiply(size.units, size.hostsPerUnit);
    const uint64_t nics = draft.Multiply(hosts, size.nics);
    const uint64_t leavesOfUnit = uint64_t{size.rails} * size.leavesPerNic * size.planes;
    const uint64_t leaves = draft.Multiply(size.units, leavesOfUnit);
    const uint64_t spines = draft.Multiply(switches.GetSpineGroups(), size.spines);
    draft.CountNodes(nics);
    draft.CountNodes(leaves);
    draft.CountNodes(spines);
    draft.CountLinks(nics * size.planes * size.leavesPerNic);
    draft.CountLinks(leaves * size.spines);
    draft.CheckPorts(uint64_t{size.hostsPerUnit} * (size.nics / size.rails) + size.spines);
    const uint64_t railsOfSpine = size.crossRails ? size.rails : 1;
    draft.CheckPorts(size.units * railsOfSpine * size.leavesPerNic);
}

} // namespace

RdmaTopology
MakeRdmaRails(const RdmaRailSize& asked, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("rail", rates);
    RailSwitches switches{asked};
    RdmaRailSize& size = switches.size;
    size.rails = asked.rails == 0 ? asked.nics : asked.rails;
    CheckRails(draft, size);
    CountRails(draft, switches);

    const uint32_t hosts = size.units * size.hostsPerUnit;
    draft.AddHosts(hosts);
    draft.AddNics(size.nics, size.bonded);
    switches.firstLeaf = hosts * size.nics;
    switches.firstSpine =
        switches.firstLeaf + size.planes * size.units * size.rails * size.leavesPerNic;
    for (uint32_t plane = 0; plane < size.planes; ++plane)
    {
        for (uint32_t unit = 0; unit < size.units; ++unit)
        {
            for (uint32_t rail = 0; rail < size.rails; ++rail)
            {
                const std::string name = GetPlanePrefix(size, plane) + "leaf-" +
                                         std::to_string(unit) + "-" + std::to_string(rail);
                for (uint32_t ofNic = 0; ofNic < size.leavesPerNic; ++ofNic)
                {
                    draft.AddSwitch(size.leavesPerNic > 1 ? name + "-" + std::to_string(ofNic)
                                                          : name);
                }
            }
        }
    }
    for (uint32_t group = 0; group < switches.GetSpineGroups(); ++group)
    {
        const std::string prefix = size.crossRails
                                       ? GetPlanePrefix(size, group) + "spine"
                                       : GetPlanePrefix(size, group / size.rails) + "spine-" +
                                             std::to_string(group % size.rails);
        draft.AddSwitches(prefix, size.spines);
    }

    for (uint32_t nic = 0; nic < hosts * size.nics; ++nic)
    {
        const uint32_t unit = nic % hosts / size.hostsPerUnit;
        const uint32_t rail = nic / hosts % size.rails;
        for (uint32_t plane = 0; plane < size.planes; ++plane)
        {
            for (uint32_t ofNic = 0; ofNic < size.leavesPerNic; ++ofNic)
            {
                draft.LinkHost(nic, switches.GetLeaf(plane, unit, rail, ofNic));
            }
        }
    }
    for (uint32_t plane = 0; plane < size.planes; ++plane)
    {
        for (uint32_t leaf = 0; leaf < size.units * size.rails * size.leavesPerNic; ++leaf)
        {
            const uint32_t rail = leaf / size.leavesPerNic % size.rails;
            for (uint32_t spine = 0; spine < size.spines; ++spine)
            {
                draft.LinkSwitches(switches.GetLeaf(plane, 0, 0, leaf),
                                   switches.GetSpine(plane, rail, spine));
            }
        }
    }
    return draft.Finish();
}

} // namespace ns3
