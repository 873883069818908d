/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PROCESS_POOL_H
#define RDMA_PROCESS_POOL_H

#include <cstddef>
#include <functional>
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
    std::string reply;    //!< what the task wrote; empty with a fault
    /// Message of the task's exception, or how its process ended without a return of the task;
    /// empty: the task returned
    std::string fault;
};

/**
 * \ingroup rdma
 * Performs tasks, each in a child process that fork() makes, some of them at a time.
 *
 * A task begins with the memory that the caller has, and leaves no trace in it, so tasks may use
 * global state, such as that of ns-3's simulator, without an effect on each other.
 */
class RdmaProcessPool
{
  public:
    /// Performs the task of a number, in its process. Returns the status, which is 0 to 255.
    using Task = std::function<int(std::size_t index, std::ostream& reply)>;
    /// Takes the end of a task, in the caller's process. Returns false to begin no further tasks.
    using Ended = std::function<bool(const RdmaProcessEnd& end)>;

    /** \param jobs largest number of processes at a time, 1 and above */
    explicit RdmaProcessPool(std::size_t jobs);
    /** Ends the processes that an exception has left. */
    ~RdmaProcessPool();
    RdmaProcessPool(const RdmaProcessPool&) = delete;
    RdmaProcessPool& operator=(const RdmaProcessPool&) = delete;

    /**
     * Begins the tasks in order and waits for their ends.
     *
     * \param count number of tasks
     * \param task performs a task
     * \param ended called once for each task that began, in the order of the ends
     * \throws std::runtime_error if no process can be made
     */
    void Run(std::size_t count, const Task& task, const Ended& ended);

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
    RdmaProcessEnd Wait();
    static bool Read(Child& child);
    static RdmaProcessEnd Finish(const Child& child);

    std::size_t m_jobs;            //!< largest number of processes at a time
    std::vector<Child> m_children; //!< processes at work, in the order of their tasks
};

} // namespace ns3

#endif /* RDMA_PROCESS_POOL_H */
