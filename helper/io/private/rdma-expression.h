/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EXPRESSION_H
#define RDMA_EXPRESSION_H

#include "rdma-ps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Arithmetic with whole numbers, times and sizes, as files of the module have it:
 *
 *     rank % 16 < 12
 *     100us + 11us * layer
 *
 * A number may have a unit of time or of size (rdma-units.h). Names stand for numbers. The
 * operators are those of C++, with its precedence: || && == != < <= > >= + - * / % ! and
 * parentheses. Division rounds down. A remainder has the sign of the divisor: the value of
 * (rank - 1) % 8 is 7 for rank 0. Comparisons give 1 or 0.
 *
 * Times and sizes are added to and compared with their like. A plain number counts as bytes if
 * the other operand is a size. A time or a size may be multiplied with, or divided by, a plain
 * number; the ratio of two times or sizes is a plain number.
 */
class RdmaExpression
{
  public:
    /** What the value of an expression is. */
    enum class Unit : uint8_t
    {
        NUMBER, //!< a plain number
        TIME,   //!< picoseconds
        BYTES,  //!< bytes
    };

    /** A number that may be zero. */
    RdmaExpression() = default;

    /**
     * \param text an expression
     * \param names names that the expression may have
     * \throws std::invalid_argument with the error and what is accepted
     */
    RdmaExpression(const std::string& text, const std::vector<std::string>& names);

    /**
     * \param values values of the names, in the order of the constructor's
     * \return the value, a plain number
     * \throws std::invalid_argument if the value has a unit, if the expression adds or multiplies
     *         what does not fit, divides by zero or leaves the range of 63 bits
     */
    int64_t GetNumber(const std::vector<int64_t>& values) const;

    /**
     * \param values values of the names
     * \return the value, a time of 0 or more
     * \throws std::invalid_argument for the reasons of GetNumber(), and if the value is no time or
     *         is negative
     */
    RdmaPs GetTime(const std::vector<int64_t>& values) const;

    /**
     * \param values values of the names
     * \return the value, a size of 0 or more; a plain number counts as bytes
     * \throws std::invalid_argument for the reasons of GetNumber(), and if the value is no size or
     *         is negative
     */
    uint64_t GetBytes(const std::vector<int64_t>& values) const;

  private:
    friend class RdmaExpressionParser;

    /** What an operation on the stack does. */
    enum class Code : uint8_t
    {
        CONSTANT,
        NAME,
        OR,
        AND,
        EQUAL,
        UNEQUAL,
        LESS,
        LESS_EQUAL,
        GREATER,
        GREATER_EQUAL,
        ADD,
        SUBTRACT,
        MULTIPLY,
        DIVIDE,
        REMAINDER,
        NEGATE,
        NOT,
    };

    /** A value with its unit. */
    struct Value
    {
        int64_t value{0};        //!< number, ps or bytes
        Unit unit{Unit::NUMBER}; //!< what the value is
    };

    /** An operation on the stack of values. */
    struct Step
    {
        Code code{Code::CONSTANT}; //!< what it does
        Value constant;            //!< CONSTANT: the value; NAME: number of the name
    };

    Value Evaluate(const std::vector<int64_t>& values) const;
    static Value Apply(Code code, const Value& left, const Value& right);
    [[noreturn]] void Refuse(const std::string& problem, const std::string& accepted) const;

    std::string m_text{"0"};   //!< the text, for messages
    std::vector<Step> m_steps; //!< in the order of evaluation; none: zero
};

} // namespace ns3

#endif /* RDMA_EXPRESSION_H */
