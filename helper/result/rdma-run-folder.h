/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_FOLDER_H
#define RDMA_RUN_FOLDER_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * The folder of the results of a run, with the file run.json, which says what the run was, how it
 * ended, and which files belong to it.
 *
 *     RdmaRunFolder folder("results", options.GetGiven()); // run.json: "state": "running"
 *     run.Run();
 *     WriteRdmaReport(folder, ...);                        // run.json: "complete" or "cut"
 *
 * The constructor removes the results of an earlier run from the folder and leaves run.json with
 * the state "running". A program that is killed leaves that state, so that nobody takes the folder
 * for a result. Until the object ends, other runs are refused the folder. The refusal ends with the
 * process, however it ends: a lock on run.json (flock()) holds it, not the state in the file.
 *
 * run.json is a JSON object with these keys:
 *
 * key        | value
 * ---------- | -----
 * id         | 16 hexadecimal digits, different for each run
 * state      | "running", "complete" or "cut"
 * cut_by     | "SIGINT", "SIGTERM", "deadlock" or "stop" (--stop came first); null: not cut
 * command    | program without its folder, and arguments; empty where the system does not tell them
 * options    | options of the run that differ from their defaults, by name
 * attributes | default values of attributes that differ from those of the classes, by name
 * globals    | ns-3's global values, by name
 * seed, run  | ns-3's RngSeed and RngRun
 * versions   | of the module ("rdma", and "commit" of its sources), of ns-3 and of the compiler
 * process    | id of the process
 * begun      | date and time of the constructor, UTC
 * ended      | date and time of Finish(), UTC; null before
 * counts     | numbers that Finish() has got, for instance "flows_total"
 * files      | SHA-256 of each file that Write() has written, by name
 *
 * run.json differs from run to run; the other files do not. With several ranks of MPI (RdmaRanks),
 * only the first rank has an object.
 */
class RdmaRunFolder
{
  public:
    /// Adds text to a file.
    using Add = std::function<void(const std::string& text)>;

    /**
     * Makes the folder with its parents if it does not exist, and takes it for this run.
     *
     * \param directory the folder
     * \param options options of the run, by name, for run.json
     * \throws RdmaFileError if the folder cannot be made, if a file in it cannot be written, or if
     *         another run writes to it
     */
    explicit RdmaRunFolder(const std::string& directory,
                           const std::map<std::string, std::string>& options = {});
    /**
     * Gives the folder up. Without Finish(), the state stays "running". If an exception ends the
     * run before Finish(), run.json goes, and so does the folder if the constructor has made it and
     * nothing else is in it.
     */
    ~RdmaRunFolder();
    RdmaRunFolder(const RdmaRunFolder&) = delete;
    RdmaRunFolder& operator=(const RdmaRunFolder&) = delete;

    /**
     * Writes a file, whole or not at all.
     *
     * \param name name of the file in the folder
     * \param produce adds the content of the file, piece by piece
     * \return SHA-256 of the file
     * \throws RdmaFileError if the file cannot be written
     */
    std::string Write(const std::string& name, const std::function<void(const Add&)>& produce);

    /**
     * Writes run.json after the other files.
     *
     * \param cutBy what has cut the run (key cut_by); empty: the run is complete
     * \param counts numbers for the key counts, by name
     * \throws RdmaFileError if the file cannot be written
     */
    void Finish(const std::string& cutBy, const std::map<std::string, double>& counts);

  private:
    std::string Format() const;
    std::string GetPath(const std::string& name) const;

    std::string m_directory;                      //!< the folder
    std::map<std::string, std::string> m_options; //!< options of the run, by name
    std::map<std::string, double> m_counts;       //!< numbers of Finish()
    std::map<std::string, std::string> m_files;   //!< SHA-256 of the files, by name
    std::string m_id;                             //!< id of the run
    std::string m_begun;                          //!< time of the constructor
    std::string m_ended;                          //!< time of Finish(); empty before
    std::string m_cutBy;                          //!< what has cut the run
    int m_exceptions{0};                          //!< exceptions in flight in the constructor
    bool m_isNew{false};                          //!< the constructor has made the folder
    int m_lock{-1};                               //!< descriptor of run.json, with its lock
};

} // namespace ns3

#endif /* RDMA_RUN_FOLDER_H */
