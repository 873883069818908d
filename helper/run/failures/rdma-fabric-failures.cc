/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-failures.h"

#include "qbb-storm-source.h"
#include "rdma-file-error.h"
#include "rdma-option.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \param text a text \param separator a character \return the parts; one without separator */
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (auto to = text.find(separator); to != std::string::npos; to = text.find(separator, from))
    {
        parts.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    parts.push_back(text.substr(from));
    return parts;
}

/**
 * \param option name of an option
 * \param text value of the option
 * \param standard value used for "auto"
 * \return the parsed time
 */
Time
ParseTime(const std::string& option, const std::string& text, const std::string& standard)
{
    const QbbPs ps =
        ParseRdmaOption(option, [&] { return ParseRdmaTime(text == "auto" ? standard : text); });
    if (ps == 0_ps)
    {
        throw std::invalid_argument("--" + option + ": " + text + "; accepted: a time above 0");
    }
    return QbbToTime(ps);
}

/** \param option name of an option \param given the user gave it \param options of the run */
void
RequirePfc(const std::string& option, bool given, const RdmaFabricOptions& options)
{
    if (given && options.pfc != "on")
    {
        throw std::invalid_argument("--" + option + " with --pfc=" + options.pfc +
                                    "; accepted: with --pfc=on");
    }
}

} // namespace

QbbPs
GetRdmaStormTimeout(const RdmaFabricOptions& options)
{
    QbbPs timeout;
    if (options.watchdog == "drop" || options.watchdog == "forward")
    {
        timeout = QbbToPs(ParseTime("detection", options.detection, "200ms") +
                          ParseTime("restoration", options.restoration, "200ms"));
    }
    if (options.nicWatchdog != "off")
    {
        const Time nic = ParseTime("nicWatchdog", options.nicWatchdog, "100ms");
        timeout = std::max(timeout, 2 * QbbToPs(nic));
    }
    return timeout;
}

RdmaFabricFailures::RdmaFabricFailures(const RdmaFabricOptions& options, Ptr<RdmaFabric> fabric)
    : m_fabric(fabric),
      m_treePath(options.pauseTree),
      m_tracePath(options.traceEvents)
{
    RequirePfc("storm", !options.storm.empty(), options);
    RequirePfc("watchdog", options.watchdog != "off", options);
    RequirePfc("nicWatchdog", options.nicWatchdog != "off", options);
    if (!m_treePath.empty() && m_treePath == m_tracePath)
    {
        throw std::invalid_argument("--trace-events: " + m_tracePath +
                                    ", which --pauseTree writes; accepted: another file");
    }
    AddReceivers(options);
    AddStorms(options);
    AddNicWatchdogs(options);
    AddWatchdogs(options);
    if (!m_treePath.empty())
    {
        // Create an empty file first, so that an unwritable path is reported before the run.
        WriteRdmaFile(m_treePath, "");
        m_tree = std::make_unique<QbbPauseTree>(fabric);
    }
    AddTrace(options);
}

Ptr<QbbNetDevice>
RdmaFabricFailures::GetHostPort(const std::string& option, const std::string& host) const
{
    const auto id = ParseRdmaOption(option, [&] {
        return static_cast<uint32_t>(
            ParseRdmaInteger(host, 0, std::numeric_limits<uint32_t>::max()));
    });
    const RdmaTopology& topology = m_fabric->GetTopology();
    if (!topology.IsHost(id))
    {
        throw std::invalid_argument("--" + option + ": node " + host +
                                    " is not a host; accepted: the id of one of the " +
                                    std::to_string(topology.GetHosts().size()) + " hosts");
    }
    return m_fabric->GetNic(id)->GetPort(0);
}

void
RdmaFabricFailures::AddStorms(const RdmaFabricOptions& options)
{
    if (options.storm.empty())
    {
        return;
    }
    for (const std::string& text : Split(options.storm, ','))
    {
        const auto parts = Split(text, ':');
        if (parts.size() > 3)
        {
            throw std::invalid_argument("--storm: \"" + text +
                                        "\"; accepted: HOST[:START[:STOP]], several with commas");
        }
        const auto device = GetHostPort("storm", parts[0]);
        const auto time = [&](std::size_t i) {
            return i < parts.size()
                       ? ParseRdmaOption("storm", [&] { return ParseRdmaTime(parts[i]); })
                       : 0_ps;
        };
        const QbbPs start = time(1);
        const QbbPs stop = time(2);
        if (!device->GetFlowControl().GetLosslessClasses())
        {
            throw std::invalid_argument("--storm: \"" + text +
                                        "\" in a run without flows, where no class is lossless; "
                                        "accepted: with a workload that has flows");
        }
        if ((parts.size() == 3 && stop <= start) || device->GetObject<QbbStormSource>())
        {
            throw std::invalid_argument("--storm: \"" + text +
                                        "\"; accepted: one for a host, and a stop after the start");
        }
        auto storm = CreateObject<QbbStormSource>();
        storm->SetAttribute("Classes",
                            UintegerValue(device->GetFlowControl().GetLosslessClasses()));
        storm->SetAttribute("Start", TimeValue(QbbToTime(start)));
        storm->SetAttribute("Stop", TimeValue(QbbToTime(stop)));
        storm->Install(device);
    }
}

void
RdmaFabricFailures::AddReceivers(const RdmaFabricOptions& options)
{
    if (options.slowReceiver.empty())
    {
        return;
    }
    for (const std::string& text : Split(options.slowReceiver, ','))
    {
        const auto parts = Split(text, ':');
        if (parts.size() < 2 || parts.size() == 4 || parts.size() > 6)
        {
            throw std::invalid_argument(
                "--slowReceiver: \"" + text +
                "\"; accepted: HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], "
                "several with commas");
        }
        const auto device = GetHostPort("slowReceiver", parts[0]);
        if (device->GetObject<RdmaReceiveBuffer>())
        {
            throw std::invalid_argument("--slowReceiver: host " + parts[0] + " twice");
        }
        const QbbBitRate rate =
            ParseRdmaOption("slowReceiver", [&] { return ParseRdmaRate(parts[1]); });
        const uint64_t size = ParseRdmaOption("slowReceiver", [&] {
            return parts.size() > 2 ? ParseRdmaBytes(parts[2]) : uint64_t{1} << 20;
        });
        const auto time = [&](std::size_t i) {
            const QbbPs ps =
                i < parts.size()
                    ? ParseRdmaOption("slowReceiver", [&] { return ParseRdmaTime(parts[i]); })
                    : 0_ps;
            return QbbToTime(ps);
        };
        auto buffer = CreateObject<RdmaReceiveBuffer>();
        const uint64_t needed = RdmaReceiveBuffer::GetHeadroom(*device);
        if (size <= needed || size > (1U << 30))
        {
            throw std::invalid_argument("--slowReceiver: " + parts[2] + "; accepted: more than " +
                                        std::to_string(needed) +
                                        "B, which its headroom takes, up to 1 GiB");
        }
        if (parts.size() > 4 && (time(4).IsZero() || (parts.size() == 6 && time(5) <= time(4))))
        {
            throw std::invalid_argument("--slowReceiver: \"" + text +
                                        "\"; accepted: a STALL_DURATION above 0, and a "
                                        "STALL_PERIOD above that");
        }
        buffer->SetAttribute("DrainRate", DataRateValue(rate.ToDataRate()));
        buffer->SetAttribute("Size", UintegerValue(size));
        buffer->SetAttribute("StallStart", TimeValue(time(3)));
        buffer->SetAttribute("StallDuration", TimeValue(time(4)));
        buffer->SetAttribute("StallPeriod", TimeValue(time(5)));
        buffer->Install(device);
        m_receivers.emplace_back(device->GetNodeId(), buffer);
    }
}

void
RdmaFabricFailures::AddNicWatchdogs(const RdmaFabricOptions& options)
{
    if (options.nicWatchdog == "off")
    {
        return;
    }
    const Time timeout = ParseTime("nicWatchdog", options.nicWatchdog, "100ms");
    for (const uint32_t host : m_fabric->GetTopology().GetHosts())
    {
        auto watchdog = CreateObject<RdmaNicWatchdog>();
        watchdog->SetAttribute("Timeout", TimeValue(timeout));
        watchdog->SetAttribute("PollInterval",
                               TimeValue(QbbToTime((QbbToPs(timeout) + 9_ps) / 10)));
        watchdog->Install(m_fabric->GetNic(host)->GetPort(0));
        m_nicWatchdogs.emplace_back(host, watchdog);
    }
}

void
RdmaFabricFailures::AddWatchdogs(const RdmaFabricOptions& options)
{
    CheckRdmaChoice("watchdog", options.watchdog, {"off", "drop", "forward", "alert"});
    CheckRdmaChoice("watchdogPorts", options.watchdogPorts, {"all", "servers"});
    if (options.watchdog == "off")
    {
        RefuseRdmaOptionAlone("detection", options.detection != "auto", "watchdog");
        RefuseRdmaOptionAlone("restoration", options.restoration != "auto", "watchdog");
        RefuseRdmaOptionAlone("watchdogPoll", options.watchdogPoll != "auto", "watchdog");
        RefuseRdmaOptionAlone("watchdogPorts", options.watchdogPorts != "all", "watchdog");
        return;
    }
    const Time detection = ParseTime("detection", options.detection, "200ms");
    const Time restoration = ParseTime("restoration", options.restoration, "200ms");
    const QbbPs half = (std::min(QbbToPs(detection), QbbToPs(restoration)) + 1_ps) / 2;
    const Time poll = options.watchdogPoll == "auto"
                          ? QbbToTime(half)
                          : ParseTime("watchdogPoll", options.watchdogPoll, "");
    if (poll > detection || poll > restoration)
    {
        throw std::invalid_argument("--watchdogPoll: " + options.watchdogPoll +
                                    "; accepted: at most --detection and --restoration");
    }
    static const std::map<std::string, std::string> actions{{"drop", "Drop"},
                                                            {"forward", "Forward"},
                                                            {"alert", "Alert"}};
    for (const uint32_t id : m_fabric->GetTopology().GetSwitches())
    {
        auto watchdog = CreateObject<QbbPfcWatchdog>();
        watchdog->SetAttribute("DetectionTime", TimeValue(detection));
        watchdog->SetAttribute("RestorationTime", TimeValue(restoration));
        watchdog->SetAttribute("PollInterval", TimeValue(poll));
        watchdog->SetAttribute("Action", StringValue(actions.at(options.watchdog)));
        watchdog->SetAttribute("ServerPortsOnly", BooleanValue(options.watchdogPorts == "servers"));
        watchdog->Watch(m_fabric->GetSwitch(id));
        m_watchdogs.emplace_back(id, watchdog);
    }
}

void
RdmaFabricFailures::AddTrace(const RdmaFabricOptions& options)
{
    if (m_tracePath.empty())
    {
        RefuseRdmaOptionAlone("traceInterval", options.traceInterval != "auto", "trace-events");
        return;
    }
    const Time interval = ParseTime("traceInterval", options.traceInterval, "10us");
    errno = 0;
    m_traceFile.open(m_tracePath, std::ios::binary);
    if (!m_traceFile)
    {
        throw RdmaFileError(m_tracePath,
                            0,
                            "",
                            std::string("cannot be written: ") + std::strerror(errno));
    }
    m_trace = std::make_unique<RdmaPauseTrace>(m_traceFile, m_fabric, QbbToPs(interval));
    for (const auto& [node, watchdog] : m_watchdogs)
    {
        m_trace->AddWatchdog(node, watchdog);
    }
    for (const auto& [host, watchdog] : m_nicWatchdogs)
    {
        watchdog->TraceConnectWithoutContext("PauseDisabled",
                                             Callback<void, uint32_t>([this](uint32_t node) {
                                                 m_trace->AddInstant(node, 0, 0, "NIC watchdog");
                                             }));
    }
}

void
RdmaFabricFailures::Finish()
{
    if (m_tree)
    {
        WriteRdmaFile(m_treePath, m_tree->FormatCsv());
    }
    if (m_trace)
    {
        m_trace->Finish();
        m_traceFile.close();
        if (!m_traceFile)
        {
            throw RdmaFileError(m_tracePath, 0, "", "could not be written completely");
        }
    }
}

void
RdmaFabricFailures::Print(std::ostream& os) const
{
    const RdmaTopology& topology = m_fabric->GetTopology();
    for (const auto& [node, watchdog] : m_watchdogs)
    {
        for (uint32_t port = 0; port < m_fabric->GetSwitch(node)->GetNPorts(); ++port)
        {
            for (uint8_t p = 0; p < 8; ++p)
            {
                const QbbStormCounters counters = watchdog->GetCounters(port, p);
                if (counters.detected)
                {
                    os << "PFC watchdog: " << topology.GetNode(node).name << " port " << port
                       << " class " << +p << ": " << counters.detected << " storms detected, "
                       << counters.restored << " restored; tx ok/drop " << counters.all.txOk << "/"
                       << counters.all.txDrop << ", rx ok/drop " << counters.all.rxOk << "/"
                       << counters.all.rxDrop << "\n";
                }
            }
        }
    }
    for (const auto& [host, buffer] : m_receivers)
    {
        os << "slow receiver: " << topology.GetNode(host).name << ": " << buffer->GetFrames()
           << " frames handed on, " << buffer->GetDrops() << " dropped, at most "
           << buffer->GetPeakBytes() << " bytes, XOFF above " << buffer->GetXoffBytes() << "\n";
    }
    for (const auto& [host, watchdog] : m_nicWatchdogs)
    {
        if (watchdog->HasFired())
        {
            os << "NIC watchdog: " << topology.GetNode(host).name
               << " may not generate pause frames any more\n";
        }
    }
}

} // namespace ns3
