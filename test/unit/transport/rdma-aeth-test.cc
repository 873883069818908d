/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-aeth.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(RdmaAeth, Syndromes)
{
    // IBA Vol. 1, table 43: bits 6-5 are 00 for an ACK, 01 for an RNR NAK, 11 for a NAK.
    EXPECT_EQ(RdmaAeth::ACK | RdmaAeth::NO_CREDITS, 0x1f);
    EXPECT_EQ(RdmaAeth::RNR_NAK | 1, 0x21);
    EXPECT_EQ(RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR, 0x60);
    EXPECT_EQ(RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST, 0x61);
    EXPECT_EQ(RdmaAeth::NAK | RdmaAeth::REMOTE_ACCESS_ERROR, 0x62);
    EXPECT_EQ(RdmaAeth::NAK | RdmaAeth::OPERATION_ERROR, 0x63);
    for (int syndrome = 0; syndrome < 256; ++syndrome)
    {
        const int kind = syndrome & RdmaAeth::KIND_MASK;
        const int value = syndrome & RdmaAeth::VALUE_MASK;
        EXPECT_EQ(kind | value, syndrome & 0x7f);
    }
}

TEST(RdmaAeth, RnrTimers)
{
    // IBA Vol. 1, table 45, in microseconds
    const int64_t us[] = {655'360, 10,     20,     30,      40,      60,      80,      120,
                          160,     240,    320,    480,     640,     960,     1'280,   1'920,
                          2'560,   3'840,  5'120,  7'680,   10'240,  15'360,  20'480,  30'720,
                          40'960,  61'440, 81'920, 122'880, 163'840, 245'760, 327'680, 491'520};
    static_assert(sizeof(us) / sizeof(us[0]) == 32);
    for (int code = 0; code < 32; ++code)
    {
        EXPECT_EQ(RdmaAeth::RnrTimer(static_cast<uint8_t>(code)), us[code] * 1_us) << code;
    }
    // From code 2 on the time doubles every two codes; the code between has one and a half times.
    for (int code = 4; code < 32; ++code)
    {
        EXPECT_EQ(us[code], 2 * us[code - 2]) << code;
    }
    // the bits above the code, the kind, play no part
    EXPECT_EQ(RdmaAeth::RnrTimer(RdmaAeth::RNR_NAK | 1), 10_us);
}
