/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-tables.h"

#include "qbb-buffer-plan.h"
#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

constexpr auto SONIC_MAX_BYTES = static_cast<int64_t>(QBB_MAX_BUFFER_BYTES);
constexpr int64_t SONIC_MAX_WRED_BYTES = UINT32_MAX; // as in SAI

/** A field that the module reads, and the values that the field accepts. */
struct SonicField
{
    const char* table;     //!< table of the objects with the field
    const char* name;      //!< name of the field; "*": any name
    const char* words{""}; //!< accepted words, or the table to which the field refers
    int64_t min{0};        //!< smallest accepted number
    int64_t max{0};        //!< largest accepted number
    /// Value of a missing number; no value: the field must be there.
    std::optional<int64_t> fallback{};
};

/** The tables that the module reads, field by field. */
constexpr SonicField SONIC_FIELDS[] = {
    {"BUFFER_POOL", "type", "ingress, egress, both"},
    {"BUFFER_POOL", "mode", "static, dynamic"},
    {"BUFFER_POOL", "size", "", 0, SONIC_MAX_BYTES},
    {"BUFFER_POOL", "xoff", "", 0, SONIC_MAX_BYTES, 0},
    {"BUFFER_PROFILE", "pool", "BUFFER_POOL"},
    {"BUFFER_PROFILE", "size", "", 0, SONIC_MAX_BYTES},
    {"BUFFER_PROFILE", "xoff", "", 0, SONIC_MAX_BYTES, 0},
    {"BUFFER_PROFILE", "xon", "", 0, SONIC_MAX_BYTES, 0},
    {"BUFFER_PROFILE", "xon_offset", "", 0, SONIC_MAX_BYTES, 0},
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
    {"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th", "", -8, 8, -3},
    {"DSCP_TO_TC_MAP", "*", "", 0, 15},
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
    {"WRED_PROFILE", "green_min_threshold", "", 0, SONIC_MAX_WRED_BYTES},
    {"WRED_PROFILE", "green_max_threshold", "", 0, SONIC_MAX_WRED_BYTES},
    {"WRED_PROFILE", "green_drop_probability", "", 0, 100, 100},
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
    if (of.fallback && !Has(field))
    {
        return *of.fallback;
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

void
RdmaSonicEntry::NoteOthers() const
{
    for (const auto& [field, content] : value.members)
    {
        if (FindSonicField(table, field))
        {
            continue;
        }
        auto& [place, names] = tables.m_others[table];
        if (names.empty())
        {
            place = file + ":" + std::to_string(content.line);
        }
        if (std::find(names.begin(), names.end(), field) == names.end())
        {
            names.push_back(field);
        }
    }
}

void
RdmaSonicEntry::AddNote(const std::string& text) const
{
    tables.AddNote(file + ":" + std::to_string(value.line) + ": " +
                   GetRdmaSonicName(table + "|" + key) + ": " + text);
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
        m_sources[table].push_back({name, value, document});
    }
}

void
RdmaSonicTables::NoteRepeated(const std::string& file, uint64_t line, const std::string& name)
{
    AddNote(file + ":" + std::to_string(line) + ": " + GetRdmaSonicName(name) +
            " is there twice; the last value counts");
}

const RdmaSonicTables::Table&
RdmaSonicTables::Get(const std::string& name)
{
    const auto [place, isNew] = m_tables.try_emplace(name);
    const auto sources = m_sources.find(name);
    if (!isNew || sources == m_sources.end())
    {
        return place->second;
    }
    const Source& source = sources->second.back();
    const std::string& file = source.file;
    if (sources->second.size() > 1)
    {
        throw RdmaFileError(file,
                            source.value.line,
                            GetRdmaSonicName(name),
                            "is in both files",
                            "in one of them");
    }
    RequireSonicObject(source.value, file, name, "a table in {}");
    for (const auto& [repeated, line] : source.document.repeated)
    {
        if (repeated == name)
        {
            NoteRepeated(file, line, name);
        }
    }
    for (const auto& [key, line] : source.value.repeated)
    {
        NoteRepeated(file, line, name + "|" + key);
    }
    for (const auto& [key, object] : source.value.members)
    {
        RequireSonicObject(object, file, name + "|" + key, "fields in {}");
        for (const auto& [field, line] : object.repeated)
        {
            NoteRepeated(file, line, name + "|" + key + ": " + field);
        }
        place->second.insert({key, RdmaSonicEntry{*this, file, name, key, object}});
    }
    return place->second;
}

void
RdmaSonicTables::AddNote(const std::string& note)
{
    if (std::find(m_notes.begin(), m_notes.end(), note) == m_notes.end())
    {
        m_notes.push_back(note);
    }
}

std::vector<std::string>
RdmaSonicTables::GetNotes() const
{
    std::vector<std::string> notes = m_notes;
    const auto add = [&notes](const std::string& what, const std::vector<std::string>& names) {
        std::vector<std::string> words;
        for (const std::string& name : names)
        {
            words.push_back(GetRdmaSonicName(name));
        }
        notes.push_back(what + JoinRdmaSonicWords(words) +
                        (words.size() > 1 ? " are not used" : " is not used"));
    };
    for (const auto& [table, others] : m_others)
    {
        add(others.place + ": " + table + ": ", others.names);
    }
    std::vector<std::string> tables;
    for (const auto& [table, sources] : m_sources)
    {
        if (!m_tables.count(table))
        {
            tables.push_back(table);
        }
    }
    if (!tables.empty())
    {
        add(m_fileNames + (tables.size() > 1 ? ": tables " : ": table "), tables);
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

std::string
JoinRdmaSonicWords(const std::vector<std::string>& words)
{
    std::string text = words.front();
    for (std::size_t i = 1; i < words.size(); ++i)
    {
        text += (i + 1 < words.size() ? ", " : " and ") + words[i];
    }
    return text;
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
