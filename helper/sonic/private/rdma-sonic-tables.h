/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_TABLES_H
#define RDMA_SONIC_TABLES_H

#include "rdma-json.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
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
    uint64_t GetBytes(const std::string& field) const
    {
        return static_cast<uint64_t>(GetNumber(field));
    }

    /** \param field field that refers to an object, as "x" or "[TABLE|x]" \return the object */
    const RdmaSonicEntry& Follow(const std::string& field) const;

    /** Notes the fields that the module does not read. */
    void NoteOthers() const;

    /** \param text a note about the object */
    void AddNote(const std::string& text) const;

    /**
     * \param isRight true if the object is valid
     * \param field field that was checked; empty for the object as a whole
     * \param message "problem; accepted: ..." for an invalid object
     */
    void Require(bool isRight, const std::string& field, const std::string& message) const;
};

/**
 * \ingroup rdma
 * The tables of one or two SONiC files. A table is checked when the module reads the table; the
 * files may hold anything in other tables. If a name occurs again in a table or an object, the last
 * value counts, as in SONiC, and a note says so.
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

    /** \param name name of a table \return true if a file has the table */
    bool Has(const std::string& name) const
    {
        return m_sources.count(name);
    }

    /**
     * \param name name of a table
     * \return objects of the table; none if the table is missing
     * \throws RdmaFileError if the value is no table, or if both files have the table
     */
    const Table& Get(const std::string& name);

    /** Adds a note, unless there is an equal one. \param note the note */
    void AddNote(const std::string& note);

    /** \return the notes: those added, repeated names, fields and tables that were not read */
    std::vector<std::string> GetNotes() const;

    /**
     * \param isRight true if a table is valid
     * \param table name of the table
     * \param message as for RdmaSonicEntry::Require()
     */
    void Require(bool isRight, const std::string& table, const std::string& message) const;

  private:
    friend struct RdmaSonicEntry; // notes fields that are not read

    /** A table of a file. */
    struct Source
    {
        std::string file;              //!< name of the file
        const RdmaJsonValue& value;    //!< content of the table
        const RdmaJsonValue& document; //!< content of the file
    };

    /** Fields of a table that the module does not read. */
    struct OtherFields
    {
        std::string place;              //!< file and line of the first one
        std::vector<std::string> names; //!< names of the fields
    };

    void NoteRepeated(const std::string& file, uint64_t line, const std::string& name);

    std::string m_fileNames;                              //!< names of all files, joined
    std::array<RdmaJsonValue, 2> m_documents;             //!< parsed files
    std::size_t m_nFiles{0};                              //!< number of files
    std::map<std::string, std::vector<Source>> m_sources; //!< tables of the files, by name
    std::map<std::string, Table> m_tables;                //!< tables requested by Get()
    std::map<std::string, OtherFields> m_others;          //!< fields that are not read, by table
    std::vector<std::string> m_notes;                     //!< further notes
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
 * \param words words, at least one
 * \return the words as a list for messages, as in "a, b and c"
 */
std::string JoinRdmaSonicWords(const std::vector<std::string>& words);

/**
 * \ingroup rdma
 * \param text words separated by commas
 * \return the words
 */
std::vector<std::string> SplitRdmaSonicText(const std::string& text);

} // namespace ns3

#endif /* RDMA_SONIC_TABLES_H */
