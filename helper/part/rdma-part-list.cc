/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-list.h"

#include <algorithm>
#include <iomanip>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * \param a a word
 * \param b a word
 * \return number of letters to change, add, remove or swap with the next letter
 */
std::size_t
GetEditDistance(const std::string& a, const std::string& b)
{
    // Rows of the distance table for letters of a: before the previous one, previous, current.
    std::vector<std::size_t> before;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        before = std::move(last);
        last = std::move(row);
        row.assign(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

/** \param text a short name with parameters, or a class \return the name alone, or the class */
std::string
GetPartWord(const std::string& text)
{
    const std::string word = text.substr(0, text.find_first_of(":["));
    return text.compare(word.size(), 2, "::") == 0 ? text : word;
}

} // namespace

std::vector<TypeId>
GetRdmaPartTypes(TypeId kind)
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if ((type == kind || type.IsChildOf(kind)) && type.HasConstructor())
        {
            types.push_back(type);
        }
    }
    std::sort(types.begin(), types.end(), [](TypeId a, TypeId b) {
        return a.GetName() < b.GetName();
    });
    return types;
}

std::vector<std::string>
GetRdmaPartNames(TypeId kind)
{
    std::vector<std::string> names;
    for (const auto& entry : RdmaPartName::GetAll(kind))
    {
        names.push_back(entry.name);
    }
    return names;
}

void
PrintRdmaParts(std::ostream& os, TypeId kind)
{
    constexpr int NAME_WIDTH = 18;
    constexpr int TEXT_WIDTH = 44;
    const auto entries = RdmaPartName::GetAll(kind);
    const auto flags = os.flags();
    os << std::left;
    for (const auto& entry : entries)
    {
        const std::string settings = entry.settings.empty() ? "" : "[" + entry.settings + "]";
        os << "  " << std::setw(NAME_WIDTH) << entry.name << " " << std::setw(TEXT_WIDTH)
           << entry.type.GetName() + settings << " " << entry.help << "\n";
    }
    for (const TypeId& type : GetRdmaPartTypes(kind))
    {
        if (std::none_of(entries.begin(), entries.end(), [&type](const auto& entry) {
                return entry.type == type;
            }))
        {
            os << "  " << std::setw(NAME_WIDTH) << ""
               << " " << type.GetName() << "\n";
        }
    }
    os.flags(flags);
}

std::string
FormatRdmaPartName(const RdmaPartName::Entry& entry)
{
    std::string text = entry.name;
    std::string close;
    for (const std::string& parameter : entry.parameters)
    {
        const bool isOptional = parameter.back() == '*' || parameter.back() == '?';
        const std::string word = parameter.substr(0, parameter.size() - (isOptional ? 1 : 0));
        text += std::string(isOptional ? "[" : "") + (text == entry.name ? ":" : "x") + word;
        close += isOptional ? "]" : "";
    }
    return text + close;
}

std::string
DescribeRdmaParts(TypeId kind)
{
    std::vector<std::string> forms;
    for (const auto& entry : RdmaPartName::GetAll(kind))
    {
        forms.push_back(FormatRdmaPartName(entry));
    }
    return JoinRdmaWords(forms);
}

std::string
FindNearestRdmaWord(const std::string& text, const std::vector<std::string>& words)
{
    const std::string word = GetPartWord(text);
    std::string nearest;
    // Only one letter in three may differ, because short words are all near each other.
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& each : words)
    {
        const std::string candidate = GetPartWord(each);
        const std::size_t distance = GetEditDistance(word, candidate);
        if (distance < least)
        {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
JoinRdmaWords(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
    {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

} // namespace ns3
