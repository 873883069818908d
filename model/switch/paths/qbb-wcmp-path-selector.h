/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_WCMP_PATH_SELECTOR_H
#define QBB_WCMP_PATH_SELECTOR_H

#include "qbb-path-selector.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Weighted ECMP: flows spread over the ports in proportion to weights (Zhou et al., "WCMP: Weighted
 * Cost Multipathing for Improved Fairness in Data Centers", EuroSys 2014). A flow keeps its port.
 *
 * The default weight of a port is its line rate in Mb/s, rounded down, but at least 1 and at most
 * MAX_WEIGHT. SetWeight() sets another weight.
 */
class QbbWcmpPathSelector : public QbbPathSelector
{
  public:
    static constexpr uint32_t MAX_WEIGHT = 8'000'000; //!< the largest weight

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Sets the weight of a port before the simulation starts. If one port of an equal-cost set gets
     * a weight, set the weights of all its ports, because the default weights are rates in Mb/s.
     *
     * \param port port number of the switch
     * \param weight 0..MAX_WEIGHT; 0 excludes the port, unless all ports of the set have weight 0
     */
    void SetWeight(uint16_t port, uint32_t weight);

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    std::optional<uint16_t> Predict(uint32_t flowHash,
                                    const QbbForwardingTable::Group& ports) const override;
    int64_t AssignStreams(int64_t stream) override;
    void SetSwitch(QbbSwitch* sw) override;

    bool MayReorder(RdmaPs) const override
    {
        return false; // a flow keeps its port
    }

  private:
    static constexpr uint32_t BY_RATE = UINT32_MAX; //!< SetWeight() was not called for the port

    void ReadWeights() const;

    std::vector<uint32_t> m_given; //!< weights from SetWeight() or BY_RATE, by port
    /// Effective weights, by port; read at the first frame.
    mutable std::vector<uint32_t> m_weights;
    mutable std::atomic<bool> m_isRead{false}; //!< m_weights is complete
    mutable std::mutex m_mutex;                //!< guards m_weights until it is complete
};

} // namespace ns3

#endif /* QBB_WCMP_PATH_SELECTOR_H */
