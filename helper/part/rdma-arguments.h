/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ARGUMENTS_H
#define RDMA_ARGUMENTS_H

#include <map>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Attributes that a program sets by itself, so that an argument `--ns3::Class::Attribute=` would
 * have no effect: "ns3::Class::Attribute", and what the program accepts instead.
 */
using RdmaOwnAttributes = std::map<std::string, std::string>;

/**
 * \ingroup rdma
 * Reads the arguments `--ns3::Class::Attribute=value` of a program that name a class of this
 * module, as ReadRdmaAttribute() reads values. Call this function before CommandLine::Parse(),
 * which takes the arguments then: ns-3 alone takes an unknown name of an enumeration for one of its
 * values, "7 apples" for 7, and "-1" for the largest number without a sign.
 *
 * Sets the time resolution (QbbSetTimeResolution()), because times must not be read before, and
 * what the arguments say of the simulator, which RdmaSimulatorImpl::Select() makes before
 * CommandLine::Parse().
 *
 * \param argc number of arguments
 * \param argv the arguments; the first one is the program
 * \param own attributes that the program sets by itself, which arguments must not set
 * \return what is wrong and what is accepted, for the first argument that is wrong; empty: none is
 */
std::string CheckRdmaArguments(int argc,
                               const char* const* argv,
                               const RdmaOwnAttributes& own = {});

/**
 * \ingroup rdma
 * The first line of a program: CheckRdmaArguments(), which ends the program with its message on
 * standard error and status 2 if an argument is wrong; then RdmaSimulatorImpl::Select(), which
 * "--simulator=default" turns off. A program that is given "--SimulatorImplementationType=" makes
 * its simulator when it creates its first node, after its CommandLine.
 *
 * \param argc number of arguments
 * \param argv the arguments; the first one is the program
 * \param own attributes that the program sets by itself, which arguments must not set
 */
void BeginRdmaProgram(int argc, const char* const* argv, const RdmaOwnAttributes& own = {});

} // namespace ns3

#endif /* RDMA_ARGUMENTS_H */
