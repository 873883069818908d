/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-fabric-groups.h"
#include "rdma-command-line.h"
#include "rdma-fabric-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"
#include "rdma-test-random.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Runs of rdma-fabric with random options, whose nodes are divided among threads again every 5000
 * events. All files equal those of one thread, byte by byte.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N sets of options. A failure names its set and the
 * options.
 */

using namespace ns3;

namespace
{

/** Divides the nodes again and again, so that everything that is in flight crosses divisions. */
class OftenDividedGroups : public QbbFabricGroups
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TestOftenDividedGroups")
                                .SetParent<QbbFabricGroups>()
                                .AddConstructor<OftenDividedGroups>();
        return tid;
    }

    uint64_t GetEventsToNext(uint32_t) const override
    {
        return 5000;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OftenDividedGroups);

/** Random options of rdma-fabric, and a run with them. */
class DivisionSet
{
  public:
    /** \param number number of the set, which determines all choices */
    explicit DivisionSet(uint32_t number)
        : m_number(number)
    {
        RdmaTestDice dice(number);
        MakeTraffic(dice);
        MakeTransport(dice);
        MakeSwitches(dice);
        MakeFaults(dice);
        m_threads = static_cast<uint32_t>(dice.Number(1, 4));
        m_groups = static_cast<uint32_t>(dice.Number(2, dice.OneIn(2) ? 8 : 64));
        m_hasSinks = dice.OneIn(2);
        m_captures = dice.OneIn(3);
    }

    /** \return number of threads of the set */
    uint32_t GetThreads() const
    {
        return m_threads;
    }

    /** \return number of groups of the set */
    uint32_t GetGroups() const
    {
        return m_groups;
    }

    /** \return the options, as on a command line */
    std::string GetText() const
    {
        std::string text = "threads " + std::to_string(m_threads) + ", groups " +
                           std::to_string(m_groups) + ", sinks " + std::to_string(m_hasSinks) + ":";
        for (const auto& [name, value] : m_options)
        {
            text += " --" + name + "=" + value;
        }
        return text;
    }

    /**
     * Runs in a process of its own, so that MAC addresses and random streams begin anew.
     *
     * \param threads number of threads
     * \param groups number of groups
     * \param folder folder for all files
     * \return exit status of the process: 0, or another number if the options are refused
     */
    int Run(uint32_t threads, uint32_t groups, const std::string& folder) const
    {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        const pid_t child = fork();
        if (child == 0)
        {
            _exit(RunHere(threads, groups, folder));
        }
        int status = -1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    using Names2 = std::array<const char*, 2>;
    using Names3 = std::array<const char*, 3>;
    using Names4 = std::array<const char*, 4>;

    void MakeTraffic(RdmaTestDice& dice)
    {
        m_options["topology"] = dice.OneOf(std::array<const char*, 6>{"fat-tree:4",
                                                                      "leaf-spine:2x4x2",
                                                                      "leaf-spine:4x4x3",
                                                                      "star:9",
                                                                      "dumbbell:5",
                                                                      "leaf-spine:3x5x2"});
        m_options["workload"] =
            dice.OneOf(Names4{"poisson", "incast:6", "permutation", "incast:4[Jitter=3us]"});
        if (m_options["workload"] == "poisson")
        {
            m_options["duration"] = dice.OneOf(Names2{"60us", "150us"});
            m_options["load"] = dice.OneOf(Names2{"0.4", "0.8"});
            m_options["cdf"] = dice.OneOf(Names3{"storage", "hadoop", "websearch"});
        }
        else
        {
            m_options["bytes"] = dice.OneOf(Names3{"100KB", "300KB", "17001"});
        }
        if (dice.OneIn(2))
        {
            m_options["delayJitter"] = dice.OneOf(Names2{"80ns", "3us"});
        }
        if (dice.OneIn(3))
        {
            m_options["delay"] = dice.OneOf(Names4{"1ns", "25ns", "5us", "333ns"});
        }
        if (dice.OneIn(5))
        {
            m_options["rate"] = dice.OneOf(Names3{"40Gbps", "33333333333bps", "400Gbps"});
        }
        m_options["stop"] = "600us";
        m_options["seed"] = std::to_string(m_number);
    }

    void MakeTransport(RdmaTestDice& dice)
    {
        const bool isIrn = dice.OneIn(3);
        m_options["transport"] = isIrn ? "irn" : "roce";
        m_options["pfc"] = dice.OneIn(isIrn ? 2 : 4) ? "off" : "on";
        m_options["cc"] = dice.OneOf(std::array<const char*, 8>{"none",
                                                                "none",
                                                                "dcqcn",
                                                                "hpcc",
                                                                "timely",
                                                                "swift",
                                                                "dctcp",
                                                                "hpcc-pint"});
        if (m_options["cc"] == "hpcc")
        {
            m_options.erase("rate"); // telemetry has codes for usual rates alone
        }
        if (dice.OneIn(3))
        {
            m_options["entropy"] = dice.OneOf(Names3{"turn:9", "random", "reps:64"});
        }
        if (dice.OneIn(5))
        {
            m_options["mtu"] = dice.OneOf(Names3{"256", "4096", "1500"});
        }
    }

    void MakeSwitches(RdmaTestDice& dice)
    {
        if (dice.OneIn(3))
        {
            m_options["paths"] = dice.OneOf(Names4{"drill", "flowlet", "spray", "wcmp"});
        }
        if (dice.OneIn(4))
        {
            m_options["switch"] = "input-queued";
            if (dice.OneOf(std::array<bool, 2>{false, true}))
            {
                m_options["ns3::QbbSwitch::Crossbar"] = "true";
                m_options["ns3::QbbSwitch::CrossbarSpeedup"] = "1.5";
            }
        }
        else if (dice.OneIn(2))
        {
            m_options["buffer"] = dice.OneOf(Names2{"3MB", "5MB"});
        }
        if (dice.OneIn(5))
        {
            m_options["trust"] = "vlan";
        }
    }

    void MakeFaults(RdmaTestDice& dice)
    {
        if (dice.OneIn(4))
        {
            m_options["loss"] = "0.001";
            m_options["transport"] += m_options["transport"] == "irn"
                                          ? "[RtoHigh=200us]"
                                          : "[RetransmissionTimeout=200us]";
        }
        if (m_options["pfc"] == "on" && dice.OneIn(5))
        {
            m_options["storm"] = "0:20us:100us";
        }
        if (dice.OneIn(6))
        {
            m_options["slowReceiver"] = "1:20Gbps";
        }
        if (m_options["pfc"] == "on" && dice.OneIn(5))
        {
            m_options["watchdog"] = dice.OneOf(Names3{"drop", "forward", "alert"});
            m_options["ns3::QbbPfcWatchdog::DetectionTime"] = "50us";
            m_options["ns3::QbbPfcWatchdog::RestorationTime"] = "50us";
            m_options["ns3::QbbPfcWatchdog::PollInterval"] = "10us";
        }
    }

    std::vector<std::string> GetWords(const std::string& folder) const
    {
        std::vector<std::string> words;
        const auto add = [&words](const std::string& name, const std::string& value) {
            words.push_back("--" + name + "=" + value);
        };
        for (const auto& [name, value] : m_options)
        {
            add(name, value);
        }
        add("explain", "true");
        std::string instruments = "pause-trace:" + folder + "/trace.json,timeseries:" + folder +
                                  "/series.csv,monitor:" + folder + "/monitor.csv[Period=7us]";
        if (m_options.at("pfc") == "on")
        {
            instruments += ",pause-tree:" + folder + "/tree.csv";
        }
        if (m_captures)
        {
            instruments += ",pcap:" + folder + "/port";
        }
        add("instruments", instruments);
        return words;
    }

    /** Records the calls of sinks, which are deferred, in the order of threads.rst. */
    void Record(const RdmaFabric& fabric)
    {
        for (uint32_t node = 0; node < fabric.GetTopology().GetNNodes(); ++node)
        {
            const Ptr<Node> at = fabric.GetNode(node);
            for (uint32_t i = 0; i < at->GetNDevices(); ++i)
            {
                const auto add = [this, node, i](const std::string& text) {
                    m_calls.emplace_back(Simulator::Now().GetTimeStep(), node, i, text);
                };
                at->GetDevice(i)->TraceConnectWithoutContext(
                    "PfcSent",
                    Callback<void, uint8_t, uint16_t>([add](uint8_t priority, uint16_t quanta) {
                        add("pause " + std::to_string(priority) + " " + std::to_string(quanta));
                    }));
                if ((node + i) % 7 == m_number % 7)
                {
                    at->GetDevice(i)->TraceConnectWithoutContext(
                        "MacRx",
                        Callback<void, Ptr<const Packet>>([add](Ptr<const Packet> packet) {
                            add("packet " + std::to_string(packet->GetSize()));
                        }));
                }
            }
        }
    }

    int RunHere(uint32_t threads, uint32_t groups, const std::string& folder) const
    {
        Config::SetDefault("ns3::RdmaSimulatorImpl::Grouping",
                           StringValue(OftenDividedGroups::GetTypeId().GetName()));
        Config::SetDefault("ns3::RdmaSimulatorImpl::DeferSinks", BooleanValue(m_hasSinks));
        GlobalValue::Bind("threads", UintegerValue(threads));
        Config::SetDefault("ns3::RdmaSimulatorImpl::Groups", UintegerValue(groups));
        std::ofstream text(folder + "/text");
        try
        {
            RdmaFabricOptions options;
            RdmaCommandLine cmd("rdma-fabric", "");
            cmd.Include(options);
            cmd.Read(GetWords(folder));
            RdmaFabricRun run(options);
            DivisionSet record(*this);
            if (m_hasSinks)
            {
                record.Record(*run.GetFabric());
            }
            run.PrintForecasts(text);
            run.Run(false);
            RdmaFabricOutcome outcome = run.GetOutcome();
            outcome.summary.cpuS = 0;
            outcome.summary.peakRssMb = 0;
            PrintRdmaOutcome(text, outcome);
            run.PrintFailures(text);
            WriteRdmaReport(folder, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
            std::stable_sort(record.m_calls.begin(), record.m_calls.end(), [](auto& a, auto& b) {
                return std::tie(std::get<0>(a), std::get<1>(a)) <
                       std::tie(std::get<0>(b), std::get<1>(b));
            });
            std::ofstream calls(folder + "/calls");
            for (const auto& [time, node, port, what] : record.m_calls)
            {
                calls << time << " " << node << "." << port << " " << what << "\n";
            }
            std::ofstream(folder + "-reason") << RdmaSimulatorImpl::GetReasonForOneThread();
            Simulator::Destroy();
        }
        catch (const std::exception& error)
        {
            text << error.what() << "\n";
            return 2;
        }
        return 0;
    }

    uint32_t m_number;                            //!< number of the set
    uint32_t m_threads{2};                        //!< number of threads
    uint32_t m_groups{2};                         //!< number of groups
    bool m_hasSinks{false};                       //!< ports have sinks
    bool m_captures{false};                       //!< ports write captures
    std::map<std::string, std::string> m_options; //!< options by name
    /// Calls of sinks: time, node, port and arguments
    std::vector<std::tuple<int64_t, uint32_t, uint32_t, std::string>> m_calls;
};

/** \return contents of all results in a folder, by name, without the record of the run */
std::map<std::string, std::string>
ReadFolder(const std::string& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        if (entry.path().filename() == "run.json")
        {
            continue; // names the command and the number of threads
        }
        std::ifstream file(entry.path(), std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), {}};
        for (std::size_t at; (at = bytes.find(folder)) != std::string::npos;)
        {
            bytes.erase(at, folder.size());
        }
        files[entry.path().filename().string()] = std::move(bytes);
    }
    return files;
}

} // namespace

TEST(RdmaDivisions, EveryFileEqualsThatOfOneThread)
{
    const uint32_t sets = GetTestRounds(30);
    const auto root =
        std::filesystem::temp_directory_path() / ("rdma-divisions-" + std::to_string(getpid()));
    uint32_t refused = 0;
    uint32_t onOneThread = 0;
    for (uint32_t number = 1; number <= sets; ++number)
    {
        const DivisionSet set(number);
        const std::string one = (root / "one").string();
        const std::string several = (root / "several").string();
        const int status = set.Run(1, 1, one);
        EXPECT_EQ(set.Run(set.GetThreads(), set.GetGroups(), several), status)
            << "set " << number << ", " << set.GetText();
        refused += status == 0 ? 0 : 1;
        const auto expected = ReadFolder(one);
        const auto found = ReadFolder(several);
        std::string different;
        for (const auto& [name, bytes] : expected)
        {
            const auto file = found.find(name);
            different += file == found.end() || file->second != bytes ? " " + name : "";
        }
        EXPECT_EQ(different, "") << "set " << number << ", " << set.GetText();
        EXPECT_EQ(found.size(), expected.size()) << "set " << number << ", " << set.GetText();
        onOneThread += status == 0 && std::filesystem::file_size(several + "-reason") > 0 ? 1 : 0;
    }
    std::filesystem::remove_all(root);
    RecordProperty("sets", static_cast<int>(sets));
    EXPECT_LE(refused, sets / 10) << "sets whose options are refused";
    EXPECT_EQ(onOneThread, 0U) << "sets that ran on one thread";
}
