/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"
#include "rdma-expect-error.h"

#include <ns3/uinteger.h>

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

QbbPortProfile
MakePort(RdmaBitRate rate, RdmaPs delay, uint32_t frame = 1518, uint32_t peerFrame = 0)
{
    QbbPortProfile port;
    port.rate = rate;
    port.delay = delay;
    port.maxFrameBytes = frame;
    port.peerMaxFrameBytes = peerFrame;
    port.losslessMask = 1 << 3;
    return port;
}

/// Behaviour of a peer when a port sends XOFF.
struct Outcome
{
    uint32_t peakHeadroom{0}; //!< most headroom in use
    uint32_t drops{0};        //!< frames lost
};

/**
 * A port at its threshold, a peer that sends back to back, and one pause frame, on a clock of ps.
 *
 * \param port rates must be whole ps a byte
 * \param headroom of the class
 * \param ageBytes line bytes of a largest frame that the port has sent already at XOFF
 * \param nextSize size of the peer's k-th frame; frame 0 is the one that crosses
 */
Outcome
Replay(const QbbPortProfile& port,
       uint32_t headroom,
       uint32_t ageBytes,
       const std::function<uint32_t(uint32_t)>& nextSize)
{
    const uint32_t filler = 100'000;
    auto buffer = CreateObject<QbbSharedBuffer>();
    buffer->SetAttribute("BufferSize", UintegerValue(1 << 30));
    buffer->SetAttribute("ReserveBytes", UintegerValue(0));
    buffer->SetAttribute("XoffBytes", UintegerValue(filler));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(headroom));
    buffer->Configure({port, port});
    EXPECT_FALSE(buffer->Admit(0, 1, 3, filler).xoff);

    const RdmaPs byteTime = 8_s / port.rate.Get();
    const RdmaBitRate peerRate = port.peerRate != 0_bps ? port.peerRate : port.rate;
    const RdmaPs peerByteTime = 8_s / peerRate.Get();
    const uint32_t preamble = port.lineOverheadBytes ? 8 : 0;
    const uint32_t gap = port.lineOverheadBytes ? 12 : 0;

    Outcome outcome;
    RdmaPs pausedTime = RDMA_NEVER;
    RdmaPs start = 0_ps;
    for (uint32_t k = 0; start <= pausedTime; ++k)
    {
        const uint32_t size = nextSize(k);
        const RdmaPs arrival = start + (preamble + size) * peerByteTime + port.delay;
        const QbbAdmission answer = buffer->Admit(0, 1, 3, size);
        outcome.drops += answer.admitted ? 0 : 1;
        EXPECT_EQ(answer.xoff, k == 0);
        if (answer.xoff)
        {
            const int64_t left = port.maxFrameBytes + preamble + gap - ageBytes;
            const RdmaPs sent = arrival + (left + preamble + 64) * byteTime;
            pausedTime = sent + port.delay + port.reaction;
        }
        start += (preamble + size + gap) * peerByteTime;
    }
    outcome.peakHeadroom = buffer->GetIngress(0, 3).peakHeadroomBytes;
    return outcome;
}

/** \return the worst peak over many orders of frame sizes; none may exceed the formula */
uint32_t
FindWorst(const QbbPortProfile& port)
{
    const uint32_t plenty = 1 << 28;
    const uint32_t largest = port.peerMaxFrameBytes ? port.peerMaxFrameBytes : port.maxFrameBytes;
    const uint64_t bound = QbbPfcHeadroom::GetBytes(port);
    uint32_t worst = 0;
    const auto replay = [&](uint32_t age, const std::function<uint32_t(uint32_t)>& nextSize) {
        const Outcome outcome = Replay(port, plenty, age, nextSize);
        EXPECT_EQ(outcome.drops, 0U);
        EXPECT_LE(outcome.peakHeadroom, bound);
        worst = std::max(worst, outcome.peakHeadroom);
    };
    for (const uint32_t age : {0U, 1U, port.maxFrameBytes / 2, port.maxFrameBytes})
    {
        for (uint32_t size = 64; size <= largest; ++size)
        {
            replay(age, [=](uint32_t k) { return k == 1 ? size : largest; });
            replay(age, [=](uint32_t) { return size; });
        }
    }
    std::mt19937 random(1);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        replay(0, [&](uint32_t k) {
            return k == 0 ? largest : 64 + static_cast<uint32_t>(random() % (largest - 63));
        });
    }
    return worst;
}

} // namespace

// By hand, largest frames 1518 B on both sides, cable 5 ns/m. 40 Gb/s, 2 m: 1538 B wait 307600 ps,
// 72 B pause 14400 ps, cable 2 x 10000 ps, sum 342000 ps = 1710 B, less the gap 1698 line bytes:
// one frame of 1538 and 160, of which 140 are frame. 1518 + (1518 + 140) + 1518 = 4694.
TEST(QbbPfcHeadroom, WorkedExample)
{
    const QbbPfcHeadroom terms = QbbPfcHeadroom::GetTerms(MakePort(40_gbps, 10_ns));
    EXPECT_EQ(terms.wait, 307'600_ps);
    EXPECT_EQ(terms.pause, 14'400_ps);
    EXPECT_EQ(terms.cable, 20'000_ps);
    EXPECT_EQ(terms.reaction, 0_ps);
    EXPECT_EQ(terms.lineBytes, 1698U);
    EXPECT_EQ(terms.crossingBytes, 1518U);
    EXPECT_EQ(terms.inFlightBytes, 1658U);
    EXPECT_EQ(terms.lastBytes, 1518U);
    EXPECT_EQ(terms.totalBytes, 4694U);
}

// The sums for the other rates, and for 20 m and 300 m.
TEST(QbbPfcHeadroom, RatesAndCables)
{
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(40_gbps, 100_ns)), 5594U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(40_gbps, 1500_ns)), 19414U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(100_gbps, 10_ns)), 4844U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(100_gbps, 100_ns)), 7074U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(100_gbps, 1500_ns)), 41614U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(400_gbps, 10_ns)), 5594U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(400_gbps, 100_ns)), 14474U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(MakePort(400_gbps, 1500_ns)), 152654U);
}

// 100 Gb/s, 394 quanta of 512 bit times: 2017280 ps, 25216 B more on the line than the 1848
// without: 27064 = 17 x 1538 + 918. 1518 + 17 x 1518 + 898 + 1518.
TEST(QbbPfcHeadroom, ReactionTime)
{
    QbbPortProfile port = MakePort(100_gbps, 10_ns);
    port.reaction = 394 * 512 * 10_ps;
    EXPECT_EQ(QbbPfcHeadroom::GetTerms(port).lineBytes, 27064U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(port), 29740U);
}

// A jumbo frame of this port's lossy class delays the pause, the peer's lossless frames are small:
// (9018 + 20 + 72) B + 250 B of cable - 12 = 9348 line bytes = 8 x 1106 + 500.
TEST(QbbPfcHeadroom, DifferentFrameSizes)
{
    const QbbPortProfile port = MakePort(100_gbps, 10_ns, 9018, 1086);
    EXPECT_EQ(QbbPfcHeadroom::GetTerms(port).lineBytes, 9348U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(port), 1086U + 8 * 1086 + 480 + 1086);
}

// The port sends slowly, its peer fast: 1610 B at 800 ps and 20000 ps make 1308000 ps, at 80 ps a
// byte 16350 line bytes. Less the gap of 12 these are 16338 = 10 x 1538 + 958.
TEST(QbbPfcHeadroom, DifferentRates)
{
    QbbPortProfile port = MakePort(10_gbps, 10_ns);
    port.peerRate = 100_gbps;
    EXPECT_EQ(QbbPfcHeadroom::GetTerms(port).lineBytes, 16338U);
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(port), 1518U + 15180 + 938 + 1518);
}

// Without preamble and gap: 1518 + 64 + 250 = 1832 = 1518 + 314.
TEST(QbbPfcHeadroom, NoLineOverhead)
{
    QbbPortProfile port = MakePort(100_gbps, 10_ns);
    port.lineOverheadBytes = 0;
    EXPECT_EQ(QbbPfcHeadroom::GetBytes(port), 1518U + 1518 + 314 + 1518);
}

// Pitfall: rate x delay x 3 without frames, zero for a zero delay.
TEST(QbbPfcHeadroom, ZeroDelayStillNeedsFrames)
{
    const QbbPfcHeadroom terms = QbbPfcHeadroom::GetTerms(MakePort(100_gbps, 0_ps));
    EXPECT_EQ(terms.lineBytes, 1538U + 72 - 12);
    EXPECT_EQ(terms.totalBytes, 1518U + 1518 + 40 + 1518);
}

// Rates that do not divide 8 x 10^12, and products beyond 64 bits.
TEST(QbbPfcHeadroom, RoundsUpAndDoesNotOverflow)
{
    QbbPortProfile port = MakePort(1_gbps, 0_ps);
    port.rate = 7'000'000'001_bps;
    const QbbPfcHeadroom terms = QbbPfcHeadroom::GetTerms(port);
    EXPECT_EQ(terms.wait, 1'757'715_ps); // 1757714.28...
    EXPECT_EQ(terms.pause, 82'286_ps);   // 82285.71...
    EXPECT_EQ(terms.lineBytes, 1611U - 12);

    // 8 Tb/s, 1 s: 2 x 10^12 B in flight, 2000000000000 + 1610 - 12 line bytes
    const QbbPfcHeadroom far = QbbPfcHeadroom::GetTerms(MakePort(8000_gbps, 1_s));
    EXPECT_EQ(far.lineBytes, 2'000'000'001'598U);
}

TEST(QbbPfcHeadroomDeathTest, BadProfiles)
{
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(MakePort(0_bps, 0_ps)); },
                  "rate of this port is 0 bit/s");
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(MakePort(8001_gbps, 0_ps)); },
                  "accepted: 1 bit/s to 8 Tb/s");
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(MakePort(100_gbps, -1_ps)); },
                  "cable delay is -1 ps");
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(MakePort(100_gbps, 0_ps, 63)); },
                  "this port is 63 bytes");
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(MakePort(100_gbps, 0_ps, 1518, 65536)); },
                  "the peer is 65536 bytes");
    QbbPortProfile port = MakePort(100_gbps, 0_ps);
    port.reaction = 1_s + 1_ps;
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(port); }, "reaction time of the peer");
    port = MakePort(100_gbps, 0_ps);
    port.lineOverheadBytes = 65;
    ExpectRefusal([&] { QbbPfcHeadroom::GetBytes(port); }, "preamble and gap of 65 bytes");
}

// Fewer bytes arrive than the formula allows, and the worst peer comes within one smallest frame of
// it.
TEST(QbbPfcHeadroom, BruteForceAttainsTheBound)
{
    std::vector<QbbPortProfile> ports;
    for (const RdmaBitRate rate : {40_gbps, 100_gbps, 400_gbps})
    {
        for (const RdmaPs delay : {10_ns, 100_ns, 1500_ns})
        {
            ports.push_back(MakePort(rate, delay, 1086));
        }
    }
    ports.push_back(MakePort(100_gbps, 0_ps, 1518));
    ports.push_back(MakePort(100_gbps, 10_ns, 9018, 1086));
    ports.push_back(MakePort(100_gbps, 10_ns, 1086, 4178));
    ports.push_back(MakePort(10_gbps, 10_ns, 1518));
    ports.back().peerRate = 100_gbps;
    ports.push_back(MakePort(40_gbps, 10_ns, 1086));
    ports.back().reaction = 118 * 512 * 25_ps;
    ports.push_back(MakePort(100_gbps, 100_ns, 1518));
    ports.back().lineOverheadBytes = 0;

    for (const auto& port : ports)
    {
        SCOPED_TRACE(testing::Message() << port.rate << " bit/s, " << port.delay << " ps");
        const uint64_t bound = QbbPfcHeadroom::GetBytes(port);
        const uint32_t worst = FindWorst(port);
        EXPECT_GT(worst + 64, bound);
        EXPECT_GE(worst, bound * 85 / 100);
    }
}

// The smallest headroom without loss for one fixed order of frames, by bisection, is its peak.
TEST(QbbPfcHeadroom, OneByteLessLosesAFrame)
{
    for (const RdmaPs delay : {10_ns, 1500_ns})
    {
        const QbbPortProfile port = MakePort(100_gbps, delay);
        const auto bound = static_cast<uint32_t>(QbbPfcHeadroom::GetBytes(port));
        const uint32_t rest = QbbPfcHeadroom::GetTerms(port).inFlightBytes % 1518;
        const auto sizes = [=](uint32_t k) { return k == 1 ? rest : 1518U; };
        const Outcome exact = Replay(port, bound, 0, sizes);
        EXPECT_EQ(exact.drops, 0U);
        EXPECT_EQ(exact.peakHeadroom, bound);
        EXPECT_EQ(Replay(port, bound - 1, 0, sizes).drops, 1U);
    }
}
