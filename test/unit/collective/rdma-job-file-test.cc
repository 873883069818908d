/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-critical-path.h"
#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-job-file.h"
#include "rdma-schedule-results.h"
#include "rdma-temp-directory.h"
#include "rdma-test-schedule.h"
#include "rdma-test-simulator.h"
#include "rdma-topology-builder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Files of jobs: what they make, and what is refused.
 */

namespace ns3
{
namespace
{

constexpr const char* NETWORK = "ideal[Delay=1us|Rate=8Gbps]";

/** A schedule from the text of a file. */
class JobRun
{
  public:
    /** \param text content of the file \param name name that no other test uses */
    JobRun(const std::string& text, const std::string& name)
        : schedule(CreateObject<RdmaOperationSchedule>()),
          m_folder(name)
    {
        std::filesystem::create_directories(m_folder.GetPath());
        path = (m_folder.GetPath() / "jobs.json").string();
        std::ofstream(path) << text;
    }

    ~JobRun()
    {
        schedule->Dispose();
        Simulator::Destroy();
    }

    JobRun(const JobRun&) = delete;
    JobRun& operator=(const JobRun&) = delete;

    /** Reads the file into the schedule. */
    void Fill()
    {
        RdmaJobFile(path).Fill(*schedule);
    }

    /** Reads the file and runs the schedule. */
    void Run()
    {
        Fill();
        schedule->SetRecording(RdmaRecording::MESSAGES);
        schedule->Install(MakeTestNetwork(NETWORK));
        Simulator::Run();
        ASSERT_TRUE(schedule->IsDone()) << schedule->DescribeWait();
    }

    /** \return end of a rank of a job */
    RdmaPs GetEnd(uint32_t rank, uint32_t job = 0) const
    {
        return schedule->GetJobs()[job].GetEnd(rank).value_or(RdmaPs(-1));
    }

    Ptr<RdmaOperationSchedule> schedule; //!< the schedule
    std::string path;                    //!< the file

  private:
    TempDirectory m_folder;
};

/** \return a file with one job \param step its operations \param more keys of the job */
std::string
MakeJob(const std::string& step, const std::string& more = "\"ranks\": 4")
{
    return "{\"jobs\": [{" + more + ",\n\"step\": [\n" + step + "\n]}]}\n";
}

TEST(RdmaJobFile, TheStepOf128GpusEqualsTheListScheduler)
{
    const std::string source(RDMA_SOURCE_FOLDER);
    const auto schedule = CreateObject<RdmaOperationSchedule>();
    RdmaJobFile(source + "/examples/jobs/step-of-128.json").Fill(*schedule);
    schedule->Install(MakeTestNetwork(
        "ideal[Delay=2us|SendOverhead=100ns|ReceiveOverhead=150ns|Gap=10ns|Rate=400Gbps]"));
    Simulator::Run();
    ASSERT_TRUE(schedule->IsDone()) << schedule->DescribeWait();
    std::ifstream file(source + "/test/unit/collective/step-of-128.csv");
    std::string line;
    std::getline(file, line);
    for (uint32_t rank = 0; rank < 128; ++rank)
    {
        std::getline(file, line);
        const RdmaPs end = schedule->GetJobs()[0].GetEnd(rank).value_or(RdmaPs(0));
        EXPECT_EQ(std::to_string(rank) + "," + std::to_string(end.Get() / 1000), line);
    }
    schedule->Dispose();
    Simulator::Destroy();
}

TEST(RdmaJobFile, ReadsAllExamples)
{
    const auto topology = MakeRdmaTopology("rail:8x16x8x1");
    uint32_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(RDMA_SOURCE_FOLDER) + "/examples/jobs"))
    {
        const auto schedule = CreateObject<RdmaOperationSchedule>();
        RdmaJobFile(entry.path().string()).Fill(*schedule, topology);
        EXPECT_FALSE(schedule->GetJobs().empty()) << entry.path();
        schedule->Dispose();
        ++files;
    }
    EXPECT_GE(files, 6U);
    Simulator::Destroy();
}

TEST(RdmaJobFile, StreamsAndNamesOrderOperations)
{
    // Stream main: 100, 300; stream other: 0 to 1000, on another unit. What is after both names: at
    // 1000. The operation of rank 1 alone: 1000 to 1001 there.
    JobRun run(MakeJob(R"({"compute": "100ns"},
                          {"compute": "200ns", "name": "a"},
                          {"compute": "1us", "stream": "other", "unit": 1, "name": "b"},
                          {"compute": "50ns", "after": ["a"]},
                          {"compute": "1ns", "if": "rank == 1", "stream": "third", "after": ["a", "b"]})",
                       "\"ranks\": 2"),
               "rdma-job-streams");
    run.Run();
    EXPECT_EQ(run.GetEnd(0), 1000_ns);
    EXPECT_EQ(run.GetEnd(1), 1001_ns);
    EXPECT_EQ(run.schedule->GetJobs()[0].GetName(0, 1), "a");
}

TEST(RdmaJobFile, GroupsFollowSizeAndStride)
{
    JobRun run(MakeJob(R"({"collective": "barrier", "group": "far"})",
                       R"("ranks": 12, "priority": 2, "groups": {
                          "near": {"size": 3}, "far": {"size": 2, "stride": 3, "priority": 5},
                          "own": {"lists": [[7, 1], [4]]}})"),
               "rdma-job-groups");
    run.Fill();
    const auto& schedule = *run.schedule;
    // all; near 0 to 3; far 0 to 5; own 0 and 1.
    using Ranks = std::vector<uint32_t>;
    EXPECT_EQ(schedule.GetMembers(1), (Ranks{0, 1, 2}));
    EXPECT_EQ(schedule.GetMembers(4), (Ranks{9, 10, 11}));
    EXPECT_EQ(schedule.GetMembers(5), (Ranks{0, 3}));
    EXPECT_EQ(schedule.GetMembers(6), (Ranks{1, 4}));
    EXPECT_EQ(schedule.GetMembers(8), (Ranks{6, 9}));
    EXPECT_EQ(schedule.GetMembers(11), (Ranks{7, 1}));
    EXPECT_EQ(schedule.GetCommunicatorName(8), "far 3");
    EXPECT_EQ(schedule.GetPriority(schedule.GetContext(0)), 2);
    EXPECT_EQ(schedule.GetPriority(schedule.GetContext(8)), 5);
    EXPECT_EQ(schedule.GetPriority(schedule.GetCalls()[0].context), 5);
    EXPECT_EQ(schedule.GetPriorityMask(3), (1 << 2) | (1 << 5));
}

TEST(RdmaJobFile, AGroupsNameIsThePlaceInTheGroup)
{
    // Ranks 0, 2 and 4 are a pipeline, as are 1, 3 and 5. Only the first stage computes, 1 us; the
    // message of 1 B arrives 1 us later at the next stage, which sends at once.
    JobRun run(MakeJob(R"({"compute": "1us", "if": "stage == 0"},
                          {"receive": 1, "from": "rank - 2", "group": "stage", "if": "stage > 0"},
                          {"send": 1, "to": "rank + 2", "group": "stage", "if": "stage < 2"})",
                       R"("ranks": 6, "groups": {"stage": {"size": 3, "stride": 2}})"),
               "rdma-job-stages");
    run.Run();
    EXPECT_EQ(run.GetEnd(1), 1000_ns);
    EXPECT_EQ(run.GetEnd(3), 2000_ns);
    EXPECT_EQ(run.GetEnd(5), 3000_ns);
}

TEST(RdmaJobFile, StragglersAreSlowerByAFactor)
{
    JobRun run(MakeJob(R"({"compute": "1us"})",
                       R"("ranks": 4, "stragglers": {"ranks": [2], "factor": 1.5})"),
               "rdma-job-straggler");
    run.Run();
    EXPECT_EQ(run.GetEnd(1), 1000_ns);
    EXPECT_EQ(run.GetEnd(2), 1500_ns);
}

TEST(RdmaJobFile, StragglersAreDrawnByTheSeed)
{
    std::set<std::set<uint32_t>> draws;
    for (int i = 0; i < 2; ++i)
    {
        JobRun drawn(MakeJob(R"({"compute": "1us"})",
                             R"("ranks": 100, "stragglers": {"share": 0.1, "factor": 3})"),
                     "rdma-job-stragglers");
        drawn.Run();
        std::set<uint32_t> slow;
        for (uint32_t rank = 0; rank < 100; ++rank)
        {
            if (drawn.GetEnd(rank) == 3000_ns)
            {
                slow.insert(rank);
            }
        }
        EXPECT_EQ(slow.size(), 10U);
        draws.insert(slow);
    }
    EXPECT_EQ(draws.size(), 1U); // one seed, one draw
}

TEST(RdmaJobFile, JobsRunSideBySide)
{
    JobRun run(R"({"jobs": [
        {"name": "a", "ranks": 2, "step": [{"compute": "1us"}]},
        {"name": "b", "ranks": 4, "hosts": 2, "start": "5us", "steps": 2, "step": [{"compute": "1us"}]}
    ]})",
               "rdma-job-two");
    run.Run();
    EXPECT_EQ(RdmaJobFile(run.path).GetNRanks(), 6U);
    EXPECT_EQ(run.schedule->GetJobs()[0].GetRanks(), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(run.schedule->GetJobs()[1].GetRanks(), (std::vector<uint32_t>{2, 3, 4, 5}));
    EXPECT_EQ(run.GetEnd(1, 0), 1000_ns);
    EXPECT_EQ(run.GetEnd(5, 1), 7000_ns);
    EXPECT_EQ(run.schedule->GetJobs()[1].GetNSteps(), 2U);
}

TEST(RdmaJobFile, StepsHaveTimesAndExposedCommunication)
{
    // Rank 0 computes 3 us, rank 1 computes 5 us; then a barrier of 1 B from each to the other,
    // 1 us. Step 0: rank 0 ends at 6, rank 1 at 5, as the byte of rank 0 has been there since 4.
    // Step 1: rank 0 computes from 6 to 9 and waits until 11, rank 1 computes from 5 to 10.
    JobRun run(MakeJob(R"({"compute": "3us + 2us * rank", "name": "work"},
                          {"collective": "barrier"})",
                       R"("ranks": 2, "steps": 2)"),
               "rdma-job-exposed");
    run.Run();
    const RdmaScheduleResults results(*run.schedule);
    ASSERT_EQ(results.GetSteps().size(), 2U);
    const RdmaStepResult& first = results.GetSteps()[0];
    EXPECT_EQ(first.begin, 0_ns);
    EXPECT_EQ(first.GetTime(), 6000_ns);
    EXPECT_EQ(first.meanComputing, 4000_ns);
    EXPECT_EQ(first.meanExposed, 1500_ns);
    EXPECT_EQ(first.maxExposed, 3000_ns);
    EXPECT_EQ(first.maxRank, 0U);
    const RdmaStepResult& second = results.GetSteps()[1];
    EXPECT_EQ(second.begin, 6000_ns);
    EXPECT_EQ(second.GetTime(), 5000_ns);
    EXPECT_EQ(second.meanComputing, 4000_ns);
    EXPECT_EQ(second.meanExposed, 1000_ns);
    EXPECT_EQ(second.maxExposed, 2000_ns);
    EXPECT_EQ(results.FormatSteps(),
              "job,step,begin_ns,end_ns,step_ns,compute_ns,exposed_ns,max_exposed_ns,"
              "max_exposed_rank\n"
              "job 0,0,0.000,6000.000,6000.000,4000.000,1500.000,3000.000,0\n"
              "job 0,1,6000.000,11000.000,5000.000,4000.000,1000.000,2000.000,0\n");

    // The last operation is the barrier of rank 0, which waited from 9 to 11 for a byte that rank 1
    // sent at 10, when its computing ended, which began at 5; step 0 ended at 6.
    RdmaCriticalPath path(*run.schedule);
    const auto parts = path.Find(0, 1);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].begin, 6000_ns);
    EXPECT_EQ(parts[0].end, 10'000_ns);
    EXPECT_EQ(parts[0].rank, 1U);
    EXPECT_EQ(path.Describe(parts[0]), "rank 1 computed work for 5.000 us");
    EXPECT_EQ(parts[1].begin, 10'000_ns);
    EXPECT_EQ(parts[1].end, 11'000_ns);
    EXPECT_EQ(parts[1].rank, 0U);
    EXPECT_EQ(parts[1].from, 1U);
    EXPECT_EQ(parts[1].waited, 2000_ns);
    EXPECT_EQ(path.Describe(parts[1]),
              "rank 0 waited 2.000 us for message 0 of 1 B from rank 1 (barrier; communicator all, "
              "call 1), which was on its way 1.000 us");
}

TEST(RdmaJobFile, CommunicationBesideComputingIsNotExposed)
{
    // The all-reduce of 2002 B: two steps of 1001 B, 2 us each. Computing goes on until 3 us, and
    // from 4 us to 4.1 us.
    JobRun run(MakeJob(R"({"collective": "all-reduce-ring", "bytes": 2002, "name": "sum",
                           "stream": "sums"},
                          {"compute": "3us"},
                          {"compute": "100ns", "after": ["sum"]})",
                       R"("ranks": 2)"),
               "rdma-job-overlap");
    run.Run();
    const RdmaScheduleResults results(*run.schedule);
    EXPECT_EQ(results.GetSteps()[0].GetTime(), 4100_ns);
    EXPECT_EQ(results.GetSteps()[0].meanComputing, 3100_ns);
    EXPECT_EQ(results.GetSteps()[0].meanExposed, 1000_ns);
    ASSERT_EQ(results.GetCalls().size(), 1U);
    const RdmaCallResult& call = results.GetCalls()[0];
    EXPECT_EQ(call.begin, 0_ns);
    EXPECT_EQ(call.end, 4000_ns);
    EXPECT_EQ(call.ranks, 2U);
    EXPECT_EQ(call.operation, "all_reduce");
    EXPECT_DOUBLE_EQ(call.GetAlgorithmBandwidth(), 2002.0 / 4000);
    EXPECT_DOUBLE_EQ(call.GetBusBandwidth(), 2002.0 / 4000); // 2 (n - 1) / n = 1
    // The parts of the path follow each other: two messages, and the last computing.
    RdmaCriticalPath path(*run.schedule);
    const auto parts = path.Find(0, 0);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].begin, 0_ns);
    EXPECT_EQ(parts[0].end, 2000_ns);
    EXPECT_EQ(parts[1].end, 4000_ns);
    EXPECT_EQ(parts[2].end, 4100_ns);
}

TEST(RdmaJobFile, APathGoesThroughALateReceiver)
{
    // The receive begins at 5 us; its answer of 24 B is at the sender at 6.023 us, and the last of
    // 1001 B at the receiver at 8.023 us.
    JobRun run(MakeJob(R"({"send": 1001, "to": 1, "rendezvous": true, "if": "rank == 0"},
                          {"compute": "5us", "if": "rank == 1"},
                          {"receive": 1001, "from": 0, "if": "rank == 1"})",
                       R"("ranks": 2)"),
               "rdma-job-late");
    run.Run();
    RdmaCriticalPath path(*run.schedule);
    const auto parts = path.Find(0, 0);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].rank, 1U);
    EXPECT_EQ(parts[0].end, 5000_ns);
    EXPECT_EQ(parts[1].rank, 1U);
    EXPECT_EQ(parts[1].from, 1U);
    EXPECT_EQ(parts[1].end, 8023_ns);
    EXPECT_EQ(path.Describe(parts[1]).find("rank 1 was late to receive message 0 of 1001 B"), 0U);
}

TEST(RdmaJobFile, APathNeedsMessages)
{
    TestSchedule test(1);
    test.schedule->SetRecording(RdmaRecording::OPERATIONS);
    test.Compute(0, 5_ns);
    test.Run(NETWORK);
    ExpectRefusal([&test] { RdmaCriticalPath path(*test.schedule); },
                  "without records of messages");
    EXPECT_EQ(RdmaScheduleResults(*test.schedule).GetSteps()[0].GetTime(), 5_ns);
}

/** A file that is refused: its text, and what the message says. */
struct WrongFile
{
    const char* text;                 //!< content of the file
    std::vector<std::string> message; //!< parts of the message
};

TEST(RdmaJobFile, RefusesWrongFiles)
{
    const WrongFile files[] = {
        {"[]", {"jobs.json:1: the file is no object"}},
        {"{\"jobs\": []}", {":1: jobs: no job; accepted: one or more"}},
        {"{\"jobz\": []}", {":1: 'jobz': is no key of the file; accepted: jobs, placement"}},
        {"{\n\"jobs\": [{\"ranks\": 2,\n\"step\": [], \"gruops\": {}}]}",
         {":3: 'gruops': is no key of a job; accepted: name, ranks, hosts"}},
        {"{\"jobs\": [{\"ranks\": 2}]}", {"step: is missing in a job"}},
        {"{\"jobs\": [{\"step\": []}]}", {"ranks: is missing in a job"}},
        {R"({"jobs": [{"ranks": 0, "step": []}]})", {"ranks: ", "accepted: 1 to 1000000"}},
        {R"({"jobs": [{"ranks": 6, "hosts": 4, "step": []}]})",
         {"hosts: 4 for 6 ranks; accepted: a number that divides the ranks"}},
        {R"({"jobs": [{"ranks": 6, "start": "5", "step": []}]})", {"start: "}},
        {R"({"placement": "x", "jobs": [{"ranks": 6, "step": []}]})", {"placement: ", "'x'"}},
        {R"({"placement": "random[Hosts=3]", "jobs": [{"ranks": 6, "step": []}]})",
         {"placement: Hosts; accepted: the key hosts of a job"}},
        {R"({"jobs": [{"name": "a", "ranks": 1, "step": []}, {"name": "a", "ranks": 1, "step": []}]})",
         {"name: 'a' is the name of an earlier job"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"rank": {"size": 2}}, "step": []}]})",
         {"groups: 'rank' is taken; accepted: none of ranks, step, rank, all"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"a-b": {"size": 2}}, "step": []}]})",
         {"groups: 'a-b'; accepted: letters, digits and _"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"a": {"size": 3}}, "step": []}]})",
         {"size: 3 x stride 1 for 4 ranks; accepted: a product that divides the ranks"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"a": {"lists": [[1, 2], [1]]}}, "step": []}]})",
         {"lists: rank 1 comes twice"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"a": {"size": 2, "priority": 8}}, "step": []}]})",
         {"priority: ", "accepted: "}},
        {R"({"jobs": [{"ranks": 4, "stragglers": {"share": 0.5}, "step": []}]})",
         {"factor: is missing in stragglers"}},
        {R"({"jobs": [{"ranks": 4, "stragglers": {"factor": 2}, "step": []}]})",
         {"neither share nor ranks"}},
        {R"({"jobs": [{"ranks": 4, "step": [5]}]})", {"an operation is no object"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"name": "a"}]}]})",
         {"an operation without its kind; accepted: one of the keys compute, collective, send"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"compute": "1us", "bytes": 3}]}]})",
         {"'bytes': is no key of an operation with compute; accepted: compute, unit, name"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"compute": "1us + x"}]}]})",
         {"compute: ", "'x' is unknown"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"compute": "1us", "name": "a {rank"}]}]})",
         {"name: a } is missing"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "nothing", "bytes": 3}]}]})",
         {"collective: 'nothing' is no ns3::RdmaCollective"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "barrier", "bytes": 3}]}]})",
         {"bytes: with a barrier"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "all-to-all"}]}]})",
         {"bytes: is missing in a collective"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "barrier", "group": "x"}]}]})",
         {"group: 'x' is no group of the job; accepted: all"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"send": 3}]}]})", {"to: is missing in a message"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"repeat": "rank", "operations": []}]}]})",
         {"repeat: ", "'rank' is unknown"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"repeat": 2, "as": "step", "operations": []}]}]})",
         {"as: 'step' is taken"}},
        // While the schedule is filled:
        {R"({"jobs": [{"ranks": 4, "step": [{"compute": "1us"},
            {"compute": 5}]}]})",
         {":2: compute: '5' is no time; accepted: a time with its unit"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"send": 3, "to": "rank + 1"}]}]})",
         {"to: is 4 for rank 3; accepted: another rank, 0 to 3"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"send": 3, "to": "rank"}]}]})",
         {"to: is 0 for rank 0; accepted: another rank"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"compute": "1us", "after": ["x"]}]}]})",
         {"after: no operation before is named 'x'"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "barrier", "if": "rank > 1"}]}]})",
         {"if: differs between ranks 0 and 2 of a group"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"collective": "all-to-all", "bytes": "rank"}]}]})",
         {"bytes: differs between ranks 0 and 1 of a group"}},
        {R"({"jobs": [{"ranks": 6, "step": [
            {"collective": "all-reduce-halving-doubling", "bytes": 8}]}]})",
         {":2: collective: ", "accepted: a power of two"}},
        {R"({"jobs": [{"ranks": 4, "groups": {"a": {"size": 2}},
            "step": [{"send": 3, "to": "(rank + 2) % 4", "group": "a"}]}]})",
         {":2: group: ranks 0 and 2 are in different ones"}},
        {R"({"jobs": [{"ranks": 4, "step": [{"repeat": -1, "operations": []}]}]})",
         {"repeat: is -1; accepted: 0 to 1000000"}}};
    for (const WrongFile& file : files)
    {
        JobRun run(file.text, "rdma-job-wrong");
        SCOPED_TRACE(file.text);
        ExpectError<RdmaFileError>([&run] { run.Fill(); }, file.message);
    }
}

} // namespace
} // namespace ns3
