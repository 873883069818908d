/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-part-name.h"
#include "rdma-placed-workload.h"
#include "rdma-placement.h"
#include "rdma-test-workload.h"
#include "rdma-text-file.h"
#include "rdma-time.h"
#include "rdma-topology-builders.h"

#include <ns3/rng-seed-manager.h>

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Ids = std::vector<uint32_t>;
using Ranks = std::vector<RdmaRankPlace>;

Ids
MakeIds(uint32_t first, uint32_t n)
{
    Ids ids(n);
    std::iota(ids.begin(), ids.end(), first);
    return ids;
}

/// Hosts of one job.
Ids
PlaceOne(const std::string& text, const RdmaTopology& topology, uint32_t hosts = 0)
{
    return MakeRdmaPlacement(text)->Place(topology, {{hosts, 0}}).front().hosts;
}

/// A file that is removed at the end of a test.
class PlacementFile
{
  public:
    explicit PlacementFile(const std::string& text)
        : m_path(testing::TempDir() + "rdma-placement-test.csv")
    {
        WriteRdmaFile(m_path, text);
    }

    ~PlacementFile()
    {
        std::remove(m_path.c_str());
    }

    std::string GetPart() const
    {
        return "file:" + m_path;
    }

    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string m_path;
};

} // namespace

class RdmaPlacements : public RdmaWorkloads
{
};

TEST_F(RdmaPlacements, Blocks)
{
    const auto topology = MakeRdmaLeafSpine(4, 4, 1);
    EXPECT_EQ(PlaceOne("blocks", topology), MakeIds(0, 16));
    EXPECT_EQ(PlaceOne("blocks", topology, 5), MakeIds(0, 5));
    EXPECT_EQ(PlaceOne("blocks[First=3]", topology), MakeIds(3, 13));
    const auto places =
        MakeRdmaPlacement("blocks[First=4|Align=4]")->Place(topology, {{3, 0}, {5, 0}});
    ASSERT_EQ(places.size(), 2u);
    EXPECT_EQ(places[0].hosts, MakeIds(4, 3));
    EXPECT_EQ(places[1].hosts, MakeIds(8, 5));
}

TEST_F(RdmaPlacements, SpreadTakesEveryLeafInTurn)
{
    // Leaves of 0 to 2, 3 to 5 and 6 to 8.
    EXPECT_EQ(PlaceOne("spread", MakeRdmaLeafSpine(3, 3, 1)), (Ids{0, 3, 6, 1, 4, 7, 2, 5, 8}));
    // Hosts of a unit share leaves; the first NIC counts.
    EXPECT_EQ(PlaceOne("spread", MakeRdmaTopology("rail:2x2x4x1"), 3), (Ids{0, 2, 1}));
}

TEST_F(RdmaPlacements, RandomIsAPermutationBySeed)
{
    const auto topology = MakeRdmaLeafSpine(4, 8, 1);
    const Ids first = PlaceOne("random", topology);
    Ids sorted = first;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, MakeIds(0, 32));
    EXPECT_NE(first, sorted);
    EXPECT_EQ(PlaceOne("random", topology), first);
    RngSeedManager::SetSeed(2);
    EXPECT_NE(PlaceOne("random", topology), first);
    // Two jobs never share a host.
    const auto places = MakeRdmaPlacement("random")->Place(topology, {{20, 0}, {12, 0}});
    std::set<uint32_t> all(places[0].hosts.begin(), places[0].hosts.end());
    all.insert(places[1].hosts.begin(), places[1].hosts.end());
    EXPECT_EQ(all.size(), 32u);
}

/*
 * 24 orders of four hosts, 24,000 times: each is expected 1000 times, with a standard deviation of
 * sqrt(24000 x 1/24 x 23/24) = 31. Five deviations are 155.
 */
TEST_F(RdmaPlacements, RandomOrdersAreEquallyLikely)
{
    const auto topology = MakeRdmaStar(4);
    const auto placement = MakeRdmaPlacement("random");
    std::map<Ids, int> times;
    for (int i = 0; i < 24000; ++i)
    {
        ++times[placement->Place(topology, {{4, 0}}).front().hosts];
    }
    ASSERT_EQ(times.size(), 24u);
    for (const auto& [order, count] : times)
    {
        EXPECT_NEAR(count, 1000, 155);
    }
}

TEST_F(RdmaPlacements, RandomBlocksStayTogether)
{
    // Blocks of 4, and a last one of 2.
    const Ids order = PlaceOne("random[Together=4]", MakeRdmaStar(18));
    Ids begins;
    for (std::size_t i = 0; i < order.size();)
    {
        begins.push_back(order[i]);
        ASSERT_EQ(order[i] % 4, 0u);
        const std::size_t size = order[i] == 16 ? 2 : 4;
        for (std::size_t k = 0; k < size; ++k, ++i)
        {
            EXPECT_EQ(order[i], begins.back() + k);
        }
    }
    std::sort(begins.begin(), begins.end());
    EXPECT_EQ(begins, (Ids{0, 4, 8, 12, 16}));
}

TEST_F(RdmaPlacements, RanksTakeTheNicsOfTheirHosts)
{
    const auto topology = MakeRdmaTopology("rail:1x4x4x1");
    const auto place = [&topology](const std::string& text, uint32_t hosts, uint32_t ranks) {
        return MakeRdmaPlacement(text)->Place(topology, {{hosts, ranks}}).front().ranks;
    };
    EXPECT_EQ(place("blocks[First=1]", 2, 8),
              (Ranks{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {2, 3}}));
    EXPECT_EQ(place("blocks[RankOrder=ByNic]", 3, 6),
              (Ranks{{0, 0}, {1, 0}, {2, 0}, {0, 2}, {1, 2}, {2, 2}}));
    // Two GPUs share a NIC.
    EXPECT_EQ(place("blocks", 1, 8),
              (Ranks{{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 2}, {0, 2}, {0, 3}, {0, 3}}));
    EXPECT_EQ(place("blocks", 4, 4), (Ranks{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
    EXPECT_TRUE(place("blocks", 4, 0).empty());
}

TEST_F(RdmaPlacements, Files)
{
    const auto topology = MakeRdmaTopology("rail:1x4x2x1");
    {
        const PlacementFile file("job,host,nic\n0,host-3,1\n0,1,0\n0,3,0\n0,host-1,1\n1,2,0\n");
        const auto places = MakeRdmaPlacement(file.GetPart())->Place(topology, {{2, 4}, {0, 1}});
        EXPECT_EQ(places[0].hosts, (Ids{3, 1}));
        EXPECT_EQ(places[0].ranks, (Ranks{{3, 1}, {1, 0}, {3, 0}, {1, 1}}));
        EXPECT_EQ(places[1].hosts, (Ids{2}));
        EXPECT_EQ(places[1].ranks, (Ranks{{2, 0}}));
    }
    {
        const PlacementFile file("job,host\n0,3\n0,3\n0,3\n0,0\n0,0\n0,0\n");
        EXPECT_EQ(MakeRdmaPlacement(file.GetPart())->Place(topology, {{0, 6}}).front().ranks,
                  (Ranks{{3, 0}, {3, 1}, {3, 0}, {0, 0}, {0, 1}, {0, 0}}));
        EXPECT_EQ(PlaceOne(file.GetPart(), topology), (Ids{3, 0}));
    }
}

TEST_F(RdmaPlacements, WrongFiles)
{
    const auto topology = MakeRdmaTopology("rail:1x4x2x1");
    const auto expect = [&topology](const std::string& text,
                                    const std::vector<std::string>& parts) {
        const PlacementFile file(text);
        ExpectError<RdmaFileError>([&] { PlaceOne(file.GetPart(), topology); }, parts);
    };
    expect("", {": job,host or job,host,nic: the file ends"});
    expect("host,job\n0,0\n", {":1: header: 'host' ...", "accepted: job,host or job,host,nic"});
    expect("job,host\n", {"no line after the header; accepted: a line for each rank"});
    expect("job,host\n0\n", {":2: 1 fields", "accepted: 2: job,host"});
    expect("job,host\n1,0\n", {":2: job: '1' is too large", "accepted: 0"});
    expect("job,host\n0,9\n",
           {":2: host: '9' is no host", "the id or the name of one of the 4 hosts"});
    expect("job,host\n0,4\n", {":2: host: '4' is no host"}); // NIC 1 of host 0
    expect("job,host,nic\n0,0,2\n", {":2: nic: '2' is too large", "accepted: 0 to 1"});
    EXPECT_THROW(PlaceOne("file:/does/not/exist", topology), RdmaFileError);
    ExpectError<std::invalid_argument>([&] { PlaceOne("file", topology); },
                                       {"Path ''; accepted: the path of a file"});
    const PlacementFile file("job,host\n0,0\n0,1\n1,2\n");
    const auto refuse = [&](const std::vector<RdmaJobSize>& jobs, const std::string& problem) {
        ExpectError<std::invalid_argument>(
            [&] { MakeRdmaPlacement(file.GetPart())->Place(topology, jobs); },
            {"ns3::RdmaFilePlacement: Path " + file.GetPath() + problem});
    };
    refuse({{0, 0}}, " has 2 jobs; accepted: a file of 1 job");
    refuse({{3, 0}, {1, 0}}, " has 2 hosts for job 0; accepted: 3");
    refuse({{2, 4}, {1, 1}}, " has 2 ranks for job 0; accepted: 4");
}

TEST_F(RdmaPlacements, WrongSizes)
{
    const auto topology = MakeRdmaStar(8);
    const auto expect = [&topology](const std::string& text,
                                    const std::vector<RdmaJobSize>& jobs,
                                    const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { MakeRdmaPlacement(text)->Place(topology, jobs); },
                                           {problem, "accepted: "});
    };
    expect("blocks", {{9, 0}}, "for 1 job 9 hosts; accepted: at most 8");
    expect("random",
           {{5, 0}, {4, 0}},
           "ns3::RdmaRandomPlacement: for 2 jobs 9 hosts; accepted: at most 8");
    expect("spread", {{5, 0}, {0, 0}}, "for a job 0 hosts; accepted: 1 host or more");
    expect("blocks[First=8]", {{1, 0}}, "First 8; accepted: 0 to 7");
    expect("blocks[First=4]", {{5, 0}}, "for 1 job 5 hosts; accepted: at most 4");
    expect("blocks[Align=6]", {{2, 0}, {3, 0}}, "Align 6 leaves no room for job 1");
    expect("blocks",
           {{3, 4}},
           "for job 0 4 ranks on 3 hosts; accepted: 1 host or more, and a multiple");
    expect("block",
           {{1, 0}},
           "did you mean blocks?; accepted: blocks[:Hosts], file[:Path], random[:Hosts]");
}

TEST_F(RdmaPlacements, FlowsMoveToThePlaceOfTheirJob)
{
    // Hosts 0 to 3 have 100 Gb/s. Host 4 has two NICs of 100 Gb/s.
    RdmaTopology topology = MakeRdmaStar(5);
    topology.AddLink(topology.AddNic(4), 5, 100_gbps, 1_us);
    const PlacementFile file("job,host\n0,4\n0,2\n");
    const std::string flows = testing::TempDir() + "rdma-placement-flows.csv";
    WriteRdmaFile(flows, "id,src,dst,bytes,start_ns\n0,0,1,1000,0\n1,1,0,2000,5\n");
    const auto workload =
        MakeRdmaWorkload(RdmaPart::Parse("file:" + flows, RdmaWorkload::GetTypeId()));
    const auto placed =
        CreateObject<RdmaPlacedWorkload>(workload, MakeRdmaPlacement(file.GetPart()), topology);
    const auto made = placed->MakeFlows(topology);
    ASSERT_EQ(made.size(), 2u);
    EXPECT_EQ(made[0].srcHost, 4u);
    EXPECT_EQ(made[0].dstHost, 2u);
    EXPECT_EQ(made[1].srcHost, 2u);
    EXPECT_EQ(made[1].dstHost, 4u);
    EXPECT_EQ(made[1].bytes, 2000u);
    // The file may name the hosts of the job alone.
    WriteRdmaFile(flows, "id,src,dst,bytes,start_ns\n0,0,2,1000,0\n");
    ExpectError<RdmaFileError>([&] { placed->MakeFlows(topology); }, {"dst: "});
    std::remove(flows.c_str());
}

/*
 * A Poisson workload at load 0.5 makes each host send at half of the rate of all of its links. The
 * flows have 1 MB. Host 0 of the job has two NICs, 200 Gb/s, and starts a flow every 80 us on
 * average. Host 1 has 100 Gb/s and starts a flow every 160 us. Host 0 starts 1000 flows in 80 ms,
 * with a standard deviation of 32, and host 1 starts 500, with a standard deviation of 22.
 */
TEST_F(RdmaPlacements, TheJobHasTheRatesOfItsHosts)
{
    RdmaTopology topology = MakeRdmaStar(5);
    topology.AddLink(topology.AddNic(4), 5, 100_gbps, 1_us);
    const PlacementFile file("job,host\n0,4\n0,2\n");
    const std::string sizes = testing::TempDir() + "rdma-placement-sizes.txt";
    WriteRdmaFile(sizes, "999999 0\n1000001 1\n");
    const auto workload =
        MakeRdmaWorkload(RdmaPart::Parse("poisson[Load=0.5|Duration=80ms|Cdf=file:" + sizes + "]",
                                         RdmaWorkload::GetTypeId()));
    const auto placed =
        CreateObject<RdmaPlacedWorkload>(workload, MakeRdmaPlacement(file.GetPart()), topology);
    std::map<uint32_t, int> flowsOf;
    for (const RdmaFlow& flow : placed->MakeFlows(topology))
    {
        ++flowsOf[flow.srcHost];
    }
    std::remove(sizes.c_str());
    EXPECT_EQ(flowsOf.size(), 2u);
    EXPECT_NEAR(flowsOf[4], 1000, 5 * 32);
    EXPECT_NEAR(flowsOf[2], 500, 5 * 22);
}

TEST_F(RdmaPlacements, TheWindowOfTheWorkloadIsThatOfThePlacedOne)
{
    RdmaSetTimeResolution();
    const auto topology = MakeRdmaStar(8);
    const auto make = [&topology](const std::string& placement) {
        const auto workload =
            MakeRdmaWorkload(RdmaPart::Parse("poisson[WarmUp=10us|Measure=50us|Cdf=hadoop]",
                                             RdmaWorkload::GetTypeId()));
        return CreateObject<RdmaPlacedWorkload>(workload, MakeRdmaPlacement(placement), topology);
    };
    const auto plain = make("blocks");
    const auto moved = make("blocks[First=4]");
    ASSERT_TRUE(plain->GetWindow());
    EXPECT_EQ(plain->GetWindow()->begin, 10_us);
    EXPECT_EQ(plain->GetWindow()->end, 60_us);
    moved->MakeFlows(topology);
    const auto more = moved->MakeMoreFlows(topology, 500_us);
    EXPECT_FALSE(more.empty());
    for (const RdmaFlow& flow : more)
    {
        EXPECT_GE(std::min(flow.srcHost, flow.dstHost), 4u);
    }
    // A job of all hosts in their order has the flows of the workload without a placement.
    EXPECT_EQ(plain->MakeFlows(topology),
              MakeRdmaFlows("poisson[WarmUp=10us|Measure=50us|Cdf=hadoop]", topology));
}
