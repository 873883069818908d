/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-process-pool.h"

#include "rdma-interrupt.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3
{

namespace
{

/// Longest time, in ms, until the pool notices a signal that came outside of poll()
constexpr int SIGNAL_CHECK_MS = 100;
constexpr char RETURNED = 'r'; //!< first letter of a task's text: the reply follows
constexpr char THREW = 't';    //!< first letter of a task's text: the message follows

[[noreturn]] void
FailProcess(const std::string& what)
{
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

/** Writes a text into a pipe and closes the pipe. */
void
WritePipe(int pipe, const std::string& text)
{
    std::size_t done = 0;
    while (done < text.size())
    {
        const ssize_t n = write(pipe, text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR)
        {
            break; // the reader reports the missing text
        }
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    close(pipe);
}

/** Performs a task in its child process, and ends the process. */
[[noreturn]] void
PerformTask(std::size_t index, const RdmaProcessPool::Task& task, int pipe)
{
    std::string text;
    int status = 0;
    // An exception must not leave this function: the child would continue as a second caller.
    try
    {
        std::ostringstream reply;
        status = task(index, reply);
        text = RETURNED + reply.str();
    }
    catch (const std::exception& error)
    {
        text = std::string(1, THREW) + error.what();
    }
    catch (...)
    {
        text = std::string(1, THREW) + "unknown exception";
    }
    WritePipe(pipe, text);
    std::exit(status);
}

/** \param process id of a child \return status of the child, from waitpid() */
int
WaitForProcess(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
    {
        if (errno != EINTR)
        {
            FailProcess("waitpid");
        }
    }
    return status;
}

} // namespace

RdmaProcessPool::RdmaProcessPool(std::size_t jobs)
    : m_jobs(jobs)
{
}

RdmaProcessPool::~RdmaProcessPool()
{
    for (const Child& child : m_children)
    {
        close(child.pipe);
        kill(child.process, SIGTERM);
        waitpid(child.process, nullptr, 0);
    }
}

int
RdmaProcessPool::Run(std::size_t count, const Task& task, const Ended& ended)
{
    const RdmaInterrupt interrupt;
    int signal = 0;
    std::size_t next = 0;
    while (next < count || !m_children.empty())
    {
        if (signal != RdmaInterrupt::GetSignal())
        {
            signal = RdmaInterrupt::GetSignal();
            next = count;
            for (const Child& child : m_children)
            {
                kill(child.process, SIGTERM);
            }
            continue;
        }
        if (next < count && m_children.size() < m_jobs)
        {
            Begin(next++, task);
        }
        else if (const auto end = Wait(signal); end && !ended(*end))
        {
            next = count;
        }
    }
    return signal;
}

void
RdmaProcessPool::Begin(std::size_t index, const Task& task)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        FailProcess("pipe");
    }
    // Otherwise the child would write the buffered output again.
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    // A signal that the pool forwards must not meet the caller's handlers in the child.
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    const pid_t process = fork();
    if (process == 0)
    {
        RdmaInterrupt::LeaveToParent();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (process < 0)
    {
        close(ends[0]);
        close(ends[1]);
        FailProcess("fork");
    }
    if (process == 0)
    {
#ifdef __linux__
        // End with the caller, even if a signal ends the caller.
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
        close(ends[0]);
        PerformTask(index, task, ends[1]);
    }
    close(ends[1]);
    m_children.push_back({index, process, ends[0], ""});
}

std::optional<RdmaProcessEnd>
RdmaProcessPool::Wait(int signal)
{
    while (signal == RdmaInterrupt::GetSignal())
    {
        std::vector<pollfd> pipes;
        for (const Child& child : m_children)
        {
            pipes.push_back({child.pipe, POLLIN, 0});
        }
        const int ready = poll(pipes.data(), static_cast<nfds_t>(pipes.size()), SIGNAL_CHECK_MS);
        if (ready < 0 && errno != EINTR)
        {
            FailProcess("poll");
        }
        if (ready <= 0)
        {
            continue;
        }
        for (std::size_t i = 0; i < pipes.size(); ++i)
        {
            if (pipes[i].revents != 0 && !Read(m_children[i]))
            {
                const Child child = std::move(m_children[i]);
                m_children.erase(m_children.begin() + static_cast<std::ptrdiff_t>(i));
                return Finish(child);
            }
        }
    }
    return std::nullopt;
}

bool
RdmaProcessPool::Read(Child& child)
{
    char buffer[4096];
    const ssize_t n = read(child.pipe, buffer, sizeof(buffer));
    if (n < 0 && errno != EINTR)
    {
        FailProcess("read");
    }
    child.text.append(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
    return n != 0;
}

RdmaProcessEnd
RdmaProcessPool::Finish(const Child& child)
{
    close(child.pipe);
    const int status = WaitForProcess(child.process);
    RdmaProcessEnd end;
    end.index = child.index;
    if (WIFSIGNALED(status))
    {
        end.fault = "its process was ended by signal " + std::to_string(WTERMSIG(status));
    }
    else if (child.text.empty())
    {
        end.fault = "its process ended with status " + std::to_string(WEXITSTATUS(status)) +
                    " before the end of the run";
    }
    else if (child.text.front() == THREW)
    {
        end.fault = child.text.substr(1);
    }
    else
    {
        end.status = WEXITSTATUS(status);
        end.reply = child.text.substr(1);
    }
    return end;
}

} // namespace ns3
