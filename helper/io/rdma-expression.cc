/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expression.h"

#include "rdma-int128.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace ns3
{

/** Recursive-descent parser of one expression. */
class RdmaExpressionParser
{
  public:
    using Code = RdmaExpression::Code;

    RdmaExpressionParser(RdmaExpression& expression, const std::vector<std::string>& names)
        : m_expression(expression),
          m_text(expression.m_text),
          m_names(names)
    {
    }

    void ParseWhole()
    {
        ParseLevel(0, 0);
        SkipBlanks();
        RefuseRdmaIf(m_at < m_text.size(),
                     QuoteRdmaText(m_text),
                     ": ",
                     QuoteRdmaText(m_text.substr(m_at)),
                     " after a value; accepted: an operator");
    }

  private:
    /** An operator between two values. */
    struct Operator
    {
        const char* text; //!< as it is written
        Code code;        //!< what it does
        uint32_t level;   //!< precedence: higher levels come first
    };

    static constexpr uint32_t LAST_LEVEL = 5; //!< level of products
    static constexpr uint32_t DEEPEST = 50;   //!< most levels of parentheses

    /// Longer texts come before their beginnings.
    static constexpr std::array<Operator, 13> OPERATORS{{{"||", Code::OR, 0},
                                                         {"&&", Code::AND, 1},
                                                         {"==", Code::EQUAL, 2},
                                                         {"!=", Code::UNEQUAL, 2},
                                                         {"<=", Code::LESS_EQUAL, 3},
                                                         {">=", Code::GREATER_EQUAL, 3},
                                                         {"<", Code::LESS, 3},
                                                         {">", Code::GREATER, 3},
                                                         {"+", Code::ADD, 4},
                                                         {"-", Code::SUBTRACT, 4},
                                                         {"*", Code::MULTIPLY, 5},
                                                         {"/", Code::DIVIDE, 5},
                                                         {"%", Code::REMAINDER, 5}}};

    void SkipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
        {
            ++m_at;
        }
    }

    bool Take(std::string_view text)
    {
        SkipBlanks();
        const bool isNext = std::string_view(m_text).substr(m_at, text.size()) == text;
        m_at += isNext ? text.size() : 0;
        return isNext;
    }

    void Add(Code code, RdmaExpression::Value constant = {})
    {
        m_expression.m_steps.push_back({code, constant});
    }

    void ParseLevel(uint32_t level, uint32_t depth)
    {
        if (level > LAST_LEVEL)
        {
            ParseFactor(depth);
            return;
        }
        ParseLevel(level + 1, depth);
        while (true)
        {
            const auto* const found =
                std::find_if(OPERATORS.begin(), OPERATORS.end(), [&](const Operator& each) {
                    return each.level == level && Take(each.text);
                });
            if (found == OPERATORS.end())
            {
                return;
            }
            ParseLevel(level + 1, depth);
            Add(found->code);
        }
    }

    void ParseFactor(uint32_t depth)
    {
        RefuseRdmaIf(depth > DEEPEST,
                     QuoteRdmaText(m_text),
                     ": too many parentheses; accepted: up to ",
                     DEEPEST);
        if (Take("("))
        {
            ParseLevel(0, depth + 1);
            RefuseRdmaIf(!Take(")"), QuoteRdmaText(m_text), ": a ) is missing");
            return;
        }
        if (Take("-"))
        {
            ParseFactor(depth + 1);
            Add(Code::NEGATE);
            return;
        }
        if (Take("!"))
        {
            ParseFactor(depth + 1);
            Add(Code::NOT);
            return;
        }
        SkipBlanks();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) ||
                                        m_text[m_at] == '_' || m_text[m_at] == '.'))
        {
            ++m_at;
        }
        const std::string word = m_text.substr(begin, m_at - begin);
        RefuseRdmaIf(word.empty(),
                     QuoteRdmaText(m_text),
                     ": no value at position ",
                     begin + 1,
                     "; accepted: a number, as in 12, 2MB or 5us, or ",
                     ListNames());
        if (std::isdigit(static_cast<unsigned char>(word[0])))
        {
            ParseNumber(word);
            return;
        }
        const auto found = std::find(m_names.begin(), m_names.end(), word);
        RefuseRdmaIf(found == m_names.end(),
                     QuoteRdmaText(m_text),
                     ": ",
                     QuoteRdmaText(word),
                     " is unknown; accepted: a number, as in 12, 2MB or 5us, or ",
                     ListNames());
        Add(Code::NAME, {found - m_names.begin(), RdmaExpression::Unit::NUMBER});
    }

    void ParseNumber(const std::string& word)
    {
        using Unit = RdmaExpression::Unit;
        if (word.back() == 's')
        {
            Add(Code::CONSTANT, {ParseRdmaTime(word).Get(), Unit::TIME});
        }
        else if (word.back() == 'B')
        {
            Add(Code::CONSTANT, {static_cast<int64_t>(ParseRdmaBytes(word)), Unit::BYTES});
        }
        else
        {
            const uint64_t number =
                ParseRdmaInteger(word, 0, std::numeric_limits<int64_t>::max() / 8);
            Add(Code::CONSTANT, {static_cast<int64_t>(number), Unit::NUMBER});
        }
    }

    std::string ListNames() const
    {
        std::string text;
        for (const std::string& name : m_names)
        {
            text += (text.empty() ? "" : ", ") + name;
        }
        return text.empty() ? "parentheses" : text;
    }

    RdmaExpression& m_expression;            //!< takes the steps
    const std::string& m_text;               //!< the text
    const std::vector<std::string>& m_names; //!< accepted names
    std::size_t m_at{0};                     //!< place in the text
};

RdmaExpression::RdmaExpression(const std::string& text, const std::vector<std::string>& names)
    : m_text(text)
{
    RdmaExpressionParser(*this, names).ParseWhole();
}

void
RdmaExpression::Refuse(const std::string& problem, const std::string& accepted) const
{
    throw std::invalid_argument(QuoteRdmaText(m_text) + " " + problem + "; accepted: " + accepted);
}

RdmaExpression::Value
RdmaExpression::Apply(Code code, const Value& left, const Value& right)
{
    const bool isLike = left.unit == right.unit;
    const bool isSize = (left.unit == Unit::BYTES && right.unit == Unit::NUMBER) ||
                        (left.unit == Unit::NUMBER && right.unit == Unit::BYTES);
    const bool isPlain = isLike && left.unit == Unit::NUMBER;
    const auto need = [](bool fits, const char* message) {
        if (!fits)
        {
            throw std::invalid_argument(message);
        }
    };
    const auto needLike = [&] {
        need(isLike || isSize, "adds or compares what is not alike; accepted: two times or sizes");
    };
    const RdmaInt128 a = left.value;
    const RdmaInt128 b = right.value;
    RdmaInt128 value = 0;
    Unit unit = left.unit;
    switch (code)
    {
    case Code::OR:
    case Code::AND:
        need(isPlain, "has a unit beside && or ||; accepted: comparisons");
        value = code == Code::OR ? (a != 0 || b != 0) : (a != 0 && b != 0);
        break;
    case Code::EQUAL:
    case Code::UNEQUAL:
    case Code::LESS:
    case Code::LESS_EQUAL:
    case Code::GREATER:
    case Code::GREATER_EQUAL:
        needLike();
        value = code == Code::EQUAL        ? a == b
                : code == Code::UNEQUAL    ? a != b
                : code == Code::LESS       ? a < b
                : code == Code::LESS_EQUAL ? a <= b
                : code == Code::GREATER    ? a > b
                                           : a >= b;
        unit = Unit::NUMBER;
        break;
    case Code::ADD:
    case Code::SUBTRACT:
        needLike();
        value = code == Code::ADD ? a + b : a - b;
        unit = isSize ? Unit::BYTES : left.unit;
        break;
    case Code::MULTIPLY:
        need(left.unit == Unit::NUMBER || right.unit == Unit::NUMBER,
             "multiplies two times or sizes; accepted: one of them, and a plain number");
        value = a * b;
        unit = left.unit == Unit::NUMBER ? right.unit : left.unit;
        break;
    default: // DIVIDE, REMAINDER
        need(b != 0, "divides by 0; accepted: another divisor");
        need(isLike || right.unit == Unit::NUMBER,
             "divides what is not alike; accepted: two times or sizes, or a plain divisor");
        value = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
        unit = isLike ? Unit::NUMBER : left.unit;
        if (code == Code::REMAINDER)
        {
            value = a - value * b;
            unit = left.unit;
        }
        break;
    }
    need(value <= std::numeric_limits<int64_t>::max() &&
             value >= -std::numeric_limits<int64_t>::max(),
         "is too large; accepted: numbers of 63 bits");
    return {static_cast<int64_t>(value), unit};
}

RdmaExpression::Value
RdmaExpression::Evaluate(const std::vector<int64_t>& values) const
{
    if (m_steps.size() == 1)
    {
        const Step& step = m_steps.front(); // the usual case
        return step.code == Code::NAME ? Value{values[step.constant.value], Unit::NUMBER}
                                       : step.constant;
    }
    std::vector<Value> stack;
    for (const Step& step : m_steps)
    {
        switch (step.code)
        {
        case Code::CONSTANT:
            stack.push_back(step.constant);
            break;
        case Code::NAME:
            stack.push_back({values[step.constant.value], Unit::NUMBER});
            break;
        case Code::NEGATE:
            stack.back().value = -stack.back().value;
            break;
        case Code::NOT:
            stack.back() = {stack.back().value == 0 ? 1 : 0, Unit::NUMBER};
            break;
        default:
            const Value right = stack.back();
            stack.pop_back();
            try
            {
                stack.back() = Apply(step.code, stack.back(), right);
            }
            catch (const std::invalid_argument& error)
            {
                throw std::invalid_argument(QuoteRdmaText(m_text) + " " + error.what());
            }
        }
    }
    return stack.empty() ? Value() : stack.back();
}

int64_t
RdmaExpression::GetNumber(const std::vector<int64_t>& values) const
{
    const Value value = Evaluate(values);
    if (value.unit != Unit::NUMBER)
    {
        Refuse("has a unit", "a plain number");
    }
    return value.value;
}

RdmaPs
RdmaExpression::GetTime(const std::vector<int64_t>& values) const
{
    const Value value = Evaluate(values);
    if (value.unit != Unit::TIME || value.value < 0 || RdmaPs(value.value) > RDMA_MAX_TIME)
    {
        Refuse(value.unit != Unit::TIME ? "is no time"
                                        : "is " + std::to_string(value.value) + " ps",
               "a time with its unit, 0 to " + FormatRdmaTime(RDMA_MAX_TIME));
    }
    return RdmaPs(value.value);
}

uint64_t
RdmaExpression::GetBytes(const std::vector<int64_t>& values) const
{
    const Value value = Evaluate(values);
    if (value.unit == Unit::TIME || value.value < 0 ||
        static_cast<uint64_t>(value.value) > RDMA_MAX_FLOW_BYTES)
    {
        Refuse(value.unit == Unit::TIME ? "is a time" : "is " + std::to_string(value.value) + " B",
               "bytes, 0 to " + std::to_string(RDMA_MAX_FLOW_BYTES));
    }
    return static_cast<uint64_t>(value.value);
}

} // namespace ns3
