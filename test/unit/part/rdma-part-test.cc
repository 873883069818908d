/* SPDX-License-Identifier: GPL-2.0-only */

// Parts as text: a class and values of its attributes, read more strictly than ns-3 reads them.

#include "qbb-net-device.h"
#include "rdma-alike-factory.h"
#include "rdma-expect-error.h"
#include "rdma-nic.h"
#include "rdma-part-name.h"
#include "rdma-part.h"
#include "rdma-test-fruit.h"
#include "rdma-time.h"
#include "roce-transport.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/mac48-address.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTestFruit);
NS_OBJECT_ENSURE_REGISTERED(RdmaTestApple);

namespace
{

using Fruit = RdmaTestFruit;
using Apple = RdmaTestApple;

const RdmaPartName g_appleName("apple", Apple::GetTypeId(), "", "an apple");
const RdmaPartName g_ripeName("ripe-apple", Apple::GetTypeId(), "Ripe=true|Count=7", "a ripe one");
const RdmaPartName g_someName("apples", Apple::GetTypeId(), "", "some", {"Count"});
const RdmaPartName g_heapName("heap",
                              Apple::GetTypeId(),
                              "",
                              "more",
                              {"Count", "Offset?", "Text*"});
const RdmaPartName g_labelName("label", Apple::GetTypeId(), "", "any text", {"Text*"});
const RdmaPartName g_pileName("pile", Apple::GetTypeId(), "", "two numbers", {"Count", "Offset"});

RdmaPart
Parse(const std::string& text)
{
    return RdmaPart::Parse(text, Fruit::GetTypeId());
}

Ptr<Apple>
Make(const std::string& text)
{
    RdmaSetTimeResolution();
    return Parse(text).Create<Apple>();
}

/** \param text a part that is wrong \return the message */
std::string
GetMessage(const std::string& text)
{
    RdmaSetTimeResolution();
    try
    {
        Parse(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "accepted: " + text;
}

void
ExpectMessage(const std::string& text, const std::string& part)
{
    const std::string message = GetMessage(text);
    EXPECT_NE(message.find(part), std::string::npos) << text << "\n" << message;
}

} // namespace

TEST(RdmaPart, ClassAndValuesOfEachForm)
{
    const auto apple =
        Make("ns3::RdmaTestApple[Count=200|Offset=-5|Share=0.25|Age=1.5us|Rate=25Gbps|"
             "Ripe=1|Colour=Green|Text=a b=c|Inner=ns3::RdmaTestApple[Count=9]]");
    EXPECT_EQ(apple->count, 200);
    EXPECT_EQ(apple->offset, -5);
    EXPECT_EQ(apple->share, 0.25);
    EXPECT_EQ(apple->age, NanoSeconds(1500));
    EXPECT_EQ(apple->rate, DataRate("25Gbps"));
    EXPECT_TRUE(apple->ripe);
    EXPECT_EQ(apple->colour, Apple::GREEN);
    EXPECT_EQ(apple->text, "a b=c");
    ASSERT_TRUE(apple->inner);
    EXPECT_EQ(DynamicCast<Apple>(apple->inner)->count, 9);
}

TEST(RdmaPart, DefaultsStayWhereTheTextSaysNothing)
{
    const auto apple = Make("ns3::RdmaTestApple");
    EXPECT_EQ(apple->count, 1);
    EXPECT_EQ(apple->share, 0.5);
    EXPECT_FALSE(apple->inner);
    EXPECT_EQ(Make("ns3::RdmaTestApple[]")->count, 1);
}

TEST(RdmaPart, ShortNames)
{
    EXPECT_EQ(Make("apple")->count, 1);
    EXPECT_EQ(Make("apple[Count=3]")->count, 3);
    EXPECT_EQ(Make("ripe-apple")->count, 7);
    EXPECT_TRUE(Make("ripe-apple[Count=8]")->ripe) << "what the name says stays for the rest";
    EXPECT_EQ(Make("ripe-apple[Count=8]")->count, 8) << "and the text comes first";
    EXPECT_EQ(Make("apples:12")->count, 12);
    EXPECT_EQ(Make("pile:12x-3")->offset, -3);
    EXPECT_EQ(Make("pile:12x-3[Ripe=true]")->count, 12);
    EXPECT_EQ(Make("heap:12")->offset, 0);
    EXPECT_EQ(Make("heap:12x2")->offset, 2);
    EXPECT_EQ(Make("heap:12x2x3x4")->text, "3x4") << "an asterisk takes all that is left";
    EXPECT_EQ(Make("label:a[1]x'b|.txt")->text, "a[1]x'b|.txt") << "an only one even brackets";
    EXPECT_EQ(Make("label:'a'")->text, "'a'");
    EXPECT_EQ(Make("label[Text=a]")->text, "a");
    EXPECT_EQ(Parse("label:a[1]").ToText(), "ns3::RdmaTestApple[Text=\"a[1]\"]");
    EXPECT_EQ(Make("apples[Count=5]")->count, 5);
    EXPECT_EQ(DynamicCast<Apple>(Make("apple[Inner=ripe-apple]")->inner)->count, 7);
}

TEST(RdmaPart, BracketsNestAndValuesMayBeQuoted)
{
    const auto apple = Make("apple[Inner=apple[Inner=apple[Count=3]|Count=2]|Count=1]");
    const auto second = DynamicCast<Apple>(apple->inner);
    EXPECT_EQ(second->count, 2);
    EXPECT_EQ(DynamicCast<Apple>(second->inner)->count, 3);
    EXPECT_EQ(Make("apple[Text='a|b]c[']")->text, "a|b]c[");
    EXPECT_EQ(Make("apple[Text=\"it's\"]")->text, "it's");
    EXPECT_EQ(Make("apple[Text='it''s']")->text, "it's");
    EXPECT_EQ(Make("apple[Text='']")->text, "");
    EXPECT_EQ(Make("apple[Text=]")->text, "");
    EXPECT_EQ(DynamicCast<Apple>(Make("apple[Inner='apple[Count=3]']")->inner)->count, 3);
}

TEST(RdmaPart, EachObjectHasItsOwnInnerOnes)
{
    RdmaSetTimeResolution();
    const RdmaPart part = Parse("apple[Inner=apple]");
    EXPECT_NE(part.Create<Apple>()->inner, part.Create<Apple>()->inner);
}

TEST(RdmaPart, TextReadsBack)
{
    RdmaSetTimeResolution();
    for (const std::string text : {"ns3::RdmaTestApple",
                                   "ns3::RdmaTestApple[Count=4|Age=1500ns|Share=0.1|Colour=Green]",
                                   "ns3::RdmaTestApple[Text=\"a|\"\"b\"\"]\"|Ripe=true]",
                                   "ns3::RdmaTestApple[Inner=ns3::RdmaTestApple[Offset=-4]]"})
    {
        EXPECT_EQ(Parse(text).ToText(), text);
        EXPECT_EQ(Parse(Parse(text).ToText()).ToText(), text);
    }
    EXPECT_EQ(Parse("ripe-apple").ToText(), "ns3::RdmaTestApple[Ripe=true|Count=7]");
    EXPECT_EQ(RdmaPart().ToText(), "none");
}

TEST(RdmaPart, SetReplacesWhatTheTextSays)
{
    RdmaSetTimeResolution();
    RdmaPart part = Parse("apple[Count=4]");
    part.Set("Count", UintegerValue(5));
    part.Set("Age", TimeValue(MicroSeconds(2)));
    part.Set("Share", DoubleValue(0.1));
    EXPECT_EQ(part.ToText(), "ns3::RdmaTestApple[Count=5|Age=2000ns|Share=0.1]");
    EXPECT_EQ(Parse(part.ToText()).Create<Apple>()->age, MicroSeconds(2));
    ExpectRefusal([&] { part.Set("Colour", StringValue("")); },
                  "ns3::RdmaTestApple: Colour does not take this value; accepted: ");
    ExpectRefusal([&] { part.Set("Kount", UintegerValue(5)); },
                  "'Kount' is no attribute of ns3::RdmaTestApple .*; did you mean Count");
    ExpectRefusal([] { RdmaPart().Set("Count", UintegerValue(5)); }, "Count of no part");
}

TEST(RdmaPart, SetTextReadsAsTheTextOfAPart)
{
    RdmaSetTimeResolution();
    RdmaPart part = Parse("apple[Count=4]");
    part.SetText("Count", "5");
    part.SetText("Age", "2us");
    EXPECT_EQ(part.ToText(), "ns3::RdmaTestApple[Count=5|Age=2us]");
    ExpectRefusal([&] { part.SetText("Age", "2"); }, "ns3::RdmaTestApple: Age '2'; accepted: ");
    ExpectRefusal([] { RdmaPart().SetText("Count", "5"); }, "Count of no part");
}

TEST(RdmaPart, TextConvertsToAPartOfAKind)
{
    const auto describe = [](const RdmaPartOf<Fruit>& part) { return part.ToText(); };
    EXPECT_EQ(describe("ripe-apple"), "ns3::RdmaTestApple[Ripe=true|Count=7]");
    EXPECT_EQ(describe(Parse("apple")), "ns3::RdmaTestApple");
    EXPECT_EQ(describe("none"), "none");
    ExpectRefusal([&] { describe("aple"); }, "'aple' is no ns3::RdmaTestFruit; did you mean apple");
    const RdmaPart other =
        RdmaPart::Parse("dcqcn", TypeId::LookupByName("ns3::RdmaCongestionControl"));
    EXPECT_DEATH(describe(other), "rdma: ns3::RdmaDcqcn is no ns3::RdmaTestFruit");
}

TEST(RdmaPart, NoneIsNoPart)
{
    EXPECT_TRUE(RdmaPart::ParseOptional("none", Fruit::GetTypeId()).IsNone());
    EXPECT_FALSE(RdmaPart::ParseOptional("none", Fruit::GetTypeId()).Create<Fruit>());
    EXPECT_FALSE(RdmaPart::ParseOptional("apple", Fruit::GetTypeId()).IsNone());
}

TEST(RdmaPartErrors, Names)
{
    ExpectMessage("aple",
                  "'aple' is no ns3::RdmaTestFruit; did you mean apple?; accepted: apple, "
                  "apples:Count, heap:Count[xOffset[xText]], label[:Text], pile:CountxOffset, "
                  "ripe-apple, ns3::RdmaTestApple");
    ExpectMessage("aples:3", "did you mean apples?; accepted");
    ExpectMessage("zzzzzz", "'zzzzzz' is no ns3::RdmaTestFruit; accepted: apple");
    ExpectMessage("", "'' is no ns3::RdmaTestFruit; accepted: apple");
    ExpectMessage("ns3::RdmaDcqcn", "'ns3::RdmaDcqcn' is no ns3::RdmaTestFruit; accepted: apple");
    ExpectMessage("ns3::RdmaTestFruit", "cannot be made, it is a base class");
    ExpectMessage("ns3::RdmaTestAppel", "did you mean ns3::RdmaTestApple?");
}

TEST(RdmaPartErrors, Brackets)
{
    ExpectMessage("apple[Count=1", "has a '[' without its ']'");
    ExpectMessage("apple]", "has a ']' without its '['");
    ExpectMessage("apple[Count=1]]", "goes on behind its ']'");
    ExpectMessage("apple[Count=1]x", "goes on behind its ']'");
    ExpectMessage("apple[Count=1][Share=1]", "goes on behind its ']'");
    ExpectMessage("apple[Text='abc]", "");
    ExpectMessage("apple[Text='a'b]", "goes on behind its quotes");
    ExpectMessage("apple[Count]", "has 'Count' in its brackets; accepted: Attribute=value");
    ExpectMessage("apple[Count=1|]", "has '' in its brackets");
    ExpectMessage("apple[|]", "has '' in its brackets");
    std::string deep = "apple";
    for (int i = 0; i < 100; ++i)
    {
        deep = "apple[Inner=" + deep + "]";
    }
    ExpectMessage(deep, "has brackets within brackets; accepted: up to 8");
}

TEST(RdmaPartErrors, Attributes)
{
    ExpectMessage("apple[Cuont=1]", "'Cuont' is no attribute of ns3::RdmaTestApple");
    ExpectMessage("apple[Cuont=1]", "did you mean Count?; accepted: Age, Colour, Count, Inner");
    ExpectMessage("apple[Weight=1]", "is no attribute of ns3::RdmaTestApple that can be set");
    ExpectMessage("apple[Count=1|Count=2]", "'Count' of ns3::RdmaTestApple is there twice");
    ExpectMessage("apple[Inner=dcqcn]", "'dcqcn' is no ns3::RdmaTestFruit");
    ExpectMessage("apples:1x2", "ns3::RdmaTestApple: Count '1x2'; accepted: 1 to 200");
    ExpectMessage("apples", "'apples' has the wrong number of values; accepted: apples:Count");
    ExpectMessage("pile[Offset=1]",
                  "'pile' has the wrong number of values; accepted: pile:CountxOffset");
    ExpectMessage("pile:1", "accepted: pile:CountxOffset");
    ExpectMessage("pile:1x2x3", "accepted: pile:CountxOffset");
    ExpectMessage("heap:", "ns3::RdmaTestApple: Count ''; accepted: 1 to 200");
    ExpectMessage("apple:1", "'apple:1' has the wrong number of values; accepted: apple");
    ExpectMessage("apples:3[Count=4]", "'Count' of ns3::RdmaTestApple is there twice");
}

/** Compares the objects of an RdmaAlikeFactory with those of ns-3. \param factory a factory */
template <typename T>
void
CompareAlike(const ObjectFactory& factory)
{
    const auto expected = factory.Create<T>();
    RdmaAlikeFactory<T> alike(factory);
    const auto first = alike.Create();
    const auto second = alike.Create();
    EXPECT_NE(first, second);
    const TypeId type = T::GetTypeId();
    ASSERT_GT(type.GetAttributeN(), 10U);
    for (const auto& object : {first, second})
    {
        EXPECT_EQ(object->GetInstanceTypeId(), type);
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            const auto info = type.GetAttribute(i);
            const auto a = info.checker->Create();
            const auto b = info.checker->Create();
            expected->GetAttribute(info.name, *a);
            object->GetAttribute(info.name, *b);
            if (const auto* const real = dynamic_cast<const DoubleValue*>(PeekPointer(a)))
            {
                EXPECT_EQ(real->Get(), dynamic_cast<const DoubleValue&>(*b).Get()) << info.name;
            }
            else if (const auto* const time = dynamic_cast<const TimeValue*>(PeekPointer(a)))
            {
                EXPECT_EQ(time->Get(), dynamic_cast<const TimeValue&>(*b).Get()) << info.name;
            }
            else if (!dynamic_cast<const PointerValue*>(PeekPointer(a)))
            {
                EXPECT_EQ(a->SerializeToString(info.checker), b->SerializeToString(info.checker))
                    << info.name;
            }
        }
    }
}

// ns-3 sets each attribute of each object by name. The factory must give the same values.
TEST(RdmaAlikeFactory, ObjectsHaveTheAttributesOfTheFactory)
{
    ObjectFactory device("ns3::QbbNetDevice");
    CompareAlike<QbbNetDevice>(device);
    device.Set("Mtu", UintegerValue(4242));
    device.Set("Address", Mac48AddressValue("00:00:00:00:00:17"));
    device.Set("DataRate", StringValue("123456789bps"));
    device.Set("LineOverhead", BooleanValue(false));
    device.Set("Scheduler", StringValue("strict,1,2,3,4,5,6,7"));
    device.Set("FlowControl", StringValue("Pause"));
    device.Set("PfcClasses", UintegerValue(0x81));
    device.Set("PauseQuanta", UintegerValue(99));
    device.Set("PauseRefresh", DoubleValue(0.50000001)); // as text: 0.5, the default
    device.Set("PauseReactionDelay", TimeValue(PicoSeconds(1234)));
    device.Set("MaxStackQueueBytes", UintegerValue(77));
    device.Set("Trust", StringValue("Pcp"));
    device.Set("TagFrames", BooleanValue(true));
    device.Set("RoutedPort", BooleanValue(true));
    device.Set("VlanId", UintegerValue(12));
    CompareAlike<QbbNetDevice>(device);
    ObjectFactory nic("ns3::RdmaNic");
    CompareAlike<RdmaNic>(nic);
    nic.Set("CnpInterval", TimeValue(PicoSeconds(50'000'001))); // as text: 50 us, the default
    nic.Set("CnpMarkShare", DoubleValue(0.25));
    nic.Set("MeasureRtt", BooleanValue(true));
    nic.Set("MinRate", StringValue("7Mbps"));
    nic.Set("PaceCatchUp", BooleanValue(false));
    nic.Set("WqePrefetch", UintegerValue(5));
    nic.Set("WqeFetchDelay", TimeValue(NanoSeconds(9)));
    nic.Set("AckTurnaround", TimeValue(NanoSeconds(8)));
    CompareAlike<RdmaNic>(nic);
}

// An attribute that is an object must not be shared by accident: ns-3 makes all objects.
TEST(RdmaAlikeFactory, ObjectsAsAttributes)
{
    ObjectFactory factory("ns3::RdmaNic");
    const auto transport = CreateObject<RoceTransport>();
    factory.Set("Transport", PointerValue(transport));
    RdmaAlikeFactory<RdmaNic> alike(factory);
    EXPECT_EQ(alike.Create()->GetTransport(), transport);
    EXPECT_EQ(alike.Create()->GetTransport(), transport);
}

TEST(RdmaPartErrors, Values)
{
    for (const auto& [value, accepted] : std::vector<std::pair<std::string, std::string>>{
             {"Count=0", "1 to 200"},
             {"Count=201", "1 to 200"},
             {"Count=-1", "1 to 200"},
             {"Count=7 apples", "1 to 200"},
             {"Count=", "1 to 200"},
             {"Count=0x10", "1 to 200"},
             {"Count=18446744073709551617", "1 to 200"},
             {"Offset=6", "-5 to 5"},
             {"Offset=--1", "-5 to 5"},
             {"Share=1.5", "0 to 1"},
             {"Share=nan", "0 to 1"},
             {"Share=0.5x", "0 to 1"},
             {"Age=10us", "a time, 0ns to 9000ns"},
             {"Age=-1ps", "a time, 0ns to 9000ns"},
             {"Age=1", "a time, 0ns to 9000ns"},
             {"Age=1 apple", "a time, 0ns to 9000ns"},
             {"Rate=fast", "a rate, as in 25Gbps"},
             {"Rate=-1Gbps", "a rate, as in 25Gbps"},
             {"Ripe=maybe", "true, false"},
             {"Colour=Blue", "Red, Green"},
             {"Colour=Red|Green", "Attribute=value"},
             {"Colour='Red|Green'", "Red, Green"},
             {"Colour=", "Red, Green"},
             {"Colour=3", "Red, Green"}})
    {
        ExpectMessage("apple[" + value + "]", "accepted: " + accepted);
    }
}

} // namespace ns3
