/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CONGA_PATH_SELECTOR_H
#define QBB_CONGA_PATH_SELECTOR_H

#include "qbb-path-selector.h"
#include "rdma-ps.h"

#include <ns3/nstime.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * CONGA (Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for Datacenters",
 * SIGCOMM 2014), for fabrics of two tiers: leaves with hosts, and spines between the leaves. All
 * switches of the fabric have this selector; any other fabric is refused.
 *
 * **Links** (section 3.2). A discounting rate estimator (DRE) of each port towards a switch holds X
 * bytes. Each frame that the port sends adds its bytes, preamble and gap included, and each
 * DreInterval takes the share DreAlpha of X away. With tau = DreInterval / DreAlpha, the metric of
 * the port is floor(2^MetricBits X / (rate tau)), at most 2^MetricBits - 1. The paper gives tau,
 * 160 us.
 *
 * **Header** (section 3.1). A frame from leaf to leaf carries a QbbFabricHeader of protocol 1 and
 * four bytes, 8 bytes in all on the wire:
 *
 * - byte 0, LBTag: number of the source leaf's uplink, from 0 in the order of its ports;
 * - byte 1, CE: largest metric of the links that the frame has passed;
 * - byte 2, FB_LBTag: an uplink of the destination leaf; 255: no feedback;
 * - byte 3, FB_Metric: metric of the path that began at that uplink.
 *
 * In the paper, fields of 4, 3, 4 and 3 bits are in reserved bits of the VXLAN header.
 *
 * **Leaves** (section 3.3). The destination leaf stores CE in its Congestion-From-Leaf table, and
 * sends the metrics back in frames to the source leaf, one in a frame: those that have changed
 * since they were sent first, in turn. The source leaf stores them in its Congestion-To-Leaf table.
 * A metric that was not updated for MetricAge falls by 1, and by 1 more after each further
 * MetricAge.
 *
 * **Flowlets** (section 3.4). The hash of the 5-tuple chooses an entry of the flowlet table, which
 * has a port, a valid bit and an age bit. Each frame clears the age bit. At each multiple of
 * FlowletTimeout an entry whose age bit is set becomes invalid, and the age bit is set in all
 * others; so a flowlet ends with a gap between FlowletTimeout and twice that time.
 *
 * **Choice** (section 3.5). The first frame of a flowlet takes the uplink with the smallest maximum
 * of the uplink's own metric and the metric of Congestion-To-Leaf. Among equal uplinks the port of
 * the entry is kept, valid or not; otherwise the choice is random. A spine with several links to a
 * leaf chooses by ECMP.
 *
 * The paper names 3 bits, 160 us and a FlowletTimeout of 500 us as the values of its chips (section
 * 3.6), and finds 3 to 6 bits, 100 to 500 us and 300 us to 1 ms nearly as good. The simulator of
 * ConWeave's authors (conga-routing.cc of github.com/conweave-project/conweave-ns3) runs CONGA with
 * DreInterval 200 us, DreAlpha 0.2, FlowletTimeout 100 us, 3 bits and 10 ms. It differs from the
 * paper: a flowlet ends after a gap of exactly FlowletTimeout, the feedback is chosen at random,
 * and a metric that is not updated for 10 ms is forgotten at once.
 */
class QbbCongaPathSelector : public QbbPathSelector
{
  public:
    static constexpr uint8_t PROTOCOL = 1;      //!< protocol number of QbbFabricHeader
    static constexpr uint8_t COUNT = 4;         //!< bytes of QbbFabricHeader
    static constexpr uint8_t NO_FEEDBACK = 255; //!< value of FB_LBTag

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbCongaPathSelector();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_links.empty() ? nullptr : "before Simulator::Run()";
    }

    uint8_t GetMoments() const override
    {
        return ARRIVES | DEPARTS;
    }

    uint32_t GetHeaderBytes() const override
    {
        return QbbFabricHeader::FIXED_BYTES + COUNT;
    }

    void Configure() override;
    void FrameArrives(QbbPort& ingress, QbbFramePtr& frame) override;
    void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start) override;
    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    bool MayReorder(RdmaPs roundTrip) const override;
    int64_t AssignStreams(int64_t stream) override;

    /** \param port number of a port towards a switch \return bytes in its DRE */
    double GetDre(uint16_t port) const;

    /** \param port number of a port towards a switch \return metric of the port */
    uint8_t GetMetric(uint16_t port) const;

    /**
     * \param leaf number of another leaf (QbbForwardingTable::GetLeafOf())
     * \param uplink number of an uplink of this leaf
     * \return metric of the path to \p leaf, from Congestion-To-Leaf
     */
    uint8_t GetMetricToLeaf(uint32_t leaf, uint8_t uplink) const;

    /**
     * \param leaf number of another leaf
     * \param uplink number of an uplink of \p leaf
     * \return metric of the path from \p leaf, from Congestion-From-Leaf
     */
    uint8_t GetMetricFromLeaf(uint32_t leaf, uint8_t uplink) const;

    /** \return number of flowlets so far */
    uint64_t GetNFlowlets() const
    {
        return m_flowlets;
    }

  private:
    static constexpr uint32_t MOST_UPLINKS = NO_FEEDBACK; //!< uplinks with an LBTag

    /** A port towards a switch, or an unused entry for a port towards a host. */
    struct Link
    {
        bool isUplink{false};  //!< the port leads to a switch
        uint8_t uplink{0};     //!< number of the uplink
        uint64_t intervals{0}; //!< intervals of the DRE until its latest update
        double bytes{0};       //!< X at the latest update
        double bytesPerTau{1}; //!< bytes that the rate allows in tau
    };

    /** A metric of Congestion-To-Leaf or Congestion-From-Leaf. */
    struct Metric
    {
        RdmaPs updated{0};     //!< instant of the latest update
        uint8_t value{0};      //!< metric at that instant
        bool isKnown{false};   //!< the metric was updated at least once
        bool isChanged{false}; //!< From-Leaf: the value was not fed back yet
    };

    /** Metrics of the paths between this leaf and another one. */
    struct Leaf
    {
        std::vector<Metric> to;   //!< Congestion-To-Leaf, by uplink of this leaf
        std::vector<Metric> from; //!< Congestion-From-Leaf, by uplink of the other leaf
        uint32_t turn{0};         //!< number of the next uplink in `from` to be fed back
    };

    /** Entry of the flowlet table. */
    struct Flowlet
    {
        uint32_t period{0};     //!< period of FlowletTimeout of the latest frame
        uint16_t port{NO_PORT}; //!< port of the latest frame; NO_PORT: none yet
    };

    static constexpr uint16_t NO_PORT = 0xffff;

    void RefuseOtherTopologies() const;
    double GetDre(const Link& link) const;
    uint8_t GetMetric(const Link& link) const;
    uint8_t GetAged(const Metric& metric) const;
    Leaf& GetLeaf(uint32_t number);
    void Learn(const QbbFrame& frame);
    void WriteFeedback(QbbFrame& frame);
    uint16_t SelectBest(uint32_t leaf, const QbbForwardingTable::Group& ports, uint16_t cached);

    Time m_dreInterval;                  //!< attribute DreInterval
    double m_dreAlpha{0.1};              //!< attribute DreAlpha
    uint32_t m_metricBits{3};            //!< attribute MetricBits
    Time m_flowletTimeout;               //!< attribute FlowletTimeout
    Time m_metricAge;                    //!< attribute MetricAge
    uint32_t m_entries{65536};           //!< attribute TableEntries
    RdmaPs m_dreIntervalPs{1};           //!< DreInterval, read by Configure()
    RdmaPs m_flowletTimeoutPs{1};        //!< FlowletTimeout, read by Configure()
    RdmaPs m_metricAgePs{1};             //!< MetricAge, read by Configure()
    uint8_t m_uplinks{0};                //!< number of ports towards switches
    bool m_isLeaf{false};                //!< the switch has hosts
    uint64_t m_flowlets{0};              //!< number of flowlets so far
    std::vector<Link> m_links;           //!< by port number; empty before Configure()
    std::vector<Leaf> m_leaves;          //!< by number of the other leaf
    std::vector<Flowlet> m_table;        //!< flowlet table, by flow hash
    std::vector<uint16_t> m_equals;      //!< best uplinks of the present flowlet
    Ptr<UniformRandomVariable> m_random; //!< choices among equal uplinks
};

} // namespace ns3

#endif /* QBB_CONGA_PATH_SELECTOR_H */
