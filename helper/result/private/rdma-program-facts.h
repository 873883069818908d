/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PROGRAM_FACTS_H
#define RDMA_PROGRAM_FACTS_H

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * \return name of the program without its folder, and its arguments; empty where the system does
 *         not tell them
 */
std::vector<std::string> GetRdmaCommand();

/**
 * \ingroup rdma-flow-report
 * \return default values of attributes that differ from those of the classes, by
 *         "ns3::Class::Attribute", whoever has set them (command line, file, environment, script)
 */
std::map<std::string, std::string> GetRdmaChangedDefaults();

/**
 * \ingroup rdma-flow-report
 * \return ns-3's global values by name
 */
std::map<std::string, std::string> GetRdmaGlobals();

/**
 * \ingroup rdma-flow-report
 * \return version of the module ("rdma"), commit of its sources ("commit", with "+" if they were
 *         changed since; empty: unknown), version of ns-3 ("ns-3"), and compiler ("compiler")
 */
std::map<std::string, std::string> GetRdmaVersions();

} // namespace ns3

#endif /* RDMA_PROGRAM_FACTS_H */
