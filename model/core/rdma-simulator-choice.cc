/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-choice.h"

#include "qbb-time.h"
#include "rdma-ranks.h"
#include "rdma-simulator-impl.h"

#include <ns3/abort.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

namespace
{

/// Simulator that RdmaSimulatorImpl::Select() makes.
enum SimulatorChoice
{
    OWN_SIMULATOR,
    DEFAULT_SIMULATOR,
    RANKS_OF_MPI
};

GlobalValue g_rdmaSimulator(
    "simulator",
    "Simulator that rdma's programs and helpers make: own "
    "(ns3::RdmaSimulatorImpl), default (ns-3's), or mpi (own, on the ranks that mpirun starts). "
    "Results are equal.",
    EnumValue(OWN_SIMULATOR),
    MakeEnumChecker(OWN_SIMULATOR, "own", DEFAULT_SIMULATOR, "default", RANKS_OF_MPI, "mpi"));

GlobalValue g_rdmaThreads("threads",
                          "Threads that share the work of a run, with simulator=own. Results do "
                          "not depend on their number.",
                          UintegerValue(1),
                          MakeUintegerChecker<uint32_t>(1, RDMA_MAX_THREADS));

constexpr const char* SIMULATOR_TYPE = "SimulatorImplementationType";    // ns-3's global value
constexpr const char* RANKS_SIMULATOR = "ns3::DistributedSimulatorImpl"; // ns-3's, for ranks of MPI

/// \return number of threads that a script asks for by Config::SetDefault()
uint64_t
GetDefaultThreads()
{
    TypeId::AttributeInformation threads;
    RdmaSimulatorImpl::GetTypeId().LookupAttributeByName("Threads", &threads);
    const auto value = DynamicCast<const UintegerValue>(threads.initialValue);
    return value ? value->Get() : 1;
}

} // namespace

void
ChooseRdmaSimulator()
{
    QbbSetTimeResolution();
    StringValue type;
    GlobalValue::GetValueByName(SIMULATOR_TYPE, type);
    const std::string before = type.Get();
    StringValue choice;
    g_rdmaSimulator.GetValue(choice);
    UintegerValue threads;
    g_rdmaThreads.GetValue(threads);
    const bool hasRanks = choice.Get() == "mpi" && RdmaRanks::Begin();
    if (choice.Get() != "default" && before == "ns3::DefaultSimulatorImpl")
    {
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(RdmaSimulatorImpl::GetTypeId().GetName()));
        // ns-3 makes the simulator here, unless one exists.
        Simulator::GetImplementation();
        GlobalValue::Bind(SIMULATOR_TYPE, StringValue(before));
    }
    const uint64_t asked = std::max(threads.Get(), GetDefaultThreads());
    if (!hasRanks && asked == 1)
    {
        return;
    }
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    const std::string made = simulator->GetInstanceTypeId().GetName();
    const auto own = DynamicCast<RdmaSimulatorImpl>(simulator);
    NS_ABORT_MSG_IF(hasRanks && !own && made != RANKS_SIMULATOR,
                    "rdma: simulator=mpi, and the simulator is "
                        << made << "; accepted: before the first node and the first event, with "
                        << SIMULATOR_TYPE << "=ns3::DefaultSimulatorImpl or " << RANKS_SIMULATOR);
    if (asked == 1)
    {
        return;
    }
    NS_ABORT_MSG_IF(!own,
                    "rdma: threads="
                        << asked << " with " << made
                        << "; accepted: with simulator=own, and with an rdma helper or "
                           "RdmaSimulatorImpl::Select() before the first node and the first event");
    NS_ABORT_MSG_IF(hasRanks,
                    "rdma: threads=" << asked << " with " << RdmaRanks::GetNumber()
                                     << " ranks of MPI; accepted: threads=1");
    if (threads.Get() > 1)
    {
        own->SetAttribute("Threads", threads);
    }
}

} // namespace ns3
