/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-drill-path-selector.h"
#include "qbb-input-port-buffer.h"
#include "qbb-switch.h"
#include "qbb-threshold-detector.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/pointer.h>
#include <ns3/simulator.h>

#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Objects with state that belong to one switch.
 */

using namespace ns3;

namespace
{

/** \return an object that an attribute of a switch takes \param attribute the attribute */
Ptr<Object>
MakePart(const std::string& attribute)
{
    if (attribute == "PathSelector")
    {
        return CreateObject<QbbDrillPathSelector>();
    }
    if (attribute == "BufferManager")
    {
        return CreateObject<QbbInputPortBuffer>();
    }
    return CreateObject<QbbThresholdDetector>();
}

constexpr const char* ATTRIBUTES[] = {"PathSelector",
                                      "BufferManager",
                                      "CongestionDetector",
                                      "Marker"};

} // namespace

TEST(QbbSoleSwitchDeathTest, ASecondSwitchIsRefused)
{
    for (const std::string attribute : ATTRIBUTES)
    {
        const PointerValue part(MakePart(attribute));
        const auto first = CreateObject<QbbSwitch>();
        const auto second = CreateObject<QbbSwitch>();
        first->SetAttribute(attribute, part);
        first->SetAttribute(attribute, part);
        EXPECT_DEATH(second->SetAttribute(attribute, part),
                     "two switches get one ns3::Qbb.*accepted: an object for each switch")
            << attribute;
    }
}

TEST(QbbSoleSwitchDeathTest, SetSwitchAttributeIsForEachSwitch)
{
    RdmaFabricHelper helper;
    helper.SetSwitchAttribute("PathSelector", PointerValue(CreateObject<QbbDrillPathSelector>()));
    EXPECT_DEATH(helper.Install(MakeRdmaLeafSpine(2, 2, 1)),
                 "two switches get one ns3::QbbDrillPathSelector");
    helper.Install(MakeRdmaStar(2));
    Simulator::Destroy();
}

TEST(QbbSoleSwitch, APartMayMoveToAnotherSwitch)
{
    for (const std::string attribute : ATTRIBUTES)
    {
        const PointerValue part(MakePart(attribute));
        const auto first = CreateObject<QbbSwitch>();
        first->SetAttribute(attribute, part);
        first->SetAttribute(attribute, PointerValue(MakePart(attribute)));
        const auto second = CreateObject<QbbSwitch>();
        second->SetAttribute(attribute, part);
        second->Dispose();
        auto third = CreateObject<QbbSwitch>();
        third->SetAttribute(attribute, part);
        third = nullptr;
        const auto fourth = CreateObject<QbbSwitch>();
        fourth->SetAttribute(attribute, part);
        PointerValue value;
        fourth->GetAttribute(attribute, value);
        EXPECT_EQ(value.GetObject(), part.GetObject()) << attribute;
    }
}
