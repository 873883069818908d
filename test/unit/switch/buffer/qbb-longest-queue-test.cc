/* SPDX-License-Identifier: GPL-2.0-only */

// The longest queue of a port, and too little headroom, as the policies state them: compared with
// what the policies admit.

#include "qbb-input-port-buffer.h"
#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer-setup.h"

#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

/** Sends from all ports in turn to port 0, until no port gets in. \return bytes for port 0 */
uint64_t
Fill(QbbBufferManager& buffer, uint8_t priority, uint32_t bytes)
{
    for (bool isFull = false; !isFull;)
    {
        isFull = true;
        for (uint16_t port = 0; port < buffer.GetNPorts(); ++port)
        {
            isFull = !buffer.Admit(port, 0, priority, bytes).admitted && isFull;
        }
    }
    return buffer.GetEgressBytes(0, priority);
}

/** Checks that the longest queue is reached but for a few frames, and exceeded by one at most. */
void
CheckLongest(QbbBufferManager& buffer, uint8_t priority)
{
    constexpr uint32_t FRAME = 100;
    const uint64_t longest = buffer.GetLongestQueues(priority).at(0);
    const uint64_t filled = Fill(buffer, priority, FRAME);
    EXPECT_LE(filled, longest + FRAME);
    EXPECT_GE(filled + 2 * FRAME * buffer.GetNPorts(), longest);
}

} // namespace

TEST(QbbLongestQueueTest, OfASharedBuffer)
{
    for (const uint8_t priority : {3, 5}) // lossless and lossy
    {
        for (const Attributes& attributes :
             {Attributes{{"BufferSize", 1e6}},
              Attributes{{"BufferSize", 1e6}, {"LosslessAlpha", 2}, {"LossyEgressAlpha", 8}},
              Attributes{{"BufferSize", 1e6}, {"LossyAlpha", 0.25}, {"LossyEgressAlpha", 64}},
              Attributes{{"BufferSize", 1e6}, {"XoffBytes", 30'000}, {"EgressLimitBytes", 70'000}},
              Attributes{{"BufferSize", 1e6}, {"LossyPoolBytes", 200'000}},
              Attributes{{"BufferSize", 1e6}, {"LossyEgressPoolBytes", 300'000}},
              Attributes{{"BufferSize", 1e6}, {"HeadroomPool", 1}}})
        {
            CheckLongest(*MakeBuffer(attributes), priority);
        }
    }
}

TEST(QbbLongestQueueTest, OfInputPortsIsAllTheirMemory)
{
    // As in the IRN paper's default case: six ports of 240 KB.
    auto buffer = CreateObject<QbbInputPortBuffer>();
    buffer->SetAttribute("PortBufferBytes", UintegerValue(240'000));
    buffer->Configure(MakePorts(6, 0));
    EXPECT_EQ(buffer->GetLongestQueues(3), std::vector<uint64_t>(6, 1'440'000));
    CheckLongest(*buffer, 3);
}

TEST(QbbShortHeadroomTest, OfAPort)
{
    const uint64_t needed = QbbPfcHeadroom::GetBytes(MakePorts(1)[0]);
    const std::vector<uint64_t> all(4, needed);
    const auto find = [&](const Attributes& attributes, uint8_t lossless) {
        return MakeBuffer(attributes, MakePorts(4, lossless))->GetClassesShortOfHeadroom(all);
    };
    const auto bytes = static_cast<double>(needed);
    EXPECT_EQ(find({}, 0x18), 0) << "the computed headroom";
    EXPECT_EQ(find({{"HeadroomBytes", bytes}}, 0x18), 0);
    EXPECT_EQ(find({{"HeadroomBytes", bytes - 1}}, 0x18), 0x18);
    EXPECT_EQ(find({{"HeadroomBytes", bytes - 1}}, 0), 0) << "no class is lossless";
}

TEST(QbbShortHeadroomTest, OfAPool)
{
    const uint64_t needed = QbbPfcHeadroom::GetBytes(MakePorts(1)[0]);
    const std::vector<uint64_t> all(4, needed);
    const auto bytes = static_cast<double>(needed);
    for (const auto& [pool, short_] : {std::pair{4 * bytes, 0}, std::pair{4 * bytes - 1, 8}})
    {
        const auto buffer = MakeBuffer({{"HeadroomPool", 1}, {"HeadroomPoolBytes", pool}});
        EXPECT_EQ(buffer->GetClassesShortOfHeadroom(all), short_);
    }
}
