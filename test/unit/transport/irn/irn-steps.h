/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IRN_STEPS_H
#define IRN_STEPS_H

#include "irn-receiver.h"
#include "irn-sender.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Steps of the tests of senders and receivers.
 */
namespace IrnSteps
{

/**
 * \ingroup rdma-tests
 * No deadline.
 */
constexpr RdmaPs NEVER = RdmaSender::NO_DEADLINE;

/**
 * \ingroup rdma-tests
 * No selective part.
 */
constexpr int64_t NONE = RdmaSender::NO_PACKET;

/**
 * \ingroup rdma-tests
 * RTO_low of the tests.
 */
constexpr RdmaPs LOW = 100_ps;

/**
 * \ingroup rdma-tests
 * RTO_high of the tests.
 */
constexpr RdmaPs HIGH = 320_ps;

/**
 * \ingroup rdma-tests
 * Largest number of packets in flight with RTO_low.
 */
constexpr uint32_t FEW = 3;

/**
 * \ingroup rdma-tests
 * No limit of the number of packets.
 */
constexpr int ALL = 1000;

/**
 * \ingroup rdma-tests
 * \param window most packets in flight
 * \return settings with the timeouts above, 2 retries and no limit on RNR NAKs
 */
inline RdmaSenderConfig
MakeConfig(uint64_t window = 100)
{
    RdmaSenderConfig config;
    config.window = window;
    config.timeouts.low = LOW;
    config.timeouts.high = HIGH;
    config.timeouts.lowPackets = FEW;
    config.retryCount = 2;
    return config;
}

/**
 * \ingroup rdma-tests
 * \param sender a sender
 * \param now instant
 * \param limit largest number of packets
 * \return the packets that go out until there are no more, retransmissions with an 'r': "3r 7 8"
 */
inline std::string
Send(RdmaSender& sender, RdmaPs now, int limit = ALL)
{
    std::string sent;
    for (int i = 0; i < limit && sender.CanSend(); ++i)
    {
        sent += (sent.empty() ? "" : " ") + std::to_string(sender.GetNext());
        sent += sender.Sent(1, now) ? "r" : "";
    }
    return sent;
}

/**
 * \ingroup rdma-tests
 * \tparam Sender class of the sender
 * \param packets packets that the sender has to send
 * \param limit largest number of packets that go out at 0
 * \param config settings of the sender
 * \param args further arguments of its constructor
 * \return the sender
 */
template <typename Sender, typename... Args>
Sender
Begin(uint64_t packets,
      int limit = ALL,
      const RdmaSenderConfig& config = MakeConfig(),
      const Args&... args)
{
    Sender sender(config, args...);
    sender.Extend(packets);
    Send(sender, 0_ps, limit);
    return sender;
}

/**
 * \ingroup rdma-tests
 * A packet arrives at a receiver that has receive requests for all.
 *
 * \param receiver the receiver
 * \param packet the packet
 * \param ends true if the packet ends its message
 * \return the answer: "A5" (ACK), "N5" (NAK), "N5/7" (NACK of an early packet), or nothing
 */
inline std::string
Arrive(RdmaReceiver& receiver, int64_t packet, bool ends = false)
{
    const auto verdict = receiver.Check(packet);
    if (verdict == RdmaReceiverVerdict::IGNORE)
    {
        return "";
    }
    if (verdict == RdmaReceiverVerdict::GAP)
    {
        return "N" + std::to_string(receiver.GetMissing());
    }
    if (verdict != RdmaReceiverVerdict::DUPLICATE)
    {
        receiver.Accept(static_cast<uint64_t>(packet), 1, ends);
    }
    if (verdict == RdmaReceiverVerdict::EARLY)
    {
        return "N" + std::to_string(receiver.GetMissing()) + "/" + std::to_string(packet);
    }
    return "A" + std::to_string(static_cast<int64_t>(receiver.GetExpected()) - 1);
}

/**
 * \ingroup rdma-tests
 * \param receiver the receiver
 * \param packets packets that arrive, as Send() returns them; "-3" is lost
 * \return the answers to all packets, as Arrive() returns them
 */
inline std::string
ArriveAll(RdmaReceiver& receiver, const std::string& packets)
{
    std::string answers;
    for (std::size_t at = 0; at < packets.size();)
    {
        const std::size_t end = std::min(packets.find(' ', at), packets.size());
        const std::string answer =
            packets[at] == '-' ? "" : Arrive(receiver, std::stoll(packets.substr(at)));
        answers += (answers.empty() || answer.empty() ? "" : " ") + answer;
        at = end + 1;
    }
    return answers;
}

/**
 * \ingroup rdma-tests
 * Answers come in.
 *
 * \param sender the sender
 * \param now instant
 * \param answers answers as ArriveAll() returns them; "-A5" is lost
 */
inline void
Answer(RdmaSender& sender, RdmaPs now, const std::string& answers)
{
    for (std::size_t at = 0; at < answers.size();)
    {
        const std::size_t end = std::min(answers.find(' ', at), answers.size());
        const std::string answer = answers.substr(at, end - at);
        const std::size_t slash = answer.find('/');
        if (answer[0] == 'A')
        {
            sender.OnAck(std::stoll(answer.substr(1)), now);
        }
        else if (answer[0] == 'N')
        {
            const int64_t early =
                slash == std::string::npos ? NONE : std::stoll(answer.substr(slash + 1));
            sender.OnNak(std::stoll(answer.substr(1)), early, now);
        }
        at = end + 1;
    }
}

/**
 * \ingroup rdma-tests
 * Answers come in, and the sender sends at the same instant.
 *
 * \param sender the sender
 * \param now instant
 * \param answers answers as Answer() takes them
 * \param limit largest number of packets that go out
 * \return the packets that go out, as Send() returns them
 */
inline std::string
Reply(RdmaSender& sender, RdmaPs now, const std::string& answers, int limit = ALL)
{
    Answer(sender, now, answers);
    return Send(sender, now, limit);
}

/**
 * \ingroup rdma-tests
 * \param event a sender's answer \return true if the answer is empty
 */
inline bool
IsNothing(const RdmaSenderEvent& event)
{
    return !event.mayBegin && !event.failed;
}

} // namespace IrnSteps

} // namespace ns3

#endif /* IRN_STEPS_H */
