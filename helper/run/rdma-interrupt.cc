/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr std::array<int, 2> SIGNALS{SIGINT, SIGTERM};
constexpr char SIGNAL_CAME = 's'; //!< byte in the pipe: a signal came
constexpr char NO_MORE = 'n';     //!< byte in the pipe: the object ends

// A handler of signals has no argument for its state.
std::atomic<int> g_signal{0}; //!< the caught signal
std::atomic<int> g_pipe{-1};  //!< end of a pipe for the handler to write to; -1: none
/// What the signals do without an object, by place in SIGNALS
std::array<struct sigaction, SIGNALS.size()> g_before;

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler uses these variables");

void
WriteByte(int pipe, char byte)
{
    // Nothing can be done about a failure in a handler.
    while (write(pipe, &byte, 1) < 0 && errno == EINTR)
    {
    }
}

void
RestoreActions()
{
    for (std::size_t i = 0; i < SIGNALS.size(); ++i)
    {
        sigaction(SIGNALS[i], &g_before[i], nullptr);
    }
}

/** Handler of the signals; calls only functions that POSIX allows in a handler. */
void
CatchSignal(int signal)
{
    const int error = errno;
    RestoreActions();
    if (g_signal.exchange(signal) != 0)
    {
        // A second signal has come while another thread handled the first one.
        raise(signal);
    }
    else if (g_pipe >= 0)
    {
        WriteByte(g_pipe, SIGNAL_CAME);
    }
    errno = error;
}

} // namespace

RdmaInterrupt::RdmaInterrupt(const std::function<void()>& onSignal)
{
    if (onSignal)
    {
        if (pipe(m_pipe) != 0)
        {
            throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
        }
        for (const int end : m_pipe)
        {
            fcntl(end, F_SETFD, FD_CLOEXEC);
        }
        m_thread = std::thread([pipe = m_pipe[0], onSignal] {
            char byte = NO_MORE;
            while (read(pipe, &byte, 1) < 0 && errno == EINTR)
            {
            }
            if (byte == SIGNAL_CAME)
            {
                onSignal();
            }
        });
    }
    g_signal = 0;
    g_pipe = m_pipe[1];
    for (std::size_t i = 0; i < SIGNALS.size(); ++i)
    {
        sigaction(SIGNALS[i], nullptr, &g_before[i]);
    }

    struct sigaction action
    {
    };

    action.sa_handler = &CatchSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    // One signal at a time, so that the handlers do not interleave.
    for (const int signal : SIGNALS)
    {
        sigaddset(&action.sa_mask, signal);
    }
    for (std::size_t i = 0; i < SIGNALS.size(); ++i)
    {
        if (g_before[i].sa_handler != SIG_IGN)
        {
            sigaction(SIGNALS[i], &action, nullptr);
        }
    }
}

RdmaInterrupt::~RdmaInterrupt()
{
    RestoreActions();
    g_pipe = -1;
    g_signal = 0;
    if (m_thread.joinable())
    {
        WriteByte(m_pipe[1], NO_MORE);
        m_thread.join();
        close(m_pipe[0]);
        close(m_pipe[1]);
    }
}

int
RdmaInterrupt::GetSignal()
{
    return g_signal;
}

std::string
RdmaInterrupt::GetName(int signal)
{
    return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

} // namespace ns3
