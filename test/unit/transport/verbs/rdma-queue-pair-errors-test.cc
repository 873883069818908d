/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Wrong uses of a queue pair: the program ends with a message that names the error. Each case runs
 * in a child process. Valid uses are in rdma-transport-states-test-suite.cc and
 * rdma-transport-reset-test-suite.cc.
 */

namespace ns3
{
namespace
{

using State = RdmaQpState;

/** Two hosts and a queue pair on each. */
class RdmaQueuePairErrorsTest : public testing::Test
{
  protected:
    RdmaQueuePairErrorsTest()
    {
        m_fabric = m_helper.Install(MakeRdmaStar(2));
        m_a = m_fabric->GetNic(0)->CreateQueuePair();
        m_b = m_fabric->GetNic(1)->CreateQueuePair();
    }

    ~RdmaQueuePairErrorsTest() override
    {
        Simulator::Destroy();
    }

    /** \param state a state \return attributes that take a queue pair to the state */
    RdmaQpAttributes To(State state) const
    {
        RdmaQpAttributes attributes;
        attributes.state = state;
        return attributes;
    }

    /** \return attributes from INIT to RTR */
    RdmaQpAttributes ToRtr() const
    {
        RdmaQpAttributes attributes = To(State::RTR);
        attributes.remoteAddress = m_b->GetLocalAddress();
        attributes.remoteQpn = m_b->GetQpn();
        return attributes;
    }

    /** \param state state of the new queue pair \return the queue pair */
    Ptr<RdmaQueuePair> Make(State state)
    {
        auto qp = m_fabric->GetNic(0)->CreateQueuePair();
        for (const State next : {State::RTR, State::RTS, State::SQD})
        {
            if (state == State::RESET || state == State::ERR)
            {
                qp->Modify(To(state));
                break;
            }
            if (qp->GetState() == state)
            {
                break;
            }
            qp->Modify(next == State::RTR ? ToRtr() : To(next));
        }
        EXPECT_EQ(qp->GetState(), state);
        return qp;
    }

    RdmaFabricHelper m_helper;
    Ptr<RdmaFabric> m_fabric;
    Ptr<RdmaQueuePair> m_a;
    Ptr<RdmaQueuePair> m_b;
};

TEST_F(RdmaQueuePairErrorsTest, EveryTransition)
{
    // IBA Vol. 1, figure 124, without SQE
    const std::map<State, std::vector<State>> accepted = {
        {State::RESET, {State::RESET, State::INIT, State::ERR}},
        {State::INIT, {State::RESET, State::INIT, State::RTR, State::ERR}},
        {State::RTR, {State::RESET, State::RTS, State::ERR}},
        {State::RTS, {State::RESET, State::RTS, State::SQD, State::ERR}},
        {State::SQD, {State::RESET, State::RTS, State::SQD, State::ERR}},
        {State::ERR, {State::RESET, State::ERR}},
    };
    const std::vector<State> all =
        {State::RESET, State::INIT, State::RTR, State::RTS, State::SQD, State::ERR};
    for (const auto& [from, list] : accepted)
    {
        for (const State to : all)
        {
            auto qp = Make(from);
            const RdmaQpAttributes attributes =
                from == State::INIT && to == State::RTR ? ToRtr() : To(to);
            if (std::find(list.begin(), list.end(), to) != list.end())
            {
                qp->Modify(attributes);
                EXPECT_EQ(qp->GetState(), to);
            }
            else
            {
                EXPECT_DEATH(qp->Modify(attributes),
                             std::string("rdma: Modify\\(\\) of a queue pair from ") +
                                 GetRdmaQpStateName(from) + " to " + GetRdmaQpStateName(to) +
                                 "; accepted: ");
            }
        }
    }
}

TEST_F(RdmaQueuePairErrorsTest, AttributesOfOtherTransitions)
{
    const std::vector<std::function<void(RdmaQpAttributes&)>> ofRtr = {
        [](auto& a) { a.remoteAddress = Ipv4Address("10.0.0.1"); },
        [](auto& a) { a.remoteQpn = 2; },
        [](auto& a) { a.remotePsn = 2; },
        [](auto& a) { a.maxDestRdAtomic = 2; },
    };
    const std::vector<std::function<void(RdmaQpAttributes&)>> ofRts = {
        [](auto& a) { a.initialPsn = 2; },
        [](auto& a) { a.maxRdAtomic = 2; },
        [](auto& a) { a.timeout = 2; },
        [](auto& a) { a.retryCount = 2; },
        [](auto& a) { a.rnrRetryCount = 2; },
    };
    for (const auto& set : ofRtr)
    {
        for (const State from : {State::INIT, State::RTR})
        {
            auto attributes = To(from == State::INIT ? State::INIT : State::RTS);
            set(attributes);
            EXPECT_DEATH(Make(from)->Modify(attributes),
                         "remoteAddress, remoteQpn, remotePsn and maxDestRdAtomic are accepted "
                         "from INIT to RTR only");
        }
    }
    for (const auto& set : ofRts)
    {
        for (const State from : {State::INIT, State::RTS})
        {
            auto attributes = from == State::INIT ? ToRtr() : To(State::SQD);
            set(attributes);
            EXPECT_DEATH(Make(from)->Modify(attributes),
                         "initialPsn, maxRdAtomic, timeout, retryCount and rnrRetryCount are "
                         "accepted from RTR to RTS only");
        }
    }
    // min_rnr_timer is accepted from RTS to SQD.
    auto attributes = To(State::SQD);
    attributes.minRnrTimer = 31;
    Make(State::RTS)->Modify(attributes);
}

TEST_F(RdmaQueuePairErrorsTest, PassiveBeforeTheConnectionOnly)
{
    Make(State::INIT)->SetPassive();
    for (const State state : {State::RTR, State::RTS, State::SQD})
    {
        EXPECT_DEATH(Make(state)->SetPassive(),
                     std::string("rdma: SetPassive\\(\\) on a queue pair in state ") +
                         GetRdmaQpStateName(state) + "; accepted: RESET, INIT");
    }
}

TEST_F(RdmaQueuePairErrorsTest, RtrNeedsThePeer)
{
    EXPECT_DEATH(m_a->Modify(To(State::RTR)), "to RTR needs remoteAddress and remoteQpn");
    auto attributes = ToRtr();
    attributes.remoteQpn.reset();
    EXPECT_DEATH(m_a->Modify(attributes), "to RTR needs remoteAddress and remoteQpn");
    attributes = ToRtr();
    attributes.remoteAddress.reset();
    EXPECT_DEATH(m_a->Modify(attributes), "to RTR needs remoteAddress and remoteQpn");
}

TEST_F(RdmaQueuePairErrorsTest, Ranges)
{
    const std::vector<std::function<void(RdmaQpAttributes&)>> rtr = {
        [](auto& a) { a.remotePsn = 1U << 24; },
        [](auto& a) { a.maxDestRdAtomic = 0; },
        [](auto& a) { a.minRnrTimer = 32; },
    };
    const std::vector<std::function<void(RdmaQpAttributes&)>> rts = {
        [](auto& a) { a.initialPsn = 1U << 24; },
        [](auto& a) { a.maxRdAtomic = 0; },
        [](auto& a) { a.timeout = 32; },
        [](auto& a) { a.retryCount = 8; },
        [](auto& a) { a.rnrRetryCount = 8; },
    };
    const std::string message = "accepted: timeout and minRnrTimer 0..31, retryCount and "
                                "rnrRetryCount 0..7, PSNs below 2\\^24, maxRdAtomic and "
                                "maxDestRdAtomic 1..255";
    for (const auto& set : rtr)
    {
        auto attributes = ToRtr();
        set(attributes);
        EXPECT_DEATH(m_a->Modify(attributes), message);
    }
    auto qp = Make(State::RTR);
    for (const auto& set : rts)
    {
        auto attributes = To(State::RTS);
        set(attributes);
        EXPECT_DEATH(qp->Modify(attributes), message);
    }
    // The ends of the ranges are accepted.
    auto attributes = To(State::RTS);
    attributes.initialPsn = (1U << 24) - 1;
    attributes.maxRdAtomic = 255;
    attributes.timeout = 31;
    attributes.retryCount = 7;
    attributes.rnrRetryCount = 7;
    qp->Modify(attributes);
    EXPECT_EQ(qp->GetInitialPsn(), (1U << 24) - 1);
}

TEST_F(RdmaQueuePairErrorsTest, Timeouts)
{
    EXPECT_EQ(GetRdmaTimeout(0), 0_ps);
    EXPECT_EQ(GetRdmaTimeout(1), 8192_ns);
    EXPECT_EQ(GetRdmaTimeout(14), 67'108'864_ns);
    EXPECT_EQ(GetRdmaTimeout(31), 8'796'093'022'208_ns); // 2.4 hours
}

TEST_F(RdmaQueuePairErrorsTest, Posting)
{
    RdmaSendRequest request;
    for (const State state : {State::RESET, State::INIT, State::RTR})
    {
        EXPECT_DEATH(Make(state)->PostSend(request),
                     std::string("rdma: PostSend\\(\\) on a queue pair in state ") +
                         GetRdmaQpStateName(state) + "; connect it first");
    }
    EXPECT_DEATH(Make(State::RESET)->PostReceive({0, 8}),
                 "rdma: PostReceive\\(\\) on a queue pair in RESET");
    for (const State state : {State::INIT, State::RTR, State::RTS, State::SQD})
    {
        Make(state)->PostReceive({0, 8});
    }
    auto qp = Make(State::RTS);
    request.length = RDMA_MAX_MESSAGE_BYTES + 1;
    EXPECT_DEATH(qp->PostSend(request), "rdma: a message of 2147483649 bytes; accepted: 0..");
    // A READ's responses take PSNs with RoCE: 2^23 and more would be ambiguous.
    request.opcode = RdmaWrOpcode::RDMA_READ;
    request.length = RDMA_MAX_MESSAGE_BYTES;
    m_fabric->GetNic(0)->SetQueuePairAttribute("PathMtu", UintegerValue(256));
    EXPECT_DEATH(Make(State::RTS)->PostSend(request),
                 "rdma: a READ of 2147483648 bytes at path MTU 256; accepted: below 2147483648");
}

TEST_F(RdmaQueuePairErrorsTest, SharedReceiveQueue)
{
    auto queue = CreateObject<RdmaSharedReceiveQueue>();
    m_a->SetSharedReceiveQueue(queue);
    EXPECT_DEATH(m_a->PostReceive({0, 8}),
                 "rdma: PostReceive\\(\\) on a queue pair that has a shared receive queue");
    m_b->PostReceive({0, 8});
    EXPECT_DEATH(m_b->SetSharedReceiveQueue(queue),
                 "rdma: SetSharedReceiveQueue\\(\\) on a queue pair in state INIT with 1 receive");
    EXPECT_DEATH(Make(State::RTS)->SetSharedReceiveQueue(queue),
                 "on a queue pair in state RTS with 0 receive requests; accepted: INIT");
}

TEST_F(RdmaQueuePairErrorsTest, Connecting)
{
    EXPECT_DEATH(Make(State::RTS)->Connect(m_b->GetLocalAddress(), m_b->GetQpn()),
                 "rdma: Connect\\(\\) of a queue pair in state RTS; accepted: INIT");
    m_fabric->GetNic(0)->SetQueuePairAttribute("PathMtu", UintegerValue(512));
    EXPECT_DEATH(RdmaQueuePair::ConnectPair(m_fabric->GetNic(0)->CreateQueuePair(), m_b),
                 "path MTUs 512 and 1024, or transports that do not understand each other");
}

TEST_F(RdmaQueuePairErrorsTest, ConnectingDifferentHeaders)
{
    auto make = [](const char* headers) {
        auto transport = CreateObject<IrnTransport>();
        transport->SetAttribute("BdpCap", UintegerValue(8));
        transport->SetAttribute("WriteHeaders", StringValue(headers));
        return transport;
    };
    m_fabric->GetNic(0)->SetTransport(make("Irn"));
    m_fabric->GetNic(1)->SetTransport(make("Roce"));
    EXPECT_DEATH(RdmaQueuePair::ConnectPair(m_fabric->GetNic(0)->CreateQueuePair(),
                                            m_fabric->GetNic(1)->CreateQueuePair()),
                 "transports that do not understand each other");
}

} // namespace
} // namespace ns3
