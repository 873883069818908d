/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SONIC_TABLES_H
#define RDMA_SONIC_TABLES_H

#include "qbb-ecn-marker.h"
#include "rdma-json.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// Largest size of a SONiC configuration in bytes.
constexpr int64_t RDMA_SONIC_MAX_BYTES = UINT32_MAX;

/**
 * \ingroup rdma
 * An object of a table of a SONiC configuration: where it is and what it says.
 */
struct RdmaSonicEntry
{
    std::string file;                    //!< the file's name
    std::string name;                    //!< as in "BUFFER_PG|Ethernet0|3-4"
    const RdmaJsonValue* value{nullptr}; //!< an object

    /**
     * Refuses the object.
     *
     * \param field its field; empty for the object as a whole
     * \param problem what is wrong
     * \param accepted what would have been right
     * \throws RdmaFileError always, with file, line, object and field
     */
    [[noreturn]] void Fail(const std::string& field,
                           const std::string& problem,
                           const std::string& accepted) const;

    /** \param field a field \return true if it is there */
    bool Has(const std::string& field) const
    {
        return value && value->Find(field);
    }

    /** \param field a field \return its text; numbers may stand without quotes */
    std::string GetText(const std::string& field) const;

    /**
     * \param field a field
     * \param min smallest accepted number
     * \param max largest accepted number
     * \return its number
     */
    int64_t GetInteger(const std::string& field, int64_t min, int64_t max) const;

    /** \param field a field \param otherwise if it is missing \return its bytes, below 4 GiB */
    uint32_t GetBytes(const std::string& field, uint32_t otherwise) const;

    /** \param field a field \param choices what it may be \return which it is */
    std::string GetChoice(const std::string& field, const std::vector<std::string>& choices) const;

    /**
     * \param field a field that names an object of a table: "x", or in the old form "[TABLE|x]"
     * \param table the table
     * \return the name
     */
    std::string GetReference(const std::string& field, const std::string& table) const;
};

/**
 * \ingroup rdma
 * The tables of one or two files.
 */
class RdmaSonicTables
{
  public:
    using Table = std::map<std::string, RdmaSonicEntry>; //!< by key

    RdmaSonicTables() = default;
    RdmaSonicTables(const RdmaSonicTables&) = delete;
    RdmaSonicTables& operator=(const RdmaSonicTables&) = delete;

    /**
     * Adds a file; at most two.
     *
     * \param text its content
     * \param name its name
     */
    void AddFile(const std::string& text, const std::string& name);

    /** \return the files' names, for messages */
    const std::string& GetFileNames() const
    {
        return m_fileNames;
    }

    /** \param name a table \return its objects; none if the table is missing */
    const Table& Get(const std::string& name);

    /**
     * \param from an object that names another
     * \param field its field that does
     * \param table where the other is
     * \return the other
     */
    const RdmaSonicEntry& Follow(const RdmaSonicEntry& from,
                                 const std::string& field,
                                 const std::string& table);

    /**
     * Makes notes of fields that nobody reads, once for each table.
     *
     * \param entry an object
     * \param known fields that are read
     */
    void NoteOthers(const RdmaSonicEntry& entry, const std::set<std::string>& known);

    /** \return notes of fields, and of tables that nobody has asked for */
    std::vector<std::string> GetNotes() const;

    /** \param queue an object of QUEUE \return its marking curve, if it has one */
    std::optional<QbbEcnProfile> ReadWred(const RdmaSonicEntry& queue);

    /** \param queue an object of QUEUE \return "strict" or its weight; empty if it does not say */
    std::string ReadScheduler(const RdmaSonicEntry& queue);

  private:
    std::string m_fileNames;                  //!< joined
    std::array<RdmaJsonValue, 2> m_documents; //!< the files
    std::size_t m_nFiles{0};                  //!< how many there are
    std::map<std::string, Table> m_tables;    //!< by name
    std::set<std::string> m_read;             //!< tables that were asked for
    std::set<std::string> m_noted;            //!< fields that are noted
    std::vector<std::string> m_notes;         //!< about fields
};

/**
 * \ingroup rdma
 * Orders "Ethernet4" before "Ethernet12".
 */
struct RdmaSonicPortOrder
{
    /** \param a a name \param b another \return true if a comes first */
    bool operator()(const std::string& a, const std::string& b) const;
};

/**
 * \ingroup rdma
 * \param text digits
 * \param limit first number that is too large
 * \return the number; \p limit if the text is something else or the number too large
 */
uint32_t GetRdmaSonicIndex(const std::string& text, uint32_t limit);

/**
 * \ingroup rdma
 * \param text a name out of a file
 * \return the same, fit for a message
 */
std::string GetRdmaSonicName(const std::string& text);

/**
 * \ingroup rdma
 * \param text a text
 * \param separator between parts
 * \return the parts
 */
std::vector<std::string> SplitRdmaSonicText(const std::string& text, char separator);

} // namespace ns3

#endif /* RDMA_SONIC_TABLES_H */
