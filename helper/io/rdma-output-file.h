/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OUTPUT_FILE_H
#define RDMA_OUTPUT_FILE_H

#include <fstream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A file that gets its name when it is complete. Until then its content is in a file of the same
 * folder whose name ends with ".part", so no reader takes half a file for a whole one. A program
 * that is killed leaves the ".part" file, which the next program that writes the file replaces.
 *
 * Only the first rank of MPI (RdmaRanks) writes the file. Other ranks have no file, and their
 * streams discard all output. A device or a pipe, such as /dev/stdout, is written directly.
 */
class RdmaOutputFile
{
  public:
    RdmaOutputFile() = default;
    /** Removes the ".part" file if Close() was not called. */
    ~RdmaOutputFile();
    RdmaOutputFile(const RdmaOutputFile&) = delete;
    RdmaOutputFile& operator=(const RdmaOutputFile&) = delete;

    /**
     * Begins a file that is written at once. An older file of that name stays until Close().
     *
     * \param path the file
     * \throws RdmaFileError if the file cannot be written
     */
    void Open(const std::string& path);

    /**
     * Begins a file that grows during a run. Removes an older file of that name, and an older file
     * of a run that was cut (GetCutPath()), so that a run that is killed leaves no file that looks
     * like its result.
     *
     * \param path the file
     * \throws RdmaFileError if the file cannot be written, or if another run is writing the file
     */
    void OpenForRun(const std::string& path);

    /**
     * Gives the file its name.
     *
     * \param isCut true if a signal has cut the run: the file then gets the name GetCutPath()
     * \throws RdmaFileError if the file could not be written completely
     */
    void Close(bool isCut = false);

    /** \return the stream */
    std::ostream& GetStream()
    {
        return m_file;
    }

    /**
     * \param path a file \return name of the file if a signal has cut the run: "ports.cut.csv" for
     *        "ports.csv"
     */
    static std::string GetCutPath(const std::string& path);

    /**
     * Checks that a file can be written, without changing a file.
     *
     * \param path the file
     * \throws RdmaFileError if the file cannot be written
     */
    static void Check(const std::string& path);

  private:
    void Begin(const std::string& path, bool waits);
    void Unlock();

    std::string m_path;   //!< name of the file as the user gave it, for messages
    std::string m_target; //!< name that the file gets in the end, with links followed
    std::string m_part;   //!< file that is being written; equal to m_target for a device
    std::ofstream m_file; //!< stream into the file m_part
    int m_lock{-1};       //!< descriptor that keeps other programs from writing m_part; -1: none
};

} // namespace ns3

#endif /* RDMA_OUTPUT_FILE_H */
