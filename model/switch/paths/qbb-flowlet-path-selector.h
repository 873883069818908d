/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FLOWLET_PATH_SELECTOR_H
#define QBB_FLOWLET_PATH_SELECTOR_H

#include "qbb-path-selector.h"
#include "rdma-ps.h"

#include <ns3/nstime.h>
#include <ns3/random-variable-stream.h>

#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Flowlet switching: a flow keeps its port as long as its frames follow each other closely, and
 * gets a new random port after a gap (Vanini et al., "Let It Flow: Resilient Asymmetric Load
 * Balancing with Flowlet Switching", NSDI 2017). With a gap longer than the delay difference
 * between any two paths, frames do not overtake each other.
 *
 * The flowlet table has a fixed number of entries. The hash of a flow's 5-tuple selects its entry.
 * Flows that share an entry are treated as one flow, as in the paper's switches.
 */
class QbbFlowletPathSelector : public QbbPathSelector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return !m_table.empty() ? "before the first frame" : nullptr;
    }

    QbbFlowletPathSelector();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;
    bool MayReorder(RdmaPs roundTrip) const override;

    /** \return number of flowlets so far */
    uint64_t GetNFlowlets() const
    {
        return m_flowlets;
    }

  private:
    static constexpr RdmaPs NOT_YET{INT64_MIN}; //!< no frame has used the entry yet

    /** Table entry of one flow, or of several flows with equal hashes. */
    struct Entry
    {
        RdmaPs last{NOT_YET}; //!< arrival of the latest frame
        uint16_t port{0};     //!< egress port of the latest frame
    };

    Time m_gap;                          //!< attribute Gap
    RdmaPs m_gapPs{0};                   //!< attribute Gap in picoseconds, read at the first frame
    uint32_t m_entries{4096};            //!< attribute TableEntries
    uint64_t m_flowlets{0};              //!< number of flowlets so far
    std::vector<Entry> m_table;          //!< flowlet table, by flow hash
    Ptr<UniformRandomVariable> m_random; //!< random ports of new flowlets
};

} // namespace ns3

#endif /* QBB_FLOWLET_PATH_SELECTOR_H */
