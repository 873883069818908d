/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INTERRUPT_H
#define RDMA_INTERRUPT_H

#include <functional>
#include <string>
#include <thread>

namespace ns3
{

/**
 * \ingroup rdma
 * Catches the signals that ask a program to end, SIGINT (Ctrl-C) and SIGTERM, so that the program
 * can write what it has. A second signal acts as without the object: normally it ends the program
 * at once. A signal that the program ignores (nohup) stays ignored.
 *
 * A process has one object at a time.
 */
class RdmaInterrupt
{
  public:
    /**
     * Begins to catch signals.
     *
     * \param onSignal called once, after the first signal, on a thread of its own; may be empty
     */
    explicit RdmaInterrupt(const std::function<void()>& onSignal = {});
    /** Ends catching signals. After that, \p onSignal is not called. */
    ~RdmaInterrupt();
    RdmaInterrupt(const RdmaInterrupt&) = delete;
    RdmaInterrupt& operator=(const RdmaInterrupt&) = delete;

    /** \return number of the signal that the present object has caught; 0: none */
    static int GetSignal();

    /** \param signal SIGINT or SIGTERM \return "SIGINT" or "SIGTERM" */
    static std::string GetName(int signal);

  private:
    std::thread m_thread;  //!< waits for a signal and calls the function
    int m_pipe[2]{-1, -1}; //!< the handler wakes the thread through this pipe
};

} // namespace ns3

#endif /* RDMA_INTERRUPT_H */
