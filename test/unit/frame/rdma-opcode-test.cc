/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-opcode.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

static_assert(RdmaToIrnOpcode(RdmaOpcode::SEND_FIRST) == RdmaOpcode::IRN_SEND_FIRST);
static_assert(RdmaToIrnOpcode(RdmaOpcode::RDMA_READ_RESPONSE_ONLY) ==
              RdmaOpcode::IRN_READ_RESPONSE_ONLY);
static_assert(RdmaToIrnOpcode(RdmaOpcode::SEND_ONLY_WITH_INVALIDATE) ==
              RdmaOpcode::IRN_SEND_ONLY_WITH_INVALIDATE);
static_assert(RdmaToIrnOpcode(RdmaOpcode::IRN_FETCH_ADD) == RdmaOpcode::IRN_FETCH_ADD);
static_assert(RdmaToIrnOpcode(RdmaOpcode::IRN_READ_ACKNOWLEDGE) ==
              RdmaOpcode::IRN_READ_ACKNOWLEDGE);
static_assert(RdmaToIrnOpcode(RdmaOpcode::CNP) == RdmaOpcode::CNP);

TEST(RdmaOpcode, IrnHasEachOperationOfAReliableConnection)
{
    int count = 0;
    for (int opcode = 0; opcode < 0x20; ++opcode)
    {
        const auto rc = static_cast<RdmaOpcode>(opcode);
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(rc);
        const RdmaOpcodeInfo& irn = GetRdmaOpcodeInfo(RdmaToIrnOpcode(rc));
        EXPECT_EQ(info.valid, irn.valid) << opcode;
        if (!info.valid)
        {
            continue;
        }
        ++count;
        EXPECT_FALSE(info.irn || info.irnMessage || info.irnSelective) << opcode;
        EXPECT_TRUE(irn.irn) << opcode;

        // The corresponding packet, with the headers that let it be placed without earlier packets.
        EXPECT_EQ(info.atomicEth, irn.atomicEth) << opcode;
        EXPECT_EQ(info.aeth, irn.aeth) << opcode;
        EXPECT_EQ(info.atomicAck, irn.atomicAck) << opcode;
        EXPECT_EQ(info.immDt, irn.immDt) << opcode;
        EXPECT_EQ(info.ieth, irn.ieth) << opcode;
        EXPECT_EQ(info.payload, irn.payload) << opcode;
        EXPECT_EQ(info.first, irn.first) << opcode;
        EXPECT_EQ(info.last, irn.last) << opcode;
        EXPECT_EQ(info.request, irn.request) << opcode;
        const bool write =
            rc >= RdmaOpcode::RDMA_WRITE_FIRST && rc <= RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE;
        EXPECT_EQ(irn.reth, info.reth || write) << opcode;
        EXPECT_EQ(irn.irnSelective, rc == RdmaOpcode::ACKNOWLEDGE) << opcode;
        EXPECT_EQ(irn.irnMessage, rc != RdmaOpcode::ACKNOWLEDGE && (!write || info.immDt))
            << opcode;
        EXPECT_EQ(irn.headerBytes,
                  info.headerBytes + (irn.reth && !info.reth ? 16 : 0) + (irn.irnMessage ? 8 : 0) +
                      (irn.irnSelective ? 4 : 0))
            << opcode;

        std::string name = GetRdmaOpcodeName(static_cast<uint8_t>(opcode));
        name = "IRN_" + (name.rfind("RDMA_", 0) == 0 ? name.substr(5) : name);
        EXPECT_EQ(GetRdmaOpcodeName(static_cast<uint8_t>(RdmaToIrnOpcode(rc))), name);
    }
    EXPECT_EQ(count, 23);
}

TEST(RdmaOpcode, IrnAcknowledgesResponses)
{
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(RdmaOpcode::IRN_READ_ACKNOWLEDGE);
    EXPECT_TRUE(info.valid && info.irn && info.aeth && info.irnSelective && info.request);
    EXPECT_TRUE(info.first && info.last);
    EXPECT_FALSE(info.irnMessage || info.payload || info.reth);
    EXPECT_EQ(info.headerBytes, 8);
    EXPECT_STREQ(GetRdmaOpcodeName(0xe0), "IRN_READ_ACKNOWLEDGE");
}

TEST(RdmaOpcodeDeathTest, OpcodesOfOnesOwn)
{
    RdmaOpcodeInfo info;
    info.aeth = true;
    info.immDt = true;
    EXPECT_EXIT(
        {
            RegisterRdmaOpcode(0xff, info, "OWN");
            RegisterRdmaOpcode(0xff, info, "OWN"); // an equal second registration is accepted
            const RdmaOpcodeInfo& known = GetRdmaOpcodeInfo(0xff);
            const bool right = known.valid && known.aeth && known.headerBytes == 8 &&
                               std::string(GetRdmaOpcodeName(0xff)) == "OWN";
            std::exit(right ? 0 : 1);
        },
        testing::ExitedWithCode(0),
        "");
    EXPECT_DEATH(RegisterRdmaOpcode(0xe0, info, "OWN"), "opcode 224 of OWN; accepted: 225..255");
    EXPECT_DEATH(
        {
            RegisterRdmaOpcode(0xff, info, "ONE");
            RegisterRdmaOpcode(0xff, info, "OTHER");
        },
        "opcode 255 is ONE and OTHER; accepted: one meaning for each");
}

TEST(RdmaOpcode, OthersAreUnknown)
{
    int valid = 0;
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(static_cast<uint8_t>(opcode));
        valid += info.valid;
        EXPECT_EQ(info.valid,
                  std::string(GetRdmaOpcodeName(static_cast<uint8_t>(opcode))) != "UNKNOWN");
        EXPECT_TRUE(info.valid || (!info.irn && info.headerBytes == 0)) << opcode;
    }
    EXPECT_EQ(valid, 23 + 1 + 24);
}
