/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PATH_SELECTOR_H
#define QBB_PATH_SELECTOR_H

#include "qbb-forwarding-table.h"
#include "qbb-frame.h"

#include <ns3/object.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <optional>

namespace ns3
{

class QbbSwitch;

/**
 * \ingroup rdma
 * Chooses among a switch's equal-cost ports, frame by frame, in place of the switch's own ECMP by
 * flow (QbbSwitch::SelectPath()). Each switch has a selector of its own.
 */
class QbbPathSelector : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * \param frame the frame that is forwarded
     * \param ports the equal-cost ports, two or more, ascending
     * \return one of them
     */
    virtual uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) = 0;

    /**
     * Where a flow's frames go, for those who want to know the path beforehand.
     *
     * \param flowHash QbbFlowHash() of the flow
     * \param ports the equal-cost ports, two or more, ascending
     * \return the port, or nothing if that is not up to the flow alone
     */
    virtual std::optional<uint16_t> Predict(uint32_t flowHash,
                                            const QbbForwardingTable::Group& ports) const;

    /**
     * \param stream first random stream to use
     * \return streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /**
     * The switch that the selector was given to says so. It may have no ports yet.
     *
     * \param sw the switch, which outlives the selector's last Select()
     */
    virtual void SetSwitch(const QbbSwitch* sw);
};

/**
 * \ingroup rdma
 * Packet spraying: frames of one flow take all equal-cost ports, at random or in turn, and may
 * overtake each other.
 */
class QbbSprayPathSelector : public QbbPathSelector
{
  public:
    /**
     * How the next port is found.
     */
    enum Order : uint8_t
    {
        RANDOM,      //!< each frame at random, all ports alike
        ROUND_ROBIN, //!< one port after the other, with one turn for all frames of the switch
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbSprayPathSelector();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    Order m_order{RANDOM};               //!< attribute Order
    uint32_t m_turn{0};                  //!< frames so far
    Ptr<UniformRandomVariable> m_random; //!< RANDOM
};

} // namespace ns3

#endif /* QBB_PATH_SELECTOR_H */
