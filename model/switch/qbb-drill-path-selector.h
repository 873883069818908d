/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DRILL_PATH_SELECTOR_H
#define QBB_DRILL_PATH_SELECTOR_H

#include "qbb-path-selector.h"

#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Least queue of a few: DRILL(d, m) (Ghorbani et al., "DRILL: Micro Load Balancing for Low-latency
 * Data Center Networks", SIGCOMM 2017). Each frame looks at d ports at random and at the m best
 * ones of the frame before it, and takes the one with the least bytes waiting; the m best are
 * remembered. Frames of one flow may overtake each other.
 *
 * What is compared are the bytes of the frame's own class that wait for the port in this switch, in
 * whichever queues: QbbBufferManager::GetEgressBytes(). Of equals, the first looked at wins, random
 * ones first. A port whose link is down counts as full. The memory is one for each set of ports.
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
    void SetSwitch(const QbbSwitch* sw) override;

  private:
    /** A port that was looked at. */
    struct Sample
    {
        uint16_t port{0};  //!< its number
        uint64_t bytes{0}; //!< that wait for it
    };

    void Look(uint16_t port, uint8_t priority);

    uint32_t m_samples{2};               //!< attribute Samples
    uint32_t m_memory{1};                //!< attribute Memory
    const QbbSwitch* m_switch{nullptr};  //!< whose ports
    uint64_t m_version{0};               //!< of the routes that m_best is about
    std::vector<Sample> m_seen;          //!< best first; of the present frame
    Ptr<UniformRandomVariable> m_random; //!< which ports
    std::unordered_map<const QbbForwardingTable::Group*, std::vector<uint16_t>>
        m_best; //!< by set of ports: the best ones of the last frame
};

} // namespace ns3

#endif /* QBB_DRILL_PATH_SELECTOR_H */
