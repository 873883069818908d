/* SPDX-License-Identifier: GPL-2.0-only */

// Rules that the attributes of all classes of the module keep.

#include "qbb-shared-buffer.h"
#include "rdma-dcqcn.h"
#include "rdma-ns3-argument.h"
#include "rdma-part.h"
#include "rdma-time.h"

#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
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
    RdmaSetTimeResolution();
    const auto control = RdmaPart::Parse("dcqcn[AiRate=0bps]", RdmaCongestionControl::GetTypeId())
                             .Create<RdmaDcqcn>();
    EXPECT_TRUE(control->GetParameters() == RdmaDcqcnParameters());
}

// ns-3 reads the value of an argument after the module has checked the value. Where ns-3 stops at
// an exponent or at a decimal point, the check refuses them.
TEST(RdmaAttributes, ArgumentsMeanTheSameToNs3)
{
    RdmaSetTimeResolution();
    const auto check = [](const std::string& argument) {
        const std::size_t equals = argument.find('=');
        std::string said;
        try
        {
            SetRdmaNs3Argument(argument.substr(2, equals - 2), argument.substr(equals + 1));
        }
        catch (const std::invalid_argument& error)
        {
            said = error.what();
        }
        Config::Reset();
        return said;
    };
    EXPECT_EQ(check("--ns3::RdmaNic::WqePrefetch=16"), "");
    for (const char* text : {"1e3", "16.0", "1.6e1", "16x", ""})
    {
        const std::string said = check(std::string("--ns3::RdmaNic::WqePrefetch=") + text);
        EXPECT_NE(said.find("WqePrefetch '" + std::string(text) + "'; accepted: 0 to"),
                  std::string::npos)
            << said;
    }
    // Numbers of bytes may have a unit.
    EXPECT_EQ(check("--ns3::QbbSharedBuffer::BufferSize=4MiB"), "");
    EXPECT_EQ(check("--ns3::QbbInputPortBuffer::XoffBytes=40KB"), "");
    EXPECT_NE(check("--ns3::QbbInputPortBuffer::XoffBytes=40Kb"), "");
    EXPECT_NE(check("--ns3::QbbInputPortBuffer::XoffBytes=0.0001KB"), "");
    EXPECT_NE(check("--ns3::RdmaNic::WqePrefetch=16B"), "");
    SetRdmaNs3Argument("ns3::QbbSharedBuffer::BufferSize", "4MiB");
    UintegerValue size;
    CreateObject<QbbSharedBuffer>()->GetAttribute("BufferSize", size);
    EXPECT_EQ(size.Get(), 4U << 20);
    Config::Reset();
    EXPECT_EQ(check("--ns3::RdmaDcqcn::AiRate=1.5Gbps"), "");
    EXPECT_NE(check("--ns3::RdmaDcqcn::AiRate=1e9bps"), "");
    EXPECT_NE(check("--threads=1e0"), "");
    // ns-3 reads exponents of times and real numbers.
    EXPECT_EQ(check("--ns3::RdmaNic::CnpInterval=1e3ns"), "");
    EXPECT_EQ(Time("1e3ns"), NanoSeconds(1000));
    EXPECT_EQ(check("--ns3::RdmaDcqcn::G=1e-2"), "");
    DoubleValue real;
    EXPECT_TRUE(real.DeserializeFromString("1e-2", MakeDoubleChecker<double>()));
    EXPECT_EQ(real.Get(), 0.01);
}

TEST(RdmaAttributes, OneChoiceOfDcqcnLeavesTheOthers)
{
    RdmaSetTimeResolution();
    const auto control =
        RdmaPart::Parse("dcqcn[AlphaPeriodic=On]", RdmaCongestionControl::GetTypeId())
            .Create<RdmaDcqcn>();
    RdmaDcqcnParameters expected;
    expected.alphaPeriodic = true;
    EXPECT_TRUE(control->GetParameters() == expected);
}
