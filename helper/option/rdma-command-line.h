/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMMAND_LINE_H
#define RDMA_COMMAND_LINE_H

#include "rdma-option-list.h"

#include <ns3/command-line.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Command line of a program:
 *
 *     int
 *     main(int argc, char* argv[])
 *     {
 *         RdmaCommandLine cmd(__FILE__, "Hosts send to one host.");
 *         uint32_t senders = 4;
 *         Time duration = MilliSeconds(4);
 *         cmd.Add("senders", "hosts that send", senders, {"1", "1000"});
 *         cmd.Add("duration", "simulated time", duration, {"1us"});
 *         return cmd.Run(argc, argv, [&] {
 *             // the simulation
 *             return 0;
 *         });
 *     }
 *
 * The class stands in front of ns-3's CommandLine, which reads values up to the first letter or
 * blank that does not belong to them. The arguments are:
 *
 * - `--name=value` or `--name value` for an option (RdmaOptionList); `--name` alone sets a bool,
 * - `--ns3::Class::Attribute=value` and `--GlobalValue=value` (SetRdmaNs3Argument()),
 * - `--help` or `-h`, and `--version`,
 * - `--PrintAttributes=ns3::Class` and the other arguments of ns3::CommandLine that print, which
 *   ns3::CommandLine performs.
 *
 * One dash is as good as two. Anything else is refused, also an option that is given twice. The
 * order of arguments does not matter: options are set in the order in which they were added, and
 * attributes and global values after them.
 */
class RdmaCommandLine : public RdmaOptionList
{
  public:
    /**
     * Sets the time resolution (RdmaSetTimeResolution()), because times must not be read earlier.
     *
     * \param file source file of the program (`__FILE__`), whose name is the program's name
     * \param usage one-line description of the program
     */
    RdmaCommandLine(const std::string& file, const std::string& usage);

    /**
     * \param own attributes and global values that the program sets by itself, which makes their
     *        arguments errors
     */
    void Sets(const RdmaOwnAttributes& own);

    /**
     * Reads arguments. Prints nothing and ends nothing.
     *
     * \param arguments the arguments, without the program's name and without those that print
     * \throws std::exception with one line that names the wrong argument and what is accepted
     */
    void Read(const std::vector<std::string>& arguments);

    /**
     * Reads the arguments of the program, and calls RdmaSimulatorImpl::Select(), which
     * `--simulator=default` turns off. With `--SimulatorImplementationType=`, ns-3 creates the
     * simulator with the program's first node.
     *
     * Ends the program with one line on standard error and status 2 if an argument is wrong, and
     * with status 0 after printing (`--help`). When the program ends, a line on standard error and
     * status 2 tell if standard output could not be written, as on a full disk.
     *
     * \param argc number of arguments
     * \param argv the arguments; the first one is the program
     */
    void Parse(int argc, const char* const* argv);

    /**
     * Calls Parse() and then the program.
     *
     * \param argc number of arguments
     * \param argv the arguments; the first one is the program
     * \param program the program, which returns its exit status
     * \return status of the program; 2 if it throws a std::exception, whose text is then the only
     *         line on standard error
     */
    int Run(int argc, const char* const* argv, const std::function<int()>& program);

    /** \param os gets the help text */
    void PrintHelp(std::ostream& os) const;

  private:
    /** An argument. */
    struct Argument
    {
        std::string name;  //!< name without dashes
        std::string value; //!< value
    };

    std::vector<Argument> Split(const std::vector<std::string>& arguments) const;
    CommandLine MakeNs3CommandLine() const;
    bool PrintAndEnd(const std::vector<std::string>& arguments) const;
    void CheckSimulator() const;

    std::string m_name;  //!< name of the program
    std::string m_usage; //!< description of the program
};

} // namespace ns3

#endif /* RDMA_COMMAND_LINE_H */
