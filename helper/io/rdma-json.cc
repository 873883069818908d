/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-json.h"

#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_DEPTH = 64;

bool
IsJsonDigit(char c)
{
    return c >= '0' && c <= '9';
}

/** Recursive-descent parser of one JSON text. */
class Parser
{
  public:
    Parser(std::string_view text, const std::string& fileName)
        : m_text(text),
          m_fileName(fileName)
    {
    }

    RdmaJsonValue ParseWhole()
    {
        RdmaJsonValue value = ParseValue(0);
        SkipBlanks();
        if (m_at < m_text.size())
        {
            Fail("more text after the value", "nothing");
        }
        return value;
    }

  private:
    [[noreturn]] void Fail(const std::string& problem, const std::string& accepted) const
    {
        throw RdmaFileError(m_fileName, m_line, "", problem, accepted);
    }

    [[noreturn]] void FailHere(const std::string& accepted) const
    {
        if (m_at >= m_text.size())
        {
            Fail("the file ends", accepted);
        }
        Fail(QuoteRdmaText(m_text.substr(m_at, 1)), accepted);
    }

    /** \return the next character, or NUL at the end */
    char Peek() const
    {
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }

    bool Take(char c)
    {
        const bool there = m_at < m_text.size() && m_text[m_at] == c;
        m_at += there ? 1 : 0;
        return there;
    }

    void SkipBlanks()
    {
        for (; m_at < m_text.size(); ++m_at)
        {
            const char c = m_text[m_at];
            if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
            {
                return;
            }
            m_line += c == '\n' ? 1 : 0;
        }
    }

    RdmaJsonValue ParseValue(uint32_t depth)
    {
        SkipBlanks();
        if (depth > MAX_DEPTH)
        {
            Fail("more than 64 values inside one another", "up to 64");
        }
        RdmaJsonValue value;
        value.line = m_line;
        const char c = Peek();
        if (c == '{')
        {
            ParseObject(value, depth);
        }
        else if (c == '[')
        {
            ParseArray(value, depth);
        }
        else if (c == '"')
        {
            value.type = RdmaJsonValue::Type::STRING;
            value.text = ParseString();
        }
        else if (c == '-' || IsJsonDigit(c))
        {
            value.type = RdmaJsonValue::Type::NUMBER;
            value.text = ParseNumber();
        }
        else
        {
            ParseWord(value);
        }
        return value;
    }

    void ParseObject(RdmaJsonValue& value, uint32_t depth)
    {
        value.type = RdmaJsonValue::Type::OBJECT;
        std::set<std::string> names;
        ++m_at;
        SkipBlanks();
        if (Take('}'))
        {
            return;
        }
        do
        {
            SkipBlanks();
            if (Peek() != '"')
            {
                FailHere("a name in double quotes");
            }
            const std::string name = ParseString();
            if (!names.insert(name).second)
            {
                Fail(QuoteRdmaText(name) + " is there twice", "each name once in an object");
            }
            SkipBlanks();
            if (!Take(':'))
            {
                FailHere("a colon");
            }
            value.members.emplace_back(name, ParseValue(depth + 1));
            SkipBlanks();
        } while (Take(','));
        if (!Take('}'))
        {
            FailHere("a comma or }");
        }
    }

    void ParseArray(RdmaJsonValue& value, uint32_t depth)
    {
        value.type = RdmaJsonValue::Type::ARRAY;
        ++m_at;
        SkipBlanks();
        if (Take(']'))
        {
            return;
        }
        do
        {
            value.elements.push_back(ParseValue(depth + 1));
            SkipBlanks();
        } while (Take(','));
        if (!Take(']'))
        {
            FailHere("a comma or ]");
        }
    }

    std::string ParseString()
    {
        std::string text;
        ++m_at;
        while (!Take('"'))
        {
            if (m_at >= m_text.size() || static_cast<unsigned char>(m_text[m_at]) < 0x20)
            {
                Fail("a string without its end", "a double quote in the same line");
            }
            if (!Take('\\'))
            {
                text += m_text[m_at++];
                continue;
            }
            const char c = Peek();
            constexpr std::string_view ESCAPES = "\"\\/bfnrt";
            constexpr std::string_view MEANINGS = "\"\\/\b\f\n\r\t";
            const auto which = ESCAPES.find(c);
            if (which != std::string_view::npos && m_at < m_text.size())
            {
                text += MEANINGS[which];
                ++m_at;
            }
            else if (Take('u'))
            {
                AppendUtf8(text, ParseCodePoint());
            }
            else
            {
                FailHere("after a backslash: one of \"\\/bfnrt, or u and four hexadecimal digits");
            }
        }
        return text;
    }

    uint32_t ParseHex4()
    {
        uint32_t value = 0;
        for (int i = 0; i < 4; ++i, ++m_at)
        {
            constexpr std::string_view DIGITS = "0123456789abcdef0123456789ABCDEF";
            const auto digit = m_at < m_text.size() ? DIGITS.find(m_text[m_at]) : DIGITS.npos;
            if (digit == DIGITS.npos)
            {
                FailHere("four hexadecimal digits after \\u");
            }
            value = 16 * value + static_cast<uint32_t>(digit % 16);
        }
        return value;
    }

    uint32_t ParseCodePoint()
    {
        const uint32_t first = ParseHex4();
        if (first < 0xd800 || first > 0xdfff)
        {
            return first;
        }
        const bool pair = first < 0xdc00 && Take('\\') && Take('u');
        const uint32_t second = pair ? ParseHex4() : 0;
        if (second < 0xdc00 || second > 0xdfff)
        {
            Fail("half of a surrogate pair", "both halves");
        }
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
        if (!IsJsonDigit(Peek()))
        {
            FailHere("a digit");
        }
        while (IsJsonDigit(Peek()))
        {
            ++m_at;
        }
    }

    std::string ParseNumber()
    {
        const std::size_t begin = m_at;
        Take('-');
        if (!Take('0'))
        {
            TakeDigits();
        }
        if (Take('.'))
        {
            TakeDigits();
        }
        if (Take('e') || Take('E'))
        {
            Take('+') || Take('-');
            TakeDigits();
        }
        return std::string(m_text.substr(begin, m_at - begin));
    }

    void ParseWord(RdmaJsonValue& value)
    {
        for (const std::string_view word : {"true", "false", "null"})
        {
            if (m_text.substr(m_at, word.size()) == word)
            {
                m_at += word.size();
                const bool nothing = word == "null";
                value.type = nothing ? RdmaJsonValue::Type::NOTHING : RdmaJsonValue::Type::BOOLEAN;
                value.text = nothing ? "" : word;
                return;
            }
        }
        FailHere("a value: an object, an array, a string, a number, true, false or null");
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
    return Parser(text, fileName).ParseWhole();
}

} // namespace ns3
