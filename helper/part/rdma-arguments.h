/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ARGUMENTS_H
#define RDMA_ARGUMENTS_H

#include <map>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Attributes that a program sets by itself, which makes an argument `--ns3::Class::Attribute=`
 * ineffective. Keys: "ns3::Class::Attribute". Values: what the program accepts instead.
 */
using RdmaOwnAttributes = std::map<std::string, std::string>;

/**
 * \ingroup rdma
 * Reads the arguments `--ns3::Class::Attribute=value` of a program that name a class of this
 * module, as ReadRdmaAttribute() reads values. Call this function before CommandLine::Parse()
 * applies the arguments. By itself, ns-3 takes an unknown name of an enumeration for one of its
 * values, "7 apples" for 7, and "-1" for the largest number without a sign.
 *
 * Sets the time resolution (QbbSetTimeResolution()), because times must not be read earlier. Also
 * applies the arguments that concern the simulator, because RdmaSimulatorImpl::Select() creates the
 * simulator before CommandLine::Parse().
 *
 * \param argc number of arguments
 * \param argv the arguments; the first one is the program
 * \param own attributes that the program sets by itself, which arguments must not set
 * \return problem and accepted values of the first wrong argument; empty if no argument is wrong
 */
std::string CheckRdmaArguments(int argc,
                               const char* const* argv,
                               const RdmaOwnAttributes& own = {});

/**
 * \ingroup rdma
 * The first call of a program. Ends the program with a message on standard error and status 2 if
 * CheckRdmaArguments() finds a wrong argument. Otherwise calls RdmaSimulatorImpl::Select(), which
 * "--simulator=default" turns off. With "--SimulatorImplementationType=", Select() is not called:
 * ns-3 creates the simulator with the program's first node, after CommandLine::Parse().
 *
 * When the program ends, a message and status 2 tell if standard output could not be written, as on
 * a full disk.
 *
 * \param argc number of arguments
 * \param argv the arguments; the first one is the program
 * \param own attributes that the program sets by itself, which arguments must not set
 */
void BeginRdmaProgram(int argc, const char* const* argv, const RdmaOwnAttributes& own = {});

} // namespace ns3

#endif /* RDMA_ARGUMENTS_H */
