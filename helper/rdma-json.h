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
 * A value of a JSON file (RFC 8259), and the line where it begins.
 */
struct RdmaJsonValue
{
    /** What it is. */
    enum class Type
    {
        NOTHING, //!< null
        BOOLEAN, //!< true or false
        NUMBER,  //!< a number, as it is written
        STRING,  //!< a string, without its escapes
        ARRAY,   //!< values
        OBJECT   //!< values with names
    };

    Type type{Type::NOTHING};                                   //!< what it is
    uint64_t line{0};                                           //!< where it begins, from 1
    std::string text;                                           //!< BOOLEAN, NUMBER, STRING
    std::vector<RdmaJsonValue> elements;                        //!< ARRAY
    std::vector<std::pair<std::string, RdmaJsonValue>> members; //!< OBJECT, in the file's order

    /** \param name a name \return the member of that name, or null */
    const RdmaJsonValue* Find(const std::string& name) const;
};

/**
 * \ingroup rdma
 * Reads JSON as RFC 8259 has it: no comments, no commas too many, no name twice in an object, at
 * most 64 values inside one another.
 *
 * \param text the text
 * \param fileName for messages
 * \return the value
 * \throws RdmaFileError with the line, if it is something else
 */
RdmaJsonValue ParseRdmaJson(std::string_view text, const std::string& fileName);

} // namespace ns3

#endif /* RDMA_JSON_H */
