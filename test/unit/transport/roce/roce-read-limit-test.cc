/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-aeth.h"
#include "rdma-fake-connection.h"
#include "rdma-time.h"
#include "roce-transport.h"

#include <ns3/nstime.h>

#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * MaxDestRdAtomic of RoCE's responder when the peer repeats READs and atomics. A repeated request
 * takes no further place. A new request tells that the oldest one is answered, and takes the place
 * of that one (InfiniBand Architecture Specification Vol. 1, 9.4.4 and 9.7.5.1). Linux's hfi1
 * driver has the same rule: a new request is refused if all places are taken and the oldest request
 * has not been answered (hfi1_rc_rcv() in hfi1/rc.c, `sent` of the acknowledgement queue).
 */

using namespace ns3;
using namespace ns3::RdmaFakeConnection;

namespace
{

constexpr RdmaPs TIMEOUT = 50_us;

/** A requester and a responder whose frames the test carries. */
class RoceReadLimit : public testing::TestWithParam<RdmaWrOpcode>
{
  protected:
    /** \param requests READs or atomics that the requester has outstanding \param accepted limit */
    void Start(uint8_t requests, uint8_t accepted)
    {
        RdmaSetTimeResolution();
        m_transport = CreateObject<RoceTransport>();
        m_transport->SetAttribute("RetransmissionTimeout", TimeValue(RdmaToTime(TIMEOUT)));
        from = std::make_unique<FakeEndpoint>(*m_transport, 0, 0);
        to = std::make_unique<FakeEndpoint>(*m_transport, 0, 0);
        from->connection.maxRdAtomic = requests;
        to->connection.maxDestRdAtomic = accepted;
    }

    /** Posts requests. \param count number of requests, of one response each */
    void Post(uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            RdmaSendRequest request;
            request.id = i;
            request.opcode = GetParam();
            request.length = 100;
            request.compareAdd = 1;
            from->requester->Post(request, 0_ps);
        }
    }

    /** Carries a request to the responder. \param now the instant */
    void Carry(RdmaPs now)
    {
        const QbbFramePtr request = from->Next(now);
        ASSERT_TRUE(request);
        to->Receive(*request, now);
    }

    std::unique_ptr<FakeEndpoint> from; //!< side that reads
    std::unique_ptr<FakeEndpoint> to;   //!< side that is read from

  private:
    Ptr<RdmaTransport> m_transport;
};

} // namespace

TEST_P(RoceReadLimit, ARepeatedRequestTakesNoPlace)
{
    Start(1, 1);
    Post(2);
    Carry(0_ps);
    const QbbFramePtr first = to->Next(0_ps); // is under way for longer than the timeout
    from->RunTimers(TIMEOUT);
    Carry(TIMEOUT); // the first request again, whose response waits at the responder
    ASSERT_TRUE(to->responder->IsReady());
    from->Receive(*first, TIMEOUT);
    EXPECT_EQ(from->sent.size(), 1U);
    Carry(TIMEOUT); // the second request
    EXPECT_TRUE(to->failures.empty()) << "one request is outstanding";
    while (const QbbFramePtr frame = to->Next(TIMEOUT))
    {
        from->Receive(*frame, TIMEOUT);
    }
    ASSERT_EQ(from->sent.size(), 2U);
    EXPECT_EQ(from->sent[1].status, RdmaWcStatus::SUCCESS);
    EXPECT_EQ(from->sent[1].original, GetParam() == RdmaWrOpcode::RDMA_READ ? 0U : 1U) << "once";
    EXPECT_EQ(from->connection.counters.duplicates, 1U);
}

TEST_P(RoceReadLimit, ARepeatedRequestWithoutAnAnswerKeepsItsPlace)
{
    Start(2, 1); // the requester exceeds the limit
    Post(2);
    Carry(0_ps);
    const QbbFramePtr second = from->Next(0_ps);
    from->RunTimers(TIMEOUT);
    Carry(TIMEOUT); // the first request again; its response has never left
    EXPECT_TRUE(to->failures.empty());
    to->Receive(*second, TIMEOUT);
    EXPECT_EQ(to->failures.size(), 1U) << "two requests are outstanding";
}

TEST_P(RoceReadLimit, MoreRequestsThanPlaces)
{
    for (const uint8_t limit : {1, 2, 5})
    {
        Start(limit + 1, limit);
        Post(limit + 1);
        for (uint32_t i = 0; i < limit; ++i)
        {
            Carry(0_ps);
        }
        EXPECT_TRUE(to->failures.empty()) << +limit;
        Carry(0_ps);
        EXPECT_EQ(to->failures.size(), 1U) << +limit;
        std::string syndromes;
        while (const QbbFramePtr frame = to->Next(0_ps))
        {
            syndromes += std::to_string(frame->syndrome & RdmaAeth::KIND_MASK) + " ";
        }
        EXPECT_NE(syndromes.find(std::to_string(RdmaAeth::NAK)), std::string::npos) << syndromes;
    }
}

TEST_P(RoceReadLimit, APlaceIsFreeWhenTheResponseHasLeft)
{
    Start(2, 2);
    Post(4);
    Carry(0_ps);
    Carry(0_ps);
    for (uint32_t i = 0; i < 2; ++i)
    {
        const QbbFramePtr response = to->Next(0_ps);
        from->Receive(*response, 0_ps);
        Carry(0_ps);
        EXPECT_TRUE(to->failures.empty()) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Requests,
                         RoceReadLimit,
                         testing::Values(RdmaWrOpcode::RDMA_READ,
                                         RdmaWrOpcode::ATOMIC_FETCH_AND_ADD));
