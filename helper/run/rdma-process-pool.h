/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PROCESS_POOL_H
#define RDMA_PROCESS_POOL_H

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * How a task of an RdmaProcessPool ended.
 */
struct RdmaProcessEnd
{
    std::size_t index{0}; //!< number of the task
    int status{0};        //!< return value of the task; 0 with a fault
    std::string reply;    //!< text that the task wrote; empty with a fault
    /// Message of the task's exception, or how the process ended before the task returned; empty:
    /// the task returned
    std::string fault;
};

/**
 * \ingroup rdma
 * Performs tasks, each in a child process created by fork(), up to a fixed number at a time.
 *
 * A task begins with a copy of the caller's memory and does not change the caller's memory. Tasks
 * may therefore use global state, such as ns-3's simulator, without affecting each other.
 */
class RdmaProcessPool
{
  public:
    /// Performs the task with a number, in a child process. Returns the status, 0 to 255.
    using Task = std::function<int(std::size_t index, std::ostream& reply)>;
    /// Handles the end of a task, in the caller's process. Returns false to begin no further tasks.
    using Ended = std::function<bool(const RdmaProcessEnd& end)>;

    /** \param jobs largest number of processes at a time, 1 or more */
    explicit RdmaProcessPool(std::size_t jobs);
    /** Ends the processes that still run after an exception. */
    ~RdmaProcessPool();
    RdmaProcessPool(const RdmaProcessPool&) = delete;
    RdmaProcessPool& operator=(const RdmaProcessPool&) = delete;

    /**
     * Begins the tasks in order and waits for their ends. A SIGINT or SIGTERM to the caller goes
     * on to the processes at work, as SIGTERM, and no further task begins (RdmaInterrupt).
     *
     * \param count number of tasks
     * \param task performs a task
     * \param ended called once for each task that began, in the order of the ends
     * \return number of the signal; 0: none came
     * \throws std::runtime_error if a process cannot be created
     */
    int Run(std::size_t count, const Task& task, const Ended& ended);

  private:
    /** A process at work. */
    struct Child
    {
        std::size_t index; //!< number of the task
        pid_t process;     //!< id of the process
        int pipe;          //!< end of the pipe from which the caller reads
        std::string text;  //!< data received from the pipe
    };

    void Begin(std::size_t index, const Task& task);
    /**
     * \param signal number of the signal that has come so far; 0: none
     * \return the end of a task; none if another signal came first
     */
    std::optional<RdmaProcessEnd> Wait(int signal);
    static bool Read(Child& child);
    static RdmaProcessEnd Finish(const Child& child);

    std::size_t m_jobs;            //!< largest number of processes at a time
    std::vector<Child> m_children; //!< processes at work, in the order of their tasks
};

} // namespace ns3

#endif /* RDMA_PROCESS_POOL_H */
