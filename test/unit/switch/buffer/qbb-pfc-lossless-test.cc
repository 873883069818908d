/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <queue>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t LOSSLESS = 0x18;

/**
 * A switch with a QbbSharedBuffer and greedy peers that obey PFC, in picoseconds and bytes and
 * nothing else of ns-3. Each port is a full-duplex link; the peers send frames of random sizes and
 * classes at line rate as long as their class is not paused; the switch queues for random egress
 * ports, which stand still at random times. Events of one instant come in random order.
 */
class Rig
{
  public:
    struct Port
    {
        QbbPortProfile profile;
        RdmaPs byteTime{0};

        // the peer's side
        uint8_t peerPaused{0};
        bool peerSending{false};
        uint32_t sizeStyle{0};

        // the switch's side
        std::deque<std::pair<uint16_t, std::pair<uint8_t, uint32_t>>> queue; // in, priority, bytes
        bool sending{false};
        bool blocked{false};
        uint8_t wanted{0};
        uint8_t told{0};
    };

    Rig(uint64_t seed, bool dynamic)
        : m_random(seed)
    {
        const uint64_t rates[] = {10, 25, 40, 50, 100, 200, 400, 800};
        m_ports.resize(3 + Pick(6));
        std::vector<QbbPortProfile> profiles;
        uint64_t guaranteed = 0;
        for (auto& port : m_ports)
        {
            port.profile.rate = rates[Pick(8)] * 1_gbps;
            port.profile.delay = 10_ns + Pick(3) * Pick(1'000'000) * 1_ps;
            port.profile.reaction = Pick(2) * Pick(2'000'000) * 1_ps;
            // frames from any peer may leave by any port
            port.profile.maxFrameBytes = 4158;
            port.profile.peerMaxFrameBytes = 1086 + 1024 * static_cast<uint32_t>(Pick(4));
            port.profile.losslessMask = LOSSLESS;
            port.byteTime = 8_s / port.profile.rate.Get();
            port.sizeStyle = static_cast<uint32_t>(Pick(3));
            profiles.push_back(port.profile);
            guaranteed += 8 * 1248 + 2 * QbbPfcHeadroom::GetBytes(port.profile);
        }
        m_buffer->SetAttribute("BufferSize", UintegerValue(guaranteed + 60'000 + Pick(200'000)));
        m_buffer->SetAttribute("LosslessAlpha", DoubleValue(dynamic ? 0.125 : 1));
        m_buffer->SetAttribute("XoffBytes", UintegerValue(dynamic ? 0 : 20'000));
        m_buffer->Configure(profiles);
    }

    void Run(uint32_t nFrames)
    {
        m_framesLeft = nFrames;
        for (uint16_t i = 0; i < m_ports.size(); ++i)
        {
            PeerTrySend(i);
            ToggleBlocked(i);
        }
        while (!m_events.empty())
        {
            const auto event = m_events.top();
            m_events.pop();
            m_now = event.at;
            event.action();
        }
    }

    Ptr<QbbSharedBuffer> GetBuffer() const
    {
        return m_buffer;
    }

    const std::vector<Port>& GetPorts() const
    {
        return m_ports;
    }

    uint64_t m_lostLossless{0};
    uint64_t m_lostLossy{0};
    uint64_t m_xoffs{0};
    uint64_t m_xons{0};

  private:
    struct Event
    {
        RdmaPs at;
        uint64_t tie;
        std::function<void()> action;

        bool operator<(const Event& other) const
        {
            return at != other.at ? at > other.at : tie > other.tie;
        }
    };

    uint64_t Pick(uint64_t n)
    {
        return m_random() % n;
    }

    void At(RdmaPs at, std::function<void()> action)
    {
        m_events.push({at, m_random(), std::move(action)});
    }

    void PeerTrySend(uint16_t i)
    {
        Port& port = m_ports[i];
        const uint8_t classes[] = {0, 3, 4, 3};
        const uint8_t priority = classes[Pick(4)];
        const uint8_t open = static_cast<uint8_t>(~port.peerPaused);
        if (port.peerSending || m_framesLeft == 0 || (open & LOSSLESS) == 0)
        {
            return;
        }
        uint8_t taken = priority;
        while (!(open >> taken & 1))
        {
            taken = classes[Pick(4)];
        }
        --m_framesLeft;
        port.peerSending = true;
        const uint32_t largest = port.profile.peerMaxFrameBytes;
        const uint32_t size = port.sizeStyle == 0   ? largest
                              : port.sizeStyle == 1 ? 64 + static_cast<uint32_t>(Pick(largest - 63))
                              : Pick(4)             ? largest
                                                    : 64;
        At(m_now + (8 + size) * port.byteTime + port.profile.delay,
           [this, i, taken, size]() { Arrive(i, taken, size); });
        At(m_now + (20 + size) * port.byteTime, [this, i]() {
            m_ports[i].peerSending = false;
            PeerTrySend(i);
        });
    }

    void Arrive(uint16_t in, uint8_t priority, uint32_t bytes)
    {
        // two of three frames go to the common port
        const auto out = static_cast<uint16_t>(Pick(3) ? 0 : Pick(m_ports.size()));
        const QbbAdmission answer = m_buffer->Admit(in, out, priority, bytes);
        const bool lossless = LOSSLESS >> priority & 1;
        if (answer.xoff)
        {
            ++m_xoffs;
            m_ports[in].wanted |= 1U << priority;
            TrySend(in);
        }
        if (answer.admitted)
        {
            m_ports[out].queue.push_back({in, {priority, bytes}});
            TrySend(out);
        }
        else
        {
            ++(lossless ? m_lostLossless : m_lostLossy);
        }
    }

    void TrySend(uint16_t i)
    {
        Port& port = m_ports[i];
        if (port.sending)
        {
            return;
        }
        uint32_t size = 0;
        if (port.wanted != port.told)
        {
            size = 64;
            port.told = port.wanted;
            At(m_now + (8 + size) * port.byteTime + port.profile.delay + port.profile.reaction,
               [this, i, mask = port.told]() {
                   m_ports[i].peerPaused = mask;
                   PeerTrySend(i);
               });
        }
        else if (!port.queue.empty() && (!port.blocked || m_framesLeft == 0))
        {
            const auto [in, frame] = port.queue.front();
            port.queue.pop_front();
            // the line takes the largest frame, so that pauses wait as long as they may
            size = port.profile.maxFrameBytes;
            At(m_now + (8 + size) * port.byteTime, [this, i, in = in, frame = frame]() {
                m_buffer->Release(in, i, frame.first, frame.second);
                while (const auto resumed = m_buffer->TakeResumed())
                {
                    ++m_xons;
                    m_ports[resumed->port].wanted &=
                        static_cast<uint8_t>(~(1U << resumed->priority));
                    TrySend(resumed->port);
                }
            });
        }
        else
        {
            return;
        }
        port.sending = true;
        At(m_now + (20 + size) * port.byteTime, [this, i]() {
            m_ports[i].sending = false;
            TrySend(i);
        });
    }

    void ToggleBlocked(uint16_t i)
    {
        m_ports[i].blocked = !m_ports[i].blocked && Pick(2);
        TrySend(i);
        if (m_framesLeft > 0)
        {
            At(m_now + 1_ps + Pick(20'000'000) * 1_ps, [this, i]() { ToggleBlocked(i); });
        }
    }

    std::mt19937_64 m_random;
    Ptr<QbbSharedBuffer> m_buffer{CreateObject<QbbSharedBuffer>()};
    std::vector<Port> m_ports;
    std::priority_queue<Event> m_events;
    RdmaPs m_now{0};
    uint32_t m_framesLeft{0};
};

} // namespace

// Rates, cables, reaction times, frame sizes and buffers at random; thresholds that move because
// ports and lossy classes share the memory; XON and XOFF in quick succession.
TEST(QbbPfcLossless, NothingIsLostWithTheComputedHeadroom)
{
    double highest = 0;
    uint64_t lossy = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed)
    {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Rig rig(seed, seed % 4 != 0);
        rig.Run(20'000);
        EXPECT_EQ(rig.m_lostLossless, 0U);
        EXPECT_GT(rig.m_xoffs, 10U);
        EXPECT_EQ(rig.m_xons, rig.m_xoffs);
        EXPECT_TRUE(rig.GetBuffer()->IsEmpty());
        lossy += rig.m_lostLossy;
        for (uint16_t i = 0; i < rig.GetPorts().size(); ++i)
        {
            EXPECT_EQ(rig.GetPorts()[i].peerPaused, 0U);
            EXPECT_TRUE(rig.GetPorts()[i].queue.empty());
            for (const uint8_t priority : {3, 4})
            {
                const QbbIngressUsage usage = rig.GetBuffer()->GetIngress(i, priority);
                highest =
                    std::max(highest,
                             static_cast<double>(usage.peakHeadroomBytes) / usage.headroomLimit);
            }
        }
    }
    EXPECT_LE(highest, 1);
    // The load was high enough for the test to mean something.
    EXPECT_GT(highest, 0.8);
    EXPECT_GT(lossy, 0U);
    RecordProperty("highestHeadroomUse", std::to_string(highest));
}
