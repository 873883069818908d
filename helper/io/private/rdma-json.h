/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_JSON_H
#define RDMA_JSON_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A value of a JSON file (RFC 8259) and the line where the value begins.
 */
struct RdmaJsonValue
{
    /** Type of a JSON value. */
    enum class Type
    {
        NOTHING, //!< null
        BOOLEAN, //!< true or false
        NUMBER,  //!< a number, stored as written
        STRING,  //!< a string, with escape sequences decoded
        ARRAY,   //!< a list of values
        OBJECT   //!< named values
    };

    Type type{Type::NOTHING};            //!< type of the value
    uint64_t line{0};                    //!< line where the value begins, from 1
    std::string text;                    //!< content of a value other than ARRAY and OBJECT
    std::vector<RdmaJsonValue> elements; //!< elements of an ARRAY
    /// Members of an OBJECT, in the order of the file; of members of one name, the last
    std::vector<std::pair<std::string, RdmaJsonValue>> members;
    /// Names of an OBJECT that occur again, and the lines where they do
    std::vector<std::pair<std::string, uint64_t>> repeated;

    /** \param name name of a member \return the member, or null if it does not exist */
    const RdmaJsonValue* Find(const std::string& name) const;
};

/**
 * \ingroup rdma
 * Parses JSON strictly by RFC 8259: no comments and no trailing commas. Values may be nested at
 * most 64 levels deep. A byte order mark at the beginning is skipped. If a name occurs again in an
 * object, the last value counts, as in Python's json module; RdmaJsonValue::repeated lists such
 * names.
 *
 * \param text the JSON text
 * \param fileName file name for error messages
 * \return the parsed value
 * \throws RdmaFileError with the line of the error if the text is not valid
 */
RdmaJsonValue ParseRdmaJson(std::string_view text, const std::string& fileName);

} // namespace ns3

#endif /* RDMA_JSON_H */
