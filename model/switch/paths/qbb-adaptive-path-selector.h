/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ADAPTIVE_PATH_SELECTOR_H
#define QBB_ADAPTIVE_PATH_SELECTOR_H

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
 * Adaptive routing: each frame, or each flowlet, takes the best of the equal-cost ports by the
 * state of the ports of this switch. Broadcom's dynamic load balancing, NVIDIA's adaptive routing
 * and ns-3's peers have this kind of selector; see the manual for the settings of chips.
 *
 * Ports are compared in this order, and the first difference decides:
 *
 * 1. A port whose link is up comes before one whose link is down.
 * 2. A port whose class is not paused by PFC comes before one that is paused.
 * 3. The lower grade wins. The grade of a port is a mean of two bands, weighted by LoadWeight:
 *    - the band of the queue: the time that the port needs for what it sends at present and for the
 *      bytes of the frame's class that wait for the port anywhere in the switch, over the time that
 *      the switch's fastest port needs for QueueBand bytes;
 *    - the band of the load: the bytes that the port has sent, averaged over windows of LoadWindow
 *      with a weight of one half for the latest window, over the bytes that the port's rate allows,
 *      times Bands.
 *
 *    Both bands are whole numbers, rounded down, of at most Bands - 1. Both are times over times,
 *    so a port of a quarter of the rate has the grade of a fast port with a quarter of the bytes.
 * 4. Among equal grades, attribute Ties chooses: the next port in turn for the frame's destination,
 *    or a random one.
 *
 * Attribute Samples limits the comparison to a few ports, from the next one in turn (Ties InTurn)
 * or from a random one on. With the next ports in turn, each destination's frames stay spread
 * evenly over the ports, so that the ports further on, which this switch does not see, are loaded
 * evenly as well.
 *
 * With a Gap above 0, a flow keeps its port until it has been idle for longer than Gap. The entry
 * of a flow in the table of flows is chosen by the hash of its 5-tuple, and that of a destination
 * in the table of turns by its address. Flows or destinations that share an entry are treated as
 * one.
 */
class QbbAdaptivePathSelector : public QbbPathSelector
{
  public:
    /** Choice among ports of equal grade. */
    enum Ties : uint8_t
    {
        IN_TURN, //!< the next port after the one of the destination's previous frame or flowlet
        RANDOM,  //!< a random port
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbAdaptivePathSelector();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_ports.empty() ? nullptr : "before the first frame";
    }

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    bool MayReorder(RdmaPs roundTrip) const override;
    int64_t AssignStreams(int64_t stream) override;
    void SetSwitch(QbbSwitch* sw) override;

    /**
     * \param port port number
     * \param priority class 0..7
     * \return present band of the port's queue for the class, below Bands
     */
    uint32_t GetQueueBand(uint16_t port, uint8_t priority) const;

    /**
     * \param port port number
     * \return band of the port's load at the latest frame, below Bands
     */
    uint32_t GetLoadBand(uint16_t port) const;

  private:
    /** State of a port. */
    struct Port
    {
        uint64_t sentBytes{0};   //!< bytes sent until the latest window
        uint64_t windowBytes{0}; //!< bytes that the port's rate allows in a window
        uint64_t loadBytes{0};   //!< average of the bytes sent in a window
    };

    /** Entry of the table of flows. */
    struct Flow
    {
        RdmaPs last{INT64_MIN}; //!< arrival of the latest frame
        uint16_t port{0};       //!< port of the latest frame
    };

    void Begin();
    void MeasureLoad(RdmaPs now);
    uint64_t GetSentBytes(uint16_t port) const;
    uint32_t GetRank(uint16_t port, uint8_t priority) const;
    uint16_t SelectBest(const QbbFrame& frame, const QbbForwardingTable::Group& ports);

    uint32_t m_bands{8};                 //!< attribute Bands
    uint32_t m_queueBand{8192};          //!< attribute QueueBand
    Time m_loadWindow;                   //!< attribute LoadWindow
    uint32_t m_loadWeight{0};            //!< attribute LoadWeight
    uint32_t m_samples{3};               //!< attribute Samples
    Ties m_ties{IN_TURN};                //!< attribute Ties
    Time m_gap;                          //!< attribute Gap
    uint32_t m_entries{4096};            //!< attribute TableEntries
    RdmaPs m_queueBandPs{1};             //!< time of QueueBand bytes at the fastest port
    RdmaPs m_windowPs{1};                //!< LoadWindow, read at the first frame
    RdmaPs m_gapPs{0};                   //!< Gap, read at the first frame
    RdmaPs m_windowEnd{0};               //!< end of the present window
    std::vector<Port> m_ports;           //!< state of the ports, by number
    std::vector<Flow> m_flows;           //!< table of flows, if Gap is above 0
    std::vector<uint16_t> m_turns;       //!< number of the next port in turn, by destination
    std::vector<uint16_t> m_equals;      //!< best ports of the present frame
    Ptr<UniformRandomVariable> m_random; //!< random ports
};

} // namespace ns3

#endif /* QBB_ADAPTIVE_PATH_SELECTOR_H */
