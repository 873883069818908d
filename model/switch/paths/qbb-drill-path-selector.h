/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DRILL_PATH_SELECTOR_H
#define QBB_DRILL_PATH_SELECTOR_H

#include "qbb-path-selector.h"

#include <ns3/random-variable-stream.h>

#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Chooses the shortest of a few queues: DRILL(d, m) (Ghorbani et al., "DRILL: Micro Load Balancing
 * for Low-latency Data Center Networks", SIGCOMM 2017). Each frame samples d random ports and the m
 * best ports of the previous frame, and takes the port with the fewest waiting bytes. The m best
 * ports are remembered for the next frame. Frames of one flow may overtake each other.
 *
 * The comparison uses the bytes of the frame's class that wait for the port anywhere in the switch:
 * QbbEgressQueues::GetBytes() of the port. In a tie, the port sampled first wins; random samples
 * come before remembered ports. A port whose link is down counts as full. Each set of equal-cost
 * ports has its own memory of best ports.
 */
class QbbDrillPathSelector : public QbbPathSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbDrillPathSelector();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;
    void SetSwitch(QbbSwitch* sw) override;

  private:
    /** A sampled port. */
    struct Sample
    {
        uint16_t port{0};  //!< port number
        uint64_t bytes{0}; //!< bytes that wait for the port
    };

    void Look(uint16_t port, uint8_t priority);

    uint32_t m_samples{2};               //!< attribute Samples
    uint32_t m_memory{1};                //!< attribute Memory
    uint64_t m_version{0};               //!< version of the routes that m_best refers to
    std::vector<Sample> m_seen;          //!< samples of the current frame, best first
    Ptr<UniformRandomVariable> m_random; //!< random samples
    /// Best ports of the previous frame, by set of equal-cost ports.
    std::unordered_map<const QbbForwardingTable::Group*, std::vector<uint16_t>> m_best;
};

} // namespace ns3

#endif /* QBB_DRILL_PATH_SELECTOR_H */
