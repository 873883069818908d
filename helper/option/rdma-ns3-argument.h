/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NS3_ARGUMENT_H
#define RDMA_NS3_ARGUMENT_H

#include <map>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma
 * Arguments that ns-3 knows beside a program's own options: default values of attributes
 * (`--ns3::Class::Attribute=value`) and global values (`--RngRun=2`).
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Attributes and global values that a program sets by itself, which makes an argument
 * `--ns3::Class::Attribute=` or `--GlobalValue=` ineffective. Keys: "ns3::Class::Attribute",
 * "GlobalValue". Values: what the program accepts instead.
 */
using RdmaOwnAttributes = std::map<std::string, std::string>;

/**
 * \ingroup rdma
 * \param name name of an argument, without dashes
 * \return true for "ns3::..." and for the name of a global value
 */
bool IsRdmaNs3Argument(const std::string& name);

/**
 * \ingroup rdma
 * \return names of the global values of ns-3 and of its modules
 */
std::vector<std::string> GetRdmaGlobalNames();

/**
 * \ingroup rdma
 * Sets the default value of an attribute, or a global value. Attributes of this module, global
 * values, and the numbers, booleans and enumerations of all modules are read as ReadRdmaAttribute()
 * reads them. By itself, ns-3 takes an unknown name of an enumeration for one of its values,
 * "7 apples" for 7, and "-1" for the largest number without a sign.
 *
 * Needs the time resolution (RdmaSetTimeResolution()), because times must not be read earlier.
 *
 * \param name "ns3::Class::Attribute", or the name of a global value
 * \param value the value
 * \throws std::invalid_argument "--NAME: problem; accepted: ...", with the most similar class or
 *         attribute if the name is unknown
 */
void SetRdmaNs3Argument(const std::string& name, const std::string& value);

/**
 * \ingroup rdma
 * \param name "ns3::Class"
 * \throws std::invalid_argument with the most similar class, if there is no such class
 */
void CheckRdmaClassName(const std::string& name);

} // namespace ns3

#endif /* RDMA_NS3_ARGUMENT_H */
