/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RESULT_COLUMN_H
#define RDMA_RESULT_COLUMN_H

#include "rdma-result-field.h"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

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
     * The type of the fields follows from the type of the values: an integer, QbbPs (written in
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
        using Traits = RdmaFieldTraits<Value>;
        m_info = {name, unit, meaning, Traits::TYPE, Traits::IS_OPTIONAL, subject};
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
    RdmaResultColumnInfo m_info; //!< description of the column
    /// Appends the field of this column for a record.
    std::function<void(std::string&, RdmaResultFormat, const Record&)> m_append;
};

} // namespace ns3

#endif /* RDMA_RESULT_COLUMN_H */
