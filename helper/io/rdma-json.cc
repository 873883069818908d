/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-json.h"

#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ns3
{

namespace
{

/** Recursive-descent parser of one JSON text. */
class JsonParser
{
  public:
    JsonParser(std::string_view text, const std::string& fileName)
        : m_text(text),
          m_fileName(fileName)
    {
    }

    RdmaJsonValue ParseWhole()
    {
        constexpr std::string_view BYTE_ORDER_MARK = "\xef\xbb\xbf";
        m_at = m_text.substr(0, BYTE_ORDER_MARK.size()) == BYTE_ORDER_MARK ? BYTE_ORDER_MARK.size()
                                                                           : 0;
        RdmaJsonValue value = ParseValue(0);
        SkipBlanks();
        Require(m_at == m_text.size(), "more text after the value", "nothing");
        return value;
    }

  private:
    using Type = RdmaJsonValue::Type;

    void Require(bool isRight, std::string_view problem, std::string_view accepted) const
    {
        if (!isRight)
        {
            throw RdmaFileError(m_fileName,
                                m_line,
                                "",
                                std::string(problem),
                                std::string(accepted));
        }
    }

    /** Rejects the next character unless a condition holds. */
    void RequireHere(bool isRight, std::string_view accepted) const
    {
        if (!isRight)
        {
            const bool isEnd = m_at == m_text.size();
            Require(false,
                    isEnd ? "the file ends" : QuoteRdmaText(m_text.substr(m_at, 1)),
                    accepted);
        }
    }

    /** \return true if the next character is one of \p characters */
    bool IsNext(std::string_view characters) const
    {
        return m_at < m_text.size() && characters.find(m_text[m_at]) != std::string_view::npos;
    }

    bool Take(std::string_view characters)
    {
        const bool isNext = IsNext(characters);
        m_at += isNext ? 1 : 0;
        return isNext;
    }

    void SkipBlanks()
    {
        while (IsNext(" \t\r\n"))
        {
            m_line += m_text[m_at++] == '\n' ? 1 : 0;
        }
    }

    RdmaJsonValue ParseValue(uint32_t depth)
    {
        constexpr uint32_t MAX_DEPTH = 64;
        SkipBlanks();
        Require(depth <= MAX_DEPTH, "more than 64 values inside one another", "up to 64");
        RdmaJsonValue value;
        value.line = m_line;
        if (Take("{"))
        {
            value.type = Type::OBJECT;
            std::map<std::string, std::size_t> places;
            ParseList('}', [&] {
                RequireHere(Take("\""), "a name in double quotes");
                const uint64_t line = m_line;
                const std::string name = ParseString();
                SkipBlanks();
                RequireHere(Take(":"), "a colon");
                RdmaJsonValue member = ParseValue(depth + 1);
                const auto [place, isNew] = places.try_emplace(name, value.members.size());
                if (isNew)
                {
                    value.members.emplace_back(name, std::move(member));
                }
                else
                {
                    value.members[place->second].second = std::move(member);
                    value.repeated.emplace_back(name, line);
                }
            });
        }
        else if (Take("["))
        {
            value.type = Type::ARRAY;
            ParseList(']', [&] { value.elements.push_back(ParseValue(depth + 1)); });
        }
        else if (Take("\""))
        {
            value.type = Type::STRING;
            value.text = ParseString();
        }
        else if (IsNext("-0123456789"))
        {
            value.type = Type::NUMBER;
            value.text = ParseNumber();
        }
        else
        {
            value.text = ParseWord();
            value.type = value.text == "null" ? Type::NOTHING : Type::BOOLEAN;
        }
        return value;
    }

    /** Calls `parseElement` for each element up to a closing bracket. */
    template <typename F>
    void ParseList(char end, F parseElement)
    {
        const std::string_view close(&end, 1);
        SkipBlanks();
        if (Take(close))
        {
            return;
        }
        do
        {
            SkipBlanks();
            parseElement();
            SkipBlanks();
        } while (Take(","));
        RequireHere(Take(close), std::string("a comma or ") + end);
    }

    /** \return the string whose opening quote has been taken */
    std::string ParseString()
    {
        constexpr std::string_view ESCAPES = "\"\\/bfnrt";
        constexpr std::string_view MEANINGS = "\"\\/\b\f\n\r\t";
        std::string text;
        while (!Take("\""))
        {
            Require(m_at < m_text.size() && static_cast<unsigned char>(m_text[m_at]) >= 0x20,
                    "a string without its end",
                    "a double quote in the same line");
            if (!Take("\\"))
            {
                text += m_text[m_at++];
            }
            else if (IsNext(ESCAPES))
            {
                text += MEANINGS[ESCAPES.find(m_text[m_at++])];
            }
            else
            {
                RequireHere(
                    Take("u"),
                    "after a backslash: one of \"\\/bfnrt, or u and four hexadecimal digits");
                AppendUtf8(text, ParseCodePoint());
            }
        }
        return text;
    }

    uint32_t ParseHex4()
    {
        uint32_t value = 0;
        const std::string_view digits = m_text.substr(m_at, 4);
        const char* end = digits.data() + digits.size();
        const auto length = std::from_chars(digits.data(), end, value, 16).ptr - digits.data();
        m_at += length;
        RequireHere(length == 4, "four hexadecimal digits after \\u");
        return value;
    }

    uint32_t ParseCodePoint()
    {
        const uint32_t first = ParseHex4();
        if (first < 0xd800 || first > 0xdfff)
        {
            return first;
        }
        const bool isPair = first < 0xdc00 && Take("\\") && Take("u");
        const uint32_t second = isPair ? ParseHex4() : 0;
        Require(second >= 0xdc00 && second <= 0xdfff, "half of a surrogate pair", "both halves");
        return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    }

    static void AppendUtf8(std::string& text, uint32_t code)
    {
        if (code < 0x80)
        {
            text += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        constexpr uint32_t LEADS[] = {0, 0xc0, 0xe0, 0xf0};
        text += static_cast<char>(LEADS[more] | (code >> (6 * more)));
        for (int i = more - 1; i >= 0; --i)
        {
            text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
        }
    }

    void TakeDigits()
    {
        constexpr std::string_view DIGITS = "0123456789";
        RequireHere(IsNext(DIGITS), "a digit");
        m_at = std::min(m_text.find_first_not_of(DIGITS, m_at), m_text.size());
    }

    std::string ParseNumber()
    {
        const std::size_t begin = m_at;
        Take("-");
        if (!Take("0"))
        {
            TakeDigits();
        }
        if (Take("."))
        {
            TakeDigits();
        }
        if (Take("eE"))
        {
            Take("+-");
            TakeDigits();
        }
        return std::string(m_text.substr(begin, m_at - begin));
    }

    std::string ParseWord()
    {
        for (const std::string_view word : {"true", "false", "null"})
        {
            if (m_text.substr(m_at, word.size()) == word)
            {
                m_at += word.size();
                return std::string(word);
            }
        }
        RequireHere(false, "a value: an object, an array, a string, a number, true, false or null");
        return "";
    }

    std::string_view m_text;
    const std::string& m_fileName;
    std::size_t m_at{0};
    uint64_t m_line{1};
};

} // namespace

const RdmaJsonValue*
RdmaJsonValue::Find(const std::string& name) const
{
    const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) {
        return member.first == name;
    });
    return found == members.end() ? nullptr : &found->second;
}

RdmaJsonValue
ParseRdmaJson(std::string_view text, const std::string& fileName)
{
    return JsonParser(text, fileName).ParseWhole();
}

} // namespace ns3
