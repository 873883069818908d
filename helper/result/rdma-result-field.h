/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESULT_FIELD_H
#define RDMA_RESULT_FIELD_H

#include "qbb-ps.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/**
 * \file
 * \ingroup rdma-flow-report
 * Fields of result files: C++ values formatted as CSV or JSON, identically on every machine.
 */

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * Format of the text that contains a field.
 */
enum class RdmaResultFormat
{
    CSV,  //!< line of comma-separated values (RFC 4180)
    JSON, //!< JSON object (RFC 8259)
};

/**
 * \ingroup rdma-flow-report
 * Data type of a field for readers of the file.
 */
enum class RdmaResultType
{
    INTEGER, //!< integer
    NUMBER,  //!< decimal number
    TEXT,    //!< text
};

/**
 * \ingroup rdma-flow-report
 * Ratio of two times.
 */
struct RdmaResultRatio
{
    QbbPs time{0};    //!< numerator, 0 or more
    QbbPs divisor{0}; //!< denominator, above 0
};

/**
 * \ingroup rdma-flow-report
 * \defgroup rdma-result-fields Fields of result files
 *
 * AppendRdmaField() appends a value to a CSV line or a JSON object, in the format of that text.
 * @{
 */

/**
 * Appends a time in ns with three decimals.
 *
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the time
 */
void AppendRdmaField(std::string& text, RdmaResultFormat format, QbbPs value);

/**
 * Appends a ratio with six decimals, computed in integers and rounded half up. Throws
 * std::invalid_argument with the accepted range for an invalid ratio.
 *
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the ratio
 */
void AppendRdmaField(std::string& text, RdmaResultFormat format, const RdmaResultRatio& value);

/**
 * Appends a number with the shortest text that reads back exactly. Throws std::invalid_argument
 * with the text "is not finite" for infinity and NaN.
 *
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the number
 */
void AppendRdmaField(std::string& text, RdmaResultFormat format, double value);

/**
 * Appends text, quoted as the format requires. Non-ASCII bytes are copied unchanged.
 *
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the text of the field
 */
void AppendRdmaField(std::string& text, RdmaResultFormat format, std::string_view value);

/**
 * Appends an integer.
 *
 * \tparam I an integer type
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the integer
 */
template <typename I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
void
AppendRdmaField(std::string& text, [[maybe_unused]] RdmaResultFormat format, I value)
{
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), +value).ptr;
    text.append(digits, end);
}

/**
 * Appends an optional value. A missing value is an empty CSV field, or null in JSON.
 *
 * \tparam T type of the value
 * \param [in,out] text CSV line or JSON object, to which the field is appended
 * \param format format of the text
 * \param value the value, or none
 */
template <typename T>
void
AppendRdmaField(std::string& text, RdmaResultFormat format, const std::optional<T>& value)
{
    if (value)
    {
        AppendRdmaField(text, format, *value);
    }
    else if (format == RdmaResultFormat::JSON)
    {
        text += "null";
    }
}

/** @} */

/**
 * \ingroup rdma-flow-report
 * Properties of the fields of a C++ type.
 * \tparam T a type accepted by AppendRdmaField()
 */
template <typename T>
struct RdmaFieldTraits
{
    /// Data type of the field.
    static constexpr RdmaResultType TYPE = std::is_integral_v<T> ? RdmaResultType::INTEGER
                                           : std::is_convertible_v<const T&, std::string_view>
                                               ? RdmaResultType::TEXT
                                               : RdmaResultType::NUMBER;
    static constexpr bool IS_OPTIONAL = false; //!< the field may be missing
};

/**
 * \ingroup rdma-flow-report
 * Properties of the fields of an optional C++ type.
 * \tparam T a type accepted by AppendRdmaField()
 */
template <typename T>
struct RdmaFieldTraits<std::optional<T>>
{
    static constexpr RdmaResultType TYPE = RdmaFieldTraits<T>::TYPE; //!< data type of the field
    static constexpr bool IS_OPTIONAL = true;                        //!< the field may be missing
};

} // namespace ns3

#endif /* RDMA_RESULT_FIELD_H */
