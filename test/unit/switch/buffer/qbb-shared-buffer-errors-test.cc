/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer-setup.h"
#include "rdma-expect-error.h"

#include <gtest/gtest.h>

using namespace ns3;

// Pitfall: no check of the total.
TEST(QbbSharedBufferDeathTest, TooSmall)
{
    const auto make = [](uint32_t size) {
        MakeBuffer({{"BufferSize", size}, {"ReserveBytes", 1000}});
    };
    ExpectRefusal([&] { make(4 * (8 * 1000 + 3290)); },
                  "BufferSize of 45160 bytes is too small for 4 ports: 32 reserves take 32000 "
                  "bytes, headroom for 4 lossless .port, priority. takes 13160, together 45160");
    make(4 * (8 * 1000 + 3290) + 1);
    ExpectRefusal([&] { MakeBuffer({{"HeadroomBytes", 4e9}}); }, "takes 16000000000");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"HeadroomPool", 1}, {"HeadroomPoolBytes", 3289}});
        },
        "headroom pool of 3289 bytes; accepted: at least 3290");
}

TEST(QbbSharedBufferDeathTest, BadSettings)
{
    ExpectRefusal(
        [&] {
            MakeBuffer({{"XoffBytes", 2000}});
        },
        "XON would be 2000 bytes below an XoffBytes");
    ExpectRefusal(
        [&] {
            MakeBuffer(Plus(PLAIN, {{"XoffBytes", 100'001}}));
        },
        "only 100000 bytes are shared");
    auto ports = MakePorts(1);
    ports[0].rate = 0_bps;
    ExpectRefusal([&] { MakeBuffer({}, ports); }, "rate of this port is 0");
    ExpectRefusal([&] { MakeBuffer({{"HeadroomBytes", 5000}}, ports); }, "rate of this port is 0");
    ports = MakePorts(2);
    ports[1].rate = 8000_gbps;
    ports[1].delay = 1_s;
    ExpectRefusal([&] { MakeBuffer({}, ports); }, "port 1 needs [0-9]* bytes of headroom");
    ExpectRefusal([&] { MakeBuffer({}, std::vector<QbbPortProfile>(65536)); }, "65536 ports");
}

TEST(QbbSharedBufferDeathTest, Misuse)
{
    auto buffer = MakeBuffer(PLAIN);
    buffer->Admit(0, 1, 3, 1000);
    EXPECT_DEATH(buffer->Release(0, 1, 3, 1001), "1001 bytes of priority 3 released from port 0");
    EXPECT_DEATH(buffer->Release(0, 2, 3, 1000), "the other 0");
    EXPECT_DEATH(buffer->Release(2, 1, 3, 1000), "the one holds 0");
    EXPECT_DEATH(buffer->Configure(MakePorts(4)), "configured while it holds frames");
    EXPECT_DEATH(buffer->GetIngress(4, 0), "ports below 4");
    EXPECT_DEATH(buffer->IsPaused(0, 8), "priorities 0 to 7");
}
