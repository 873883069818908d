/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OUTPUT_FILE_H
#define RDMA_OUTPUT_FILE_H

#include <fstream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A file that is written during a run, only by the first rank of MPI (RdmaRanks). Other ranks have
 * no file, and their streams discard all output.
 */
class RdmaOutputFile
{
  public:
    /**
     * Replaces the file if it exists.
     *
     * \param path the file
     * \throws RdmaFileError if the file cannot be written
     */
    void Open(const std::string& path);

    /** \throws RdmaFileError if the file could not be written completely */
    void Close();

    /** \return the stream */
    std::ostream& GetStream()
    {
        return m_file;
    }

  private:
    std::string m_path;   //!< the file's name, for messages
    std::ofstream m_file; //!< the file
};

} // namespace ns3

#endif /* RDMA_OUTPUT_FILE_H */
