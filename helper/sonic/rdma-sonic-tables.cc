/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-tables.h"

#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int64_t SONIC_MAX_BYTES = UINT32_MAX;

/** A field that the module reads, and the values that the field accepts. */
struct SonicField
{
    const char* table;      //!< table of the objects with the field
    const char* name;       //!< name of the field; "*": any name
    const char* words{""};  //!< accepted words, or the table to which the field refers
    int64_t min{0};         //!< smallest accepted number
    int64_t max{0};         //!< largest accepted number
    bool isOptional{false}; //!< true: a missing number is 0
};

/** The tables that the module reads, field by field. */
constexpr SonicField SONIC_FIELDS[] = {
    {"BUFFER_POOL", "type", "ingress, egress"},
    {"BUFFER_POOL", "mode", "static, dynamic"},
    {"BUFFER_POOL", "size", "", 1, SONIC_MAX_BYTES},
    {"BUFFER_POOL", "xoff", "", 0, SONIC_MAX_BYTES, true},
    {"BUFFER_PROFILE", "pool", "BUFFER_POOL"},
    {"BUFFER_PROFILE", "size", "", 0, SONIC_MAX_BYTES},
    {"BUFFER_PROFILE", "xoff", "", 0, SONIC_MAX_BYTES, true},
    {"BUFFER_PROFILE", "xon", "", 0, SONIC_MAX_BYTES, true},
    {"BUFFER_PROFILE", "xon_offset", "", 0, SONIC_MAX_BYTES, true},
    {"BUFFER_PROFILE", "dynamic_th", "", -8, 8},
    {"BUFFER_PROFILE", "static_th", "", 0, SONIC_MAX_BYTES},
    {"BUFFER_PG", "profile", "BUFFER_PROFILE"},
    {"BUFFER_QUEUE", "profile", "BUFFER_PROFILE"},
    {"PORT", "speed", "", 1, 8'000'000},
    {"PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"},
    {"PORT_QOS_MAP", "tc_to_queue_map", "TC_TO_QUEUE_MAP"},
    {"PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"},
    {"PORT_QOS_MAP", "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"},
    {"PORT_QOS_MAP", "pfc_enable"},
    {"DSCP_TO_TC_MAP", "*", "", 0, 7},
    {"TC_TO_QUEUE_MAP", "*", "", 0, 7},
    {"TC_TO_PRIORITY_GROUP_MAP", "*", "", 0, 7},
    {"MAP_PFC_PRIORITY_TO_QUEUE", "*", "", 0, 7},
    {"QUEUE", "scheduler", "SCHEDULER"},
    {"QUEUE", "wred_profile", "WRED_PROFILE"},
    {"SCHEDULER", "type", "STRICT, DWRR, WRR"},
    {"SCHEDULER", "weight", "", 1, 100},
    {"WRED_PROFILE",
     "ecn",
     "ecn_none, ecn_green, ecn_yellow, ecn_red, ecn_green_yellow, ecn_green_red, ecn_yellow_red, "
     "ecn_all"},
    {"WRED_PROFILE", "wred_green_enable", "true, false"},
    {"WRED_PROFILE", "green_min_threshold", "", 0, SONIC_MAX_BYTES},
    {"WRED_PROFILE", "green_max_threshold", "", 0, SONIC_MAX_BYTES},
    {"WRED_PROFILE", "green_drop_probability", "", 1, 100},
};

/** \return the description of a field; null if the module does not read the field */
const SonicField*
FindSonicField(const std::string& table, const std::string& name)
{
    const auto found =
        std::find_if(std::begin(SONIC_FIELDS), std::end(SONIC_FIELDS), [&](const auto& field) {
            return table == field.table && (name == field.name || field.name[0] == '*');
        });
    return found == std::end(SONIC_FIELDS) ? nullptr : found;
}

/** \param value value that must be an object \param form form of such an object, for the message */
void
RequireSonicObject(const RdmaJsonValue& value,
                   const std::string& file,
                   const std::string& name,
                   const std::string& form)
{
    if (value.type != RdmaJsonValue::Type::OBJECT)
    {
        throw RdmaFileError(file, value.line, GetRdmaSonicName(name), "is no object", form);
    }
}

} // namespace

std::string
RdmaSonicEntry::GetText(const std::string& field) const
{
    using Type = RdmaJsonValue::Type;
    const RdmaJsonValue* member = value.Find(field);
    Require(member, field, "is missing; accepted: a text");
    Require(member->type == Type::STRING || member->type == Type::NUMBER,
            field,
            "is neither a string nor a number; accepted: a string");
    return member->text;
}

std::string
RdmaSonicEntry::GetWord(const std::string& field) const
{
    const std::string text = GetText(field);
    const std::string words = FindSonicField(table, field)->words;
    Require(text.find(',') == std::string::npos &&
                (", " + words + ",").find(", " + text + ",") != std::string::npos,
            field,
            QuoteRdmaText(text) + "; accepted: " + words);
    return text;
}

int64_t
RdmaSonicEntry::GetNumber(const std::string& field) const
{
    const SonicField& of = *FindSonicField(table, field);
    if (of.isOptional && !Has(field))
    {
        return 0;
    }
    const std::string text = GetText(field);
    const auto number = ParseRdmaSonicNumber(text, of.min, of.max);
    Require(number.has_value(),
            field,
            QuoteRdmaText(text) + "; accepted: a whole number, " + std::to_string(of.min) + " to " +
                std::to_string(of.max));
    return *number;
}

const RdmaSonicEntry&
RdmaSonicEntry::Follow(const std::string& field) const
{
    const std::string target = FindSonicField(table, field)->words;
    const std::string head = "[" + target + "|";
    std::string name = GetText(field);
    if (!name.empty() && name[0] == '[')
    {
        Require(name.rfind(head, 0) == 0 && name.back() == ']',
                field,
                QuoteRdmaText(name) + "; accepted: a name, alone or as " + head + "NAME]");
        name = name.substr(head.size(), name.size() - head.size() - 1);
    }
    const auto& entries = tables.Get(target);
    const auto found = entries.find(name);
    Require(found != entries.end(),
            field,
            "there is no " + QuoteRdmaText(name) + "; accepted: one of " + target);
    return found->second;
}

std::size_t
RdmaSonicEntry::GetIndex() const
{
    const auto& entries = tables.Get(table);
    return std::distance(entries.begin(), entries.find(key));
}

void
RdmaSonicEntry::NoteOthers() const
{
    for (const auto& [field, content] : value.members)
    {
        // Note each field once per table, because the ports of a switch are usually alike.
        if (!FindSonicField(table, field) && tables.m_noted.insert(table + "|" + field).second)
        {
            tables.m_notes.push_back(file + ":" + std::to_string(content.line) + ": " +
                                     GetRdmaSonicName(table + "|" + key) + ": " + field +
                                     " is not used");
        }
    }
}

void
RdmaSonicEntry::Require(bool isRight, const std::string& field, const std::string& message) const
{
    if (!isRight)
    {
        const RdmaJsonValue* member = value.Find(field);
        const std::string name = GetRdmaSonicName(table + "|" + key);
        throw RdmaFileError(file,
                            member ? member->line : value.line,
                            name + (field.empty() ? "" : ": " + GetRdmaSonicName(field)),
                            message);
    }
}

void
RdmaSonicTables::AddFile(const std::string& text, const std::string& name)
{
    RdmaJsonValue& document = m_documents.at(m_nFiles++);
    document = ParseRdmaJson(text, name);
    m_fileNames += (m_fileNames.empty() ? "" : " and ") + name;
    RequireSonicObject(document, name, "", "tables by name in {}");
    for (const auto& [table, value] : document.members)
    {
        RequireSonicObject(value, name, table, "a table in {}");
        const auto [place, isNew] = m_tables.try_emplace(table);
        if (!isNew)
        {
            throw RdmaFileError(name,
                                value.line,
                                GetRdmaSonicName(table),
                                "is in both files",
                                "in one of them");
        }
        for (const auto& [key, object] : value.members)
        {
            RequireSonicObject(object, name, table + "|" + key, "fields in {}");
            place->second.insert({key, RdmaSonicEntry{*this, name, table, key, object}});
        }
    }
}

const RdmaSonicTables::Table&
RdmaSonicTables::Get(const std::string& name)
{
    m_read.insert(name);
    static const Table none;
    const auto found = m_tables.find(name);
    return found == m_tables.end() ? none : found->second;
}

std::vector<std::string>
RdmaSonicTables::GetNotes() const
{
    std::vector<std::string> notes = m_notes;
    for (const auto& [table, entries] : m_tables)
    {
        if (!m_read.count(table))
        {
            notes.push_back(m_fileNames + ": table " + GetRdmaSonicName(table) + " is not used");
        }
    }
    return notes;
}

void
RdmaSonicTables::Require(bool isRight, const std::string& table, const std::string& message) const
{
    if (!isRight)
    {
        throw RdmaFileError(m_fileNames, 0, table, message);
    }
}

std::string
GetRdmaSonicName(const std::string& text)
{
    constexpr std::size_t MAX_LENGTH = 200;
    const bool printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (printable && text.size() <= MAX_LENGTH)
    {
        return text;
    }
    const std::string quoted = QuoteRdmaText(text);
    return quoted.substr(1, quoted.size() - 2);
}

std::vector<std::string>
SplitRdmaSonicText(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');)
    {
        parts.push_back(part);
    }
    return parts;
}

} // namespace ns3
