/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_RANDOM_H
#define RDMA_TEST_RANDOM_H

#include "rdma-topology-builders.h"

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Random choices, and random topologies.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Random choices.
 */
class RdmaTestDice
{
  public:
    /** \param seed number that determines all choices */
    explicit RdmaTestDice(uint32_t seed)
        : m_engine(seed)
    {
    }

    /** \param low least \param high most \return a number from low to high */
    uint64_t Number(uint64_t low, uint64_t high)
    {
        return low + m_engine() % (high - low + 1);
    }

    /** \param n a number \return true once in n */
    bool OneIn(uint32_t n)
    {
        return m_engine() % n == 0;
    }

    /** \param list values \return one of them */
    template <typename T, std::size_t N>
    T OneOf(const std::array<T, N>& list)
    {
        return list[m_engine() % N];
    }

  private:
    std::mt19937_64 m_engine; //!< gives equal numbers on all platforms
};

/**
 * \ingroup rdma-tests
 * A topology of a random form with random rates and delays.
 */
class RdmaTestRandomTopology
{
  public:
    /** \param dice source of the random choices, which must outlive this object */
    explicit RdmaTestRandomTopology(RdmaTestDice& dice)
        : m_dice(dice)
    {
    }

    /** \return a random topology with random rates and delays */
    RdmaTopology Make()
    {
        static constexpr std::array<RdmaBitRate, 10> RATES{10_gbps,
                                                           25_gbps,
                                                           40_gbps,
                                                           50_gbps,
                                                           100_gbps,
                                                           200_gbps,
                                                           400_gbps,
                                                           800_gbps,
                                                           33_gbps,
                                                           77'777'777'777_bps};
        RdmaTopology plain;
        switch (m_dice.Number(0, 7))
        {
        case 0:
            plain =
                MakeRdmaLeafSpine(m_dice.Number(2, 4), m_dice.Number(1, 6), m_dice.Number(1, 3));
            break;
        case 1:
            plain = MakeRdmaFatTree(4);
            break;
        case 2:
            plain = MakeRdmaClos(2, 6, {2});
            break;
        case 3:
            plain = MakeRdmaClos(3, 4);
            break;
        case 4:
            plain = MakeRdmaParkingLot({2, 1, 1});
            break;
        case 5:
        case 6:
            plain = MakeRegular();
            break;
        default:
            plain = MakeRdmaStar(m_dice.Number(2, 10));
            break;
        }
        RdmaTopology topology;
        // One rate for all links, or a rate for each link.
        const bool mixed = !m_dice.OneIn(3);
        const RdmaBitRate rate = m_dice.OneOf(RATES);
        for (const auto& node : plain.GetNodes())
        {
            node.role == RdmaNodeRole::HOST ? topology.AddHost(node.name)
                                            : topology.AddSwitch(node.name);
        }
        for (const auto& link : plain.GetLinks())
        {
            const bool uplink = !plain.IsHost(link.a) && !plain.IsHost(link.b);
            const uint32_t parallel =
                uplink && !m_isRegular && m_dice.OneIn(3) ? m_dice.Number(2, 3) : 1;
            for (uint32_t i = 0; i < parallel; ++i)
            {
                // 10 ns to 10 us, each decade equally likely
                const RdmaPs delay(m_dice.Number(10'000, 99'999) *
                                   m_dice.OneOf(std::array<int64_t, 3>{1, 10, 100}));
                topology.AddLink(link.a, link.b, mixed ? m_dice.OneOf(RATES) : rate, delay);
            }
        }
        return topology;
    }

    /** \return true if the switches form a random regular graph; valid after Make() */
    bool IsRegular() const
    {
        return m_isRegular;
    }

  private:
    /** \return hosts at switches, which form a random regular graph */
    RdmaTopology MakeRegular()
    {
        m_isRegular = true;
        const uint64_t switches = 2 * m_dice.Number(2, 5);
        const uint64_t degree = m_dice.Number(2, 4);
        const uint64_t hosts = m_dice.Number(1, 2);
        for (;;)
        {
            // The configuration model: the ends of all links in random order are joined in pairs.
            // Validate() rejects graphs that are not connected or link a switch with itself.
            std::vector<uint32_t> ends;
            for (uint32_t i = 0; i < switches * degree; ++i)
            {
                ends.push_back(i / degree);
            }
            for (std::size_t i = ends.size(); i > 1; --i)
            {
                std::swap(ends[i - 1], ends[m_dice.Number(0, i - 1)]);
            }
            RdmaTopology topology;
            for (uint32_t i = 0; i < switches * hosts; ++i)
            {
                topology.AddHost();
            }
            for (uint32_t i = 0; i < switches; ++i)
            {
                topology.AddSwitch();
            }
            const uint32_t first = switches * hosts;
            for (uint32_t i = 0; i < first; ++i)
            {
                topology.AddLink(i, first + i / hosts, 1_gbps, 1_ns);
            }
            for (std::size_t i = 0; i < ends.size(); i += 2)
            {
                topology.AddLink(first + ends[i], first + ends[i + 1], 1_gbps, 1_ns);
            }
            try
            {
                topology.Validate();
                return topology;
            }
            catch (const std::invalid_argument&)
            {
            }
        }
    }

    RdmaTestDice& m_dice;    //!< source of the random choices
    bool m_isRegular{false}; //!< the switches form a random regular graph
};

} // namespace ns3

#endif /* RDMA_TEST_RANDOM_H */
