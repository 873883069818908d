/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_LIST_H
#define RDMA_OPTION_LIST_H

#include <ns3/command-line.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Options of a program, for ns-3's command line, configuration files and presets.
 *
 *     RdmaOptionList list;
 *     list.Add("rate", "rate of the hosts' links", options.rate);
 *     list.ApplyFile("my.conf"); // for instance --rate=40Gbps
 *     list.AddTo(cmd);
 *     cmd.Parse(argc, argv);
 *     list.Save("run.conf", argc, argv);
 *
 * A configuration file has one command-line argument per line: `--rate=40Gbps` for an option,
 * `--ns3::RdmaNic::CnpInterval=4us` for the default value of an attribute. Empty lines and lines
 * that begin with '#' are ignored.
 */
class RdmaOptionList
{
  public:
    /**
     * \param name name of the option
     * \param help one-line description for users
     * \param [in,out] value default value, replaced by the user's value; must outlive the list
     */
    void Add(const std::string& name, const std::string& help, std::string& value);

    /** \copydoc Add(const std::string&,const std::string&,std::string&) */
    void Add(const std::string& name, const std::string& help, uint32_t& value);

    /** \copydoc Add(const std::string&,const std::string&,std::string&) */
    void Add(const std::string& name, const std::string& help, double& value);

    /** \copydoc Add(const std::string&,const std::string&,std::string&) */
    void Add(const std::string& name, const std::string& help, bool& value);

    /** \param cmd command line that gets all options, with their current values as defaults */
    void AddTo(CommandLine& cmd) const;

    /**
     * Sets options and default values of attributes.
     *
     * \param text lines of a configuration file
     * \param file file name for messages
     * \throws RdmaFileError naming file, line and option for an unknown option, with the most
     *         similar known option; for an invalid value; for a line that is not an argument
     */
    void Apply(const std::string& text, const std::string& file);

    /**
     * Calls Apply() with the content of a file.
     *
     * \param file path of the file
     * \throws RdmaFileError under the conditions of Apply(), or if the file cannot be read
     */
    void ApplyFile(const std::string& file);

    /**
     * Writes all options with their values, and the attributes set by Apply(), in the format of
     * ApplyFile().
     *
     * \param file path of the file, which is replaced if it exists
     * \param argc number of arguments of the program
     * \param argv arguments of the program; arguments that set attributes are written as well
     * \throws RdmaFileError if the file cannot be written
     */
    void Save(const std::string& file, int argc, const char* const* argv) const;

  private:
    /** An option of any type. */
    struct Option
    {
        std::string name;                        //!< name of the option
        std::function<void(CommandLine&)> addTo; //!< adds the option to a command line
        /// Sets the value from text; returns false for invalid text
        std::function<bool(const std::string&)> set;
        std::function<std::string()> get; //!< returns the value as text
        std::string accepted;             //!< description of accepted values
    };

    void ApplyAttribute(const std::string& argument,
                        const std::string& name,
                        const std::string& value,
                        const std::string& file,
                        uint64_t line);
    void ApplyOption(const std::string& name,
                     const std::string& value,
                     const std::string& file,
                     uint64_t line);

    std::vector<Option> m_options;         //!< options in the order of the calls of Add()
    std::vector<std::string> m_attributes; //!< arguments that set default values of attributes
};

/**
 * \ingroup rdma
 * \param argc number of arguments
 * \param argv the arguments, beginning with the name of the program
 * \param name name of an option
 * \return value of the last argument --NAME=VALUE, available before the command line is parsed;
 *         empty if there is no such argument
 */
std::string FindRdmaArgument(int argc, const char* const* argv, const std::string& name);

} // namespace ns3

#endif /* RDMA_OPTION_LIST_H */
