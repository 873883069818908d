/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESULT_TABLE_H
#define RDMA_RESULT_TABLE_H

#include "rdma-result-column.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

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
        bool isFirst = true;
        for (const auto& column : m_columns)
        {
            text += isFirst ? "" : ",";
            isFirst = false;
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

} // namespace ns3

#endif /* RDMA_RESULT_TABLE_H */
