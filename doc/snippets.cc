/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * The pieces of code in doc/rdma.rst and other pages. test/python/test_docs.py builds and
 * runs this.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>
#include <numeric>
#include <vector>

using namespace ns3;

namespace
{

Ptr<RdmaFabric>
MakeFabric()
{
    // [fabric
    RdmaFabricHelper helper; // first of all: it sets ns-3's time resolution
    helper.SetDeviceAttribute("Scheduler", StringValue("1,1,1,1,1,1,strict,strict"));
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3 | 1 << 4)); // classes 3 and 4
    helper.SetBufferAttribute("BufferSize", UintegerValue(16 << 20));
    helper.SetEcnAttribute("Kmin", UintegerValue(100'000)); // also turns marking on
    helper.SetTransportAttribute("AckInterval", UintegerValue(4));
    helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(400)));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(1024));

    RdmaTopologyRates rates;
    rates.hostRate = ParseRdmaRate("25Gbps");
    rates.uplinkRate = ParseRdmaRate("100Gbps");
    rates.delay = ParseRdmaTime("500ns");
    Ptr<RdmaFabric> fabric = helper.Install(MakeRdmaTopology("fat-tree:4", rates));
    // fabric]
    return fabric;
}

// [trace
void
OnDrop(std::string where, Ptr<const Packet> frame, QbbDropReason reason)
{
    std::cout << Simulator::Now().As(Time::US) << " " << where << ": " << frame->GetSize()
              << " bytes, " << reason << "\n";
}

// trace]

void
OnMessage(const RdmaWorkCompletion& completion)
{
    std::cout << "received " << completion.bytes << " bytes: " << completion.status << "\n";
}

void
SendAndReceive(Ptr<RdmaFabric> fabric)
{
    // [send
    auto [sender, receiver] = fabric->Connect(0, 15, 4); // of class 4
    RdmaReceiveRequest room;
    room.length = 1 << 20; // a SEND needs a receive request at the other side
    receiver->PostReceive(room);
    receiver->GetReceiveCompletionQueue()->SetCallback(MakeCallback(&OnMessage));

    RdmaSendRequest request;
    request.id = 7; // comes back in the completion
    request.opcode = RdmaWrOpcode::SEND_WITH_IMM;
    request.length = 100'000;
    request.immediate = 42;
    sender->PostSend(request);
    // send]
}

void
Fail(Ptr<RdmaFabric> fabric)
{
    // [link
    // Link 20 of this fat-tree is one between two switches.
    fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(20)));
    Simulator::Schedule(MicroSeconds(50), &RdmaFabric::SetLinkUp, fabric, 20, false);
    Simulator::Schedule(MicroSeconds(900), &RdmaFabric::SetLinkUp, fabric, 20, true);
    // link]
    // [failures
    RdmaFailurePlan plan =
        RdmaFailurePlan::Parse("agg-0:down:100us:300us,edge-1/agg-1:rate=25%:0us");
    plan.Add({"core-2->agg-3", "loss=0.001", "50us"});
    fabric->InstallFailures(plan); // before AssignStreams() and before the run
    fabric->AssignStreams(1);
    // failures]
}

void
Look(Ptr<RdmaFabric> fabric)
{
    // [look
    const uint32_t edge = fabric->GetTopology().GetSwitches().front();
    Ptr<QbbSwitch> sw = fabric->GetSwitch(edge);
    const QbbIngressUsage usage = sw->GetBufferManager()->GetIngress(0, 3);
    std::cout << "port 0, class 3: paused above " << usage.threshold << " shared bytes; "
              << usage.headroomLimit << " bytes of headroom, " << usage.peakHeadroomBytes
              << " used\n";
    const QbbPortCounters& counters = sw->GetPort(0)->GetCounters();
    std::cout << counters.classes[3].txBytes << " bytes sent, " << counters.GetDrops()
              << " frames dropped\n";
    // look]
}

void
RunFlows(Ptr<RdmaFabric> fabric)
{
    // [flows
    const auto flows = MakeRdmaFlows("incast:8[Bytes=200000]", fabric->GetTopology());
    auto runner = CreateObject<RdmaFlowRunner>();
    runner->Install(fabric, flows);
    Simulator::Run();
    for (const RdmaFlowResult& result : runner->GetResults())
    {
        std::cout << "flow " << result.flow.id << ": " << *result.fct / 1000 << " ns\n";
    }
    // flows]
}

void
RunClient(Ptr<RdmaFabric> fabric)
{
    // [client
    RdmaServerHelper servers;
    servers.Install(fabric->GetNode(15));
    RdmaClientHelper clients(fabric->GetAddress(15));
    clients.SetAttribute("Operation", StringValue("Read"));
    clients.SetAttribute("MessageSize", UintegerValue(4096));
    clients.SetAttribute("QueueDepth", UintegerValue(16));
    ApplicationContainer applications = clients.Install(fabric->GetNode(0));
    Simulator::Run();
    auto client = DynamicCast<RdmaClient>(applications.Get(0));
    const RdmaClientResult result = client->GetResult();
    std::cout << result.status << ": " << result.iterations << " READs, "
              << result.latency->medianPs / 1000 << " ns, " << result.bandwidthBps / 1e9
              << " Gb/s\n";
    // client]
}

void
RunSchedule()
{
    // [schedule
    auto schedule = CreateObject<RdmaOperationSchedule>();
    schedule->SetRanks(2);
    const uint32_t world = schedule->AddCommunicator("world", {0, 1});
    const uint32_t context = schedule->GetContext(world);
    RdmaScheduleJob& job = schedule->AddJob("step");

    // Rank 0 computes for 30 us in its unit 0, and sends 1 MB to rank 1, with tag 7.
    const uint32_t forward = job.Add(0, RdmaOperation::Compute(30_us, 0));
    job.Add(0, RdmaOperation::Send(1'000'000, 1, context, 7), {forward});
    const uint32_t input = job.Add(1, RdmaOperation::Receive(1'000'000, 0, context, 7));
    const uint32_t next = job.Add(1, RdmaOperation::Compute(30_us, 0), {input});

    // Both add their gradients, rank 1 after its computing.
    RdmaPartOf<RdmaCollective> ring("all-reduce-ring[Chunks=4|Steps=Pipelined]");
    job.AddCollective(world, ring.Create<RdmaCollective>(), 64'000'000, {{forward}, {next}});

    RdmaPartOf<RdmaScheduleNetwork> network("ideal[Delay=2us|Rate=400Gbps]");
    schedule->Install(network.Create<RdmaScheduleNetwork>());
    Simulator::Run();
    std::cout << (schedule->IsDone() ? "end of the step: " : schedule->DescribeWait())
              << schedule->GetEnd() / 1000 << " ns\n";
    // schedule]
    Simulator::Destroy();
}

void
RunScaleUp()
{
    // [scale-up
    // 16 GPUs in two hosts, each host with 8 GPUs and 4 NICs.
    auto schedule = CreateObject<RdmaOperationSchedule>();
    schedule->SetPlaces(MakeRdmaPlaces(16, 8, 4));
    std::vector<uint32_t> ranks(16);
    std::iota(ranks.begin(), ranks.end(), 0);
    RdmaPartOf<RdmaCollective> collective("all-to-all[Steps=Pipelined]");
    RdmaScheduleJob& job = schedule->AddJob("job");
    job.AddCollective(schedule->AddCommunicator("world", ranks),
                      collective.Create<RdmaCollective>(),
                      16'000'000);

    auto network = CreateObject<RdmaScaleUpNetwork>();
    network->SetAttribute("Pxn", BooleanValue(true));
    RdmaPartOf<RdmaScheduleNetwork> outer("ideal[Delay=5us|Rate=400Gbps]");
    network->SetOuter(outer.Create<RdmaScheduleNetwork>());
    schedule->Install(network);
    // scale-up]
    Simulator::Run();
    Simulator::Destroy();
}

} // namespace

int
main()
{
    // [simulator
    RdmaSimulatorImpl::Select();
    // simulator]
    const Ptr<RdmaFabric> fabric = MakeFabric();
    // [connect
    Config::Connect("/NodeList/*/DeviceList/*/$ns3::QbbNetDevice/Drop", MakeCallback(&OnDrop));
    // connect]
    SendAndReceive(fabric);
    Fail(fabric);
    RunFlows(fabric);
    RunClient(fabric);
    Look(fabric);
    Simulator::Destroy();
    RunSchedule();
    RunScaleUp();
    return 0;
}
