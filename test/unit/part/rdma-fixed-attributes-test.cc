/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-watchdog.h"
#include "qbb-storm-source.h"
#include "rdma-fabric-helper.h"
#include "rdma-part.h"
#include "rdma-psn.h"
#include "rdma-receive-buffer.h"
#include "rdma-topology-builders.h"

#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Attributes that queue pairs read once: a change that comes too late ends the program with a
 * message.
 */

namespace ns3
{
namespace
{

/** \param attribute an attribute \param value a value of it \return another value */
std::string
Alter(const TypeId::AttributeInformation& attribute, const std::string& value)
{
    // ns-3's releases differ in whether the names of kinds begin with "ns3::".
    const std::string kind = attribute.checker->GetValueTypeName();
    const auto is = [&kind](const char* name) { return kind.find(name) != std::string::npos; };
    std::vector<std::string> texts{"true", "false"};
    if (is("DoubleValue"))
    {
        texts = {"0.5", "0.25", "2"};
    }
    else if (is("TimeValue"))
    {
        texts = {"123us"};
    }
    else if (is("DataRateValue"))
    {
        texts = {"123Mbps"};
    }
    else if (is("IntegerValue") || is("UintegerValue"))
    {
        texts = {"3", "4", "300"};
    }
    else if (is("EnumValue"))
    {
        texts.clear();
        std::istringstream names(attribute.checker->GetUnderlyingTypeInformation());
        for (std::string name; std::getline(names, name, '|');)
        {
            texts.push_back(name);
        }
    }
    for (const std::string& text : texts)
    {
        const auto other = attribute.checker->CreateValidValue(StringValue(text));
        if (other && other->SerializeToString(attribute.checker) != value)
        {
            return text;
        }
    }
    ADD_FAILURE() << "no other value of " << attribute.name << " than " << value;
    return value;
}

/** Three hosts at a switch. */
class RdmaFixedAttributesTest : public testing::Test
{
  protected:
    ~RdmaFixedAttributesTest() override
    {
        Simulator::Destroy();
    }

    /**
     * Expects that no attribute of an object can change, and that each keeps its value.
     *
     * \param object an object that a queue pair uses
     * \param instead what the message says that the user may do
     * \param live name of an attribute that may change
     * \return number of attributes that are fixed
     */
    static uint32_t ExpectFixed(ObjectBase& object,
                                const std::string& instead,
                                const std::string& live = "")
    {
        uint32_t count = 0;
        for (TypeId type = object.GetInstanceTypeId(); type.GetGroupName() == "Rdma";
             type = type.GetParent())
        {
            for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
            {
                const auto attribute = type.GetAttribute(i);
                if (attribute.name == live)
                {
                    continue;
                }
                const auto value = attribute.checker->Create();
                object.GetAttribute(attribute.name, *value);
                const std::string before = value->SerializeToString(attribute.checker);
                object.SetAttribute(attribute.name, StringValue(before));
                const std::string other = Alter(attribute, before);
                EXPECT_DEATH(
                    object.SetAttribute(attribute.name, StringValue(other)),
                    "rdma: " + type.GetName() + "::" + attribute.name +
                        " is changed from .* too late to have an effect; accepted: " + instead)
                    << before << " to " << other;
                ++count;
            }
        }
        return count;
    }

    RdmaFabricHelper m_helper;
};

TEST_F(RdmaFixedAttributesTest, EachControl)
{
    uint32_t attributes = 0;
    for (const TypeId& type : GetRdmaPartTypes(RdmaCongestionControl::GetTypeId()))
    {
        if (type.GetGroupName() != "Rdma")
        {
            continue; // a class of a test
        }
        m_helper.SetCongestionControl(type.GetName());
        const auto fabric = m_helper.Install(MakeRdmaStar(3));
        const auto control = fabric->GetNic(0)->GetCongestionControl();
        fabric->Connect(0, 1);
        attributes += ExpectFixed(*control, "before the first queue pair uses the object");
    }
    EXPECT_GT(attributes, 75U);
}

TEST_F(RdmaFixedAttributesTest, EachTransport)
{
    uint32_t attributes = 0;
    for (const TypeId& type : GetRdmaPartTypes(RdmaTransport::GetTypeId()))
    {
        if (type.GetGroupName() != "Rdma")
        {
            continue;
        }
        m_helper.SetTransport(type.GetName());
        const auto fabric = m_helper.Install(MakeRdmaStar(3));
        fabric->GetNic(0)->CreateQueuePair();
        attributes += ExpectFixed(*fabric->GetNic(0)->GetTransport(),
                                  "before the first queue pair uses the object");
    }
    EXPECT_GT(attributes, 15U);
}

TEST_F(RdmaFixedAttributesTest, AttributesAreFreeBeforeTheFirstQueuePair)
{
    m_helper.SetCongestionControl("timely");
    const auto fabric = m_helper.Install(MakeRdmaStar(3));
    const auto control = fabric->GetNic(0)->GetCongestionControl();
    control->SetAttribute("Beta", StringValue("0.25"));
    fabric->GetNic(0)->GetTransport()->SetAttribute("AckInterval", UintegerValue(4));
    fabric->Connect(0, 1);
    EXPECT_DEATH(control->SetAttribute("Beta", StringValue("0.5")),
                 "rdma: ns3::RdmaTimely::Beta is changed from 0.25 to 0.5 too late");
}

TEST_F(RdmaFixedAttributesTest, LaterQueuePairsGetAnotherObject)
{
    m_helper.SetCongestionControl("timely");
    const auto fabric = m_helper.Install(MakeRdmaStar(3));
    fabric->Connect(0, 1);
    const auto other =
        RdmaPart::Parse("timely[InitialRate=1Gbps]", RdmaCongestionControl::GetTypeId())
            .Create<RdmaCongestionControl>();
    fabric->GetNic(0)->SetAttribute("CongestionControl", PointerValue(other));
    const auto qp = fabric->Connect(0, 2).first;
    EXPECT_EQ(qp->GetRateController()->GetRate(0_ps), 1_gbps);
}

TEST_F(RdmaFixedAttributesTest, HeadersOfAConnectedQueuePair)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(3));
    const auto qp = fabric->GetNic(0)->CreateQueuePair();
    qp->SetAttribute("Dscp", UintegerValue(10));
    qp->Connect(fabric->GetAddress(1), 2);
    for (const char* name : {"PathMtu",
                             "Dscp",
                             "CnpDscp",
                             "Ttl",
                             "SourcePort",
                             "SymmetricSourcePort",
                             "EcnCapable",
                             "InitialPsn"})
    {
        TypeId::AttributeInformation attribute;
        RdmaQueuePair::GetTypeId().LookupAttributeByName(name, &attribute);
        const auto value = attribute.checker->Create();
        qp->GetAttribute(name, *value);
        const std::string before = value->SerializeToString(attribute.checker);
        const std::string other = name == std::string("PathMtu") ? "512" : Alter(attribute, before);
        EXPECT_DEATH(qp->SetAttribute(name, StringValue(other)),
                     std::string("rdma: ns3::RdmaQueuePair::") + name +
                         " is changed from .*; accepted: before the queue pair is connected");
    }
    EXPECT_DEATH(qp->SetPriority(5), "rdma: SetPriority.. of a queue pair in state RTS; accepted");
    EXPECT_DEATH(qp->SetInitialPsn(5),
                 "rdma: SetInitialPsn.. of a queue pair in state RTS; accepted: before");
    // These take effect at once.
    qp->SetAttribute("MaxRdAtomic", UintegerValue(3));
    qp->SetAttribute("MinRnrTimer", UintegerValue(3));
    // A queue pair that is reset may be connected anew.
    RdmaQpAttributes reset;
    reset.state = RdmaQpState::RESET;
    qp->Modify(reset);
    qp->SetAttribute("Dscp", UintegerValue(12));
    qp->SetInitialPsn(RDMA_PSN_SPACE - 1);
    EXPECT_EQ(qp->GetInitialPsn(), 16777215);
    EXPECT_DEATH(qp->SetInitialPsn(RDMA_PSN_SPACE),
                 "rdma: SetInitialPsn.. to 16777216; accepted: 0..16777215");
}

TEST_F(RdmaFixedAttributesTest, ObjectsAtPortsAndSwitches)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(3));
    const auto watchdog = CreateObject<QbbPfcWatchdog>();
    watchdog->SetAttribute("DetectionTime", TimeValue(MilliSeconds(300)));
    watchdog->Watch(fabric->GetSwitch(3));
    EXPECT_EQ(ExpectFixed(*watchdog, "before Watch"), 5U);
    const auto storm = CreateObject<QbbStormSource>();
    storm->SetAttribute("Start", TimeValue(MilliSeconds(1)));
    storm->Install(fabric->GetDevice(0, 0));
    EXPECT_EQ(ExpectFixed(*storm, "before Install"), 5U);
    const auto buffer = CreateObject<RdmaReceiveBuffer>();
    buffer->Install(fabric->GetDevice(1, 1));
    EXPECT_EQ(ExpectFixed(*buffer, "before Install", "DrainRate"), 6U);
    buffer->SetAttribute("DrainRate", StringValue("1Gbps"));
}

TEST_F(RdmaFixedAttributesTest, AlgorithmOfRouting)
{
    // Two leaves that a path through a third leaf would join: only ShortestPath takes all spines.
    const auto fabric = m_helper.Install(MakeRdmaLeafSpine(2, 2, 2));
    fabric->SetLinkUp(fabric->GetTopology().GetNLinks() - 1, false);
    const auto routing = fabric->GetRouting();
    const auto count = [&fabric] {
        uint32_t ports = 0;
        for (const auto& sw : fabric->GetRouting()->GetSwitches())
        {
            for (const uint32_t host : fabric->GetTopology().GetHosts())
            {
                const auto group = sw->GetForwardingTable().Lookup(fabric->GetAddress(host).Get());
                ports += group ? static_cast<uint32_t>(group->size()) : 0;
            }
        }
        return ports;
    };
    const uint32_t shortest = count();
    routing->SetAttribute("Algorithm", StringValue("UpDown"));
    const uint32_t upDown = count();
    routing->SetAttribute("Algorithm", StringValue("ShortestPath"));
    EXPECT_NE(shortest, upDown) << "spine 2 would reach a leaf by way of another leaf";
    EXPECT_EQ(count(), shortest);
}

} // namespace
} // namespace ns3
