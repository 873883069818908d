/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-options.h"

namespace ns3
{

namespace
{

using Form = RdmaOptionForm;

/** \return the attributes that options set, by group */
std::vector<RdmaOptionTarget>
GetFabricOptionTargets()
{
    return {
        {"markThreshold", "marking", {"Threshold"}, Form::BYTES, {}, 1},
        {"bufferPreset", "shared buffer"},
        {"classAlphas", "shared buffer", {"ClassAlphas"}},
        {"sonicBuffers", "shared buffer"},
        {"sonicQos", "shared buffer"},
        {"sonicPgLookup", "shared buffer"},
        {"portBuffer", "port buffer", {"PortBufferBytes"}, Form::BYTES},
        {"xoff", "port buffer", {"XoffBytes"}, Form::BYTES, {}, 1},
        {"xon", "port buffer", {"XonBytes"}, Form::BYTES, {}, 1},
        {"cells", "port buffer", {"CellBytes"}},
        {"crossbar", "crossbar", {"CrossbarSpeedup"}},
        {"routes", "routing", {}, Form::ATTRIBUTE, {{"up-down", "Algorithm", "UpDown"}}},
        {"ecmpSeed", "switch", {"EcmpSeed"}},
        {"cdf", "workload", {"Cdf"}},
        {"load", "workload", {"Load"}},
        {"bytes", "workload", {"Bytes"}, Form::BYTES},
        {"duration", "workload", {"Duration"}, Form::TIME},
        {"mtu", "frames of the workload", {"Mtu"}},
        {"loadOf",
         "arrivals",
         {},
         Form::ATTRIBUTE,
         {{"wire", "LoadOf", "Wire"}, {"wire-acks", "LoadOf", "WireAcks"}}},
        {"warmUp", "arrivals", {"WarmUp"}, Form::TIME},
        {"measure", "arrivals", {"Measure"}, Form::TIME},
        {"recovery",
         "transport",
         {},
         Form::ATTRIBUTE,
         {{"sack", "LossRecovery", "Sack"},
          {"selective", "LossRecovery", "SelectiveWithoutSack"},
          {"go-back-n", "LossRecovery", "GoBackN"},
          {"go-back-0", "LossRecovery", "GoBack0"}}},
        {"rto", "transport", {"RtoHigh", "RetransmissionTimeout", "MinRto"}, Form::TIME},
        {"rtoLow", "transport", {"RtoLow"}, Form::TIME},
        {"rtoLowPackets", "transport", {"RtoLowPackets"}},
        {"dynamicRto", "transport", {"DynamicRto"}},
        {"bdpCap", "transport", {"BdpCap"}, Form::ATTRIBUTE, {{"off", "BdpFc", "false"}}, 1},
        {"backOff", "transport", {"BackOffOnLoss"}},
        {"retries", "transport", {"RetryCount", "DataRetries"}, Form::ATTRIBUTE, {}, 0, 255},
        {"ackInterval", "transport", {"AckInterval", "DelAckCount"}},
        {"watchdog",
         "watchdog",
         {},
         Form::ATTRIBUTE,
         {{"drop", "Action", "Drop"},
          {"forward", "Action", "Forward"},
          {"alert", "Action", "Alert"}}},
        {"detection", "watchdog", {"DetectionTime"}, Form::TIME},
        {"restoration", "watchdog", {"RestorationTime"}, Form::TIME},
        {"watchdogPoll", "watchdog", {"PollInterval"}, Form::TIME},
        {"watchdogPorts",
         "watchdog",
         {},
         Form::ATTRIBUTE,
         {{"servers", "ServerPortsOnly", "true"}}},
        {"nicWatchdog", "NIC watchdog", {"Timeout"}, Form::TIME, {{"auto", "Timeout", "100ms"}}},
        {"pcap", "pcap", {"Prefix"}},
        {"pauseTree", "pauseTree", {"File"}},
        {"trace-events", "trace-events", {"File"}},
        {"traceInterval", "trace-events", {"Period"}, Form::TIME},
        {"timeseries", "timeseries", {"File"}},
        {"timeseriesPeriod", "timeseries", {"Period"}, Form::TIME},
        {"timeseriesFlows", "timeseries", {"Flows"}},
        {"monitor", "monitor", {"File"}},
        {"monitorPeriod", "monitor", {"Period"}, Form::TIME},
    };
}

} // namespace

RdmaFabricOptions::RdmaFabricOptions()
    : RdmaOptionList(GetFabricOptionTargets(),
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

} // namespace ns3
