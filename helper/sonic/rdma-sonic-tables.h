/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_TABLES_H
#define RDMA_SONIC_TABLES_H

#include "rdma-json.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

class RdmaSonicTables;

/**
 * \ingroup rdma
 * An object in a table of a SONiC configuration. The list of tables and fields in
 * rdma-sonic-tables.cc says which values a field accepts. The functions that read a field throw
 * RdmaFileError, with file, line, object and field, if the field is missing or has another value.
 */
struct RdmaSonicEntry
{
    RdmaSonicTables& tables;    //!< tables that contain the object
    std::string file;           //!< name of the file
    std::string table;          //!< name of the table
    std::string key;            //!< name of the object in the table
    const RdmaJsonValue& value; //!< JSON object with the fields

    /** \param field name of a field \return true if the field exists */
    bool Has(const std::string& field) const
    {
        return value.Find(field);
    }

    /** \param field name of a field \return text of the field; numbers may be unquoted */
    std::string GetText(const std::string& field) const;

    /** \param field field that holds one of several words \return the word */
    std::string GetWord(const std::string& field) const;

    /** \param field field that holds a number \return the number, or the default if there is one */
    int64_t GetNumber(const std::string& field) const;

    /** \param field field that holds a number of bytes \return the bytes */
    uint32_t GetBytes(const std::string& field) const
    {
        return static_cast<uint32_t>(GetNumber(field));
    }

    /** \param field field that refers to an object, as "x" or "[TABLE|x]" \return the object */
    const RdmaSonicEntry& Follow(const std::string& field) const;

    /** \return position of the object in its table, from 0 */
    std::size_t GetIndex() const;

    /** Adds notes about fields that the module does not read, once per table and field. */
    void NoteOthers() const;

    /**
     * \param isRight true if the object is valid
     * \param field field that was checked; empty for the object as a whole
     * \param message "problem; accepted: ..." for an invalid object
     */
    void Require(bool isRight, const std::string& field, const std::string& message) const;
};

/**
 * \ingroup rdma
 * The tables of one or two SONiC files.
 */
class RdmaSonicTables
{
  public:
    using Table = std::map<std::string, RdmaSonicEntry>; //!< objects by key

    RdmaSonicTables() = default;
    RdmaSonicTables(const RdmaSonicTables&) = delete;
    RdmaSonicTables& operator=(const RdmaSonicTables&) = delete;

    /** Adds a file. At most two files are supported. \param text content \param name file name */
    void AddFile(const std::string& text, const std::string& name);

    /** \param name name of a table \return objects of the table; none if the table is missing */
    const Table& Get(const std::string& name);

    /** \return notes about fields, and about tables that Get() did not request */
    std::vector<std::string> GetNotes() const;

    /**
     * \param isRight true if a table is valid
     * \param table name of the table
     * \param message as for RdmaSonicEntry::Require()
     */
    void Require(bool isRight, const std::string& table, const std::string& message) const;

  private:
    friend struct RdmaSonicEntry; // adds notes

    std::string m_fileNames;                  //!< names of all files, joined
    std::array<RdmaJsonValue, 2> m_documents; //!< parsed files
    std::size_t m_nFiles{0};                  //!< number of files
    std::map<std::string, Table> m_tables;    //!< tables by name
    std::set<std::string> m_read;             //!< names of the tables requested by Get()
    std::set<std::string> m_noted;            //!< fields with a note, as TABLE|field
    std::vector<std::string> m_notes;         //!< notes about fields
};

/**
 * \ingroup rdma
 * \tparam T int64_t, or an unsigned type to refuse a minus sign
 * \param text decimal digits
 * \param min smallest accepted number
 * \param max largest accepted number
 * \return the number; empty if the text is anything else
 */
template <typename T>
std::optional<T>
ParseRdmaSonicNumber(const std::string& text, T min, T max)
{
    T number{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool isNumber = error == std::errc() && rest == end && number >= min && number <= max;
    return isNumber ? std::optional<T>(number) : std::nullopt;
}

/**
 * \ingroup rdma
 * \param text a name from a file
 * \return the name in a form for messages
 */
std::string GetRdmaSonicName(const std::string& text);

/**
 * \ingroup rdma
 * \param text words separated by commas
 * \return the words
 */
std::vector<std::string> SplitRdmaSonicText(const std::string& text);

} // namespace ns3

#endif /* RDMA_SONIC_TABLES_H */
