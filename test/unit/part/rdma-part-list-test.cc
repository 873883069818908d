/* SPDX-License-Identifier: GPL-2.0-only */

// Lists of parts. rdma-part-test.cc registers the short names of the apples.

#include "rdma-congestion-control.h"
#include "rdma-part-name.h"
#include "rdma-part.h"
#include "rdma-test-fruit.h"
#include "rdma-time.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

TEST(RdmaPartLists, HaveWhatIsRegistered)
{
    std::vector<std::string> forms;
    for (const auto& entry : RdmaPartName::GetAll(RdmaTestFruit::GetTypeId()))
    {
        forms.push_back(FormatRdmaPartName(entry));
    }
    EXPECT_EQ(JoinRdmaWords(forms),
              "apple, apples:Count, heap:Count[xOffset[xText]], label[:Text], pile:CountxOffset, "
              "ripe-apple");
    ASSERT_EQ(GetRdmaPartTypes(RdmaTestFruit::GetTypeId()).size(), 1U)
        << "the base class cannot be made";
    EXPECT_EQ(FindNearestRdmaWord("dcqn", {"rcm", "dcqcn"}), "dcqcn");
    EXPECT_EQ(FindNearestRdmaWord("abc", {"xyz", "bcd"}), "");
}

TEST(RdmaPartLists, EachShortNameOfCongestionControlMakesOne)
{
    RdmaSetTimeResolution();
    const TypeId kind = RdmaCongestionControl::GetTypeId();
    const auto entries = RdmaPartName::GetAll(kind);
    EXPECT_GE(entries.size(), 13U);
    for (const auto& entry : entries)
    {
        EXPECT_FALSE(entry.help.empty()) << entry.name;
        const auto control = RdmaPart::Parse(entry.name, kind).Create<RdmaCongestionControl>();
        ASSERT_TRUE(control) << entry.name;
        EXPECT_EQ(control->GetInstanceTypeId(), entry.type) << entry.name;
    }
    // Users look for a short name of each class, although the name of the class works as well.
    for (const TypeId& type : GetRdmaPartTypes(kind))
    {
        EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&type](const auto& entry) {
            return entry.type == type;
        })) << type.GetName();
    }
}

} // namespace ns3
