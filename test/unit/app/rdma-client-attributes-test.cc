/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-client.h"
#include "rdma-time.h"

#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>

namespace ns3
{
namespace
{

/** \param operation attribute \param pattern attribute \return a client with these attributes */
Ptr<RdmaClient>
MakeClient(const std::string& operation, const std::string& pattern)
{
    RdmaSetTimeResolution();
    const auto client = CreateObject<RdmaClient>();
    client->SetAttribute("Operation", StringValue(operation));
    client->SetAttribute("Pattern", StringValue(pattern));
    client->SetAttribute("MessageSize", UintegerValue(1000));
    client->SetAttribute("ResponseSize", UintegerValue(10));
    client->SetAttribute("QueueDepth", UintegerValue(4));
    return client;
}

TEST(RdmaClientAttributesTest, Bulk)
{
    const auto client = MakeClient("Send", "Bulk");
    EXPECT_EQ(client->GetOpcode(), RdmaWrOpcode::SEND);
    EXPECT_FALSE(client->IsAnswered());
    EXPECT_EQ(client->GetDepth(), 4U);
    EXPECT_EQ(client->GetMessageBytes(), 1000U);
}

TEST(RdmaClientAttributesTest, RequestResponse)
{
    const auto client = MakeClient("WriteWithImm", "RequestResponse");
    EXPECT_EQ(client->GetOpcode(), RdmaWrOpcode::RDMA_WRITE_WITH_IMM);
    EXPECT_TRUE(client->IsAnswered());
    EXPECT_FALSE(client->IsPingPong());
    EXPECT_EQ(client->GetDepth(), 4U);
    EXPECT_EQ(client->GetAnswerBytes(), 10U);
}

TEST(RdmaClientAttributesTest, PingPong)
{
    const auto write = MakeClient("Write", "PingPong");
    EXPECT_TRUE(write->IsAnswered());
    EXPECT_EQ(write->GetDepth(), 1U);
    EXPECT_EQ(write->GetAnswerBytes(), 1000U);
    // The server's NIC answers READs and atomics.
    EXPECT_FALSE(MakeClient("Read", "PingPong")->IsAnswered());
    const auto atomic = MakeClient("FetchAndAdd", "PingPong");
    EXPECT_FALSE(atomic->IsAnswered());
    EXPECT_EQ(atomic->GetOpcode(), RdmaWrOpcode::ATOMIC_FETCH_AND_ADD);
    EXPECT_EQ(atomic->GetMessageBytes(), RDMA_ATOMIC_BYTES);
}

TEST(RdmaClientAttributesTest, Iterations)
{
    const auto client = MakeClient("Write", "Bulk");
    client->SetAttribute("QueuePairs", UintegerValue(3));
    client->SetAttribute("Iterations", UintegerValue(2));
    EXPECT_EQ(client->GetTotal(), 6U);
    EXPECT_TRUE(client->HasNext(1));
    EXPECT_FALSE(client->HasNext(2));
    client->SetAttribute("Iterations", UintegerValue(0));
    EXPECT_EQ(client->GetTotal(), 0U);
    EXPECT_TRUE(client->HasNext(1'000'000));
}

} // namespace
} // namespace ns3
