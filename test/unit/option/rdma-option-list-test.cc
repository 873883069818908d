/* SPDX-License-Identifier: GPL-2.0-only */

// Options for command lines, configuration files and presets.

#include "rdma-congestion-control.h"
#include "rdma-dcqcn.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-options.h"
#include "rdma-file-error.h"
#include "rdma-option-list.h"
#include "rdma-text-file.h"
#include "rdma-time.h"

#include <ns3/config.h>

#include <cstdio>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/** Some options. */
class RdmaOptionListTest : public testing::Test
{
  protected:
    RdmaOptionListTest()
    {
        RdmaSetTimeResolution();
        list.Add("rate", "a text", rate);
        list.Add("mtu", "a number", mtu);
        list.Add("load", "a real number", load);
        list.Add("serialize", "true or false", serialize);
    }

    ~RdmaOptionListTest() override
    {
        Config::Reset();
        std::remove(FILE_NAME);
    }

    /** \param text wrong lines \param parts parts of the message */
    void ExpectWrong(const std::string& text, const std::vector<std::string>& parts)
    {
        ExpectError<RdmaFileError>([&] { list.Apply(text, "my.conf"); }, parts);
    }

    static constexpr const char FILE_NAME[] = "rdma-option-list-test.conf";

    std::string rate{"100Gbps"};
    uint32_t mtu{1024};
    double load{0.5};
    bool serialize{false};
    RdmaOptionList list;
};

} // namespace

TEST_F(RdmaOptionListTest, LinesSetOptions)
{
    list.Apply("# a comment\n\n  --rate=40Gbps \r\n--mtu=1000\n--load=0.25\n--serialize\n",
               "my.conf");
    EXPECT_EQ(rate, "40Gbps");
    EXPECT_EQ(mtu, 1000U);
    EXPECT_EQ(load, 0.25);
    EXPECT_TRUE(serialize);
    list.Apply("--serialize=false\n--rate=a=b", "my.conf");
    EXPECT_FALSE(serialize);
    EXPECT_EQ(rate, "a=b") << "a value may have an equals sign, and the last line no end";
}

TEST_F(RdmaOptionListTest, LinesSetAttributes)
{
    list.Apply("--ns3::RdmaDcqcn::Preset=Nic\n", "my.conf");
    EXPECT_EQ(CreateObject<RdmaDcqcn>()->GetParameters().reducePeriod, 4_us) << "of the NICs";
}

TEST_F(RdmaOptionListTest, ErrorsNameFileLineAndOption)
{
    ExpectWrong("--mtu=1000\n--rat=1\n",
                {"my.conf:2: --rat: there is no such option", "mean --rate?"});
    ExpectWrong("--mtu=big\n",
                {"my.conf:1: --mtu: 'big' does not begin", "; accepted: 0 to 4294967295"});
    ExpectWrong("--mtu=-1\n", {"my.conf:1: --mtu: '-1' is negative; accepted: 0 to"});
    ExpectWrong("--load=much\n",
                {"my.conf:1: --load: 'much' does not begin with a digit; accepted: 0 and above"});
    ExpectWrong("--serialize=maybe\n", {"my.conf:1: --serialize: 'maybe'; accepted: true, false"});
    ExpectWrong("rate=1\n", {"my.conf:1: 'rate=1' is no argument; accepted: --OPTION=VALUE"});
    ExpectWrong("--mtu=7\n--load=1\n--mtu=8\n", {"my.conf:3: mtu: is given twice"});
    ExpectWrong("--mtu\n", {"my.conf:1: --mtu has no value; accepted: 0 to 4294967295"});
    ExpectWrong("--=1\n", {"my.conf:1: '--=1' is no argument"});
    ExpectWrong("\n\n--ns3::RdmaDcqcn::Preset=Nik\n",
                {"my.conf:3: ", "'Nik'; accepted: Paper, Nic"});
    ExpectWrong("--ns3::RdmaDcqcn::Preste=Nic\n", {"my.conf:1: ", "no such attribute"});
    ExpectError<RdmaFileError>([&] { list.ApplyFile("none.conf"); },
                               {"none.conf", "cannot be opened"});
}

TEST_F(RdmaOptionListTest, WhatIsSavedReadsBack)
{
    list.Apply("--rate=25Gbps\n--mtu=1024\n--load=0.1\n--serialize\n--ns3::RdmaDcqcn::G=0.5\n",
               "my.conf");
    list.Apply("--ns3::RdmaDcqcn::Preset=Nic\n", "my.conf");
    list.Save(FILE_NAME);
    EXPECT_EQ(ReadRdmaFile(FILE_NAME),
              "# Options of a run, to be read by --config.\n--rate=25Gbps\n--mtu=1024\n--load=0.1\n"
              "--serialize=true\n--ns3::RdmaDcqcn::G=0.5\n--ns3::RdmaDcqcn::Preset=Nic\n");
    rate = "";
    load = 0;
    serialize = false;
    list.ApplyFile(FILE_NAME);
    EXPECT_EQ(rate, "25Gbps");
    EXPECT_EQ(load, 0.1);
    EXPECT_TRUE(serialize);
}

TEST_F(RdmaOptionListTest, AValueThatAFileCannotHoldIsNotSaved)
{
    for (const std::string value : {"two\nlines", "a blank at the end "})
    {
        rate = value;
        ExpectError<RdmaFileError>([&] { list.Save(FILE_NAME); },
                                   {FILE_NAME, "rate: ", "accepted: a value of one line"});
    }
    rate = "my dir/run 1";
    list.Save(FILE_NAME);
    rate = "";
    list.ApplyFile(FILE_NAME);
    EXPECT_EQ(rate, "my dir/run 1");
}

TEST_F(RdmaOptionListTest, LaterSourcesOverrideEarlierOnes)
{
    list.Apply("--rate=40Gbps\n--mtu=512\n", "a preset", RdmaOptionSource::PRESET);
    EXPECT_TRUE(list.IsGivenWith("rate", "mtu")) << "both of the preset";
    EXPECT_TRUE(list.IsGivenWith("rate", "load")) << "the load has its default";
    list.Apply("--mtu=256\n", "my.conf");
    EXPECT_FALSE(list.IsGivenWith("rate", "mtu")) << "the file has the last word";
    EXPECT_TRUE(list.IsGivenWith("mtu", "rate"));
    rate = "25Gbps"; // as a script does
    EXPECT_TRUE(list.IsGivenWith("rate", "mtu"));
    list.SetText("rate", "100Gbps");
    EXPECT_FALSE(list.IsGivenWith("rate", "mtu")) << "the default";
}

TEST(RdmaFabricOptionsTest, CopiesHaveValuesOfTheirOwn)
{
    RdmaFabricOptions options;
    options.topology = "star:4";
    options.load = 0.9;
    options.keepQueuePairs = true;
    RdmaFabricOptions copy = options;
    copy.mtu = 512;
    EXPECT_EQ(copy.GetText("topology"), "star:4");
    EXPECT_EQ(copy.GetText("load"), "0.9");
    EXPECT_TRUE(copy.keepQueuePairs);
    EXPECT_EQ(options.GetText("mtu"), "1024");
    options = RdmaFabricOptions();
    EXPECT_EQ(options.topology, RdmaFabricOptions().topology);
    EXPECT_EQ(copy.topology, "star:4");
}

TEST(RdmaFabricOptionsTest, AnUnknownOptionNamesThePartOrAttribute)
{
    RdmaFabricOptions options;
    for (const auto& [line, message] :
         {std::pair{"--ackInterval=4", "accepted: --transport=roce[AckInterval=...]"},
          std::pair{"--bdpCap=4", "accepted: --transport=irn[BdpCap=...]"},
          std::pair{"--retryCount=4",
                    "accepted: --transport=irn[RetryCount=...], --transport=roce[RetryCount=...]"},
          std::pair{"--dataRetries=4", "accepted: --transport=iwarp[DataRetries=...]"},
          std::pair{"--classAlphas=4", "accepted: --buffer=shared[ClassAlphas=...]"},
          std::pair{"--gap=4", "accepted: --paths=adaptive[Gap=...], --paths=flowlet[Gap=...]"},
          std::pair{"--pauseTree=4", "accepted: --instruments=pause-tree:File"},
          std::pair{"--ecmpSeed=4", "accepted: --ns3::QbbSwitch::EcmpSeed=..."},
          std::pair{"--topolgy=4", "did you mean --topology?"},
          std::pair{"--xoff=4",
                    "accepted: --buffer=input-port[XoffBytes=...], "
                    "--buffer=shared[XoffBytes=...]"},
          std::pair{"--detection=4", "accepted: --ns3::QbbPfcWatchdog::DetectionTime=..."},
          std::pair{"--bogus=4", "--help lists the options"}})
    {
        ExpectError<RdmaFileError>([&, &text = line] { options.Apply(text, "my.conf"); },
                                   {"my.conf:1: --", ": there is no such option; ", message});
    }
}

TEST(RdmaFabricOptionsTest, MessagesOfPartsNameTheOption)
{
    const RdmaFabricOptions options;
    EXPECT_EQ(options.NameOptionOfPart("ns3::RdmaDcqcn: no"), "--cc: ns3::RdmaDcqcn: no");
    EXPECT_EQ(options.NameOptionOfPart("IrnTransport: no"), "--transport: IrnTransport: no");
    EXPECT_EQ(options.NameOptionOfPart("ns3::QbbSwitch: no"), "ns3::QbbSwitch: no");
    EXPECT_EQ(options.NameOptionOfPart("nothing"), "nothing");
}

TEST(RdmaFabricOptionsTest, DefaultsReadBack)
{
    RdmaFabricOptions options;
    const std::string file = "rdma-fabric-options-test.conf";
    options.Save(file);
    const std::string defaults = ReadRdmaFile(file);
    options.ApplyFile(file);
    options.Save(file);
    EXPECT_EQ(ReadRdmaFile(file), defaults);
    std::remove(file.c_str());
}
