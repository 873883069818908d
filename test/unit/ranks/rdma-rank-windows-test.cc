/* SPDX-License-Identifier: GPL-2.0-only */

// Windows of one rank of MPI among several. A scripted mail plays the other rank.

#include "rdma-event-time.h"
#include "rdma-rank-windows.h"

#include <ns3/make-event.h>
#include <ns3/simulator.h>

#include <array>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t NEVER_FS = RdmaEngine::NO_EVENT.m_ts;

/** \return the time in femtoseconds, as ranks report it */
uint64_t
ToFs(RdmaPs at)
{
    return at == RDMA_NEVER ? NEVER_FS : static_cast<uint64_t>(RdmaEventTime(at, 0).GetFs());
}

/** Report of the other rank between two windows. */
struct Answer
{
    RdmaPs next{RDMA_NEVER}; //!< its earliest event
    std::string frames;      //!< bytes that it hands over
    std::string requests;    //!< bytes of its requests
    bool isRunning{true};    //!< false if it has been stopped
};

/** Mail with a rank 1 whose reports are scripted. */
class ScriptedMail : public RdmaRankMail
{
  public:
    /**
     * \param answers the reports of rank 1
     * \param told the reports of rank 0 are appended here
     * \param requests the requests of rank 0 are appended here
     */
    ScriptedMail(std::deque<Answer> answers, std::vector<uint64_t>& told, std::string& requests)
        : m_answers(std::move(answers)),
          m_told(told),
          m_requests(requests)
    {
    }

    void Send(uint32_t rank, std::string_view bytes) override
    {
        EXPECT_EQ(rank, 1U);
        // A report is the number of bytes of requests, the time of the next event, and 1 or 0.
        std::array<uint64_t, 3> report{};
        ASSERT_GE(bytes.size(), sizeof(report));
        std::memcpy(report.data(), bytes.data(), sizeof(report));
        m_told.push_back(report[1]);
        m_requests += bytes.substr(sizeof(report), report[0]);
    }

    void Receive(uint32_t rank, std::string& bytes) override
    {
        EXPECT_EQ(rank, 1U);
        ASSERT_FALSE(m_answers.empty()) << "the run should have ended";
        const Answer& answer = m_answers.front();
        const std::array<uint64_t, 3> report{answer.requests.size(),
                                             ToFs(answer.next),
                                             answer.isRunning ? 1U : 0U};
        bytes.assign(reinterpret_cast<const char*>(report.data()), sizeof(report));
        bytes += answer.requests + answer.frames;
        m_answers.pop_front();
    }

  private:
    std::deque<Answer> m_answers;  //!< coming reports of rank 1
    std::vector<uint64_t>& m_told; //!< reports of rank 0
    std::string& m_requests;       //!< requests of rank 0
};

/** A border with a lookahead of 10 ns. */
class TestBorder : public QbbRankBorder
{
  public:
    RdmaPs GetLookahead() const override
    {
        return 10_ns;
    }

    RdmaPs Take(uint32_t rank, std::string& bytes) override
    {
        EXPECT_EQ(rank, 1U);
        bytes += "frames";
        return std::exchange(caused, RDMA_NEVER);
    }

    void Receive(std::string_view bytes) override
    {
        received += bytes;
    }

    RdmaPs caused{RDMA_NEVER}; //!< earliest event that the frames of this rank cause
    std::string received;      //!< bytes of rank 1
};

/** Rank 0 of two. */
class RdmaRankWindowsTest : public ::testing::Test
{
  protected:
    /** \param at instants of events of this rank */
    void AddEvents(const std::vector<RdmaPs>& at)
    {
        for (const RdmaPs instant : at)
        {
            EventImpl* const event = MakeEvent([] {});
            engine.Insert(RdmaEventTime(instant, 0), 0, event);
        }
    }

    /**
     * Runs until the end.
     *
     * \param answers the reports of rank 1
     * \param windows number of windows after which this rank is stopped
     */
    void Run(const std::deque<Answer>& answers, uint32_t windows = 100)
    {
        RdmaRankWindows run(engine,
                            *border,
                            *alarms,
                            std::make_unique<ScriptedMail>(answers, told, requests),
                            0,
                            2);
        run.Run([&](const Scheduler::EventKey& limit) {
            limits.push_back(RdmaEventTime::FromFs(static_cast<int64_t>(limit.m_ts)).GetInstant());
            engine.RunBefore(limit);
            return limits.size() < windows;
        });
    }

    ~RdmaRankWindowsTest() override
    {
        engine.Clear();
    }

    RdmaEngine engine;                                           //!< engine of this rank
    Ptr<TestBorder> border = CreateObject<TestBorder>();         //!< border of this rank
    Ptr<RdmaRankAlarms> alarms = CreateObject<RdmaRankAlarms>(); //!< alarms of this rank
    std::string requests;                                        //!< requests of this rank
    std::vector<uint64_t> told;                                  //!< reports of this rank
    std::vector<RdmaPs> limits;                                  //!< ends of the windows
};

} // namespace

TEST_F(RdmaRankWindowsTest, BeginAtTheEarliestEventOfAllRanks)
{
    AddEvents({5_ns, 40_ns});
    Run({{3_ns, ""}, {20_ns, ""}, {RDMA_NEVER, ""}, {RDMA_NEVER, ""}});
    // The first event of all is rank 1's at 3 ns, so that this rank's event at 5 ns runs as well;
    // then rank 1's at 20 ns, and then this rank's at 40 ns.
    EXPECT_EQ(limits, (std::vector<RdmaPs>{13_ns, 30_ns, 50_ns}));
    EXPECT_EQ(told, (std::vector<uint64_t>{ToFs(5_ns), ToFs(40_ns), ToFs(40_ns), NEVER_FS}));
    EXPECT_EQ(engine.GetEventCount(), 2U);
}

TEST_F(RdmaRankWindowsTest, BeginAtAnEventThatAFrameCauses)
{
    AddEvents({100_ns});
    border->caused = 60_ns;
    Run({{RDMA_NEVER, "a"}, {RDMA_NEVER, "bc"}, {RDMA_NEVER, ""}});
    EXPECT_EQ(limits, (std::vector<RdmaPs>{70_ns, 110_ns}));
    EXPECT_EQ(told.front(), ToFs(60_ns));
    EXPECT_EQ(border->received, "abc");
}

TEST_F(RdmaRankWindowsTest, AStoppedRankMeetsTheOthersUntilTheyEnd)
{
    AddEvents({5_ns, 40_ns});
    Run({{3_ns, ""}, {20_ns, ""}, {33_ns, ""}, {RDMA_NEVER, ""}}, 1);
    EXPECT_EQ(limits, (std::vector<RdmaPs>{13_ns}));
    EXPECT_EQ(told, (std::vector<uint64_t>{ToFs(5_ns), NEVER_FS, NEVER_FS, NEVER_FS}));
    EXPECT_EQ(engine.GetEventCount(), 1U);
    EXPECT_FALSE(engine.GetEvents().IsEmpty()) << "a further run goes on with the event at 40 ns";
}

TEST_F(RdmaRankWindowsTest, AStoppedRankRefusesAnInstantOfAllRanks)
{
    alarms->Add([](RdmaPs) {});
    alarms->Request(0, 50_ns);
    AddEvents({5_ns, 50_ns});
    EXPECT_DEATH(Run({{3_ns, ""}, {30_ns, ""}, {41_ns, ""}, {RDMA_NEVER, ""}}, 1),
                 "rank 0 of MPI was stopped at 5000 ps, .* on all ranks at 50000 ps");
    // The other rank ends before that instant.
    Run({{3_ns, ""}, {40_ns, ""}, {RDMA_NEVER, ""}}, 1);
    EXPECT_EQ(limits, (std::vector<RdmaPs>{13_ns}));
}

TEST_F(RdmaRankWindowsTest, RanksThatAllStopLeaveFramesAndInstantsBehind)
{
    alarms->Add([](RdmaPs) {});
    alarms->Request(0, 50_ns);
    AddEvents({5_ns, 50_ns});
    // The other rank stops in the window that begins at 3 ns, too. A frame is due at 45 ns.
    Run({{3_ns, "", "", true}, {45_ns, "", "", false}, {RDMA_NEVER, "", "", false}}, 1);
    EXPECT_EQ(limits, (std::vector<RdmaPs>{13_ns}));
}

TEST_F(RdmaRankWindowsTest, EndAtOnceIfNoRankHasAnEvent)
{
    Run({{RDMA_NEVER, ""}});
    EXPECT_TRUE(limits.empty());
}

TEST_F(RdmaRankWindowsTest, OneRankAsksAllForAnInstant)
{
    // The twin of rank 1 asks for 50 ns. The listener of this rank hears of the request before the
    // window of that instant.
    const auto other = CreateObject<RdmaRankAlarms>();
    for (const uint32_t number : {0U, 1U})
    {
        EXPECT_EQ(other->Add([](RdmaPs) { ADD_FAILURE() << "a rank knows its own request"; }),
                  number);
    }
    other->Request(1, 50_ns);
    std::vector<RdmaPs> heard;
    alarms->Add([](RdmaPs) { ADD_FAILURE() << "another object has asked"; });
    alarms->Add([&](RdmaPs at) { heard.push_back(at); });
    AddEvents({5_ns});
    Run({{3_ns, "", other->Take()}, {RDMA_NEVER, ""}});
    EXPECT_EQ(heard, (std::vector<RdmaPs>{50_ns}));
    EXPECT_TRUE(other->Take().empty()) << "a request is told once";
    EXPECT_EQ(requests, "");
    alarms->Request(0, 100_ns);
    told.clear();
    Run({{RDMA_NEVER, ""}});
    EXPECT_FALSE(requests.empty());
}
