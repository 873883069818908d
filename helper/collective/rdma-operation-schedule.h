/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_OPERATION_SCHEDULE_H
#define RDMA_OPERATION_SCHEDULE_H

#include "rdma-collective.h"
#include "rdma-int128.h"
#include "rdma-ps.h"
#include "rdma-run-work.h"
#include "rdma-schedule-job.h"
#include "rdma-schedule-network.h"
#include "rdma-schedule-rank.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/object.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Operations on ranks, and what they wait for.
 *
 *     Ptr<RdmaOperationSchedule> schedule = CreateObject<RdmaOperationSchedule>();
 *     schedule->SetRanks(8);
 *     const uint32_t world = schedule->AddCommunicator("world", {0, 1, 2, 3, 4, 5, 6, 7});
 *     RdmaScheduleJob& job = schedule->AddJob("step");
 *     auto ring = RdmaPart::Parse("all-reduce-ring", RdmaCollective::GetTypeId());
 *     job.AddCollective(world, ring.Create<RdmaCollective>(), 1 << 20);
 *     schedule->Install(network);
 *     Simulator::Run();
 *     if (!schedule->IsDone())
 *     {
 *         std::cerr << schedule->DescribeWait();
 *     }
 *
 * An operation waits for operations of its own rank (RdmaScheduleJob). Between ranks, there are
 * messages, and edges with a delay. Each rank acts in events of its node alone (RdmaScheduleRank),
 * so ranks run on the threads of their nodes.
 *
 * The run ends when all jobs have ended: an event without a node stops the simulation at the first
 * multiple of 10 us (RDMA_RUN_END_STEP) strictly after the last end.
 *
 * A rank keeps the operations in progress, and the numbers of its messages. A listed operation
 * takes 32 bytes, and 8 bytes for each dependency. An operation of a collective exists from its
 * begin to its end.
 */
class RdmaOperationSchedule : public Object, public RdmaRunWork, private RdmaScheduleNetworkUser
{
  public:
    /** Context of the signals of edges (RdmaScheduleJob::AddEdge()). */
    static constexpr uint32_t EDGES = 0;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaOperationSchedule();
    ~RdmaOperationSchedule() override;

    // Before the run

    /**
     * Makes ranks, each at a host of its own: rank i at host i.
     * \param count number of ranks, 1 or more
     */
    void SetRanks(uint32_t count);

    /** Makes ranks. \param places place of each rank */
    void SetPlaces(const std::vector<RdmaSchedulePlace>& places);

    /** \return number of ranks */
    uint32_t GetNRanks() const
    {
        return static_cast<uint32_t>(m_places.size());
    }

    /**
     * \param name name of the communicator, for messages
     * \param members different ranks, in the order of their numbers in the communicator
     * \param priority traffic class of all messages, 0 to 7; NO_PRIORITY: the network's own choice
     * \return number of the communicator
     * \throws std::invalid_argument for a rank that does not exist, or comes twice, and for another
     *         priority
     */
    uint32_t AddCommunicator(const std::string& name,
                             const std::vector<uint32_t>& members,
                             uint8_t priority = RdmaScheduleMessage::NO_PRIORITY);

    /**
     * \param other class of messages whose communicator has none: the network's own choice
     * \return the traffic classes that messages can have: bit i for class i
     */
    uint8_t GetPriorityMask(uint8_t other) const;

    /** \param communicator number of a communicator \return its members */
    const std::vector<uint32_t>& GetMembers(uint32_t communicator) const;

    /**
     * \param communicator number of a communicator
     * \return the context for messages between its members: RdmaOperation::Send()
     */
    uint32_t GetContext(uint32_t communicator) const;

    /**
     * \param name name of the job
     * \param start instant at which the job begins
     * \return the job, which exists as long as the schedule
     */
    RdmaScheduleJob& AddJob(const std::string& name, RdmaPs start = RdmaPs(0));

    /**
     * Places the ranks on a network, and schedules the begin of the jobs. To be called once.
     *
     * \param network carries the messages
     * \throws std::invalid_argument if a job begins in the past, if there is no rank, or if the
     *         network does not have the places
     */
    void Install(Ptr<RdmaScheduleNetwork> network);

    /**
     * Records when operations begin and end, and what they wait for, in 56 bytes for each. Call the
     * function before Install().
     * \param recording what is recorded
     */
    void SetRecording(RdmaRecording recording);

    /** \return what is recorded */
    RdmaRecording GetRecording() const
    {
        return m_recording;
    }

    /** \param stop true, the default: the simulation stops after the last job has ended */
    void SetStopWhenDone(bool stop);

    // RdmaRunWork: the pieces of work are the programs of the jobs, one for each rank
    bool StopsWhenDone() const override
    {
        return m_stopWhenDone;
    }

    uint64_t GetNCounted() const override
    {
        return m_programs;
    }

    uint64_t GetNCountedEnded() const override
    {
        return m_localPrograms - m_running;
    }

    bool IsActive() const override;
    RdmaPs GetNextStart() const override;

    /**
     * Tells all processes that share the simulation when programs have ended, and what the ranks
     * have recorded. RunRdmaSimulation() calls this function.
     */
    void Share() override;

    // After the run

    /** \return true if all jobs have ended */
    bool IsDone() const
    {
        return m_running == 0 && m_network;
    }

    /** \return end of the last program that has ended */
    RdmaPs GetEnd() const
    {
        return RdmaPs(m_lastEndPs);
    }

    /**
     * \param rank a rank of an installed schedule
     * \return its recorded operations of all jobs, in the order of their ends
     */
    const std::deque<RdmaOperationRecord>& GetRecords(uint32_t rank) const
    {
        return m_ranks[rank]->GetRecords();
    }

    /** A call of a collective. */
    struct Call
    {
        uint32_t communicator{0};       //!< number of the communicator
        uint32_t number{0};             //!< number among the calls of the communicator, from 0
        Ptr<RdmaCollective> collective; //!< what the ranks do
        uint64_t bytes{0};              //!< size, see RdmaCollective::MakePrograms()
        uint32_t context{0};            //!< context of the messages
    };

    /** \return the calls, by number: RdmaOperationRecord::tag */
    const std::vector<Call>& GetCalls() const
    {
        return m_calls;
    }

    /** \param communicator number of a communicator \return its name */
    const std::string& GetCommunicatorName(uint32_t communicator) const
    {
        return m_communicators[communicator].name;
    }

    /** \return the jobs, by number: RdmaOperationRecord::job */
    const std::deque<RdmaScheduleJob>& GetJobs() const
    {
        return m_jobs;
    }

    /** \return the network; null before Install() */
    Ptr<RdmaScheduleNetwork> GetNetwork() const
    {
        return m_network;
    }

    /** \return number of operations that are in progress at all ranks */
    uint64_t GetNActive() const;

    /** \return bytes of memory for what is in progress at all ranks */
    std::size_t GetMemory() const;

    /**
     * \return which operations wait for what, in lines; empty if there are none. The first lines
     *         follow a chain of ranks: each waits for a message of the next one.
     */
    std::string DescribeWait() const;

    // For ranks, jobs and programs

    /** \param rank a rank of an installed schedule \return the rank */
    RdmaScheduleRank& GetRank(uint32_t rank)
    {
        return *m_ranks[rank];
    }

    /** \param bytes number of bytes \return time to access them once */
    RdmaPs GetAccessTime(uint64_t bytes) const
    {
        if (m_accessRate == 0)
        {
            return RdmaPs(0);
        }
        const RdmaUint128 ps = RdmaUint128{bytes} * 8'000'000'000'000U / m_accessRate;
        const RdmaPs time(static_cast<int64_t>(ps));
        return time - time % m_accessStep;
    }

    /** \return value of the attribute HeaderBytes */
    uint64_t GetHeaderBytes() const
    {
        return m_headerBytes;
    }

    /** \return value of the attribute ControlBytes */
    uint64_t GetControlBytes() const
    {
        return m_controlBytes;
    }

    /** \param context a context \return traffic class of its messages, or NO_PRIORITY */
    uint8_t GetPriority(uint32_t context) const
    {
        return m_priorities[context];
    }

    /** \param context a context \return its communicator and call, for messages */
    std::string DescribeContext(uint32_t context) const;

    /**
     * \param call number of a call of a collective
     * \param rank a rank that takes part
     * \return what the rank does
     */
    std::vector<std::unique_ptr<RdmaRankProgram>> MakePrograms(uint32_t call, uint32_t rank) const;

    /** A program has ended. \param job number of its job \param rank its rank */
    void ProgramEnded(uint32_t job, uint32_t rank);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaScheduleJob;

    /** Ranks that exchange messages. */
    struct Communicator
    {
        std::string name;                                   //!< name, for messages
        std::vector<uint32_t> members;                      //!< the ranks
        std::vector<std::pair<uint32_t, uint32_t>> numbers; //!< rank and number, by rank
        uint32_t context{0}; //!< context of messages that are no part of a call
        uint32_t calls{0};   //!< number of calls
    };

    // RdmaScheduleNetworkUser
    void Sent(uint32_t rank, uint64_t id) override;
    void Arrived(const RdmaScheduleMessage& message) override;

    void CheckRank(uint32_t rank) const;
    void CheckNotInstalled() const;
    uint32_t AddCall(uint32_t communicator, Ptr<RdmaCollective> collective, uint64_t bytes);
    uint32_t AddEdge();
    uint32_t AddContext(uint8_t priority);

    uint64_t m_headerBytes{0};   //!< value of the attribute HeaderBytes
    uint64_t m_controlBytes{24}; //!< value of the attribute ControlBytes
    DataRate m_memoryRate{0};    //!< value of the attribute MemoryRate
    Time m_memoryStep;           //!< value of the attribute MemoryTimeStep
    uint64_t m_accessRate{0};    //!< memory rate in bit/s; 0: accesses take no time
    RdmaPs m_accessStep{1};      //!< step of the time of an access
    bool m_stopWhenDone{true};   //!< the simulation stops after the last job has ended

    std::vector<RdmaSchedulePlace> m_places;                //!< by rank
    std::vector<Communicator> m_communicators;              //!< by number
    std::vector<Call> m_calls;                              //!< by number
    std::deque<RdmaScheduleJob> m_jobs;                     //!< by number
    std::vector<uint8_t> m_priorities;                      //!< traffic classes by context
    RdmaRecording m_recording{RdmaRecording::NOTHING};      //!< what is recorded
    uint32_t m_edges{0};                                    //!< number of edges between ranks
    Ptr<RdmaScheduleNetwork> m_network;                     //!< null before Install()
    std::vector<std::unique_ptr<RdmaScheduleRank>> m_ranks; //!< by number
    uint64_t m_programs{0};                                 //!< number of programs
    uint64_t m_localPrograms{0};         //!< those of them that this process runs
    std::atomic<uint64_t> m_running{0};  //!< number of programs that have not ended
    std::atomic<int64_t> m_lastEndPs{0}; //!< end of the last program that has ended
};

} // namespace ns3

#endif /* RDMA_OPERATION_SCHEDULE_H */
