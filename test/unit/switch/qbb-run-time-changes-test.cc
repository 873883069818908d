/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"
#include "qbb-input-port-buffer.h"
#include "qbb-shared-buffer.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Attributes of switches and cables that are set while the simulation runs: they take effect, or
 * the program ends with a message.
 */

namespace ns3
{
namespace
{

class QbbRunTimeChanges : public testing::Test
{
  protected:
    ~QbbRunTimeChanges() override
    {
        Simulator::Destroy();
    }

    /// Starts a simulation of two senders and a receiver at one switch.
    void Start(const std::string& flowControl = "Pfc")
    {
        m_helper.SetDeviceAttribute("FlowControl", StringValue(flowControl));
        m_helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        m_fabric = m_helper.Install(MakeRdmaStar(3));
        Simulator::Stop(MicroSeconds(1));
        Simulator::Run();
    }

    /// \return frames marked since the start, after both hosts have sent 200 kB more
    uint64_t SendFromBoth()
    {
        for (const uint32_t host : {0U, 1U})
        {
            auto qp = m_fabric->Connect(host, 2).first;
            RdmaSendRequest request;
            request.length = 200'000;
            qp->PostSend(request);
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        return m_fabric->GetDevice(2, 3)->GetCounters().classes[3].ecnMarks;
    }

    RdmaFabricHelper m_helper;
    Ptr<RdmaFabric> m_fabric;
};

TEST_F(QbbRunTimeChanges, LosslessLinksKeepTheirDelay)
{
    Start();
    const auto channel = m_fabric->GetChannel(1);
    channel->SetAttribute("Delay", TimeValue(channel->GetDelay())); // an equal value is no change
    EXPECT_DEATH(channel->SetAttribute("Delay", TimeValue(MicroSeconds(20))),
                 "rdma: QbbChannel::Delay at port . of node . is set while it is running, and the "
                 "switch has computed its headroom; accepted: before the simulation starts");
}

TEST_F(QbbRunTimeChanges, QueueingChangesUntilTheSimulationStarts)
{
    m_fabric = m_helper.Install(MakeRdmaStar(3));
    const auto sw = m_fabric->GetSwitch(3);
    sw->SetAttribute("Queueing", StringValue("InputQueued"));
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    EXPECT_NE(sw->GetInputQueueing(), nullptr);
    EXPECT_DEATH(sw->SetAttribute("Queueing", StringValue("OutputQueued")),
                 "rdma: an attribute of the QbbSwitch of node 3 is set while it is running");
}

TEST_F(QbbRunTimeChanges, LossyLinksGetAnotherDelay)
{
    Start("None");
    m_fabric->GetChannel(1)->SetAttribute("Delay", TimeValue(MicroSeconds(20)));
    EXPECT_EQ(m_fabric->GetChannel(1)->GetDelayPs(), 20_us);
}

TEST_F(QbbRunTimeChanges, CurvesOfTheMarkerTakeEffect)
{
    m_helper.SetEcnAttribute("Kmin", UintegerValue(0));
    m_helper.SetEcnAttribute("Kmax", UintegerValue(0));
    Start();
    PointerValue marker;
    m_fabric->GetSwitch(3)->GetAttribute("EcnMarker", marker);
    // The attributes are set one after the other; in between Kmin is above Kmax.
    marker.GetObject()->SetAttribute("Kmin", UintegerValue(100'000'000));
    marker.GetObject()->SetAttribute("Kmax", UintegerValue(100'000'000));
    EXPECT_EQ(SendFromBoth(), 0U);
    marker.GetObject()->SetAttribute("Kmin", UintegerValue(0));
    marker.GetObject()->SetAttribute("Kmax", UintegerValue(0));
    const uint64_t marks = SendFromBoth();
    EXPECT_GT(marks, 100U);
    marker.Get<QbbEcnMarker>()->SetProfile(3, {100'000'000, 100'000'000, 1});
    EXPECT_EQ(SendFromBoth(), marks);
}

TEST_F(QbbRunTimeChanges, AnotherMarkerTakesEffect)
{
    Start();
    EXPECT_EQ(SendFromBoth(), 0U);
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("Kmin", UintegerValue(0));
    marker->SetAttribute("Kmax", UintegerValue(0));
    m_fabric->GetSwitch(3)->SetAttribute("EcnMarker", PointerValue(marker));
    const uint64_t arrivals = SendFromBoth();
    EXPECT_GT(arrivals, 100U);
    marker->SetAttribute("MarkAt", StringValue("Departure"));
    const uint64_t both = SendFromBoth();
    EXPECT_GT(both, arrivals + 100U);
    // The marker that was replaced has no effect.
    auto other = CreateObject<QbbEcnMarker>();
    other->SetAttribute("Kmin", UintegerValue(100'000'000));
    other->SetAttribute("Kmax", UintegerValue(100'000'000));
    m_fabric->GetSwitch(3)->SetAttribute("EcnMarker", PointerValue(other));
    marker->SetAttribute("Kmax", UintegerValue(1));
    EXPECT_EQ(SendFromBoth(), both);
}

TEST_F(QbbRunTimeChanges, SwitchesRefuseTheRest)
{
    Start();
    const auto sw = m_fabric->GetSwitch(3);
    const std::string message = "rdma: an attribute of the QbbSwitch of node 3 is set while it is "
                                "running; accepted at run time: EcnMarker, PathSelector, EcmpSeed";
    EXPECT_DEATH(sw->SetAttribute("CutThrough", BooleanValue(true)), message);
    EXPECT_DEATH(sw->SetAttribute("Queueing", StringValue("InputQueued")), message);
    EXPECT_DEATH(sw->SetAttribute("BufferManager", PointerValue(CreateObject<QbbSharedBuffer>())),
                 message);
}

TEST_F(QbbRunTimeChanges, BuffersRefuse)
{
    Start();
    const auto buffer = m_fabric->GetSwitch(3)->GetBufferManager();
    EXPECT_DEATH(buffer->SetAttribute("LosslessAlpha", DoubleValue(1)),
                 "rdma: an attribute of a ns3::QbbSharedBuffer is set while its switch is running; "
                 "accepted: before the simulation starts");
    EXPECT_DEATH(buffer->SetAttribute("ClassAlphas", StringValue("3:1")), "is set while its");
    EXPECT_DEATH(buffer->SetAttribute("HeadroomPool", BooleanValue(true)), "is set while its");
}

TEST_F(QbbRunTimeChanges, InputBuffersRefuse)
{
    m_helper.SetBufferManager("ns3::QbbInputPortBuffer");
    Start();
    EXPECT_DEATH(
        m_fabric->GetSwitch(3)->GetBufferManager()->SetAttribute("XonBytes", UintegerValue(10'000)),
        "rdma: an attribute of a ns3::QbbInputPortBuffer is set while its switch is");
}

} // namespace
} // namespace ns3
