/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-process-pool.h"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

/** \return the ends of tasks by number; the pool begins no more tasks after a fault */
std::map<std::size_t, RdmaProcessEnd>
RunPool(std::size_t jobs, std::size_t count, const RdmaProcessPool::Task& task)
{
    std::map<std::size_t, RdmaProcessEnd> ends;
    RdmaProcessPool(jobs).Run(count, task, [&ends](const RdmaProcessEnd& end) {
        EXPECT_TRUE(ends.emplace(end.index, end).second);
        return end.fault.empty();
    });
    return ends;
}

} // namespace

TEST(RdmaProcessPool, TasksReplyAndLeaveNoTrace)
{
    for (const std::size_t jobs : {1U, 2U, 9U})
    {
        int count = 10;
        const pid_t self = getpid();
        const auto ends = RunPool(jobs, 5, [&](std::size_t index, std::ostream& reply) {
            // The reply is longer than a pipe's buffer.
            reply << ++count << (getpid() == self ? " here " : " there ")
                  << std::string(200'000, static_cast<char>('a' + index));
            return static_cast<int>(10 * index);
        });
        EXPECT_EQ(count, 10);
        ASSERT_EQ(ends.size(), 5U);
        for (const auto& [index, end] : ends)
        {
            EXPECT_EQ(end.status, static_cast<int>(10 * index));
            EXPECT_EQ(end.fault, "");
            EXPECT_EQ(end.reply,
                      "11 there " + std::string(200'000, static_cast<char>('a' + index)));
        }
    }
}

TEST(RdmaProcessPool, NoReply)
{
    const auto ends = RunPool(1, 1, [](std::size_t, std::ostream&) { return 1; });
    EXPECT_EQ(ends.at(0).status, 1);
    EXPECT_EQ(ends.at(0).reply + ends.at(0).fault, "");
}

TEST(RdmaProcessPool, Faults)
{
    const std::string faults[] = {"no such thing",
                                  "its process was ended by signal 9",
                                  "its process ended with status 3 before the end of the run"};
    for (std::size_t kind = 0; kind < 3; ++kind)
    {
        const auto ends = RunPool(1, 4, [kind](std::size_t index, std::ostream& reply) {
            reply << "some text";
            if (index == 1 && kind == 0)
            {
                throw std::runtime_error("no such thing");
            }
            if (index == 1 && kind == 1)
            {
                raise(SIGKILL);
            }
            if (index == 1 && kind == 2)
            {
                std::exit(3);
            }
            return 0;
        });
        // The task with the fault is the last one that began.
        ASSERT_EQ(ends.size(), 2U);
        EXPECT_EQ(ends.at(0).reply, "some text");
        EXPECT_EQ(ends.at(1).reply, "");
        EXPECT_EQ(ends.at(1).fault, faults[kind]);
    }
}

TEST(RdmaProcessPool, AnExceptionEndsTheTasksAtWork)
{
    const auto task = [](std::size_t index, std::ostream&) {
        // The first task would hold up the test for a minute.
        return index == 0 ? static_cast<int>(sleep(60)) : 0;
    };
    const std::time_t begin = std::time(nullptr);
    ExpectError<std::runtime_error>(
        [&] {
            RdmaProcessPool(2).Run(2, task, [](const RdmaProcessEnd&) -> bool {
                throw std::runtime_error("enough");
            });
        },
        {"enough"});
    EXPECT_LT(std::time(nullptr) - begin, 30);
}

TEST(RdmaProcessPool, ASignalGoesOnToTheTasksAtWork)
{
    for (const int signal : {SIGINT, SIGTERM})
    {
        std::map<std::size_t, RdmaProcessEnd> ends;
        const auto task = [signal](std::size_t index, std::ostream&) {
            if (index == 2)
            {
                // All three tasks are at work, and the others would hold up the test for a minute.
                kill(getppid(), signal);
            }
            return static_cast<int>(sleep(60));
        };
        const int caught = RdmaProcessPool(3).Run(5, task, [&ends](const RdmaProcessEnd& end) {
            ends[end.index] = end;
            return true;
        });
        EXPECT_EQ(caught, signal);
        ASSERT_EQ(ends.size(), 3U) << "no task begins after the signal";
        for (const auto& [index, end] : ends)
        {
            EXPECT_EQ(end.fault, "its process was ended by signal 15") << "task " << index;
        }
    }
}
