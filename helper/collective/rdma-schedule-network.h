/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCHEDULE_NETWORK_H
#define RDMA_SCHEDULE_NETWORK_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Where a rank of a schedule is.
 */
struct RdmaSchedulePlace
{
    uint32_t host{0}; //!< id of the host
    uint32_t gpu{0};  //!< number of the rank's GPU in the host
    uint32_t nic{0};  //!< number of the NIC, among those of the host, that the rank uses
};

/**
 * \ingroup rdma-collective
 * A message from one rank to another, as the network carries it. All members but from, to and bytes
 * are for the schedule: they must arrive as they were sent. from, context, tag and sequence tell a
 * message from all others that are on their way to a rank.
 */
struct RdmaScheduleMessage
{
    /// Value of priority: the network's own choice.
    static constexpr uint8_t NO_PRIORITY = 255;

    /** What a message is for. */
    enum class Kind : uint8_t
    {
        EAGER,   //!< data, sent at once
        REQUEST, //!< rendezvous: the sender is ready
        CLEAR,   //!< rendezvous: the receiver is ready, too
        DATA,    //!< rendezvous: the data
    };

    uint32_t from{0};       //!< rank that sends
    uint32_t to{0};         //!< rank that receives
    uint32_t context{0};    //!< communicator, or call of a collective
    uint32_t tag{0};        //!< tag of the message
    uint32_t sequence{0};   //!< number among the messages with equal from, to, context and tag
    Kind kind{Kind::EAGER}; //!< what the message is for
    /// traffic class of the communicator, 0 to 7, or NO_PRIORITY
    uint8_t priority{NO_PRIORITY};
    uint64_t bytes{0}; //!< size, with what the schedule adds; 0 or more
};

/**
 * \ingroup rdma-collective
 * Who is told of the messages of an RdmaScheduleNetwork: a schedule. The network calls the
 * functions from events of the node of the rank concerned, on the thread that runs the node, and
 * never from within RdmaScheduleNetwork::Send().
 */
class RdmaScheduleNetworkUser
{
  public:
    virtual ~RdmaScheduleNetworkUser() = default;

    /**
     * The sender may use the buffer of a message again.
     * \param rank the sender
     * \param id number that Send() was given
     */
    virtual void Sent(uint32_t rank, uint64_t id) = 0;

    /** A message is in the memory of its receiver. \param message the message */
    virtual void Arrived(const RdmaScheduleMessage& message) = 0;
};

/**
 * \ingroup rdma-collective
 * What a schedule needs of a network. Networks are parts, which programs select by name:
 *
 *     rdma-collective --network='ideal[Delay=2us|Rate=400Gbps]'
 *
 * A schedule calls Install() once before the run, and Send() in events of the sender's node. The
 * network tells the user of the end of each message at both nodes. Messages may overtake each
 * other. The order of calls at one instant at one rank must not depend on the order in which events
 * were inserted, nor on what other nodes do at that instant.
 */
class RdmaScheduleNetwork : public Object
{
  public:
    /// Number of a message for RdmaScheduleNetworkUser::Sent() that the user ignores.
    static constexpr uint64_t NOBODY_WAITS = UINT64_MAX;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Prepares the network for a schedule.
     *
     * \param user is told of messages; must outlive the run
     * \param places place of each rank
     * \throws std::invalid_argument if the network has no such place
     */
    virtual void Install(RdmaScheduleNetworkUser& user,
                         const std::vector<RdmaSchedulePlace>& places) = 0;

    /** \param rank a rank \return id of the node in whose events the rank acts */
    virtual uint32_t GetNodeId(uint32_t rank) const = 0;

    /**
     * \param rank a rank
     * \return true, the default, if this process runs the rank; with several ranks of MPI, one
     *         process does
     */
    virtual bool IsLocal(uint32_t rank) const;

    /**
     * \param rank a rank
     * \return rate at which the rank can send the bytes of messages, for comparisons
     */
    virtual RdmaBitRate GetRate(uint32_t rank) const = 0;

    /**
     * Sends a message. Called in an event of the sender's node.
     *
     * \param message the message, to another rank
     * \param id number for RdmaScheduleNetworkUser::Sent(); NOBODY_WAITS: Sent() means nothing
     */
    virtual void Send(const RdmaScheduleMessage& message, uint64_t id) = 0;

    /**
     * Sends a message of another rank, which the carrier has got from that rank. The message leaves
     * at the carrier's place, and arrives with all of its members as Send() would let it arrive.
     * Sent() is told to the carrier. Called in an event of the carrier's node. Send() of a message
     * does what Forward() does with the sender as the carrier.
     *
     * The default ends the program with a message: the network cannot do that.
     *
     * \param carrier rank at whose place the message leaves
     * \param message the message
     * \param id number for RdmaScheduleNetworkUser::Sent(), as for Send()
     */
    virtual void Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id);

    /**
     * Gives a vector to an all-reduce in a switch. The members of the all-reduce form a ring: each
     * of them sends one message to the next member, with equal context, tag, sequence and bytes.
     * When the messages of all members are there, the switch reduces them. Each member gets the sum
     * as the message of the member before it. Called in an event of the sender's node.
     *
     * The default ends the program with a message: the network has no such switch.
     *
     * \param message the message; bytes: the vector
     * \param id number for RdmaScheduleNetworkUser::Sent(), as for Send()
     */
    virtual void ReduceInSwitch(const RdmaScheduleMessage& message, uint64_t id);

    /**
     * Checks, after Install(), that a switch can reduce the vectors of some ranks.
     * \param ranks the ranks, at least one
     * \throws std::invalid_argument unless it can; the default: always
     */
    virtual void CheckReduction(const std::vector<uint32_t>& ranks) const;

    /**
     * Explains why messages have not arrived at the end of a run.
     * \param rank a sender
     * \return one line; empty, the default: there is nothing to say
     */
    virtual std::string DescribeWait(uint32_t rank) const;

    /**
     * Gathers, after the run, what DescribeDelay() needs from all processes of a run. Each process
     * calls this function. The default: there is nothing to gather.
     */
    virtual void Share();

    /**
     * Explains after a run what a message has waited for in the network.
     * \param message a message that has arrived
     * \param from when it was sent
     * \param until when it was in memory
     * \return what follows "which", as in "waited 30.000 us at leaf-2 to spine-0"; empty, the
     *         default: there is nothing to say
     */
    virtual std::string DescribeDelay(const RdmaScheduleMessage& message,
                                      RdmaPs from,
                                      RdmaPs until) const;
};

} // namespace ns3

#endif /* RDMA_SCHEDULE_NETWORK_H */
