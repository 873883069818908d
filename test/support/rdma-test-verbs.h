/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_VERBS_H
#define RDMA_TEST_VERBS_H

#include "rdma-completion-queue.h"
#include "rdma-queue-pair.h"
#include "rdma-test-fabric.h"
#include "rdma-test-loss.h"

#include <cstdint>
#include <functional>
#include <list>
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
 * The transports that tests of the verbs run over.
 */
enum class RdmaWireFormat : uint8_t
{
    ROCE, //!< RoceTransport
    IRN,  //!< IrnTransport
};

/**
 * \ingroup rdma-tests
 * \param format packet formats \return name for a test case
 */
inline std::string
GetTestName(RdmaWireFormat format)
{
    return format == RdmaWireFormat::IRN ? "IRN" : "RoCE";
}

/**
 * \ingroup rdma-tests
 * Chooses a transport with a retransmission timeout of 100 us, and a bound of 64 packets if it is
 * IRN's.
 *
 * \param test a fabric that is not installed yet
 * \param format its packet formats
 * \param retries timeouts in a row before a queue pair fails
 */
inline void
SetTestTransport(RdmaTestFabric& test, RdmaWireFormat format, uint32_t retries = 7)
{
    if (format == RdmaWireFormat::IRN)
    {
        test.helper.SetTransport("ns3::IrnTransport");
        test.helper.SetTransportAttribute("BdpCap", UintegerValue(64));
        test.helper.SetTransportAttribute("RtoLow", TimeValue(MicroSeconds(100)));
        test.helper.SetTransportAttribute("RtoHigh", TimeValue(MicroSeconds(100)));
    }
    else
    {
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
    }
    test.helper.SetTransportAttribute("RetryCount", UintegerValue(retries));
}

/**
 * \ingroup rdma-tests
 * \param what test cases to make for both transports
 */
template <typename T>
void
ForBothTransports(T what)
{
    what(RdmaWireFormat::ROCE);
    what(RdmaWireFormat::IRN);
}

/**
 * \ingroup rdma-tests
 * Two hosts at one switch, 100 Gb/s, 1 us on each link, path MTU 1024, and a queue pair on each.
 *
 * A byte takes 80 ps. A SEND of up to 4 bytes and an acknowledgement are frames of 66 B; they take
 * 2 x ((8 + 66) x 80 + 1 us) = 2 011 840 ps from NIC to NIC.
 */
struct RdmaTestPair
{
    static constexpr RdmaPs SHORT = 2'011'840_ps; //!< a frame of 66 B from NIC to NIC

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

    /** \param id id of a request \param opcode its operation \return the request */
    static RdmaSendRequest MakeRequest(uint64_t id, RdmaWrOpcode opcode)
    {
        RdmaSendRequest request;
        request.id = id;
        request.opcode = opcode;
        return request;
    }

    /**
     * Posts a request at the sender.
     *
     * \param id its id
     * \param opcode operation
     * \param length bytes
     * \param immediate immediate data
     */
    void Post(uint64_t id, RdmaWrOpcode opcode, uint64_t length, uint32_t immediate = 0)
    {
        RdmaSendRequest request = MakeRequest(id, opcode);
        request.length = length;
        request.immediate = immediate;
        sender->PostSend(request);
    }

    /**
     * Posts a READ at the sender.
     *
     * \param id its id
     * \param length bytes
     * \param address where in the receiver's memory
     * \param key the key of that memory
     */
    void Read(uint64_t id, uint64_t length, uint64_t address = 0, uint32_t key = 0)
    {
        RdmaSendRequest request = MakeRequest(id, RdmaWrOpcode::RDMA_READ);
        request.length = length;
        request.remoteAddress = address;
        request.rKey = key;
        sender->PostSend(request);
    }

    /**
     * Posts a fetch and add at the sender.
     *
     * \param id its id
     * \param address of the word
     * \param add summand
     * \param key the key of that memory
     */
    void FetchAdd(uint64_t id, uint64_t address, uint64_t add, uint32_t key = 0)
    {
        RdmaSendRequest request = MakeRequest(id, RdmaWrOpcode::ATOMIC_FETCH_AND_ADD);
        request.remoteAddress = address;
        request.compareAdd = add;
        request.rKey = key;
        sender->PostSend(request);
    }

    /**
     * Posts a compare and swap at the sender.
     *
     * \param id its id
     * \param address of the word
     * \param compare expected value
     * \param swap new value if the word has the expected one
     */
    void CompareSwap(uint64_t id, uint64_t address, uint64_t compare, uint64_t swap)
    {
        RdmaSendRequest request = MakeRequest(id, RdmaWrOpcode::ATOMIC_CMP_AND_SWP);
        request.remoteAddress = address;
        request.compareAdd = compare;
        request.swap = swap;
        sender->PostSend(request);
    }

    /** \param at an instant \param what action at that instant */
    template <typename T>
    static void At(RdmaPs at, T what)
    {
        Simulator::Schedule(RdmaToTime(at) - Simulator::Now(), std::move(what));
    }

    /** \param list completions \return ids, operations, bytes, immediate data and statuses */
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
            text << c.time << " ";
        }
        return text.str();
    }

    /** \return words that the sender's atomics found */
    std::string GetOriginals() const
    {
        std::ostringstream text;
        for (const auto& c : sends)
        {
            text << c.original << " ";
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

/**
 * \ingroup rdma-tests
 * \param qp a queue pair \param state its new state
 */
inline void
SetTestState(Ptr<RdmaQueuePair> qp, RdmaQpState state)
{
    RdmaQpAttributes attributes;
    attributes.state = state;
    qp->Modify(attributes);
}

/**
 * \ingroup rdma-tests
 * \param from a queue pair in INIT
 * \param to its peer
 * \param remotePsn PSN of the peer's first packet
 * \param rts the attributes of its transition to RTS
 */
inline void
ConnectTestByHand(Ptr<RdmaQueuePair> from,
                  Ptr<RdmaQueuePair> to,
                  uint32_t remotePsn,
                  RdmaQpAttributes rts = RdmaQpAttributes())
{
    RdmaQpAttributes rtr;
    rtr.state = RdmaQpState::RTR;
    rtr.remoteAddress = to->GetLocalAddress();
    rtr.remoteQpn = to->GetQpn();
    rtr.remotePsn = remotePsn;
    from->Modify(rtr);
    rts.state = RdmaQpState::RTS;
    from->Modify(rts);
}

/**
 * \ingroup rdma-tests
 * \param test gets a retransmission timeout of 100 us
 */
inline void
SetTestTimeout(RdmaTestFabric& test)
{
    test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
}

/**
 * \ingroup rdma-tests
 * Two queue pairs, and the packets lost between them.
 */
struct RdmaTestLossyPair : public RdmaTestPair
{
    /**
     * \param format of the transport
     * \param requests frames that the responder does not get, counted from 0
     * \param responses frames that the requester does not get
     * \param retries timeouts in a row before a queue pair fails
     */
    RdmaTestLossyPair(RdmaWireFormat format,
                      const std::list<uint32_t>& requests,
                      const std::list<uint32_t>& responses,
                      uint32_t retries = 7)
        : RdmaTestPair([&](RdmaTestFabric& fabric) { SetTestTransport(fabric, format, retries); })
    {
        LoseFrames(receiver->GetPort(), requests);
        LoseFrames(sender->GetPort(), responses);
    }

    /** \return times of the completions, after the run */
    std::string Run()
    {
        test.Run();
        for (const auto& completion : sends)
        {
            if (completion.status != RdmaWcStatus::SUCCESS)
            {
                return GetSendLog();
            }
        }
        return GetSendTimes();
    }
};

} // namespace ns3

#endif /* RDMA_TEST_VERBS_H */
