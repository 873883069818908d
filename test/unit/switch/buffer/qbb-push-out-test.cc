/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/enum.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Switches whose buffer policy pushes frames out.
 */

using namespace ns3;

namespace
{

constexpr uint32_t MEMORY = 20'000;

/** All queues share 20 KB; a frame that does not fit pushes out frames of the longest queue. */
class PushOutBuffer : public QbbBufferManager
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PushOutBuffer")
                                .SetParent<QbbBufferManager>()
                                .AddConstructor<PushOutBuffer>();
        return tid;
    }

    uint64_t m_pushedOut{0}; //!< decisions to push out a frame

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override
    {
        return MakeOnePool(ports, MEMORY);
    }

    QbbBufferDecision DoAdmit(const Group& group, const Queue&, uint32_t bytes) override
    {
        if (bytes <= GetPool(group).GetFree())
        {
            return QbbBufferDecision::Share();
        }
        ++m_pushedOut;
        const auto& queues = GetQueues();
        const auto longest = std::max_element(
            queues.begin(),
            queues.end(),
            [](const Queue& one, const Queue& other) { return one.bytes < other.bytes; });
        return QbbBufferDecision::PushOut(GetIndex(*longest));
    }
};

NS_OBJECT_ENSURE_REGISTERED(PushOutBuffer);

/** Three hosts that send to a fourth one through one switch. */
class QbbPushOutTest : public testing::Test
{
  protected:
    void Run(QbbSwitch::Queueing queueing)
    {
        helper.SetDeviceAttribute("FlowControl", StringValue("None"));
        helper.SetTransport("ns3::IrnTransport");
        helper.SetBufferManager("ns3::PushOutBuffer");
        helper.SetSwitchAttribute("Queueing", EnumValue(queueing));
        fabric = helper.Install(MakeRdmaStar(4));
        for (uint32_t host = 0; host < 3; ++host)
        {
            senders.push_back(fabric->Connect(host, 3).first);
            RdmaSendRequest request;
            request.length = 200'000;
            senders.back()->PostSend(request);
        }
        Simulator::Run();
    }

    void TearDown() override
    {
        senders.clear();
        fabric = nullptr;
        Simulator::Destroy();
    }

    RdmaFabricHelper helper;                 //!< makes the fabric
    Ptr<RdmaFabric> fabric;                  //!< the fabric
    std::vector<Ptr<RdmaQueuePair>> senders; //!< of hosts 0 to 2
};

using QbbPushOutDeathTest = QbbPushOutTest;

} // namespace

TEST_F(QbbPushOutTest, EveryByteIsAccountedFor)
{
    Run(QbbSwitch::OUTPUT_QUEUED);
    for (const auto& sender : senders)
    {
        const auto completions = sender->GetSendCompletionQueue()->Poll(2);
        ASSERT_EQ(completions.size(), 1U);
        EXPECT_EQ(completions[0].bytes, 200'000U);
    }
    const Ptr<QbbBufferManager> buffer = fabric->GetSwitch(4)->GetBufferManager();
    const uint64_t pushedOut = DynamicCast<PushOutBuffer>(buffer)->m_pushedOut;
    EXPECT_GT(pushedOut, 0U);
    EXPECT_EQ(fabric->GetTotals().drops, pushedOut) << "a frame for each decision";
    EXPECT_LE(buffer->GetUsage().peakUsedBytes, MEMORY);
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST_F(QbbPushOutDeathTest, QueuesAtInputs)
{
    ExpectRefusal([&] { Run(QbbSwitch::INPUT_QUEUED); },
                  "pushes frames out; accepted: with Queueing Output");
}
