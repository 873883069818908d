/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_LIST_H
#define RDMA_OPTION_LIST_H

#include "rdma-option-target.h"
#include "rdma-part.h"

#include <ns3/command-line.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
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
    RdmaOptionList() = default;
    RdmaOptionList(const RdmaOptionList&) = delete;
    RdmaOptionList& operator=(const RdmaOptionList&) = delete;

    /**
     * \tparam T std::string, uint32_t, double or bool
     * \param name name of the option
     * \param help one-line description for users
     * \param [in,out] value default value, replaced by the user's value; must outlive the list
     */
    template <typename T>
    void Add(const std::string& name, const std::string& help, T& value)
    {
        m_options.push_back({name, help, &value, ""});
        m_options.back().standard = GetText(m_options.back());
    }

    /** \param cmd command line that gets all options, with their current values as defaults */
    void AddTo(CommandLine& cmd) const;

    /**
     * \param cmd command line that gets some of the options, in the order given
     * \param names names of options of the list
     */
    void AddTo(CommandLine& cmd, const std::vector<std::string>& names) const;

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

    /**
     * Reads the options of a group whose values differ from their defaults.
     *
     * \param group group of options (RdmaOptionTarget)
     * \param type class that has the attributes
     * \param with option that names the class, for messages: "--transport=roce"
     * \param clash what happens to an option whose attribute the class does not have
     * \return attributes and values
     * \throws std::invalid_argument naming an option that is invalid or does not apply to the class
     */
    std::vector<RdmaOptionSetting> GetSettings(
        const std::string& group,
        TypeId type,
        const std::string& with,
        RdmaOptionClash clash = RdmaOptionClash::REFUSE) const;

    /**
     * Sets the attributes of a part from the options of a group.
     *
     * \param [in,out] part the part
     * \param group group of options (RdmaOptionTarget)
     * \param with option that names the part, for messages: "--transport=roce"
     * \param clash what happens to an option that the part cannot follow
     * \throws std::invalid_argument naming an option that is invalid, does not apply to the part,
     * or sets an attribute that the text of the part sets
     */
    void SetAttributes(RdmaPart& part,
                       const std::string& group,
                       const std::string& with,
                       RdmaOptionClash clash = RdmaOptionClash::REFUSE) const;

    /**
     * Rejects the options of a group.
     *
     * \param group group of options
     * \param why end of the message: "with --switch=shared", "without --watchdog"
     * \throws std::invalid_argument for the first option whose value differs from its default
     */
    void Refuse(const std::string& group, const std::string& why) const;

    /** \return options whose values differ from their defaults: values as text, by name */
    std::map<std::string, std::string> GetGiven() const;

    /** \param name name of an option of the list \return value of the option as text */
    std::string GetText(const std::string& name) const;

    /**
     * \param name name of an option of the list
     * \param text new value of the option as text
     * \throws std::invalid_argument if the option does not take the value
     */
    void SetText(const std::string& name, const std::string& text);

  protected:
    /** \param targets attributes that options set, in the order in which they are set */
    explicit RdmaOptionList(std::vector<RdmaOptionTarget> targets)
        : m_targets(std::move(targets))
    {
    }

    /**
     * Adds an option from the initializer of the variable that holds its value, so that name,
     * default and description stand in one place:
     *
     *     std::string rate{Define(&rate, "rate=100Gbps", "rate of the hosts' links")};
     *
     * \tparam T std::string, uint32_t, double or bool
     * \param variable the variable, which must outlive the list
     * \param text name and default value of the option
     * \param help one-line description for users
     * \return default value
     */
    template <typename T>
    T Define(T* variable, const std::string& text, const std::string& help)
    {
        T standard{};
        const std::size_t equals = text.find('=');
        Option option{text.substr(0, equals), help, &standard, text.substr(equals + 1)};
        SetText(option, option.standard);
        option.value = variable;
        m_options.push_back(option);
        return standard;
    }

    /** \param other a list with the same options, whose values and attributes are copied */
    void CopyValues(const RdmaOptionList& other);

  private:
    /** An option of any type. */
    struct Option
    {
        std::string name;                                            //!< name of the option
        std::string help;                                            //!< one-line description
        std::variant<std::string*, uint32_t*, double*, bool*> value; //!< holds the value
        std::string standard;                                        //!< default value as text
    };

    static void AddOption(CommandLine& cmd, const Option& option);
    static std::string GetText(const Option& option);
    static void SetText(const Option& option, const std::string& text);
    const Option& Find(const std::string& name) const;
    void ApplyAttribute(const std::string& argument,
                        const std::string& name,
                        const std::string& value,
                        const std::string& file,
                        uint64_t line);
    void ApplyOption(const std::string& name,
                     const std::string& value,
                     const std::string& file,
                     uint64_t line);

    std::vector<Option> m_options;           //!< options in the order of the calls of Add()
    std::vector<RdmaOptionTarget> m_targets; //!< attributes that options set
    std::vector<std::string> m_attributes;   //!< arguments that set default values of attributes
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
