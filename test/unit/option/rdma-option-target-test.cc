/* SPDX-License-Identifier: GPL-2.0-only */

// Options that set attributes of parts.

#include "irn-transport.h"
#include "qbb-buffer-manager.h"
#include "qbb-time.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-options.h"
#include "rdma-part.h"
#include "rdma-transport.h"
#include "rdma-workload.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Options of a run, and the parts whose attributes they set. */
class RdmaOptionTargetTest : public testing::Test
{
  protected:
    RdmaOptionTargetTest()
    {
        QbbSetTimeResolution();
    }

    /** \param text a transport \return the transport as text, with the attributes of the options */
    std::string SetTransport(const std::string& text)
    {
        RdmaPart part = RdmaPart::Parse(text, RdmaTransport::GetTypeId());
        options.transport = text;
        options.SetAttributes(part, "transport", "transport");
        return part.ToText();
    }

    /** \param text a transport \param option "option=value" that it refuses \param message why */
    void ExpectWrong(const std::string& text, const std::string& option, const std::string& message)
    {
        const std::size_t equals = option.find('=');
        options = RdmaFabricOptions();
        options.SetText(option.substr(0, equals), option.substr(equals + 1));
        ExpectError<std::invalid_argument>([&] { SetTransport(text); }, {message});
    }

    RdmaFabricOptions options;
};

} // namespace

TEST_F(RdmaOptionTargetTest, OptionsSetAttributes)
{
    EXPECT_EQ(SetTransport("irn"), "ns3::IrnTransport");
    options.bdpCap = "64";
    options.rtoLow = "50us";
    options.dynamicRto = true;
    EXPECT_EQ(SetTransport("irn"), "ns3::IrnTransport[RtoLow=50000ns|DynamicRto=true|BdpCap=64]");
    options = RdmaFabricOptions();
    options.rto = "1ms";
    EXPECT_EQ(SetTransport("irn"), "ns3::IrnTransport[RtoHigh=1000000ns]");
    EXPECT_EQ(SetTransport("roce"), "ns3::RoceTransport[RetransmissionTimeout=1000000ns]");
}

TEST_F(RdmaOptionTargetTest, WordsSetAttributes)
{
    options.recovery = "go-back-n";
    options.bdpCap = "off";
    EXPECT_EQ(SetTransport("irn"), "ns3::IrnTransport[LossRecovery=GoBackN|BdpFc=false]");
    options = RdmaFabricOptions();
    options.retries = "7";
    EXPECT_EQ(SetTransport("irn"), "ns3::IrnTransport[RetryCount=7]");
}

TEST_F(RdmaOptionTargetTest, MessagesNameOptionAndAcceptedValues)
{
    ExpectWrong("irn", "bdpCap=0", "--bdpCap: 0; accepted: auto, off, or 1 to ");
    ExpectWrong("irn", "bdpCap=many", "--bdpCap: many; accepted: auto, off, or 1 to ");
    ExpectWrong("roce", "retries=256", "--retries: 256; accepted: unlimited, or 0 to 255");
    ExpectWrong("roce",
                "recovery=sack",
                "--recovery: unknown value \"sack\"; accepted: auto, go-back-n, go-back-0");
    ExpectWrong("irn", "rtoLow=5", "--rtoLow: '5' has no unit; accepted");
    ExpectWrong("irn", "rtoLow=0s", "--rtoLow: 0s; accepted: auto, or a time, ");
    ExpectWrong("roce", "bdpCap=8", "--bdpCap means nothing with --transport=roce");
    ExpectWrong("irn[BdpCap=9]",
                "bdpCap=8",
                "--bdpCap with --transport=irn[BdpCap=9]; accepted: BdpCap by one of the two");
}

TEST_F(RdmaOptionTargetTest, OptionsOfAPresetYieldToAWorkload)
{
    const auto set = [this](const std::string& text) {
        RdmaPart part = RdmaPart::Parse(text, RdmaWorkload::GetTypeId());
        options.workload = text;
        options.SetAttributes(part, "workload", "workload");
        return part.ToText();
    };
    options.Apply("--bytes=2KB\n--load=0.75\n", "a preset", RdmaOptionSource::PRESET);
    EXPECT_EQ(set("permutation"), "ns3::RdmaPermutationWorkload[Bytes=2000]");
    EXPECT_EQ(set("permutation[Bytes=7]"), "ns3::RdmaPermutationWorkload[Bytes=7]");
    EXPECT_EQ(set("poisson[Cdf=hadoop]"), "ns3::RdmaPoissonWorkload[Cdf=hadoop|Load=0.75]");
    options.load = 0.7;
    ExpectError<std::invalid_argument>([&] { set("permutation"); },
                                       {"--load means nothing with --workload=permutation"});
    ExpectError<std::invalid_argument>(
        [&] { set("poisson[Load=0.5]"); },
        {"--load with --workload=poisson[Load=0.5]; accepted: Load by one of the two"});
}

TEST_F(RdmaOptionTargetTest, GroupsAreRefused)
{
    options.Refuse("watchdog", "watchdog", "without --watchdog");
    options.detection = "1ms";
    ExpectError<std::invalid_argument>(
        [&] { options.Refuse("watchdog", "watchdog", "without --watchdog"); },
        {"--detection means nothing without --watchdog"});
}

TEST_F(RdmaOptionTargetTest, AGroupMayHaveOptionsWithoutAttributes)
{
    RdmaPart part = RdmaPart::Parse("shared", QbbBufferManager::GetTypeId());
    options.bufferPreset = "trident2";
    options.classAlphas = "3:1/8";
    options.SetAttributes(part, "shared buffer", "buffer");
    EXPECT_EQ(part.ToText(), "ns3::QbbSharedBuffer[ClassAlphas=3:1/8]");
    ExpectError<std::invalid_argument>(
        [&] { options.Refuse("shared buffer", "switch", "with --switch=input-queued"); },
        {"--bufferPreset means nothing with --switch=input-queued"});
}

TEST_F(RdmaOptionTargetTest, CopiesHaveValuesOfTheirOwn)
{
    options.topology = "star:4";
    options.load = 0.9;
    options.keepQueuePairs = true;
    RdmaFabricOptions copy = options;
    copy.ackInterval = 7;
    EXPECT_EQ(copy.GetText("topology"), "star:4");
    EXPECT_EQ(copy.GetText("load"), "0.9");
    EXPECT_TRUE(copy.keepQueuePairs);
    EXPECT_EQ(options.GetText("ackInterval"), "1");
    options = RdmaFabricOptions();
    EXPECT_EQ(options.topology, RdmaFabricOptions().topology);
    EXPECT_EQ(copy.topology, "star:4");
}
