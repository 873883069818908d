/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-options.h"

#include "qbb-buffer-manager.h"
#include "qbb-congestion-detector.h"
#include "qbb-marker.h"
#include "qbb-path-selector.h"
#include "rdma-collective.h"
#include "rdma-congestion-control.h"
#include "rdma-connection-plan.h"
#include "rdma-entropy.h"
#include "rdma-instrument.h"
#include "rdma-placement.h"
#include "rdma-schedule-network.h"
#include "rdma-tcp-flow-runner.h"
#include "rdma-topology-builder.h"
#include "rdma-transport.h"
#include "rdma-workload.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Presets by name: lines of a configuration file.
constexpr std::pair<const char*, const char*> FABRIC_PRESETS[] = {
    {"none", ""},
    {"irn", R"(
--topology=fat-tree:6
--rate=40Gbps
--uplinkRate=40Gbps
--delay=2us
--mtu=1000
--transport=irn
--cc=none
--pfc=off
--switch=input-queued
--ns3::QbbEcnMarker::MarkBy=Queue
--ns3::IrnTransport::WriteHeaders=Roce
--ns3::RdmaNic::PaceCatchUp=false
--workload=poisson
--cdf=irn-heavy-tail
--load=0.7
--duration=10ms
--paths=ecmp
)"},
    {"parking-lot", R"(
--topology=parking-lot:3x1
--rate=40Gbps
--uplinkRate=40Gbps
--delay=10ns
--mtu=2048
--transport=roce
--pfc=on
--switch=input-queued
--ns3::QbbInputPortBuffer::CellBytes=64
)"},
};

} // namespace

RdmaFabricOptions::RdmaFabricOptions()
    : RdmaOptionList({{"transport", RdmaTransport::GetTypeId()},
                      {"transport", RdmaTcpFlowRunner::GetTypeId()},
                      {"cc", RdmaCongestionControl::GetTypeId()},
                      {"paths", QbbPathSelector::GetTypeId()},
                      {"entropy", RdmaEntropy::GetTypeId()},
                      {"connection", RdmaConnectionPlan::GetTypeId()},
                      {"buffer", QbbBufferManager::GetTypeId()},
                      {"marking", QbbCongestionDetector::GetTypeId()},
                      {"marker", QbbMarker::GetTypeId()},
                      {"workload", RdmaWorkload::GetTypeId()},
                      {"workload", RdmaCollective::GetTypeId()},
                      {"network", RdmaScheduleNetwork::GetTypeId()},
                      {"placement", RdmaPlacement::GetTypeId()},
                      {"instruments", RdmaInstrument::GetTypeId()},
                      {"topology", RdmaTopologyBuilder::GetTypeId()}},
                     {{"RngSeed", "--seed"},
                      {"SchedulerType", "no other, because the run has a scheduler of its own"},
                      {"ns3::QbbNetDevice::Mtu", "--mtu"},
                      {"ns3::QbbNetDevice::FlowControl", "--pfc"},
                      {"ns3::QbbNetDevice::PfcClasses", "--pfc=on, for the classes of all flows"},
                      {"ns3::QbbNetDevice::DataRate", "--rate and --uplinkRate, or a topology"},
                      {"ns3::QbbChannel::Delay", "--delay, or a topology"},
                      {"ns3::RdmaQueuePair::PathMtu", "--mtu"}})
{
}

void
ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options)
{
    std::vector<std::string> names;
    for (const auto& [known, text] : FABRIC_PRESETS)
    {
        names.emplace_back(known);
    }
    CheckRdmaChoice("preset", name, names);
    const auto position = std::find(names.begin(), names.end(), name) - names.begin();
    options.Apply(FABRIC_PRESETS[position].second, "preset " + name, RdmaOptionSource::PRESET);
}

} // namespace ns3
