/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FILE_TABLE_H
#define RDMA_FILE_TABLE_H

#include "rdma-result-table.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * \return descriptions of the columns of all RdmaFileTable objects, by name of the table
 */
std::map<std::string, std::vector<RdmaResultColumnInfo>>& GetRdmaFileColumns();

/**
 * \ingroup rdma-flow-report
 * The columns of a CSV file that an instrument of rdma-fabric writes, for instance monitor.
 *
 * The source file of the class that writes the file defines one RdmaFileTable at file scope. No
 * other file lists the table: RdmaResultTables::Describe() finds all of them.
 *
 * \tparam Record type with the values of a row
 */
template <typename Record>
class RdmaFileTable : public RdmaResultTable<Record>
{
  public:
    /**
     * \param option name of the option that names the file, for instance "monitor"
     * \param columns columns of the file in order
     * \throws std::invalid_argument if two columns have equal names
     */
    RdmaFileTable(const std::string& option, const std::vector<RdmaResultColumn<Record>>& columns)
        : RdmaResultTable<Record>(option, columns)
    {
        GetRdmaFileColumns()[option] = this->GetInfos();
    }
};

} // namespace ns3

#endif /* RDMA_FILE_TABLE_H */
