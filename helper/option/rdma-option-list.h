/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_LIST_H
#define RDMA_OPTION_LIST_H

#include "rdma-bit-rate.h"
#include "rdma-ns3-argument.h"
#include "rdma-part.h"
#include "rdma-ps.h"
#include "rdma-refuse.h"

#include <ns3/nstime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Calls a parser and prefixes its error message with the name of an option.
 *
 * \param option name of the option
 * \param parse parser, which may throw std::invalid_argument
 * \return return value of the parser
 */
template <typename F>
auto
ParseRdmaOption(const std::string& option, F parse)
{
    try
    {
        return parse();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("--" + option + ": " + error.what());
    }
}

/**
 * \ingroup rdma
 * Checks the value of an option.
 *
 * \param option name of the option
 * \param value value of the option
 * \param accepted accepted values
 * \throws std::invalid_argument for any other value
 */
inline void
CheckRdmaChoice(const std::string& option,
                const std::string& value,
                const std::vector<std::string>& accepted)
{
    RefuseRdmaIf(std::find(accepted.begin(), accepted.end(), value) == accepted.end(),
                 "--" + option + ": unknown value \"" + value +
                     "\"; accepted: " + JoinRdmaWords(accepted));
}

/**
 * \ingroup rdma
 * Rejects an option that has no effect in combination with another option.
 *
 * \param option name of the option without effect
 * \param given the user gave that option
 * \param with the other option, for instance "--transport=iwarp"
 * \throws std::invalid_argument if \p given is true
 */
inline void
RefuseRdmaOption(const std::string& option, bool given, const std::string& with)
{
    RefuseRdmaIf(given, "--" + option + " means nothing with " + with);
}

/**
 * \ingroup rdma
 * Names of options that take parts, and the kinds of these parts.
 */
using RdmaPartKinds = std::vector<std::pair<std::string, TypeId>>;

/**
 * \ingroup rdma
 * Where the value of an option comes from. Later sources take precedence.
 */
enum class RdmaOptionSource
{
    DEFAULT,  //!< default value of the option
    PRESET,   //!< a preset, or a value that the program sets before it reads its arguments
    FILE,     //!< a configuration file
    ARGUMENT, //!< an argument of the command line, or a script
};

/**
 * \ingroup rdma
 * Options of a program, for command lines (RdmaCommandLine), configuration files and presets.
 *
 *     RdmaOptionList list;
 *     list.Add("rate", "rate of the hosts' links", rate);
 *     list.Add("senders", "hosts that send", senders, {"1", "1000"}); // smallest, largest
 *     list.Add("pfc", "flow control", pfc, {"on", "off"});            // words
 *     list.ApplyFile("my.conf"); // for instance --rate=40Gbps
 *     list.Save("run.conf");
 *
 * The type of the variable says how the text of an option is read: std::string takes any text or
 * one of several words; uint32_t and uint64_t take whole numbers; double takes a number; bool takes
 * true, false, 1 or 0; Time and RdmaPs take a time with its unit; RdmaBitRate takes a rate with its
 * unit; std::vector<uint32_t> takes as many whole numbers as its default value has, separated by
 * colons. A text that has anything behind the value is refused.
 *
 * A configuration file has one command-line argument per line: `--rate=40Gbps` for an option,
 * `--ns3::RdmaNic::CnpInterval=4us` for the default value of an attribute, `--threads=2` for a
 * global value of ns-3. Empty lines and lines that begin with '#' are ignored.
 */
class RdmaOptionList
{
  public:
    /** What an option does that has no variable. */
    using Action = std::function<void(const std::string&)>;

    RdmaOptionList() = default;
    RdmaOptionList(const RdmaOptionList&) = delete;
    RdmaOptionList& operator=(const RdmaOptionList&) = delete;

    /**
     * \tparam T std::string, uint32_t, uint64_t, double, bool, Time, RdmaPs, RdmaBitRate or
     *         std::vector<uint32_t>
     * \param name name of the option
     * \param help one-line description for users
     * \param [in,out] value default value, replaced by the user's value; must outlive the list
     * \param accepted a text: the accepted words, or none for any text; a number, time or rate: the
     *        smallest accepted value, and after that the largest one, each of which may be missing
     */
    template <typename T>
    void Add(const std::string& name,
             const std::string& help,
             T& value,
             const std::vector<std::string>& accepted = {})
    {
        AddOption({name, help, &value, accepted});
    }

    /**
     * Adds an option for a number of bytes, with or without a unit: ParseRdmaBytes().
     *
     * \param name name of the option
     * \param help one-line description for users
     * \param [in,out] value default value, replaced by the user's value; must outlive the list
     * \param accepted the smallest and the largest accepted value
     */
    void AddBytes(const std::string& name,
                  const std::string& help,
                  uint64_t& value,
                  const std::vector<std::string>& accepted = {});

    /**
     * Adds an option that calls a function. The option is for the command line only, not for files.
     *
     * \param name name of the option
     * \param help one-line description for users
     * \param action gets the value of the option
     * \param accepted the accepted words, or none for any text; an empty word makes `--name`
     * without a value an argument
     */
    void AddAction(const std::string& name,
                   const std::string& help,
                   const Action& action,
                   const std::vector<std::string>& accepted = {});

    /**
     * Adds options of another list, with their current values as defaults.
     *
     * \param other the other list; the variables of its options must outlive this list
     * \param names names of options of the other list, in the order of the help text; empty: all
     */
    void Include(const RdmaOptionList& other, const std::vector<std::string>& names = {});

    /**
     * Sets options, default values of attributes and global values of ns-3.
     *
     * \param text lines of a configuration file
     * \param file file name for messages
     * \param source what the text is
     * \throws RdmaFileError naming file, line and option for an unknown option, with the most
     *         similar known option; for an invalid value; for an option that comes twice; for a
     * line that is not an argument
     */
    void Apply(const std::string& text,
               const std::string& file,
               RdmaOptionSource source = RdmaOptionSource::FILE);

    /**
     * Calls Apply() with the content of a file.
     *
     * \param file path of the file
     * \throws RdmaFileError under the conditions of Apply(), or if the file cannot be read
     */
    void ApplyFile(const std::string& file);

    /**
     * Writes all options with their values, and the attributes and global values that were given,
     * in the format of ApplyFile().
     *
     * \param file path of the file, which is replaced if it exists
     * \throws RdmaFileError if the file cannot be written, or if a value has more than one line
     */
    void Save(const std::string& file) const;

    /**
     * \return kinds of the parts that options take, in the order of help texts: name of the option
     *         and base class. An option may take parts of several kinds.
     */
    const RdmaPartKinds& GetPartKinds() const
    {
        return m_kinds;
    }

    /**
     * Names the option of a part that refuses its settings.
     *
     * \param message message of the part, which begins with the name of its class
     * \return the message behind the option that takes such parts, if there is one
     */
    std::string NameOptionOfPart(const std::string& message) const;

    /**
     * Rejects arguments of the command line.
     *
     * \param names names of options
     * \param why end of the message: "with --scenario=storm"
     * \throws std::invalid_argument for the first option that is an argument
     */
    void RefuseGivenOptions(const std::vector<std::string>& names, const std::string& why) const;

    /**
     * Rejects default values of the user for attributes that a run sets by itself.
     *
     * \throws std::invalid_argument naming such an attribute and what is accepted instead
     */
    void RefuseOwnDefaults() const;

    /** \return options whose values differ from their defaults: values as text, by name */
    std::map<std::string, std::string> GetGiven() const;

    /** \param name name of an option \return true if the option has its default value */
    bool IsDefault(const std::string& name) const;

    /** \param name name of an option \return true if an argument of the command line has set it */
    bool IsGiven(const std::string& name) const;

    /**
     * Tells a contradiction from an option of a preset or file that the user has overridden.
     *
     * \param name name of an option
     * \param mode name of an option that decides whether the first one has an effect
     * \return true if the option differs from its default, and its source does not precede the
     *         source of \p mode
     */
    bool IsGivenWith(const std::string& name, const std::string& mode) const;

    /** \param name name of an option of the list \return value of the option as text */
    std::string GetText(const std::string& name) const;

    /**
     * \param name name of an option of the list
     * \param text new value of the option as text
     * \throws std::invalid_argument if the option does not take the value
     */
    void SetText(const std::string& name, const std::string& text);

  protected:
    /** An option of any type. */
    struct Option
    {
        std::string name; //!< name of the option
        std::string help; //!< one-line description
        /// Holds the value
        std::variant<std::string*,
                     uint32_t*,
                     uint64_t*,
                     double*,
                     bool*,
                     Time*,
                     RdmaPs*,
                     RdmaBitRate*,
                     std::vector<uint32_t>*,
                     Action>
            value;
        std::vector<std::string> accepted; //!< words, or smallest and largest value
        bool isBytes{false};               //!< a number of bytes, with its unit
        std::string standard;              //!< default value as text
        RdmaOptionSource source{RdmaOptionSource::DEFAULT}; //!< source of the value
        std::string known;                                  //!< value of that source as text

        /** \return value as text; an action has none */
        std::string GetText() const;
        /** \param text value as text \throws std::invalid_argument without the option's name */
        void Set(const std::string& text);
        /** \param text value as text \param from its source; see Set() */
        void Set(const std::string& text, RdmaOptionSource from);
        /** \return accepted values, for messages */
        std::string Describe() const;
        /** \return source of the value; a value that a script has assigned counts as an argument */
        RdmaOptionSource GetSource() const;
        /** \return true if the option calls a function */
        bool IsAction() const;
    };

    /**
     * \param kinds kinds of the parts that options take
     * \param own attributes that a run sets by itself
     */
    RdmaOptionList(RdmaPartKinds kinds, RdmaOwnAttributes own)
        : m_kinds(std::move(kinds)),
          m_own(std::move(own))
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
     * \param accepted accepted values, as for Add()
     * \return default value
     */
    template <typename T>
    T Define(T* variable,
             const std::string& text,
             const std::string& help,
             const std::vector<std::string>& accepted = {})
    {
        T standard{};
        const std::size_t equals = text.find('=');
        Option option{text.substr(0, equals), help, &standard, accepted};
        option.Set(text.substr(equals + 1));
        option.standard = option.known = text.substr(equals + 1);
        option.value = variable;
        m_options.push_back(std::make_shared<Option>(option));
        return standard;
    }

    /** \param other a list with the same options, whose values and attributes are copied */
    void CopyValues(const RdmaOptionList& other);

    /** \param option an option, whose current value becomes its default */
    void AddOption(Option option);

    /** \return options in the order in which they were added */
    const std::vector<std::shared_ptr<Option>>& GetOptions() const
    {
        return m_options;
    }

    /**
     * Sets the default value of an attribute or a global value of ns-3, which Save() then writes.
     *
     * \param name name of the attribute or of the global value
     * \param value the value
     * \throws std::invalid_argument naming the argument and the accepted values
     */
    void SetNs3Argument(const std::string& name, const std::string& value);

    /** \return attributes and global values that arguments must not set */
    RdmaOwnAttributes& GetOwn()
    {
        return m_own;
    }

    /** \copydoc GetOwn() */
    const RdmaOwnAttributes& GetOwn() const
    {
        return m_own;
    }

    /**
     * \param name an unknown name
     * \param more further names that are known
     * \return end of a message: what says what the name says, as in "; accepted:
     *         --transport=roce[AckInterval=...]", "; did you mean --topology?", or where the names
     *         stand
     */
    std::string Suggest(const std::string& name, const std::vector<std::string>& more = {}) const;

  private:
    /** \return arguments that name a part or an attribute as \p name, or nearly so, does */
    std::vector<std::string> FindReplacements(const std::string& name, bool exactly) const;
    std::shared_ptr<Option> Find(const std::string& name) const;

    std::vector<std::shared_ptr<Option>> m_options; //!< options in the order of the help text
    RdmaPartKinds m_kinds;                          //!< kinds of the parts that options take
    RdmaOwnAttributes m_own;                        //!< what arguments must not set
    /// Given attributes and global values, by name. Lists that include each other share them.
    std::shared_ptr<std::map<std::string, std::string>> m_ns3{
        std::make_shared<std::map<std::string, std::string>>()};
};

} // namespace ns3

#endif /* RDMA_OPTION_LIST_H */
