/* SPDX-License-Identifier: GPL-2.0-only */

// The command line of programs: what is read, and what is refused with which words.

#include "rdma-command-line.h"
#include "rdma-expect-error.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fruit.h"

#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/** A program with an option of each type. */
class RdmaCommandLineTest : public testing::Test
{
  protected:
    RdmaCommandLineTest()
    {
        cmd.AddAction("preset", "a preset", [this](const auto& name) {
            cmd.Apply("--rate=" + name + "\n", "preset", RdmaOptionSource::PRESET);
        });
        cmd.Add("out", "a folder", out);
        cmd.Add("pfc", "on or off", pfc, {"on", "off"});
        cmd.Add("mtu", "payload", mtu, {"256", "4096"});
        cmd.Add("iters", "messages", iters, {"1"});
        cmd.Add("load", "load", load, {"0.01", "2"});
        cmd.Add("explain", "a report", explain);
        cmd.Add("duration", "simulated time", duration, {"1us", "1s"});
        cmd.Add("delay", "delay of links", delay, {"1ps"});
        cmd.Add("rate", "rate of links", rate);
        cmd.Add("weights", "weights", weights, {"1", "9"});
        cmd.AddBytes("bytes", "size", bytes, {"1", "1MB"});
        cmd.AddAction("list",
                      "prints",
                      [this](const auto& word) { list = "[" + word + "]"; },
                      {"", "cc", "paths"});
        cmd.Sets({{"ns3::RdmaTestApple::Count", "--apples"}, {"RngSeed", "--seed"}});
    }

    ~RdmaCommandLineTest() override
    {
        Config::Reset();
    }

    /** \param arguments wrong arguments \param message the whole message */
    void ExpectWrong(const std::vector<std::string>& arguments, const std::string& message)
    {
        try
        {
            cmd.Read(arguments);
            ADD_FAILURE() << "taken: " << arguments.front();
        }
        catch (const std::exception& error)
        {
            EXPECT_EQ(std::string(error.what()), message);
        }
    }

    RdmaCommandLine cmd{"folder/program.cc", "A program."};
    std::string out;
    std::string pfc{"on"};
    uint32_t mtu{1024};
    uint64_t iters{1000};
    double load{0.5};
    bool explain{false};
    Time duration{MilliSeconds(1)};
    RdmaPs delay{1_us};
    RdmaBitRate rate{100_gbps};
    std::vector<uint32_t> weights{1, 2, 3};
    uint64_t bytes{1000};
    std::string list;
};

} // namespace

TEST_F(RdmaCommandLineTest, ReadsEachType)
{
    cmd.Read({"--out=my dir/run 1",
              "--pfc=off",
              "--mtu=512",
              "--iters=5000000000",
              "--load=0.75",
              "--explain",
              "--duration=2.5us",
              "--delay=300ps",
              "--rate=40Gbps",
              "--weights=4:5:6",
              "--bytes=64KiB"});
    EXPECT_EQ(out, "my dir/run 1");
    EXPECT_EQ(pfc, "off");
    EXPECT_EQ(mtu, 512U);
    EXPECT_EQ(iters, 5'000'000'000U);
    EXPECT_EQ(load, 0.75);
    EXPECT_TRUE(explain);
    EXPECT_EQ(duration, NanoSeconds(2500));
    EXPECT_EQ(delay, 300_ps);
    EXPECT_EQ(rate, 40_gbps);
    EXPECT_EQ(weights, (std::vector<uint32_t>{4, 5, 6}));
    EXPECT_EQ(bytes, 65536U);
    EXPECT_EQ(list, "");
}

TEST_F(RdmaCommandLineTest, AValueMayBeTheNextWord)
{
    cmd.Read({"--out", "a=b", "-mtu", "512", "--explain", "false", "--list", "--pfc", "off"});
    EXPECT_EQ(out, "a=b");
    EXPECT_EQ(mtu, 512U);
    EXPECT_FALSE(explain);
    EXPECT_EQ(list, "[]");
    EXPECT_EQ(pfc, "off");
    cmd.Read({"--list", "cc", "--explain", "--pfc=on"});
    EXPECT_EQ(list, "[cc]");
    EXPECT_TRUE(explain);
}

TEST_F(RdmaCommandLineTest, OptionsAreSetInTheOrderOfTheProgram)
{
    cmd.Read({"--rate=40Gbps", "--preset=25Gbps"});
    EXPECT_EQ(rate, 40_gbps);
    EXPECT_TRUE(cmd.IsGiven("rate"));
    EXPECT_FALSE(cmd.IsGiven("mtu"));
    cmd.RefuseGivenOptions({"mtu", "load"}, "with --rate");
    ExpectError<std::invalid_argument>(
        [&] {
            cmd.RefuseGivenOptions({"mtu", "rate"}, "without --x");
        },
        {"--rate means nothing without --x"});
}

TEST_F(RdmaCommandLineTest, NumbersAreReadToTheirEnd)
{
    ExpectWrong({"--mtu=1024abc"}, "--mtu: '1024abc' is not a whole number; accepted: 256 to 4096");
    ExpectWrong({"--mtu=1.9"}, "--mtu: '1.9' is not a whole number; accepted: 256 to 4096");
    ExpectWrong({"--mtu", "-1"}, "--mtu: '-1' is negative; accepted: 256 to 4096");
    ExpectWrong({"--mtu=99999999999999999999"},
                "--mtu: '99999999999999999999' is too large; accepted: 256 to 4096");
    ExpectWrong({"--mtu=255"}, "--mtu: 255; accepted: 256 to 4096");
    ExpectWrong({"--iters=0"}, "--iters: 0; accepted: 1 and above");
    ExpectWrong({"--load=50%"}, "--load: '50%' is not a number; accepted: 0.01 to 2");
    ExpectWrong({"--load=0,01"},
                "--load: '0,01' has a comma; a number has a decimal point and no other separator; "
                "accepted: 0.01 to 2");
    ExpectWrong({"--load=nan"}, "--load: 'nan' does not begin with a digit; accepted: 0.01 to 2");
    ExpectWrong({"--load=inf"}, "--load: 'inf' does not begin with a digit; accepted: 0.01 to 2");
    ExpectWrong({"--load=3"}, "--load: 3; accepted: 0.01 to 2");
    ExpectWrong({"--explain=maybe"}, "--explain: 'maybe'; accepted: true, false");
    ExpectWrong({"--duration=5"}, "--duration: '5' has no unit; accepted: a time, 1us to 1s");
    ExpectWrong({"--duration=0s"}, "--duration: 0s; accepted: a time, 1us to 1s");
    ExpectWrong({"--delay=0s"}, "--delay: 0s; accepted: a time, 1ps and above");
    ExpectWrong({"--rate=fast"},
                "--rate: 'fast' does not begin with a digit; accepted: a rate, 1bps to 8Tbps");
    ExpectWrong({"--bytes=2MB"}, "--bytes: 2MB; accepted: bytes, 1 to 1MB");
    for (const std::string text : {"1:2", "1:2:3:4", "1:2:x", "0:1:2", "1:2:10", "1::2", "1,2,3"})
    {
        ExpectWrong({"--weights=" + text},
                    "--weights: '" + text +
                        "'; accepted: 3 whole numbers from 1 to 9, as in 1:2:3");
    }
}

TEST_F(RdmaCommandLineTest, WhatIsNoOptionIsRefused)
{
    ExpectWrong({"mtu=512"}, "'mtu=512' is no option; did you mean --mtu=512?");
    ExpectWrong({"star:4"},
                "'star:4' is no option; accepted: --NAME=VALUE, in quotes if VALUE has blanks");
    ExpectWrong({"--out=my", "dir"},
                "'dir' is no option; accepted: --NAME=VALUE, in quotes if VALUE has blanks");
    ExpectWrong({""}, "'' is no option; accepted: --NAME=VALUE, in quotes if VALUE has blanks");
    ExpectWrong({"--"}, "'--' is no option; accepted: --NAME=VALUE, in quotes if VALUE has blanks");
    ExpectWrong({"--durtion=1ms"}, "--durtion: there is no such option; did you mean --duration?");
    ExpectWrong({"--dur=1ms"}, "--dur: there is no such option; did you mean --duration?");
    ExpectWrong({"--RngRum=1"}, "--RngRum: there is no such option; did you mean --RngRun?");
    ExpectWrong({"--zzz"}, "--zzz: there is no such option; --help lists the options");
    ExpectWrong({"--mtu=512", "--mtu=512"}, "--mtu is given twice; accepted: once");
    ExpectWrong({"--pfc", "--mtu=512"}, "--pfc has no value; accepted: on, off");
    ExpectWrong({"--pfc="}, "--pfc has no value; accepted: on, off");
    ExpectWrong({"--out"}, "--out has no value; accepted: a folder");
    ExpectWrong({"--pfc=maybe"}, "--pfc: unknown value \"maybe\"; accepted: on, off");
    ExpectWrong({"--list=mtu"}, "--list: unknown value \"mtu\"; accepted: cc, paths");
}

TEST_F(RdmaCommandLineTest, AttributesAndGlobalValuesAreReadStrictly)
{
    cmd.Read({"--ns3::RdmaTestApple::Inner=apple[Count=7]", "--RngRun", "3"});
    UintegerValue run;
    GlobalValue::GetValueByName("RngRun", run);
    EXPECT_EQ(run.Get(), 3U);
    cmd.Read({"--RngRun=1"});
    ExpectWrong({"--ns3::RdmaTestApple::Colour=Blue"},
                "--ns3::RdmaTestApple::Colour: Colour 'Blue'; accepted: Red, Green");
    ExpectWrong({"--ns3::Node::SystemId=7 apples"},
                "--ns3::Node::SystemId: SystemId '7 apples'; accepted: 0 to 4294967295");
    ExpectWrong({"--ns3::RdmaTestApple::Colur=Red"},
                "--ns3::RdmaTestApple::Colur: there is no such attribute; did you mean "
                "--ns3::RdmaTestApple::Colour?");
    ExpectWrong({"--ns3::RdmaTestAple::Colour=Red"},
                "--ns3::RdmaTestAple::Colour: there is no class ns3::RdmaTestAple; did you mean "
                "ns3::RdmaTestApple?");
    ExpectWrong({"--ns3::RdmaClient::StartTime=1s"},
                "--ns3::RdmaClient::StartTime: there is no such attribute; did you mean "
                "--ns3::Application::StartTime?");
    ExpectWrong({"--ns3::RdmaTestApple=1"},
                "--ns3::RdmaTestApple names no attribute; accepted: --ns3::CLASS::ATTRIBUTE=VALUE");
    ExpectWrong({"--ns3::RdmaTestApple::Count=7"},
                "--ns3::RdmaTestApple::Count: the program sets this attribute; accepted: --apples");
    ExpectWrong({"--RngSeed=7"}, "--RngSeed: the program sets this value; accepted: --seed");
    ExpectWrong({"--RngRun=7x"}, "--RngRun: '7x'; accepted: 0 to 18446744073709551615");
    ExpectWrong({"--simulator=fast"}, "--simulator: 'fast'; accepted: own, default, mpi");
    ExpectWrong({"--threads=two"}, "--threads: 'two'; accepted: 1 to 256");
    ExpectError<std::invalid_argument>(
        [&] { cmd.Read({"--SchedulerType=ns3::Node"}); },
        {"--SchedulerType: 'ns3::Node'; accepted: ", "ns3::MapScheduler"});
    ExpectWrong({"--SimulatorImplementationType=ns3::DefaultSimulatorImpl"},
                "--SimulatorImplementationType: ns3::DefaultSimulatorImpl; accepted: "
                "--simulator=default");
    ExpectWrong({"--ns3::RdmaSimulatorImpl::Threads=3", "--simulator=default"},
                "--threads with --simulator=default; accepted: with --simulator=own");
    cmd.Read({"--simulator=own"});
}

TEST_F(RdmaCommandLineTest, HelpHasTheOptionsAndTheirDefaults)
{
    rate = 10_gbps;
    std::ostringstream help;
    cmd.PrintHelp(help);
    EXPECT_NE(help.str().find("A program."), std::string::npos) << help.str();
    EXPECT_NE(help.str().find("payload [1024]"), std::string::npos) << help.str();
    EXPECT_NE(help.str().find("rate of links [10Gbps]"), std::string::npos) << help.str();
}

} // namespace ns3
