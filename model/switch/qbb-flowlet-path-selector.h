/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FLOWLET_PATH_SELECTOR_H
#define QBB_FLOWLET_PATH_SELECTOR_H

#include "qbb-path-selector.h"
#include "qbb-ps.h"

#include <ns3/nstime.h>

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Flowlets: a flow keeps its port as long as its frames follow each other closely, and gets a new
 * one at random after a gap (Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with
 * Flowlet Switching", NSDI 2017). With a gap longer than the difference between any two paths,
 * frames do not overtake each other.
 *
 * The table has a fixed number of entries. A flow's entry is found by the hash of its 5-tuple, and
 * flows with the same entry are one flow to it, as in the paper's switches.
 */
class QbbFlowletPathSelector : public QbbPathSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbFlowletPathSelector();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;
    void SetSwitch(const QbbSwitch* sw) override;

    /** \return flowlets begun so far */
    uint64_t GetNFlowlets() const
    {
        return m_flowlets;
    }

  private:
    static constexpr QbbPs NOT_YET{INT64_MIN}; //!< no frame of a flow has come

    /** A flow, or several. */
    struct Entry
    {
        QbbPs last{NOT_YET}; //!< its latest frame
        uint16_t port{0};    //!< where it went
    };

    Time m_gap;                          //!< attribute Gap
    QbbPs m_gapPs{0};                    //!< the same
    uint32_t m_entries{4096};            //!< attribute TableEntries
    uint64_t m_flowlets{0};              //!< begun so far
    const QbbSwitch* m_switch{nullptr};  //!< whose seed
    std::vector<Entry> m_table;          //!< by hash
    Ptr<UniformRandomVariable> m_random; //!< new ports
};

} // namespace ns3

#endif /* QBB_FLOWLET_PATH_SELECTOR_H */
