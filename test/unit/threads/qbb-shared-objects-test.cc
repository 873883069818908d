/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-objects.h"
#include "rdma-completion-queue.h"
#include "rdma-shared-receive-queue.h"
#include "rdma-test-fabric.h"

#include <ns3/error-model.h>
#include <ns3/onoff-application.h>
#include <ns3/pointer.h>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The search for objects with state that several nodes hold.
 */

using namespace ns3;

namespace
{

/** A fabric of two racks with two hosts each. */
class QbbSharedObjects : public testing::Test
{
  protected:
    QbbSharedObjects()
        : fabric(helper.Install(MakeRdmaLeafSpine(2, 2, 1))),
          hosts(fabric->GetTopology().GetHosts()),
          switches(fabric->GetTopology().GetSwitches())
    {
    }

    ~QbbSharedObjects() override
    {
        Simulator::Destroy();
    }

    static std::string Find()
    {
        return FindQbbSharedObject([](const Node& node) { return node.GetId(); });
    }

    /** Sets the error model of a node's first port. */
    void SetModel(uint32_t node, Ptr<ErrorModel> model)
    {
        fabric->GetNode(node)->GetDevice(0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    RdmaFabricHelper helper;        //!< makes the fabric
    Ptr<RdmaFabric> fabric;         //!< the fabric
    std::vector<uint32_t> hosts;    //!< its hosts
    std::vector<uint32_t> switches; //!< its switches
};

} // namespace

TEST_F(QbbSharedObjects, AFabricOfTheHelperHasNone)
{
    helper.SetCongestionControl("dcqcn");
    helper.EnableEcn(true);
    helper.SetPathSelector("drill");
    helper.Install(MakeRdmaLeafSpine(2, 2, 2));
    fabric->Connect(hosts[0], hosts[2]);
    EXPECT_EQ(Find(), "");
}

TEST_F(QbbSharedObjects, ErrorModels)
{
    const auto model = CreateObject<RateErrorModel>();
    SetModel(switches[1], model);
    fabric->GetNode(switches[1])
        ->GetDevice(1)
        ->SetAttribute("ReceiveErrorModel", PointerValue(model));
    EXPECT_EQ(Find(), "") << "two ports of one node";
    SetModel(hosts[3], model);
    EXPECT_EQ(Find(),
              "nodes " + std::to_string(hosts[3]) + " and " + std::to_string(switches[1]) +
                  " share one ns3::RateErrorModel");
    SetModel(hosts[3], CreateObject<RateErrorModel>());
    EXPECT_EQ(Find(), "");
    SetModel(hosts[0], CreateObject<ListErrorModel>());
    EXPECT_EQ(Find(), "");
}

TEST_F(QbbSharedObjects, RandomVariablesOfErrorModels)
{
    const auto variable = CreateObject<UniformRandomVariable>();
    for (const uint32_t host : {hosts[0], hosts[3]})
    {
        const auto model = CreateObject<RateErrorModel>();
        model->SetAttribute("RanVar", PointerValue(variable));
        SetModel(host, model);
    }
    EXPECT_EQ(Find(),
              "nodes " + std::to_string(hosts[0]) + " and " + std::to_string(hosts[3]) +
                  " share one ns3::UniformRandomVariable");
}

TEST_F(QbbSharedObjects, RandomVariablesOfApplications)
{
    const auto add = [this](Ptr<RandomVariableStream> variable) {
        for (const uint32_t host : {hosts[1], hosts[2]})
        {
            const auto application = CreateObject<OnOffApplication>();
            application->SetAttribute("OnTime", PointerValue(variable));
            fabric->GetNode(host)->AddApplication(application);
        }
    };
    add(CreateObject<ConstantRandomVariable>());
    EXPECT_EQ(Find(), "") << "a constant has no state";
    add(CreateObject<ExponentialRandomVariable>());
    EXPECT_EQ(Find(),
              "nodes " + std::to_string(hosts[1]) + " and " + std::to_string(hosts[2]) +
                  " share one ns3::ExponentialRandomVariable");
}

TEST_F(QbbSharedObjects, QueuesOfQueuePairs)
{
    const auto [a, b] = fabric->Connect(hosts[0], hosts[1]);
    const auto [c, d] = fabric->Connect(hosts[0], hosts[2]);
    const auto queue = CreateObject<RdmaCompletionQueue>();
    a->SetSendCompletionQueue(queue);
    c->SetReceiveCompletionQueue(queue);
    EXPECT_EQ(Find(), "") << "queue pairs of one node";
    d->SetReceiveCompletionQueue(queue);
    EXPECT_NE(Find().find("share one ns3::RdmaCompletionQueue"), std::string::npos) << Find();
    d->SetReceiveCompletionQueue(CreateObject<RdmaCompletionQueue>());
    EXPECT_EQ(Find(), "");
    const auto receives = CreateObject<RdmaSharedReceiveQueue>();
    for (const uint32_t host : {hosts[0], hosts[3]})
    {
        const auto qp = fabric->GetNic(host)->CreateQueuePair();
        qp->SetSharedReceiveQueue(receives);
    }
    EXPECT_NE(Find().find("share one ns3::RdmaSharedReceiveQueue"), std::string::npos) << Find();
}

TEST_F(QbbSharedObjects, PartsOfTheSimulation)
{
    const auto model = CreateObject<RateErrorModel>();
    SetModel(hosts[0], model);
    SetModel(hosts[1], model);
    EXPECT_NE(Find(), "");
    const auto inParts = [this](uint32_t first) {
        return FindQbbSharedObject(
            [this, first](const Node& node) { return node.GetId() < hosts[first] ? 0U : 1U; });
    };
    EXPECT_NE(inParts(1), "");
    EXPECT_EQ(inParts(2), "");
    RefuseQbbObjectsOfSharedRun(); // one process is one rank
}
