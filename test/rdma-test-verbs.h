/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_VERBS_H
#define RDMA_TEST_VERBS_H

#include "rdma-completion-queue.h"
#include "rdma-queue-pair.h"
#include "rdma-test-fabric.h"

#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Two hosts at one switch, a connected pair of queue pairs, and everything that they report.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Two hosts at one switch, 100 Gb/s, 1 us on each link, path MTU 1024, and a queue pair on each.
 *
 * A byte takes 80 ps. A SEND of up to 4 bytes and an acknowledgement are frames of 66 B; they take
 * 2 x ((8 + 66) x 80 + 1 us) = 2 011 840 ps from NIC to NIC.
 */
struct RdmaTestPair
{
    static constexpr int64_t SHORT_PS = 2'011'840; //!< a frame of 66 B from NIC to NIC

    /** \param configure called before the fabric is built */
    explicit RdmaTestPair(const std::function<void(RdmaTestFabric&)>& configure = {})
    {
        if (configure)
        {
            configure(test);
        }
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        std::tie(sender, receiver) = test.fabric->Connect(0, 1);
        sender->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
            [this](const RdmaWorkCompletion& completion) { sends.push_back(completion); }));
        receiver->GetReceiveCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>(
                [this](const RdmaWorkCompletion& completion) { receives.push_back(completion); }));
        receiver->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, const RdmaMessageArrival&>(
                [this](const RdmaMessageArrival& arrival) { arrivals.push_back(arrival); }));
    }

    /**
     * Posts a request at the sender.
     *
     * \param id its id
     * \param opcode what to do
     * \param length bytes
     * \param immediate immediate data
     */
    void Post(uint64_t id, RdmaWrOpcode opcode, uint64_t length, uint32_t immediate = 0)
    {
        RdmaSendRequest request;
        request.id = id;
        request.opcode = opcode;
        request.length = length;
        request.immediate = immediate;
        sender->PostSend(request);
    }

    /** \param ps an instant \param what is done then */
    template <typename T>
    static void At(int64_t ps, T what)
    {
        Simulator::Schedule(QbbFromPs(ps) - Simulator::Now(), std::move(what));
    }

    /** \param list completions \return ids, what, bytes, immediate data and statuses */
    static std::string ToText(const std::vector<RdmaWorkCompletion>& list)
    {
        static const char* const names[] = {"RDMA_WRITE",
                                            "SEND",
                                            "RECV",
                                            "RECV_RDMA_WITH_IMM",
                                            "RDMA_READ",
                                            "COMP_SWAP",
                                            "FETCH_ADD"};
        std::ostringstream text;
        for (const auto& c : list)
        {
            text << c.id << " " << names[static_cast<std::size_t>(c.opcode)] << " " << c.bytes;
            if (c.hasImmediate)
            {
                text << " imm " << std::hex << c.immediate << std::dec;
            }
            text << " " << c.status << "; ";
        }
        return text.str();
    }

    /** \param list completions \return their times */
    static std::string ToTimes(const std::vector<RdmaWorkCompletion>& list)
    {
        std::ostringstream text;
        for (const auto& c : list)
        {
            text << c.timePs << " ";
        }
        return text.str();
    }

    /** \return completions of the sender */
    std::string GetSendLog() const
    {
        return ToText(sends);
    }

    /** \return completions of the receiver */
    std::string GetReceiveLog() const
    {
        return ToText(receives);
    }

    /** \return times of the sender's completions */
    std::string GetSendTimes() const
    {
        return ToTimes(sends);
    }

    /** \return times of the receiver's completions */
    std::string GetReceiveTimes() const
    {
        return ToTimes(receives);
    }

    /** \return lengths of the messages that arrived */
    std::string GetArrivals() const
    {
        std::ostringstream text;
        for (const auto& arrival : arrivals)
        {
            text << arrival.bytes << " ";
        }
        return text.str();
    }

    RdmaTestFabric test;                      //!< the fabric; the hosts are nodes 0 and 1
    Ptr<RdmaQueuePair> sender;                //!< at host 0
    Ptr<RdmaQueuePair> receiver;              //!< at host 1
    std::vector<RdmaWorkCompletion> sends;    //!< completions of the sender
    std::vector<RdmaWorkCompletion> receives; //!< completions of the receiver
    std::vector<RdmaMessageArrival> arrivals; //!< messages at the receiver
};

} // namespace ns3

#endif /* RDMA_TEST_VERBS_H */
