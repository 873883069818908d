/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-classifier.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** \param dscp DSCP \return an IPv4 frame without tag */
QbbFrameHeaders
Ipv4Frame(uint8_t dscp)
{
    QbbFrameHeaders frame;
    frame.ipv4 = true;
    frame.dscp = dscp;
    return frame;
}

/** \param pcp PCP \param vlan VLAN id \return a tagged frame without IPv4 */
QbbFrameHeaders
TaggedFrame(uint8_t pcp, uint16_t vlan)
{
    QbbFrameHeaders frame;
    frame.tagged = true;
    frame.tci = static_cast<uint16_t>(pcp << 13 | vlan);
    return frame;
}

} // namespace

TEST(QbbClassifier, Defaults)
{
    QbbClassifier classifier;
    EXPECT_EQ(classifier.GetTrust(), QbbClassifier::TRUST_DSCP);
    for (int dscp = 0; dscp < 64; ++dscp)
    {
        EXPECT_EQ(classifier.Classify(Ipv4Frame(static_cast<uint8_t>(dscp))), dscp / 8);
        EXPECT_EQ(classifier.ClassifyDscp(static_cast<uint8_t>(dscp)), dscp / 8);
    }
    classifier.SetTrust(QbbClassifier::TRUST_PCP);
    EXPECT_EQ(classifier.GetTrust(), QbbClassifier::TRUST_PCP);
    for (int pcp = 0; pcp < 8; ++pcp)
    {
        // VLAN id and DEI, the 13 bits below, play no part
        for (const int below : {0, 1, 0x0fff, 0x1000, 0x1fff})
        {
            EXPECT_EQ(classifier.Classify(
                          TaggedFrame(static_cast<uint8_t>(pcp), static_cast<uint16_t>(below))),
                      pcp);
        }
    }
}

TEST(QbbClassifier, OnlyWhatIsTrustedCounts)
{
    QbbClassifier classifier;
    classifier.SetDefault(5);
    QbbFrameHeaders both = TaggedFrame(6, 100);
    both.ipv4 = true;
    both.dscp = 26;
    EXPECT_EQ(classifier.Classify(both), 3); // 26 / 8
    // Frames without IPv4 header (ARP, IPv6) have the default class, tagged or not.
    EXPECT_EQ(classifier.Classify(TaggedFrame(6, 100)), 5);
    EXPECT_EQ(classifier.Classify(QbbFrameHeaders()), 5);

    classifier.SetTrust(QbbClassifier::TRUST_PCP);
    EXPECT_EQ(classifier.Classify(both), 6);
    EXPECT_EQ(classifier.Classify(Ipv4Frame(26)), 5); // no tag
    EXPECT_EQ(classifier.Classify(QbbFrameHeaders()), 5);
}

TEST(QbbClassifier, Tables)
{
    QbbClassifier classifier;
    classifier.MapDscp(26, 1);
    classifier.MapDscp(63, 0);
    classifier.MapPcp(3, 7);
    EXPECT_EQ(classifier.Classify(Ipv4Frame(26)), 1);
    EXPECT_EQ(classifier.Classify(Ipv4Frame(27)), 3);
    EXPECT_EQ(classifier.Classify(Ipv4Frame(63)), 0);
    EXPECT_EQ(classifier.Classify(Ipv4Frame(62)), 7);
    classifier.SetTrust(QbbClassifier::TRUST_PCP);
    EXPECT_EQ(classifier.Classify(TaggedFrame(3, 0)), 7);
    EXPECT_EQ(classifier.Classify(TaggedFrame(2, 0)), 2);
}

TEST(QbbClassifier, LowestDscpOfAClass)
{
    QbbClassifier classifier;
    EXPECT_EQ(classifier.FindDscp(0), 0);
    EXPECT_EQ(classifier.FindDscp(3), 24);
    classifier.MapDscp(5, 3);
    EXPECT_EQ(classifier.FindDscp(3), 5);
    for (uint8_t dscp = 0; dscp < 64; ++dscp)
    {
        classifier.MapDscp(dscp, 7);
    }
    EXPECT_EQ(classifier.FindDscp(3), std::nullopt);
}

TEST(QbbClassifierDeathTest, Range)
{
    QbbClassifier classifier;
    EXPECT_DEATH(classifier.MapDscp(64, 0), "DSCP 64; accepted: 0..63");
    EXPECT_DEATH(classifier.MapDscp(0, 8), "class 8; accepted: 0..7");
    EXPECT_DEATH(classifier.MapPcp(8, 0), "PCP 8; accepted: 0..7");
    EXPECT_DEATH(classifier.MapPcp(0, 8), "class 8; accepted: 0..7");
    EXPECT_DEATH(classifier.SetDefault(255), "class 255; accepted: 0..7");
}
