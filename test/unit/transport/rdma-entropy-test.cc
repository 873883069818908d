/* SPDX-License-Identifier: GPL-2.0-only */

// How a NIC chooses the entropy of each packet of a queue pair.

#include "rdma-entropy.h"
#include "rdma-nic.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/** \return an entropy of a class, with a random stream of its own */
Ptr<RdmaEntropy>
MakeEntropy(const std::string& type, uint32_t entropies)
{
    ObjectFactory factory("ns3::Rdma" + type + "Entropy");
    factory.Set("Entropies", UintegerValue(entropies));
    const auto entropy = factory.Create<RdmaEntropy>();
    entropy->AssignStreams(7);
    return entropy;
}

/** \return REPS with a ring of a size */
Ptr<RdmaEntropy>
MakeReps(uint32_t entropies, uint32_t ring, uint32_t explore, Time freeze = MicroSeconds(100))
{
    const auto reps = MakeEntropy("Reps", entropies);
    reps->SetAttribute("RingSize", UintegerValue(ring));
    reps->SetAttribute("ExplorePackets", UintegerValue(explore));
    reps->SetAttribute("FreezeTime", TimeValue(freeze));
    return reps;
}

/**
 * The pseudo-code of the REPS paper: an array of places with an entropy and a validity bit. A place
 * that never had an entropy is passed over in freezing mode, which the paper leaves open.
 */
class PaperReps
{
  public:
    PaperReps(uint32_t entropies, uint32_t size, uint32_t explore, RdmaPs freeze)
        : m_entropies(entropies),
          m_places(size),
          m_explorePackets(explore),
          m_explore(explore),
          m_freeze(freeze),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(7);
    }

    uint16_t OnSend()
    {
        const bool isEmpty = std::none_of(m_places.begin(), m_places.end(), [](const Place& place) {
            return place.known;
        });
        if (isEmpty || (CountValid() == 0 && !m_frozen) || m_explore > 0)
        {
            m_explore -= m_explore > 0;
            return static_cast<uint16_t>(m_random->GetInteger(0, m_entropies - 1));
        }
        const auto size = static_cast<uint32_t>(m_places.size());
        if (const uint32_t valid = CountValid(); valid > 0)
        {
            Place& oldest = m_places[(m_head + size - valid) % size];
            oldest.valid = false;
            return oldest.entropy;
        }
        while (!m_places[m_head].known)
        {
            m_head = (m_head + 1) % size;
        }
        const uint16_t entropy = m_places[m_head].entropy;
        m_head = (m_head + 1) % size;
        return entropy;
    }

    void OnAck(uint16_t entropy, bool marked, RdmaPs now)
    {
        if (m_frozen && now >= m_exit)
        {
            m_frozen = false;
            m_explore = m_explorePackets;
            std::fill(m_places.begin(), m_places.end(), Place()); // as uet-htsim does
            m_head = 0;
        }
        if (!marked)
        {
            m_places[m_head] = {entropy, true, true};
            m_head = (m_head + 1) % m_places.size();
        }
    }

    void OnFailure(RdmaPs now)
    {
        if (!m_frozen && m_explore == 0)
        {
            m_frozen = true;
            m_exit = now + m_freeze;
        }
    }

    bool IsFrozen() const
    {
        return m_frozen;
    }

  private:
    struct Place
    {
        uint16_t entropy{0};
        bool valid{false};
        bool known{false};
    };

    uint32_t CountValid() const
    {
        return static_cast<uint32_t>(std::count_if(m_places.begin(),
                                                   m_places.end(),
                                                   [](const Place& place) { return place.valid; }));
    }

    uint32_t m_entropies;
    std::vector<Place> m_places;
    uint32_t m_head{0};
    uint32_t m_explorePackets;
    uint32_t m_explore;
    bool m_frozen{false};
    RdmaPs m_freeze;
    RdmaPs m_exit{0};
    Ptr<UniformRandomVariable> m_random;
};

} // namespace

TEST(RdmaEntropyTest, TurnTakesEachEntropyOnceARound)
{
    const auto turn = MakeEntropy("Turn", 5);
    std::set<uint16_t> starts;
    for (int pair = 0; pair < 50; ++pair)
    {
        const auto chooser = turn->MakeChooser();
        const uint16_t first = chooser->Choose(0_ps);
        starts.insert(first);
        for (uint16_t i = 1; i < 12; ++i)
        {
            ASSERT_EQ(chooser->Choose(0_ps), (first + i) % 5) << "packet " << i;
        }
    }
    // Each start is absent from 50 draws with a probability of 0.8^50 = 1.4e-5.
    EXPECT_EQ(starts.size(), 5U) << "queue pairs begin anywhere";
    EXPECT_FALSE(turn->NeedsPortEcho());
    EXPECT_EQ(turn->GetMarking(), RdmaMarking::NONE);
}

TEST(RdmaEntropyTest, RandomIsUniform)
{
    const auto random = MakeEntropy("Random", 8);
    const auto chooser = random->MakeChooser();
    std::map<uint16_t, uint32_t> counts;
    for (int i = 0; i < 80'000; ++i)
    {
        ++counts[chooser->Choose(0_ps)];
    }
    ASSERT_EQ(counts.size(), 8U);
    for (const auto& [entropy, count] : counts)
    {
        // 10,000 expected; the standard deviation is sqrt(80,000 x 1/8 x 7/8) = 94.
        EXPECT_NEAR(count, 10'000, 500) << "entropy " << entropy;
    }
}

TEST(RdmaEntropyTest, AStreamFixesTheChoice)
{
    for (const char* type : {"Random", "Turn", "Reps"})
    {
        const auto a = MakeEntropy(type, 1000)->MakeChooser();
        const auto b = MakeEntropy(type, 1000)->MakeChooser();
        for (int i = 0; i < 100; ++i)
        {
            ASSERT_EQ(a->Choose(0_ps), b->Choose(0_ps)) << type;
        }
    }
}

TEST(RdmaEntropyTest, OneEntropyKeepsTheOrder)
{
    for (const char* type : {"Random", "Turn", "Reps"})
    {
        const auto sole = MakeEntropy(type, 1);
        EXPECT_FALSE(sole->MayReorder()) << type;
        EXPECT_EQ(sole->MakeChooser()->Choose(0_ps), 0U) << type;
        EXPECT_TRUE(MakeEntropy(type, 2)->MayReorder()) << type;
    }
}

TEST(RdmaEntropyTest, RepsUsesUnmarkedEntropiesAgainInTheirOrder)
{
    const auto reps = MakeReps(10'000, 4, 0);
    EXPECT_TRUE(reps->NeedsPortEcho());
    EXPECT_EQ(reps->GetMarking(), RdmaMarking::RAMP);
    const auto chooser = reps->MakeChooser();
    chooser->OnReturn(11, false, 0_ps);
    chooser->OnReturn(12, true, 0_ps); // marked: not again
    chooser->OnReturn(13, false, 0_ps);
    EXPECT_EQ(chooser->Choose(0_ps), 11U);
    chooser->OnReturn(14, false, 0_ps);
    EXPECT_EQ(chooser->Choose(0_ps), 13U);
    EXPECT_EQ(chooser->Choose(0_ps), 14U);
    chooser->OnReturn(10'000, false, 0_ps); // no entropy of this queue pair
    // None is left, so that a random entropy comes. It is not one of the three: the chance of that
    // is 0.0003, and the stream is fixed.
    const std::set<uint16_t> used{11, 13, 14};
    EXPECT_EQ(used.count(chooser->Choose(0_ps)), 0U);
    // A ring of four keeps the four newest.
    for (uint32_t i = 21; i < 28; ++i)
    {
        chooser->OnReturn(i, false, 0_ps);
    }
    for (uint32_t i = 24; i < 28; ++i)
    {
        EXPECT_EQ(chooser->Choose(0_ps), i);
    }
}

TEST(RdmaEntropyTest, RepsExploresFirst)
{
    const auto reps = MakeReps(10'000, 4, 2);
    const auto chooser = reps->MakeChooser();
    chooser->OnReturn(11, false, 0_ps);
    EXPECT_NE(chooser->Choose(0_ps), 11U);
    EXPECT_NE(chooser->Choose(0_ps), 11U);
    EXPECT_EQ(chooser->Choose(0_ps), 11U) << "after two random ones";
}

TEST(RdmaEntropyTest, RepsFreezesAfterATimeout)
{
    const auto reps = MakeReps(10'000, 4, 1);
    const auto chooser = reps->MakeChooser();
    chooser->OnTimeout(0_us);
    chooser->OnReturn(5, false, 0_us);
    EXPECT_NE(chooser->Choose(0_us), 5U) << "no freezing before the packets that explore";
    for (const uint32_t entropy : {1, 2, 3})
    {
        chooser->OnReturn(entropy, false, 1_us);
    }
    EXPECT_EQ(chooser->Choose(1_us), 5U);
    chooser->OnTimeout(2_us); // until 102 us
    // What has come back and was not used goes first, then the four of the ring in turn.
    for (const uint32_t entropy : {1, 2, 3, 5, 1, 2, 3, 5})
    {
        EXPECT_EQ(chooser->Choose(50_us), entropy);
    }
    chooser->OnTimeout(60_us); // does not prolong the freezing
    chooser->OnReturn(9, true, 101_us);
    EXPECT_EQ(chooser->Choose(101_us), 1U) << "a mark changes nothing";
    chooser->OnReturn(9, false, 101_us); // in the place of 2
    EXPECT_EQ(chooser->Choose(101_us), 9U) << "a new one goes first";
    EXPECT_EQ(chooser->Choose(101_us), 3U);
    chooser->OnReturn(8, false, 102_us); // ends the freezing; the ring has 8 alone
    EXPECT_NE(chooser->Choose(102_us), 8U) << "explores";
    EXPECT_EQ(chooser->Choose(102_us), 8U);
    const std::set<uint16_t> known{1, 2, 3, 5, 8, 9};
    EXPECT_EQ(known.count(chooser->Choose(102_us)), 0U) << "random again";
}

TEST(RdmaEntropyTest, RepsWithoutFreezeTimeIgnoresTimeouts)
{
    const auto chooser = MakeReps(10'000, 4, 0, Time(0))->MakeChooser();
    chooser->OnReturn(5, false, 0_us);
    EXPECT_EQ(chooser->Choose(0_us), 5U);
    chooser->OnTimeout(1_us);
    EXPECT_NE(chooser->Choose(2_us), 5U);
}

TEST(RdmaEntropyTest, RepsFollowsThePaper)
{
    std::mt19937 dice(38);
    uint32_t frozen = 0;
    for (int round = 0; round < 60; ++round)
    {
        const uint32_t entropies = 1 + dice() % 40;
        const uint32_t size = 1 + dice() % 10;
        const uint32_t explore = dice() % 6;
        const auto reps = MakeReps(entropies, size, explore);
        const auto chooser = reps->MakeChooser();
        PaperReps paper(entropies, size, explore, 100_us);
        RdmaPs now = 0_us;
        for (int step = 0; step < 2000; ++step)
        {
            now += RdmaPs(dice() % 1'000'000);
            const uint32_t what = dice() % 200;
            frozen += paper.IsFrozen();
            if (what == 0)
            {
                chooser->OnTimeout(now);
                paper.OnFailure(now);
            }
            else if (what < 90)
            {
                const auto entropy = static_cast<uint16_t>(dice() % entropies);
                const bool marked = dice() % 3 == 0;
                chooser->OnReturn(entropy, marked, now);
                paper.OnAck(entropy, marked, now);
            }
            else
            {
                ASSERT_EQ(chooser->Choose(now), paper.OnSend())
                    << "round " << round << ", step " << step;
            }
        }
    }
    EXPECT_GT(frozen, 10'000U) << "steps in freezing mode";
}

TEST(RdmaEntropyDeathTest, TwoNicsDoNotShareAnObject)
{
    const auto random = MakeEntropy("Random", 8);
    const auto first = CreateObject<RdmaNic>();
    first->SetEntropy(random);
    EXPECT_DEATH(CreateObject<RdmaNic>()->SetEntropy(random),
                 "two NICs get one ns3::RdmaRandomEntropy");
}

TEST(RdmaEntropyTest, TheNicNamesWhatReorders)
{
    const auto nic = CreateObject<RdmaNic>();
    EXPECT_EQ(nic->GetReorderingEntropy(), "");
    nic->SetEntropy(MakeEntropy("Turn", 1));
    EXPECT_EQ(nic->GetReorderingEntropy(), "");
    nic->SetEntropy(MakeEntropy("Turn", 2));
    EXPECT_EQ(nic->GetReorderingEntropy(), "ns3::RdmaTurnEntropy");
}
