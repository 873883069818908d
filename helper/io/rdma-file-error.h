/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FILE_ERROR_H
#define RDMA_FILE_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief Exception thrown by the module's file readers and writers.
 *
 * The text is one line, "file:line: field: problem; accepted: ...", without the parts that do not
 * apply. Line 0 denotes the file as a whole, for instance a file that cannot be opened or ends too
 * early.
 */
class RdmaFileError : public std::runtime_error
{
  public:
    /**
     * \param file name of the file as given by the user
     * \param line line number, from 1; 0 for the file as a whole
     * \param field name of the field or column; may be empty
     * \param problem description of the error
     * \param accepted description of accepted input; may be empty
     */
    RdmaFileError(const std::string& file,
                  uint64_t line,
                  const std::string& field,
                  const std::string& problem,
                  const std::string& accepted = "")
        : std::runtime_error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " +
                             (field.empty() ? "" : field + ": ") + problem +
                             (accepted.empty() ? "" : "; accepted: " + accepted))
    {
    }
};

} // namespace ns3

#endif /* RDMA_FILE_ERROR_H */
