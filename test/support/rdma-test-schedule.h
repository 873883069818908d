/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_SCHEDULE_H
#define RDMA_TEST_SCHEDULE_H

#include "rdma-collective.h"
#include "rdma-operation-schedule.h"
#include "rdma-part.h"
#include "rdma-schedule-network.h"
#include "rdma-schedule-places.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Schedules for tests.
 */

namespace ns3
{

/** \param text a network, as in "ideal[Delay=1us]" \return the network */
inline Ptr<RdmaScheduleNetwork>
MakeTestNetwork(const std::string& text)
{
    return RdmaPart::Parse(text, RdmaScheduleNetwork::GetTypeId()).Create<RdmaScheduleNetwork>();
}

/** \param text a collective, as in "all-reduce-ring[Chunks=2]" \return the collective */
inline Ptr<RdmaCollective>
MakeTestCollective(const std::string& text)
{
    const auto collective =
        RdmaPart::Parse(text, RdmaCollective::GetTypeId()).Create<RdmaCollective>();
    collective->AssignStreams(RdmaCollective::FIRST_STREAM);
    return collective;
}

/** A schedule with a communicator of all ranks and a job. */
struct TestSchedule
{
    /** \param ranks number of ranks, each at a host of its own */
    explicit TestSchedule(uint32_t ranks)
        : TestSchedule(MakeRdmaPlaces(ranks, 1, 1))
    {
    }

    /** \param places place of each rank */
    explicit TestSchedule(const std::vector<RdmaSchedulePlace>& places)
        : schedule(CreateObject<RdmaOperationSchedule>())
    {
        schedule->SetPlaces(places);
        std::vector<uint32_t> members(places.size());
        std::iota(members.begin(), members.end(), 0);
        world = schedule->AddCommunicator("world", members);
        context = schedule->GetContext(world);
        job = &schedule->AddJob("job");
    }

    ~TestSchedule()
    {
        schedule->Dispose();
        Simulator::Destroy();
    }

    TestSchedule(const TestSchedule&) = delete;
    TestSchedule& operator=(const TestSchedule&) = delete;

    /** Adds a send. */
    uint32_t Send(uint32_t rank,
                  uint64_t bytes,
                  uint32_t to,
                  const std::vector<uint32_t>& after = {},
                  uint32_t tag = 0,
                  bool isRendezvous = false)
    {
        return job->Add(rank, RdmaOperation::Send(bytes, to, context, tag, isRendezvous), after);
    }

    /** Adds a receive. */
    uint32_t Receive(uint32_t rank,
                     uint64_t bytes,
                     uint32_t from,
                     const std::vector<uint32_t>& after = {},
                     uint32_t tag = 0)
    {
        return job->Add(rank, RdmaOperation::Receive(bytes, from, context, tag), after);
    }

    /** Adds computing. */
    uint32_t Compute(uint32_t rank,
                     RdmaPs time,
                     const std::vector<uint32_t>& after = {},
                     uint8_t unit = RdmaOperation::NO_UNIT)
    {
        return job->Add(rank, RdmaOperation::Compute(time, unit), after);
    }

    /** Runs the schedule. \param text a network \return end of the schedule; -1 ps: not all ended
     */
    RdmaPs Run(const std::string& text)
    {
        return Run(MakeTestNetwork(text));
    }

    /** Runs the schedule. \param network a network \return end; -1 ps: not all ended */
    RdmaPs Run(Ptr<RdmaScheduleNetwork> network)
    {
        schedule->Install(std::move(network));
        Simulator::Run();
        return schedule->IsDone() ? schedule->GetEnd() : RdmaPs(-1);
    }

    /** \param rank a rank \return end of the rank; -1 ps: it has not ended */
    RdmaPs GetEnd(uint32_t rank) const
    {
        return job->GetEnd(rank).value_or(RdmaPs(-1));
    }

    Ptr<RdmaOperationSchedule> schedule; //!< the schedule
    uint32_t world{0};                   //!< communicator of all ranks
    uint32_t context{0};                 //!< context of its messages
    RdmaScheduleJob* job{nullptr};       //!< the job
};

/**
 * Runs a collective of all ranks.
 * \param collective a collective
 * \param ranks number of ranks
 * \param bytes size
 * \param network a network
 * \return end of the collective
 */
inline RdmaPs
RunTestCollective(const std::string& collective,
                  uint32_t ranks,
                  uint64_t bytes,
                  const std::string& network)
{
    TestSchedule test(ranks);
    test.job->AddCollective(test.world, MakeTestCollective(collective), bytes);
    return test.Run(network);
}

} // namespace ns3

#endif /* RDMA_TEST_SCHEDULE_H */
