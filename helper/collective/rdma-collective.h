/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COLLECTIVE_H
#define RDMA_COLLECTIVE_H

#include "rdma-operation.h"
#include "rdma-ps.h"
#include "rdma-rank-program.h"

#include <ns3/object.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-collective Collectives and schedules
 *
 * A schedule (RdmaOperationSchedule) has operations on ranks, and a network carries their messages
 * (RdmaScheduleNetwork). Collectives (RdmaCollective) make the operations of an all-reduce, for
 * instance, rank by rank, while the schedule runs.
 */

/**
 * \ingroup rdma-collective
 * The ranks that take part in a collective, seen by one of them: every Stride-th member of a
 * communicator from First on.
 */
struct RdmaCollectiveScope
{
    const std::vector<uint32_t>* members{nullptr}; //!< ranks of the communicator
    uint32_t first{0};                             //!< place of the first rank among the members
    uint32_t stride{1};                            //!< distance from a rank to the next one
    uint32_t count{0};                             //!< number n of ranks
    uint32_t index{0};                             //!< number of this rank, 0 to n - 1
    uint32_t context{0};                           //!< context of all messages
    uint32_t tag{0};                               //!< tag of all messages

    /** \param number number of a rank, 0 to n - 1 \return the rank */
    uint32_t GetRank(uint32_t number) const
    {
        return (*members)[first + number * stride];
    }

    /**
     * \param offset distance from this rank, from -n on
     * \return number of the rank at that distance, around the end
     */
    uint32_t GetNeighbour(int64_t offset) const
    {
        return static_cast<uint32_t>((index + offset + count) % count);
    }

    /**
     * \param from number of the first rank of a part
     * \param step distance from a rank of the part to the next one
     * \param size number of ranks of the part
     * \param place number of this rank in the part
     * \param tags tag of all messages of the part
     * \return the part
     */
    RdmaCollectiveScope MakePart(uint32_t from,
                                 uint32_t step,
                                 uint32_t size,
                                 uint32_t place,
                                 uint32_t tags) const
    {
        return {members, first + from * stride, stride * step, size, place, context, tags};
    }
};

/**
 * \ingroup rdma-collective
 * How a collective sends its messages: what its attributes say.
 */
struct RdmaExchangeForm
{
    uint32_t chunks{1};              //!< messages of a step
    uint32_t depth{1};               //!< most sends, and most receives, at a time
    bool isPipelined{false};         //!< a chunk waits for its own data, not for a whole step
    uint64_t eagerBytes{UINT64_MAX}; //!< larger messages wait for their receiver

    /**
     * \param bytes size of a message
     * \param to rank of the receiver
     * \param scope the ranks, with context and tag
     * \return the operation
     */
    RdmaOperation MakeSend(uint64_t bytes, uint32_t to, const RdmaCollectiveScope& scope) const
    {
        return RdmaOperation::Send(bytes, to, scope.context, scope.tag, bytes > eagerBytes);
    }
};

/**
 * \ingroup rdma-collective
 * Divides bytes into parts. The sizes of the parts differ by at most one byte, and the larger parts
 * come first.
 *
 * \param bytes number of bytes
 * \param parts number of parts, above 0
 * \param part number of a part, below \p parts
 * \return bytes of the part
 */
constexpr uint64_t
GetRdmaShare(uint64_t bytes, uint64_t parts, uint64_t part)
{
    return bytes / parts + (part < bytes % parts ? 1 : 0);
}

/**
 * \ingroup rdma-collective
 * \param number a number above 0
 * \return its logarithm to base 2, rounded up
 */
constexpr uint32_t
GetRdmaLog2(uint32_t number)
{
    uint32_t log = 0;
    while ((uint64_t{1} << log) < number)
    {
        ++log;
    }
    return log;
}

/**
 * \ingroup rdma-collective
 * Base class of collectives. A collective makes the programs of its ranks: what each of them sends,
 * receives and reduces, and when. Programs select a collective by name:
 *
 *     rdma-collective --collective='all-reduce-ring[Channels=2|Chunks=4|Steps=Pipelined]'
 *
 * The data of a collective are divided among channels, whose messages do not wait for each other.
 * A channel's data are divided as the algorithm says, and each part into chunks. Each chunk is a
 * message. A step begins when the previous step has ended at this rank (Steps=Blocking), or each of
 * its chunks when the data of that chunk are there (Steps=Pipelined).
 *
 * A derived class is one file, which registers its short name (RdmaPartName). It implements
 * MakeProgram() for one channel.
 */
class RdmaCollective : public Object
{
  public:
    /** When the chunks of a step are sent. */
    enum Steps
    {
        BLOCKING,  //!< when all chunks of the previous step have arrived
        PIPELINED, //!< each when the data of the chunk have arrived
    };

    /// First random stream of collectives, apart from those of workloads.
    static constexpr int64_t FIRST_STREAM = 2'000'000;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** What a collective does. */
    enum class Operation
    {
        ALL_REDUCE,     //!< all ranks get the sum of the vectors of all ranks
        REDUCE_SCATTER, //!< each rank gets its part of that sum
        ALL_GATHER,     //!< all ranks get the parts of all ranks
        BROADCAST,      //!< all ranks get the vector of one rank
        ALL_TO_ALL,     //!< each rank gets a part from each rank
        BARRIER,        //!< no rank leaves before all ranks have entered
    };

    /** \return what the collective does */
    virtual Operation GetOperation() const = 0;

    /** \return name of the operation in nccl-tests, for instance "all_reduce" */
    std::string GetOperationName() const;

    /**
     * \param ranks number of ranks
     * \return ratio of bus bandwidth and algorithm bandwidth, as nccl-tests define it
     *         (doc/PERFORMANCE.md there)
     */
    double GetBusFactor(uint32_t ranks) const;

    /** \return true if the collective reduces */
    bool Reduces() const;

    /** \return number of the rank that has the vector at first; -1, the default: no rank */
    virtual int64_t GetRoot() const;

    /**
     * \return true if the size of a call is that of parts, one for each rank, as with all-gather,
     *         reduce-scatter and all-to-all; nccl-tests then count the elements of a part
     */
    bool HasParts() const;

    /** \return true if a switch must reduce (RdmaScheduleNetwork::ReduceInSwitch()) */
    virtual bool NeedsSwitch() const;

    /**
     * Checks a call before the run, and prepares what the programs of its ranks need.
     *
     * \param ranks number of ranks
     * \param bytes size of the call; see MakePrograms()
     * \throws std::invalid_argument naming what is accepted
     */
    virtual void Prepare(uint32_t ranks, uint64_t bytes);

    /**
     * Makes the programs of a rank. Several threads may call the function at a time.
     *
     * \param scope the ranks; messages may have any tag
     * \param bytes size of the call: the bytes of the vector, which for reduce-scatter is what each
     *        rank puts in, for all-gather what each rank gets out, and for all-to-all what each
     * rank sends to all ranks, itself included \return the programs, which run side by side; none:
     * the rank has nothing to do
     */
    std::vector<std::unique_ptr<RdmaRankProgram>> MakePrograms(const RdmaCollectiveScope& scope,
                                                               uint64_t bytes) const;

    /**
     * \return time by which the next rank enters the next call late, drawn from the attribute
     *         StartDelay
     */
    RdmaPs DrawStartDelay();

    /**
     * Assigns a separate stream to each random variable.
     * \param stream number of the first stream, 0 or more
     * \return number of streams
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /** \return number of programs of a channel, which share its bytes; default: 1 */
    virtual uint32_t GetPrograms() const;

    /**
     * Makes a program of a rank for one channel.
     *
     * \param scope the ranks, and the tag for all messages, which is the number of the program
     *        among those of all channels; a collective uses this tag, or the tags from 4 x tag to
     *        4 x tag + 3
     * \param bytes bytes of the program
     * \return the program
     */
    virtual std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                         uint64_t bytes) const = 0;

    /**
     * \param accepted true if the call is accepted
     * \param problem what is not accepted, as in "6 ranks"
     * \param instead what is accepted, as in "a power of two"
     * \throws std::invalid_argument with the name of the class unless accepted
     */
    void Check(bool accepted, const std::string& problem, const std::string& instead) const;

    /** \return how messages are sent */
    RdmaExchangeForm GetForm() const
    {
        return {m_chunks, m_depth == 0 ? UINT32_MAX : m_depth, m_steps == PIPELINED, m_eagerBytes};
    }

    /** \return value of the attribute Channels */
    uint32_t GetChannels() const
    {
        return m_channels;
    }

  private:
    uint32_t m_channels{1};            //!< value of the attribute Channels
    uint32_t m_chunks{1};              //!< value of the attribute Chunks
    uint32_t m_depth{8};               //!< value of the attribute Depth
    Steps m_steps{BLOCKING};           //!< value of the attribute Steps
    uint64_t m_eagerBytes{UINT64_MAX}; //!< value of the attribute EagerBytes
    Ptr<RandomVariableStream> m_delay; //!< value of the attribute StartDelay, in nanoseconds
};

} // namespace ns3

#endif /* RDMA_COLLECTIVE_H */
