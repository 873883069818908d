/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-file-error.h"
#include "rdma-json.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

std::string
Refusal(const std::string& text)
{
    try
    {
        ParseRdmaJson(text, "f");
    }
    catch (const RdmaFileError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(RdmaJson, ReadsEveryKindOfValue)
{
    const auto value = ParseRdmaJson("{\"a\": [1, -0.5e+3, true,\n false, null],\r\n\t\"b\": {}, "
                                     "\"c\": \"x\\n\\u00e9\\ud83d\\ude00\\/\", \"d\": []}",
                                     "f");
    ASSERT_EQ(value.type, RdmaJsonValue::Type::OBJECT);
    ASSERT_EQ(value.members.size(), 4U);
    const RdmaJsonValue& a = *value.Find("a");
    ASSERT_EQ(a.elements.size(), 5U);
    EXPECT_EQ(a.elements[0].text, "1");
    EXPECT_EQ(a.elements[1].text, "-0.5e+3");
    EXPECT_EQ(a.elements[1].type, RdmaJsonValue::Type::NUMBER);
    EXPECT_EQ(a.elements[2].text, "true");
    EXPECT_EQ(a.elements[3].line, 2U);
    EXPECT_EQ(a.elements[4].type, RdmaJsonValue::Type::NOTHING);
    EXPECT_EQ(value.Find("b")->type, RdmaJsonValue::Type::OBJECT);
    EXPECT_EQ(value.Find("b")->line, 3U);
    EXPECT_EQ(value.Find("c")->text, "x\n\xc3\xa9\xf0\x9f\x98\x80/");
    EXPECT_TRUE(value.Find("d")->elements.empty());
    EXPECT_EQ(value.Find("e"), nullptr);
    EXPECT_EQ(ParseRdmaJson(" 0 ", "f").text, "0");
}

TEST(RdmaJson, LastValueOfANameCounts)
{
    const auto value = ParseRdmaJson("{\"a\": 1, \"b\": 2,\n\n\"a\": {\"c\": 3},\n\"a\": 4}", "f");
    ASSERT_EQ(value.members.size(), 2U);
    EXPECT_EQ(value.members[0].first, "a");
    EXPECT_EQ(value.Find("a")->text, "4");
    EXPECT_EQ(value.Find("a")->line, 4U);
    EXPECT_EQ(value.Find("b")->text, "2");
    using Repeated = std::vector<std::pair<std::string, uint64_t>>;
    EXPECT_EQ(value.repeated, (Repeated{{"a", 3}, {"a", 4}}));
    EXPECT_TRUE(ParseRdmaJson("{\"a\": {\"a\": 1}}", "f").repeated.empty());
}

TEST(RdmaJson, ByteOrderMarkIsSkipped)
{
    EXPECT_EQ(ParseRdmaJson("\xef\xbb\xbf{\"a\": 1}", "f").Find("a")->text, "1");
    EXPECT_EQ(Refusal("\xef\xbb\xbf\xef\xbb\xbf{}").substr(0, 11), "f:1: '\\xef'");
    EXPECT_NE(Refusal(" \xef\xbb\xbf{}"), "");
    EXPECT_NE(Refusal("\xef\xbb"), "");
}

TEST(RdmaJson, NamesLineAndProblem)
{
    EXPECT_EQ(Refusal(""),
              "f:1: the file ends; accepted: a value: an object, an array, a string, a number, "
              "true, false or null");
    EXPECT_EQ(Refusal("{\n\"a\": 1,\n}"), "f:3: '}'; accepted: a name in double quotes");
    EXPECT_EQ(Refusal("{\"a\" 1}"), "f:1: '1'; accepted: a colon");
    EXPECT_EQ(Refusal("{\"a\": 1 \"b\": 2}"), "f:1: '\"'; accepted: a comma or }");
    EXPECT_EQ(Refusal("[1 2]"), "f:1: '2'; accepted: a comma or ]");
    EXPECT_EQ(Refusal("[1,]").substr(0, 6), "f:1: '");
    EXPECT_EQ(Refusal("[1] x"), "f:1: more text after the value; accepted: nothing");
    EXPECT_EQ(Refusal("\"a\nb\""),
              "f:1: a string without its end; accepted: a double quote in the same line");
    EXPECT_EQ(Refusal("\"a"),
              "f:1: a string without its end; accepted: a double quote in the same line");
    EXPECT_EQ(Refusal("\"\\x\"").substr(0, 9), "f:1: 'x';");
    EXPECT_EQ(Refusal("\"\\u12g4\""), "f:1: 'g'; accepted: four hexadecimal digits after \\u");
    EXPECT_EQ(Refusal("\"\\ud800\""), "f:1: half of a surrogate pair; accepted: both halves");
    EXPECT_EQ(Refusal("\"\\udc00\""), "f:1: half of a surrogate pair; accepted: both halves");
    for (const char* text :
         {"01", "-", "1.", ".5", "1e", "+1", "tru", "nul", "/* */ 1", "'a'", "{1: 2}", "NaN"})
    {
        EXPECT_NE(Refusal(text), "") << text;
    }
    EXPECT_EQ(Refusal(std::string(64, '[') + std::string(64, ']')), "");
    EXPECT_EQ(Refusal(std::string(100'000, '[')),
              "f:1: more than 64 values inside one another; accepted: up to 64");
}
