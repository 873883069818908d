/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_PLACES_H
#define RDMA_SONIC_PLACES_H

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * The ports of switches, and their classes, to which a fact applies; for a note.
 */
class RdmaSonicPlaces
{
  public:
    /** \param switchName name of a switch \param portName name of one of its ports */
    void AddPort(const std::string& switchName, const std::string& portName);

    /** \param priority a class of the ports */
    void AddClass(uint8_t priority);

    /** \return true if no port was added */
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

#endif /* RDMA_SONIC_PLACES_H */
