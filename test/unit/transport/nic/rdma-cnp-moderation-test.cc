/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Which queue pairs share congestion notifications: two from one host, one from another.
 */

namespace ns3
{
namespace
{

using Counts = std::array<uint64_t, 3>;

class RdmaCnpModerationTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /** \param moderation value of the attribute: queue pairs 0 and 1 from host 0, 2 from host 1 */
    void Install(const std::string& moderation)
    {
        RdmaFabricHelper helper;
        helper.SetNicAttribute("CnpModeration", StringValue(moderation));
        RdmaTopologyRates rates;
        rates.hostRate = 100_gbps;
        rates.delay = 1_us;
        m_fabric = helper.Install(MakeRdmaStar(3, rates));
        for (const uint32_t host : {0U, 0U, 1U})
        {
            m_receivers.push_back(m_fabric->Connect(host, 2).second);
        }
    }

    /**
     * Lets an empty WRITE arrive, which is not acknowledged.
     *
     * \param us instant in microseconds
     * \param qp index of the queue pair
     * \param marked true: marked with CE
     */
    void At(double us, uint32_t qp, bool marked)
    {
        Simulator::Schedule(NanoSeconds(us * 1000), [this, qp, marked]() {
            const auto& receiver = m_receivers[qp];
            const auto nic = m_fabric->GetNic(2);
            auto frame = nic->GetPool().Allocate();
            frame->type = QbbFrameType::ROCE;
            frame->dstMac = receiver->GetPort()->GetMac();
            frame->srcIp = receiver->GetRemoteAddress().Get();
            frame->dstIp = receiver->GetLocalAddress().Get();
            frame->destQp = receiver->GetQpn();
            frame->ecn = marked ? 3 : 2;
            frame->opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_ONLY);
            frame->psn = m_psn[qp]++;
            nic->ReceiveFrame(*receiver->GetPort(), std::move(frame));
        });
    }

    /** \param us instant in microseconds \return CNPs sent by each queue pair until then */
    Counts RunUntil(double us)
    {
        Simulator::Stop(NanoSeconds(us * 1000) - Simulator::Now());
        Simulator::Run();
        Counts counts;
        for (uint32_t i = 0; i < 3; ++i)
        {
            counts[i] = m_receivers[i]->GetStats().cnpsSent;
            EXPECT_EQ(m_receivers[i]->GetStats().packetsAccepted, m_psn[i]);
        }
        return counts;
    }

    /**
     * The queue pairs get marked packets at 0, 1 and 2 us and from 30 us on, unmarked ones from
     * 60 us on, the second queue pair first, and again from 120 us on, the third first.
     *
     * \param first CNPs of each queue pair at 20 us
     * \param second CNPs of each queue pair at 100 us
     * \param third CNPs of each queue pair at 150 us
     */
    void Expect(const Counts& first, const Counts& second, const Counts& third)
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            At(i, i, true);
            At(30 + i, i, true);
        }
        At(60, 1, false);
        At(61, 0, false);
        At(62, 2, false);
        At(120, 2, false);
        At(121, 0, false);
        At(122, 1, false);
        EXPECT_EQ(RunUntil(20), first);
        EXPECT_EQ(RunUntil(50), first) << "the interval of 50 us is not over";
        EXPECT_EQ(RunUntil(100), second);
        EXPECT_EQ(RunUntil(150), third);
    }

    Ptr<RdmaFabric> m_fabric;                    //!< three hosts at a switch
    std::vector<Ptr<RdmaQueuePair>> m_receivers; //!< queue pairs at host 2
    std::array<uint32_t, 3> m_psn{};             //!< next packet of each queue pair
};

TEST_F(RdmaCnpModerationTest, PerQueuePairIsTheDefault)
{
    Ptr<RdmaNic> nic = CreateObject<RdmaNic>();
    StringValue value;
    nic->GetAttribute("CnpModeration", value);
    EXPECT_EQ(value.Get(), "QueuePair");
}

TEST_F(RdmaCnpModerationTest, PerQueuePair)
{
    Install("QueuePair");
    Expect({1, 1, 1}, {2, 2, 2}, {2, 2, 2});
}

TEST_F(RdmaCnpModerationTest, AMarkIsForgottenAfterTwoIntervals)
{
    // Each queue pair reports its first mark at once and gets another one 10 us later. The second
    // mark is reported by a packet before 110 us, in an interval of 50 us after that of the mark.
    // The flow of queue pair 2 pauses for longer: neither its next packet, nor one much later, but
    // a new mark is reported.
    Install("QueuePair");
    for (uint32_t i = 0; i < 3; ++i)
    {
        At(0.1 * i, i, true);
        At(10, i, true);
    }
    At(51, 0, false);
    At(109.9, 1, false);
    At(110, 2, false);
    At(20'000, 2, false);
    At(20'001, 2, true);
    EXPECT_EQ(RunUntil(50), (Counts{1, 1, 1}));
    EXPECT_EQ(RunUntil(60), (Counts{2, 1, 1}));
    EXPECT_EQ(RunUntil(20'000.5), (Counts{2, 2, 1}));
    EXPECT_EQ(RunUntil(20'002), (Counts{2, 2, 2}));
}

TEST_F(RdmaCnpModerationTest, PerDestination)
{
    // Host 0 gets a CNP at 0 for the first queue pair, and at 60 us one for the second, whose
    // packet comes first. The first queue pair reports its mark of 30 us after 110 us.
    Install("Destination");
    Expect({1, 0, 1}, {1, 1, 2}, {2, 1, 2});
}

TEST_F(RdmaCnpModerationTest, PerPort)
{
    // One CNP in 50 us: the first queue pair's at 0, the second one's at 60 us, the third one's at
    // 120 us.
    Install("Port");
    Expect({1, 0, 0}, {1, 1, 0}, {1, 1, 1});
}

/**
 * \param ackInterval packets for one acknowledgement
 * \return CNPs and ACKs of two senders' flows
 */
std::pair<uint64_t, uint64_t>
RunIncast(uint32_t ackInterval)
{
    RdmaFabricHelper helper;
    helper.SetNicAttribute("CnpModeration", StringValue("Destination"));
    helper.SetTransportAttribute("AckInterval", UintegerValue(ackInterval));
    helper.SetEcnAttribute("Kmin", UintegerValue(5'000));
    helper.SetEcnAttribute("Kmax", UintegerValue(5'000));
    RdmaTopologyRates rates;
    rates.hostRate = 100_gbps;
    rates.delay = 1_us;
    auto fabric = helper.Install(MakeRdmaStar(3, rates));
    std::vector<Ptr<RdmaQueuePair>> receivers;
    for (const uint32_t host : {0U, 0U, 1U})
    {
        const auto pair = fabric->Connect(host, 2);
        RdmaSendRequest request;
        request.length = 4'000'000;
        pair.first->PostSend(request);
        receivers.push_back(pair.second);
    }
    Simulator::Run();
    uint64_t cnps = 0;
    uint64_t acks = 0;
    for (const auto& qp : receivers)
    {
        cnps += qp->GetStats().cnpsSent;
        acks += qp->GetStats().acksSent;
    }
    Simulator::Destroy();
    return {cnps, acks};
}

TEST(RdmaCnps, IndependentOfAckCoalescing)
{
    // Both hosts have half of the port until the 4 MB of host 1 are there: 0.71 ms, 14 intervals of
    // 50 us for each; then host 0 is alone, and the queue drains.
    const auto each = RunIncast(1);
    const auto few = RunIncast(64);
    EXPECT_EQ(each.first, few.first);
    EXPECT_GE(each.first, 28U);
    EXPECT_LE(each.first, 42U);
    EXPECT_GT(each.second, 40 * few.second);
}

} // namespace
} // namespace ns3
