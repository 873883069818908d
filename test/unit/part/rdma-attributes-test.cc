/* SPDX-License-Identifier: GPL-2.0-only */

// Rules that the attributes of all classes of the module keep.

#include "qbb-time.h"
#include "rdma-dcqcn.h"
#include "rdma-part.h"

#include <ns3/type-id.h>

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ns3;

TEST(RdmaAttributes, HaveACheckerOfTheirOwn)
{
    // ObjectFactory tells attributes apart by their checkers: a value for one attribute would be
    // taken for all others with the same checker.
    uint32_t classes = 0;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.GetGroupName() != "Rdma")
        {
            continue;
        }
        ++classes;
        std::map<const AttributeChecker*, std::string> owners;
        for (TypeId t = type; t.GetGroupName() == "Rdma"; t = t.GetParent())
        {
            for (std::size_t k = 0; k < t.GetAttributeN(); ++k)
            {
                const auto attribute = t.GetAttribute(k);
                const auto [owner, isNew] =
                    owners.emplace(PeekPointer(attribute.checker), attribute.name);
                EXPECT_TRUE(isNew) << type.GetName() << ": " << attribute.name << " and "
                                   << owner->second << " share a checker";
            }
        }
    }
    EXPECT_GT(classes, 30U);
}

TEST(RdmaAttributes, ARateCanBeZero)
{
    QbbSetTimeResolution();
    const auto control = RdmaPart::Parse("dcqcn[AiRate=0bps]", RdmaCongestionControl::GetTypeId())
                             .Create<RdmaDcqcn>();
    EXPECT_TRUE(control->GetParameters() == RdmaDcqcnParameters());
}

TEST(RdmaAttributes, OneChoiceOfDcqcnLeavesTheOthers)
{
    QbbSetTimeResolution();
    const auto control =
        RdmaPart::Parse("dcqcn[AlphaPeriodic=On]", RdmaCongestionControl::GetTypeId())
            .Create<RdmaDcqcn>();
    RdmaDcqcnParameters expected;
    expected.alphaPeriodic = true;
    EXPECT_TRUE(control->GetParameters() == expected);
}
