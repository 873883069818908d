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

/// Largest byte count accepted in a SONiC configuration.
constexpr int64_t RDMA_SONIC_MAX_BYTES = UINT32_MAX;

/**
 * \ingroup rdma
 * An object in a table of a SONiC configuration: its position and its content.
 */
struct RdmaSonicEntry
{
    std::string file; //!< name of the file
    std::string name; //!< name of the object, for instance "BUFFER_PG|Ethernet0|3-4"
    const RdmaJsonValue* value{nullptr}; //!< JSON object with the fields

    /**
     * Rejects the object.
     *
     * \param field invalid field; empty for the object as a whole
     * \param problem description of the error
     * \param accepted description of accepted values
     * \throws RdmaFileError always, with file, line, object and field
     */
    [[noreturn]] void Fail(const std::string& field,
                           const std::string& problem,
                           const std::string& accepted) const;

    /** \param field name of a field \return true if the field exists */
    bool Has(const std::string& field) const
    {
        return value && value->Find(field);
    }

    /** \param field name of a field \return text of the field; numbers may be unquoted */
    std::string GetText(const std::string& field) const;

    /**
     * \param field name of a field
     * \param min smallest accepted number
     * \param max largest accepted number
     * \return number in the field
     */
    int64_t GetInteger(const std::string& field, int64_t min, int64_t max) const;

    /** \param field a name \param otherwise default \return bytes in the field, below 4 GiB */
    uint32_t GetBytes(const std::string& field, uint32_t otherwise) const;

    /** \param field a name \param choices accepted values \return value of the field */
    std::string GetChoice(const std::string& field, const std::vector<std::string>& choices) const;

    /**
     * \param field field that refers to an object: "x", or in the old form "[TABLE|x]"
     * \param table table that contains the object
     * \return name of the object
     */
    std::string GetReference(const std::string& field, const std::string& table) const;
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

    /**
     * Adds a file. At most two files are supported.
     *
     * \param text content of the file
     * \param name name of the file
     */
    void AddFile(const std::string& text, const std::string& name);

    /** \return names of the files, for messages */
    const std::string& GetFileNames() const
    {
        return m_fileNames;
    }

    /** \param name name of a table \return objects of the table; empty if it is missing */
    const Table& Get(const std::string& name);

    /**
     * Resolves a reference.
     *
     * \param from object that contains the reference
     * \param field field with the reference
     * \param table table that contains the target
     * \return the target object
     */
    const RdmaSonicEntry& Follow(const RdmaSonicEntry& from,
                                 const std::string& field,
                                 const std::string& table);

    /**
     * Adds notes about unsupported fields of an object, once per table and field.
     *
     * \param entry an object
     * \param known names of supported fields
     */
    void NoteOthers(const RdmaSonicEntry& entry, const std::set<std::string>& known);

    /** \return notes about unsupported fields and about tables that Get() did not request */
    std::vector<std::string> GetNotes() const;

    /** \param queue an object of QUEUE \return marking curve of the queue, if configured */
    std::optional<QbbEcnProfile> ReadWred(const RdmaSonicEntry& queue);

    /** \param queue an object of QUEUE \return "strict" or a weight; empty without a scheduler */
    std::string ReadScheduler(const RdmaSonicEntry& queue);

  private:
    std::string m_fileNames;                  //!< names of all files, joined
    std::array<RdmaJsonValue, 2> m_documents; //!< parsed files
    std::size_t m_nFiles{0};                  //!< number of files
    std::map<std::string, Table> m_tables;    //!< tables by name
    std::set<std::string> m_read;             //!< names of the tables requested by Get()
    std::set<std::string> m_noted;            //!< fields with a note, as TABLE|field
    std::vector<std::string> m_notes;         //!< notes about unsupported fields
};

/**
 * \ingroup rdma
 * Orders port names by their numbers: "Ethernet4" precedes "Ethernet12".
 */
struct RdmaSonicPortOrder
{
    /** \param a a port name \param b a port name \return true if \p a precedes \p b */
    bool operator()(const std::string& a, const std::string& b) const;
};

/**
 * \ingroup rdma
 * \param text digits
 * \param limit smallest rejected number
 * \return the number; \p limit if the text is not a number below \p limit
 */
uint32_t GetRdmaSonicIndex(const std::string& text, uint32_t limit);

/**
 * \ingroup rdma
 * \param text a name from a file
 * \return the name in a form suitable for messages
 */
std::string GetRdmaSonicName(const std::string& text);

/**
 * \ingroup rdma
 * \param text text with separators
 * \param separator separator between parts
 * \return the parts of the text
 */
std::vector<std::string> SplitRdmaSonicText(const std::string& text, char separator);

} // namespace ns3

#endif /* RDMA_SONIC_TABLES_H */
