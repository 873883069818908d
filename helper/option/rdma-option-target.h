/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPTION_TARGET_H
#define RDMA_OPTION_TARGET_H

#include <ns3/attribute.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Notation of the value of an option.
 */
enum class RdmaOptionForm
{
    ATTRIBUTE, //!< as in the text of a part: ReadRdmaAttribute()
    BYTES,     //!< a number of bytes with its unit: ParseRdmaBytes()
    TIME,      //!< a time with its unit: ParseRdmaTime()
    RATE,      //!< a rate with its unit: ParseRdmaRate()
};

/**
 * \ingroup rdma
 * What happens to an option that the part cannot follow.
 */
enum class RdmaOptionClash
{
    REFUSE, //!< a part without the attribute, or whose text sets the attribute, is an error
    YIELD,  //!< the text of the part takes precedence; without the attribute, nothing is set
};

/**
 * \ingroup rdma
 * An attribute and its value, as given by an option.
 */
struct RdmaOptionSetting
{
    std::string option;        //!< name of the option
    std::string attribute;     //!< name of the attribute
    Ptr<AttributeValue> value; //!< value that the attribute accepts
};

/**
 * \ingroup rdma
 * The attribute that an option sets. Options that belong to one part form a group.
 *
 *     {"rtoLow", "transport", {"RtoLow"}, RdmaOptionForm::TIME}
 *     {"watchdogPorts", "watchdog", {}, {}, {{"servers", "ServerPortsOnly", "true"}}}
 */
struct RdmaOptionTarget
{
    /** A word that an option accepts in place of a value. */
    struct Word
    {
        std::string word;      //!< the word
        std::string attribute; //!< attribute that the word sets
        std::string value;     //!< value of the attribute, as in the text of a part
    };

    /// The option has no limit other than the range of the attribute
    static constexpr uint64_t ANY = std::numeric_limits<uint64_t>::max();

    std::string option; //!< name of the option
    std::string group;  //!< name of the group
    /// Candidates: the first attribute that the class has is set. Empty: the option takes words.
    std::vector<std::string> attributes{};
    RdmaOptionForm form{RdmaOptionForm::ATTRIBUTE}; //!< notation of the value
    std::vector<Word> words{};                      //!< accepted words
    uint64_t least{0}; //!< smallest number that the option accepts, in the attribute's range
    /// Largest number that the option accepts, in the attribute's range
    uint64_t most{ANY};

    /** \return false if the option belongs to the group without setting an attribute */
    bool SetsAttribute() const
    {
        return !attributes.empty() || !words.empty();
    }

    /**
     * Reads the value of an option.
     *
     * \param type class that has the attribute
     * \param text value of the option
     * \param standard default value of the option, for messages
     * \return the setting; none if the class does not have the attribute
     * \throws std::invalid_argument naming the option and the accepted values
     */
    std::optional<RdmaOptionSetting> Read(TypeId type,
                                          const std::string& text,
                                          const std::string& standard) const;
};

} // namespace ns3

#endif /* RDMA_OPTION_TARGET_H */
