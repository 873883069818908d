/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_PLAN_H
#define RDMA_SONIC_PLAN_H

#include "qbb-pfc-headroom.h"
#include "rdma-sonic-reader.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Buffer plan of a switch, made from a SONiC configuration.
 */
struct RdmaSonicPlan
{
    QbbBufferPlan plan;         //!< complete plan for the ports of the switch
    uint64_t neededBytes{0};    //!< sum of pools, reserves and headroom
    uint64_t memoryBytes{0};    //!< memory of the switch
    std::vector<uint8_t> added; //!< by port: bit mask of lossless classes whose group was added
    bool usesPgLookup{false};   //!< a group was added from pg_profile_lookup.ini
};

/**
 * \ingroup rdma
 * Makes the plan of a switch: adds the lossless groups that buffermgrd adds at run time, and gives
 * sizes to the pools without a size.
 *
 * \param config a configuration with buffers
 * \param which index in the configuration of each port of the switch
 * \param ports the ports of the switch; their masks say which classes are lossless
 * \param bufferBytes memory of the switch; 0: what the configuration requires
 * \return the plan
 * \throws std::invalid_argument as ApplyRdmaSonicConfig()
 */
RdmaSonicPlan MakeRdmaSonicPlan(const RdmaSonicConfig& config,
                                const std::vector<uint32_t>& which,
                                const std::vector<QbbPortProfile>& ports,
                                uint64_t bufferBytes);

/**
 * \ingroup rdma
 * The ports of switches, and their classes, to which a fact applies; for a note.
 */
class RdmaSonicPlaces
{
  public:
    /**
     * \param switchName name of a switch
     * \param portName name of one of its ports
     * \param priority class of the port; no value: the fact applies to the port as a whole
     */
    void Add(const std::string& switchName,
             const std::string& portName,
             std::optional<uint8_t> priority = std::nullopt);

    /** \return true if nothing was added */
    bool IsEmpty() const
    {
        return m_ports.empty();
    }

    /** \return the places in words, as in "classes 3 and 4 on 128 ports of 8 switches" */
    std::string Describe() const;

  private:
    std::set<std::pair<std::string, std::string>> m_ports; //!< names of switches and ports
    std::set<std::string> m_switches;                      //!< names of switches
    std::set<uint8_t> m_classes;                           //!< classes
};

} // namespace ns3

#endif /* RDMA_SONIC_PLAN_H */
