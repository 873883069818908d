/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-entropy.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"
#include "rdma-time.h"

#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * REPS: the entropies of packets that were acknowledged without a mark are used again, in the order
 * of their acknowledgements. A small ring holds them; the newest one replaces the oldest one.
 * Marked and lost entropies do not return. With none to use again, a packet has a random entropy.
 *
 * A timeout means that a path has failed. The queue pair then freezes: with no entropy to use
 * again, it takes those of the ring once more, in turn, rather than a random one, which might lead
 * to the failed path. After FreezeTime the next acknowledgement ends this, empties the ring, and
 * the next ExplorePackets packets have random entropies.
 *
 * The wire carries the entropy in the UDP source port: an acknowledgement has the port of the
 * packet that it acknowledges (RdmaNic::EchoSourcePort), so that the sender keeps nothing for each
 * packet. A READ response of RoCE is not acknowledged, so its entropies are random.
 *
 * Source: Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and
 * Failure Mitigation"; the defaults of FreezeTime and ExplorePackets and the emptied ring from
 * UecMpReps of uet-htsim. The rules are those of the paper, as its authors' simulator has them
 * (github.com/tommasobo/REPS_EuroSys_Artifact, uec.cpp and buffer_reps.cpp), but for one: where
 * switches trim no packets, their hosts freeze only if the round trips before the timeout were
 * below 1.65 base round trips, so that losses by congestion do not freeze. Here any timeout
 * freezes. While it is frozen, uet-htsim takes the entropies of the ring in turn, whether they are
 * fresh or not; here fresh ones go first.
 */
class RdmaRepsEntropy : public RdmaEntropy
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyChooser> MakeChooser() override;

    bool NeedsPortEcho() const override
    {
        return true;
    }

    RdmaMarking GetMarking() const override
    {
        return RdmaMarking::RAMP;
    }

  private:
    class Chooser;

    uint32_t m_ringSize{64};      //!< attribute RingSize
    uint32_t m_explorePackets{0}; //!< attribute ExplorePackets
    Time m_freezeTime;            //!< attribute FreezeTime
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRepsEntropy);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_repsEntropyName("reps",
                                     RdmaRepsEntropy::GetTypeId(),
                                     "",
                                     "REPS: ports that come back without a mark are used again",
                                     {"Entropies?"});

} // namespace

/** REPS of one queue pair. */
class RdmaRepsEntropy::Chooser final : public RdmaEntropyChooser
{
  public:
    /** \param parameters attributes of REPS, and source of random entropies */
    explicit Chooser(Ptr<RdmaRepsEntropy> parameters)
        : m_parameters(parameters),
          m_ring(parameters->m_ringSize),
          m_explore(parameters->m_explorePackets)
    {
    }

    uint16_t Choose(RdmaPs) override
    {
        if (m_explore > 0)
        {
            --m_explore;
            return m_parameters->Draw();
        }
        const auto size = static_cast<uint32_t>(m_ring.size());
        if (m_fresh > 0)
        {
            return m_ring[(m_head + size - m_fresh--) % size];
        }
        if (!m_frozen || m_filled == 0)
        {
            return m_parameters->Draw();
        }
        const uint32_t place = m_head < m_filled ? m_head : 0;
        m_head = (place + 1) % size;
        return m_ring[place];
    }

    void OnReturn(uint32_t entropy, bool marked, RdmaPs now) override
    {
        if (m_frozen && now >= m_thaw)
        {
            m_frozen = false;
            m_head = 0;
            m_fresh = 0;
            m_filled = 0;
            m_explore = m_parameters->m_explorePackets;
        }
        if (marked || entropy >= m_parameters->GetEntropies())
        {
            return;
        }
        const auto size = static_cast<uint32_t>(m_ring.size());
        m_ring[m_head] = static_cast<uint16_t>(entropy);
        m_filled = std::max(m_filled, m_head + 1);
        m_head = (m_head + 1) % size;
        m_fresh = std::min(m_fresh + 1, size);
    }

    void OnTimeout(RdmaPs now) override
    {
        if (!m_frozen && m_explore == 0 && !m_parameters->m_freezeTime.IsZero())
        {
            m_frozen = true;
            m_thaw = now + RdmaToPs(m_parameters->m_freezeTime);
        }
    }

  private:
    Ptr<RdmaRepsEntropy> m_parameters; //!< attributes, and source of random entropies
    std::vector<uint16_t> m_ring;      //!< entropies that came back without a mark
    uint32_t m_head{0};                //!< place of the next entropy that comes back
    uint32_t m_fresh{0};               //!< entropies before m_head that are not used again yet
    uint32_t m_filled{0};              //!< places that have an entropy, from the first one on
    uint32_t m_explore;                //!< packets that have random entropies, whatever came back
    bool m_frozen{false};              //!< a timeout was less than FreezeTime ago
    RdmaPs m_thaw{0};                  //!< time from which acknowledgements end the freezing
};

TypeId
RdmaRepsEntropy::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaEntropy>("ns3::RdmaRepsEntropy")
            .SetParent<RdmaEntropy>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaRepsEntropy>()
            .AddAttribute("RingSize",
                          "Number of entropies that a queue pair remembers. The paper has 8, which "
                          "bursts of acknowledgements overflow unless a window paces them.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RdmaRepsEntropy::m_ringSize),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("ExplorePackets",
                          "Packets with random entropies at the start of a queue pair, and after "
                          "FreezeTime.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaRepsEntropy::m_explorePackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FreezeTime",
                          "Time after a timeout in which a queue pair uses known entropies alone; "
                          "0: timeouts change nothing.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RdmaRepsEntropy::m_freezeTime),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::unique_ptr<RdmaEntropyChooser>
RdmaRepsEntropy::MakeChooser()
{
    return std::make_unique<Chooser>(this);
}

} // namespace ns3
