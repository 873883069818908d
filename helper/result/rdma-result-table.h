/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESULT_TABLE_H
#define RDMA_RESULT_TABLE_H

#include "rdma-ps.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-flow-report
 * Tables of result files. A column is named once, with its unit, its meaning and the source of its
 * values (RdmaResultColumn). RdmaResultTable makes headers, rows of CSV files, JSON objects and the
 * description of the columns from that. Fields look the same on every machine.
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
    RdmaPs time{0};    //!< numerator, 0 or more
    RdmaPs divisor{0}; //!< denominator, above 0
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
void AppendRdmaField(std::string& text, RdmaResultFormat format, RdmaPs value);

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
    // Most fields of the ports are 0.
    if (value == 0)
    {
        text += '0';
        return;
    }
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof(digits), +value).ptr;
    text.append(digits, static_cast<std::size_t>(end - digits));
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
 * Subject that a column describes.
 */
enum class RdmaResultSubject
{
    NETWORK, //!< the simulated network
    RUN,     //!< the run itself: its duration and its cost
};

/**
 * \ingroup rdma-flow-report
 * Description of a column of a result file.
 */
struct RdmaResultColumnInfo
{
    /// Name of lower-case letters, digits and underscores, beginning with a letter
    std::string name;
    std::string unit;    //!< unit, for instance "ns" or "bytes"; empty: no unit
    std::string meaning; //!< one-line explanation for users, without a full stop
    RdmaResultType type{RdmaResultType::TEXT};             //!< data type of the fields
    bool isOptional{false};                                //!< fields may be empty
    RdmaResultSubject subject{RdmaResultSubject::NETWORK}; //!< subject that the column describes

    /** \throws std::invalid_argument for an invalid name or meaning, with the accepted form */
    void Validate() const;
};

/**
 * \ingroup rdma-flow-report
 * A column of a result file: name, unit, one-line explanation, and source of the values. A column
 * is defined in this one place; RdmaResultTable derives the header, the rows, the JSON object and
 * the description of columns from it.
 *
 *     RdmaResultColumn<RdmaPortResult> drops("drops",
 *                                            "packets",
 *                                            "frames thrown away",
 *                                            &RdmaPortResult::drops);
 *
 * \tparam Record type that contains the values, for instance RdmaFlowResult
 */
template <typename Record>
class RdmaResultColumn
{
  public:
    /**
     * The type of the fields follows from the type of the values: an integer, RdmaPs (written in
     * ns), RdmaResultRatio, double, std::string, or std::optional of one of these types.
     *
     * \tparam Getter type of \p getter
     * \param name name of lower-case letters, digits and underscores, beginning with a letter
     * \param unit unit, for instance "ns" or "bytes"; empty: no unit
     * \param meaning one-line explanation for users, without a full stop
     * \param getter a member of the record, or a function that takes a record and returns the value
     * \param subject subject that the column describes
     * \throws std::invalid_argument under the conditions of RdmaResultColumnInfo::Validate()
     */
    template <typename Getter>
    RdmaResultColumn(const std::string& name,
                     const std::string& unit,
                     const std::string& meaning,
                     Getter getter,
                     RdmaResultSubject subject = RdmaResultSubject::NETWORK)
        : m_append([getter](std::string& text, RdmaResultFormat format, const Record& record) {
              AppendRdmaField(text, format, std::invoke(getter, record));
          })
    {
        using Value = std::decay_t<std::invoke_result_t<const Getter&, const Record&>>;
        using Field = std::decay_t<decltype(GetField(std::declval<const Value&>()))>;
        m_info.name = name;
        m_info.unit = unit;
        m_info.meaning = meaning;
        m_info.type = std::is_integral_v<Field> ? RdmaResultType::INTEGER
                      : std::is_convertible_v<const Field&, std::string_view>
                          ? RdmaResultType::TEXT
                          : RdmaResultType::NUMBER;
        m_info.isOptional = !std::is_same_v<Field, Value>;
        m_info.subject = subject;
        m_info.Validate();
    }

    /** \return the description of the column */
    const RdmaResultColumnInfo& GetInfo() const
    {
        return m_info;
    }

    /**
     * Appends the field of this column for a record.
     *
     * \param [in,out] text a CSV line or a JSON object
     * \param format format of \p text
     * \param record record that contains the value
     * \throws std::invalid_argument for a number or a ratio that is not finite
     */
    void Append(std::string& text, RdmaResultFormat format, const Record& record) const
    {
        m_append(text, format, record);
    }

  private:
    /** Tells the type of a field: that of the value, or the type in an optional value. */
    template <typename T>
    static T GetField(const T& value);
    template <typename T>
    static T GetField(const std::optional<T>& value);

    RdmaResultColumnInfo m_info; //!< description of the column
    /// Appends the field of this column for a record.
    std::function<void(std::string&, RdmaResultFormat, const Record&)> m_append;
};

/**
 * \ingroup rdma-flow-report
 * The columns of a result file, in order.
 *
 * \tparam Record type with the values of a row, for instance RdmaFlowResult
 */
template <typename Record>
class RdmaResultTable
{
  public:
    /**
     * \param name name of the table for messages and descriptions, for instance "flows"
     * \param columns columns of the table in order
     * \throws std::invalid_argument if two columns have equal names
     */
    RdmaResultTable(const std::string& name, const std::vector<RdmaResultColumn<Record>>& columns)
        : m_name(name)
    {
        for (const auto& column : columns)
        {
            Add(column);
        }
        m_own = m_columns.size();
    }

    /**
     * Appends a user-defined column.
     *
     * \param column the column
     * \throws std::invalid_argument if a column with that name exists
     */
    void Add(const RdmaResultColumn<Record>& column)
    {
        for (const auto& other : m_columns)
        {
            if (other.GetInfo().name == column.GetInfo().name)
            {
                throw std::invalid_argument(m_name + ": there is a column " +
                                            column.GetInfo().name + "; accepted: another name");
            }
        }
        m_columns.push_back(column);
    }

    /**
     * Appends columns of the module that only some runs have.
     *
     * \param columns the columns
     * \throws std::invalid_argument if a column with one of the names exists
     */
    void Extend(const std::vector<RdmaResultColumn<Record>>& columns)
    {
        for (const auto& column : columns)
        {
            Add(column);
            std::rotate(m_columns.begin() + static_cast<std::ptrdiff_t>(m_own),
                        m_columns.end() - 1,
                        m_columns.end());
            ++m_own;
        }
    }

    /** \return the name of the table */
    const std::string& GetName() const
    {
        return m_name;
    }

    /** \return all columns in order */
    const std::vector<RdmaResultColumn<Record>>& GetColumns() const
    {
        return m_columns;
    }

    /** \return the descriptions of all columns in order */
    std::vector<RdmaResultColumnInfo> GetInfos() const
    {
        std::vector<RdmaResultColumnInfo> infos;
        for (const auto& column : m_columns)
        {
            infos.push_back(column.GetInfo());
        }
        return infos;
    }

    /** \return the user-defined columns, which Add() has appended */
    std::vector<RdmaResultColumn<Record>> GetOwnColumns() const
    {
        return {m_columns.begin() + static_cast<std::ptrdiff_t>(m_own), m_columns.end()};
    }

    /** \return the header line of the CSV file */
    std::string FormatHeader() const
    {
        std::string line;
        for (const auto& column : m_columns)
        {
            line += (line.empty() ? "" : ",") + column.GetInfo().name;
        }
        return line + "\n";
    }

    /**
     * Appends the field of a column.
     *
     * \param [in,out] text a CSV line or a JSON object
     * \param format format of \p text
     * \param column a column of this table
     * \param record record that contains the value
     * \throws std::invalid_argument with table, column and error
     */
    void AppendField(std::string& text,
                     RdmaResultFormat format,
                     const RdmaResultColumn<Record>& column,
                     const Record& record) const
    {
        try
        {
            column.Append(text, format, record);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument(m_name + ": " + column.GetInfo().name + " " + error.what());
        }
    }

    /**
     * Appends a line of a CSV file.
     *
     * \param [in,out] text CSV text that is extended
     * \param record record with the values of the row
     * \throws std::invalid_argument for a number or a ratio that is not finite
     */
    void AppendRow(std::string& text, const Record& record) const
    {
        for (const auto& column : m_columns)
        {
            if (&column != &m_columns.front())
            {
                text += ',';
            }
            AppendField(text, RdmaResultFormat::CSV, column, record);
        }
        text += '\n';
    }

    /**
     * \param record record with the values of the object
     * \return a JSON object with one line for each column
     * \throws std::invalid_argument for a number or a ratio that is not finite
     */
    std::string FormatJson(const Record& record) const
    {
        std::string text;
        for (const auto& column : m_columns)
        {
            text += (text.empty() ? "{\n  \"" : ",\n  \"") + column.GetInfo().name + "\": ";
            AppendField(text, RdmaResultFormat::JSON, column, record);
        }
        return text + "\n}\n";
    }

  private:
    std::string m_name;                              //!< name of the table, for instance "flows"
    std::vector<RdmaResultColumn<Record>> m_columns; //!< columns in the order of the file
    std::size_t m_own{0};                            //!< index of the first user-defined column
};

/**
 * \ingroup rdma-flow-report
 * \return descriptions of the columns of all files that MakeRdmaFileTable() knows, by name
 */
std::map<std::string, std::vector<RdmaResultColumnInfo>>& GetRdmaFileColumns();

/**
 * \ingroup rdma-flow-report
 * Makes the columns of a CSV file that an option of rdma-fabric names, for instance --monitor. The
 * source file of the class that writes the file keeps the table at file scope. No other file lists
 * the table: RdmaResultTables::Describe() finds all of them.
 *
 * \tparam Record type with the values of a row
 * \param option name of the option that names the file, for instance "monitor"
 * \param columns columns of the file in order
 * \return the table
 * \throws std::invalid_argument if two columns have equal names
 */
template <typename Record>
RdmaResultTable<Record>
MakeRdmaFileTable(const std::string& option, const std::vector<RdmaResultColumn<Record>>& columns)
{
    const RdmaResultTable<Record> table(option, columns);
    GetRdmaFileColumns()[option] = table.GetInfos();
    return table;
}

} // namespace ns3

#endif /* RDMA_RESULT_TABLE_H */
