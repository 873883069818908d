/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-tables.h"

#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/** \param name name of a port \return text before the port number, and the number */
std::pair<std::string, uint64_t>
GetPortKey(const std::string& name)
{
    const auto digits = name.find_last_not_of("0123456789") + 1;
    const std::string number = name.substr(digits);
    return {name.substr(0, digits), number.empty() || number.size() > 18 ? 0 : std::stoull(number)};
}

} // namespace

bool
RdmaSonicPortOrder::operator()(const std::string& a, const std::string& b) const
{
    const auto left = GetPortKey(a);
    const auto right = GetPortKey(b);
    return left != right ? left < right : a < b;
}

void
RdmaSonicEntry::Fail(const std::string& field,
                     const std::string& problem,
                     const std::string& accepted) const
{
    const RdmaJsonValue* member = value->Find(field);
    throw RdmaFileError(file,
                        member ? member->line : value->line,
                        name + (field.empty() ? "" : ": " + GetRdmaSonicName(field)),
                        problem,
                        accepted);
}

std::string
RdmaSonicEntry::GetText(const std::string& field) const
{
    const RdmaJsonValue* member = value->Find(field);
    if (!member)
    {
        Fail(field, "is missing", "a text");
    }
    if (member->type != RdmaJsonValue::Type::STRING && member->type != RdmaJsonValue::Type::NUMBER)
    {
        Fail(field, "is neither a string nor a number", "a string");
    }
    return member->text;
}

int64_t
RdmaSonicEntry::GetInteger(const std::string& field, int64_t min, int64_t max) const
{
    const std::string text = GetText(field);
    const bool negative = !text.empty() && text[0] == '-';
    const std::string digits = text.substr(negative ? 1 : 0);
    const bool plain = !digits.empty() && digits.size() < 18 &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
    const int64_t number = plain ? std::stoll(digits) * (negative ? -1 : 1) : 0;
    if (!plain || number < min || number > max)
    {
        Fail(field,
             QuoteRdmaText(text),
             "a whole number, " + std::to_string(min) + " to " + std::to_string(max));
    }
    return number;
}

uint32_t
RdmaSonicEntry::GetBytes(const std::string& field, uint32_t otherwise) const
{
    return Has(field) ? static_cast<uint32_t>(GetInteger(field, 0, RDMA_SONIC_MAX_BYTES))
                      : otherwise;
}

std::string
RdmaSonicEntry::GetChoice(const std::string& field, const std::vector<std::string>& choices) const
{
    const std::string text = GetText(field);
    std::string list;
    for (const std::string& choice : choices)
    {
        if (text == choice)
        {
            return text;
        }
        list += (list.empty() ? "" : ", ") + choice;
    }
    Fail(field, QuoteRdmaText(text), list);
}

std::string
RdmaSonicEntry::GetReference(const std::string& field, const std::string& table) const
{
    const std::string text = GetText(field);
    const std::string head = "[" + table + "|";
    if (text.empty() || text[0] != '[')
    {
        return text;
    }
    if (text.rfind(head, 0) != 0 || text.back() != ']')
    {
        Fail(field, QuoteRdmaText(text), "a name, alone or as " + head + "NAME]");
    }
    return text.substr(head.size(), text.size() - head.size() - 1);
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

uint32_t
GetRdmaSonicIndex(const std::string& text, uint32_t limit)
{
    const bool plain = !text.empty() && text.size() < 4 &&
                       text.find_first_not_of("0123456789") == std::string::npos;
    return plain ? std::min(limit, static_cast<uint32_t>(std::stoul(text))) : limit;
}

std::vector<std::string>
SplitRdmaSonicText(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

void
RdmaSonicTables::AddFile(const std::string& text, const std::string& name)
{
    RdmaJsonValue& document = m_documents.at(m_nFiles++);
    document = ParseRdmaJson(text, name);
    m_fileNames += (m_fileNames.empty() ? "" : " and ") + name;
    if (document.type != RdmaJsonValue::Type::OBJECT)
    {
        throw RdmaFileError(name, document.line, "", "is no object", "tables by name in {}");
    }
    for (const auto& [table, value] : document.members)
    {
        if (value.type != RdmaJsonValue::Type::OBJECT)
        {
            throw RdmaFileError(name,
                                value.line,
                                GetRdmaSonicName(table),
                                "is no object",
                                "a table in {}");
        }
        if (m_tables.count(table))
        {
            throw RdmaFileError(name,
                                value.line,
                                GetRdmaSonicName(table),
                                "is in both files",
                                "in one of them");
        }
        for (const auto& [key, object] : value.members)
        {
            if (object.type != RdmaJsonValue::Type::OBJECT)
            {
                throw RdmaFileError(name,
                                    object.line,
                                    GetRdmaSonicName(table + "|" + key),
                                    "is no object",
                                    "fields in {}");
            }
            m_tables[table][key] =
                RdmaSonicEntry{name, GetRdmaSonicName(table + "|" + key), &object};
        }
        m_tables[table];
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

const RdmaSonicEntry&
RdmaSonicTables::Follow(const RdmaSonicEntry& from,
                        const std::string& field,
                        const std::string& table)
{
    const std::string name = from.GetReference(field, table);
    const Table& of = Get(table);
    const auto found = of.find(name);
    if (found == of.end())
    {
        from.Fail(field, "there is no " + QuoteRdmaText(name), "one of " + table);
    }
    return found->second;
}

void
RdmaSonicTables::NoteOthers(const RdmaSonicEntry& entry, const std::set<std::string>& known)
{
    for (const auto& [field, value] : entry.value->members)
    {
        // Note each field once per table, because the ports of a switch are usually alike.
        const std::string table = entry.name.substr(0, entry.name.find('|'));
        if (!known.count(field) && m_noted.insert(table + "|" + field).second)
        {
            m_notes.push_back(entry.file + ":" + std::to_string(value.line) + ": " + entry.name +
                              ": " + field + " is not used");
        }
    }
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

std::optional<QbbEcnProfile>
RdmaSonicTables::ReadWred(const RdmaSonicEntry& queue)
{
    const RdmaSonicEntry& entry = Follow(queue, "wred_profile", "WRED_PROFILE");
    NoteOthers(entry,
               {"ecn",
                "wred_green_enable",
                "green_min_threshold",
                "green_max_threshold",
                "green_drop_probability"});
    const std::string ecn = entry.GetChoice("ecn",
                                            {"ecn_none",
                                             "ecn_green",
                                             "ecn_yellow",
                                             "ecn_red",
                                             "ecn_green_yellow",
                                             "ecn_green_red",
                                             "ecn_yellow_red",
                                             "ecn_all"});
    if (ecn != "ecn_all" && ecn.find("green") == std::string::npos)
    {
        if (entry.Has("wred_green_enable") &&
            entry.GetChoice("wred_green_enable", {"true", "false"}) == "true")
        {
            entry.Fail("ecn",
                       "\"" + ecn + "\" with wred_green_enable drops green packets",
                       "ecn_green, ecn_green_yellow, ecn_green_red or ecn_all, which mark them");
        }
        return std::nullopt;
    }
    QbbEcnProfile profile;
    profile.kminBytes =
        static_cast<uint64_t>(entry.GetInteger("green_min_threshold", 0, RDMA_SONIC_MAX_BYTES));
    profile.kmaxBytes =
        static_cast<uint64_t>(entry.GetInteger("green_max_threshold", 0, RDMA_SONIC_MAX_BYTES));
    profile.pmax = static_cast<double>(entry.GetInteger("green_drop_probability", 1, 100)) / 100;
    if (profile.kminBytes > profile.kmaxBytes)
    {
        entry.Fail("green_min_threshold",
                   std::to_string(profile.kminBytes) + " bytes",
                   "at most green_max_threshold, " + std::to_string(profile.kmaxBytes));
    }
    return profile;
}

std::string
RdmaSonicTables::ReadScheduler(const RdmaSonicEntry& queue)
{
    const RdmaSonicEntry& entry = Follow(queue, "scheduler", "SCHEDULER");
    const bool strict = entry.GetChoice("type", {"STRICT", "DWRR", "WRR"}) == "STRICT";
    NoteOthers(entry, {"type", "weight"});
    return strict ? "strict" : std::to_string(entry.GetInteger("weight", 1, 100));
}

} // namespace ns3
