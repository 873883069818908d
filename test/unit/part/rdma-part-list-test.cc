/* SPDX-License-Identifier: GPL-2.0-only */

// Lists of parts, and arguments that set attributes of parts. rdma-part-test.cc registers the
// short names of the apples.

#include "qbb-time.h"
#include "rdma-arguments.h"
#include "rdma-congestion-control.h"
#include "rdma-part-list.h"
#include "rdma-part-name.h"
#include "rdma-part.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fruit.h"

#include <ns3/config.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

TEST(RdmaPartLists, HaveWhatIsRegistered)
{
    EXPECT_EQ(GetRdmaPartNames(RdmaTestFruit::GetTypeId()),
              (std::vector<std::string>{"apple", "apples", "heap", "label", "pile", "ripe-apple"}));
    EXPECT_EQ(DescribeRdmaParts(RdmaTestFruit::GetTypeId()),
              "apple, apples:Count, heap:Count[xOffset[xText]], label[:Text], pile:CountxOffset, "
              "ripe-apple");
    ASSERT_EQ(GetRdmaPartTypes(RdmaTestFruit::GetTypeId()).size(), 1U)
        << "the base class cannot be made";
    EXPECT_EQ(FindNearestRdmaWord("dcqn", {"rcm", "dcqcn"}), "dcqcn");
    EXPECT_EQ(FindNearestRdmaWord("abc", {"xyz", "bcd"}), "");
}

TEST(RdmaPartLists, EachShortNameOfCongestionControlMakesOne)
{
    QbbSetTimeResolution();
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

TEST(RdmaArguments, ThatTheProgramSetsByItselfAreRefused)
{
    const char* const argv[] = {"program", "--ns3::RdmaTestApple::Count=7"};
    EXPECT_EQ(CheckRdmaArguments(2, argv, {{"ns3::RdmaTestApple::Count", "--apples"}}),
              "--ns3::RdmaTestApple::Count: the program sets this attribute; accepted: --apples");
    EXPECT_EQ(CheckRdmaArguments(2, argv, {{"ns3::RdmaTestApple::Counts", "--apples"}}), "");
}

TEST(RdmaArguments, AreReadStrictlyWhereTheyNameAClassOfThisModule)
{
    const auto check = [](const std::string& argument) {
        const char* const argv[] = {"program", "--other=3", argument.c_str()};
        return CheckRdmaArguments(3, argv);
    };
    EXPECT_EQ(check("--ns3::RdmaTestApple::Count=7"), "");
    EXPECT_EQ(check("--ns3::RdmaTestApple::Inner=apple[Count=7]"), "");
    EXPECT_EQ(check("--ns3::RdmaTestApple::Colour=Blue"),
              "--ns3::RdmaTestApple::Colour: Colour 'Blue'; accepted: Red, Green");
    EXPECT_EQ(check("--ns3::RdmaTestApple::Count=-1"),
              "--ns3::RdmaTestApple::Count: Count '-1'; accepted: 1 to 200");
    EXPECT_NE(check("--ns3::RdmaTestApple::Inner=apple[Count=0]"), "");
    // ns-3 checks attributes of other modules and unknown names.
    EXPECT_EQ(check("--ns3::Node::SystemId=x"), "");
    EXPECT_EQ(check("--ns3::RdmaTestApple::Cuont=1"), "");
    EXPECT_EQ(check("--ns3::Nothing::At=1"), "");
    EXPECT_EQ(check("--ns3="), "");
    EXPECT_EQ(check("ns3::RdmaTestApple::Count=-1"), "") << "no option";
}

TEST(RdmaArguments, ReachTheSimulatorThatIsMadeBeforeTheyAreParsed)
{
    const char* const argv[] = {"program", "--ns3::RdmaSimulatorImpl::Threads=3"};
    EXPECT_EQ(CheckRdmaArguments(2, argv), "");
    UintegerValue threads;
    CreateObject<RdmaSimulatorImpl>()->GetAttribute("Threads", threads);
    EXPECT_EQ(threads.Get(), 3U);
    Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(1));
}

} // namespace ns3
