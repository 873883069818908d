/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ARGUMENTS_H
#define RDMA_ARGUMENTS_H

#include <string>

namespace ns3
{

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
 * \return what is wrong and what is accepted, for the first argument that is wrong; empty: none is
 */
std::string CheckRdmaArguments(int argc, const char* const* argv);

/**
 * \ingroup rdma
 * The first line of a program: CheckRdmaArguments(), which ends the program with its message on
 * standard error and status 2 if an argument is wrong; then RdmaSimulatorImpl::Select(), which
 * "--simulator=default" turns off. A program that is given "--SimulatorImplementationType=" makes
 * its simulator when it creates its first node, after its CommandLine.
 *
 * \param argc number of arguments
 * \param argv the arguments; the first one is the program
 */
void BeginRdmaProgram(int argc, const char* const* argv);

} // namespace ns3

#endif /* RDMA_ARGUMENTS_H */
