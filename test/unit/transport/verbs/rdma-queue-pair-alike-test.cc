/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-completion-queue.h"
#include "rdma-queue-pair.h"

#include <ns3/boolean.h>
#include <ns3/object.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/** A queue pair of a derived class. */
class RdmaDerivedQueuePair : public RdmaQueuePair
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaDerivedQueuePair")
                                .SetParent<RdmaQueuePair>()
                                .AddConstructor<RdmaDerivedQueuePair>();
        return tid;
    }
};

std::string
GetValue(const RdmaQueuePair& qp, const std::string& attribute)
{
    StringValue value;
    qp.GetAttribute(attribute, value);
    return value.Get();
}

/** Gives an attribute, a number or a Boolean, a value other than its default. */
void
Change(RdmaQueuePair& qp, const TypeId::AttributeInformation& attribute)
{
    const std::string before = GetValue(qp, attribute.name);
    if (dynamic_cast<const BooleanChecker*>(PeekPointer(attribute.checker)))
    {
        qp.SetAttribute(attribute.name, BooleanValue(before != "true"));
    }
    else if (!qp.SetAttributeFailSafe(attribute.name, UintegerValue(300)))
    {
        qp.SetAttribute(attribute.name, UintegerValue(7));
    }
    EXPECT_NE(GetValue(qp, attribute.name), before) << attribute.name;
}

} // namespace

TEST(RdmaQueuePairAlike, HasEveryAttribute)
{
    const auto pattern = CreateObject<RdmaQueuePair>();
    const TypeId tid = RdmaQueuePair::GetTypeId();
    ASSERT_GT(tid.GetAttributeN(), 8U);
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        Change(*pattern, tid.GetAttribute(i));
    }
    const Ptr<RdmaQueuePair> alike = pattern->MakeAlike();
    ASSERT_TRUE(alike);
    EXPECT_EQ(alike->GetInstanceTypeId(), tid);
    EXPECT_EQ(alike->GetReferenceCount(), 1U);
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const std::string name = tid.GetAttribute(i).name;
        EXPECT_EQ(GetValue(*alike, name), GetValue(*pattern, name)) << name;
    }
}

TEST(RdmaQueuePairAlike, IsNoneOfADerivedClass)
{
    EXPECT_FALSE(CreateObject<RdmaDerivedQueuePair>()->MakeAlike());
}

TEST(RdmaQueuePairAlike, SpareUnlessItIsShared)
{
    const auto alone = CreateObject<RdmaQueuePair>();
    EXPECT_TRUE(alone->IsSpare());
    {
        const Ptr<RdmaQueuePair> user = alone;
        EXPECT_FALSE(alone->IsSpare());
    }
    EXPECT_TRUE(alone->IsSpare());
    alone->AggregateObject(CreateObject<RdmaCompletionQueue>());
    EXPECT_FALSE(alone->IsSpare());
    EXPECT_FALSE(CreateObject<RdmaDerivedQueuePair>()->IsSpare());
}
