/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PATH_SELECTOR_H
#define QBB_PATH_SELECTOR_H

#include "qbb-forwarding-table.h"
#include "qbb-frame.h"
#include "qbb-sole-switch.h"
#include "rdma-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <optional>

namespace ns3
{

class QbbSwitch;

/**
 * \ingroup rdma
 * Chooses among the equal-cost ports of a switch for each frame, instead of the switch's ECMP by
 * flow (QbbSwitch::SelectPath()). Each switch has its own selector.
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
     * \param frame the frame to forward
     * \param ports the equal-cost ports, two or more, ascending
     * \return the chosen port
     */
    virtual uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) = 0;

    /**
     * Predicts the port of a flow's frames, for callers that need the path in advance.
     *
     * \param flowHash QbbFlowHash() of the flow
     * \param ports the equal-cost ports, two or more, ascending
     * \return the port, or nothing if the choice depends on more than the flow
     */
    virtual std::optional<uint16_t> Predict(uint32_t flowHash,
                                            const QbbForwardingTable::Group& ports) const;

    /**
     * Tells whether frames of a flow may overtake each other because the selector spreads the flow
     * over several ports. A run with a transport that takes such frames for lost begins with a
     * note.
     *
     * \param roundTrip longest round trip in the empty network. A selector that moves a flow only
     *        after a gap keeps the order of its frames if the gap is not shorter.
     * \return true, the default, if frames of a flow may overtake each other
     */
    virtual bool MayReorder(RdmaPs roundTrip) const;

    /**
     * \param stream first random stream to use
     * \return number of random streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /**
     * Called by the switch when it receives the selector. The switch may have no ports yet. An
     * override calls this function.
     *
     * \param sw the switch, which outlives the selector's last Select()
     */
    virtual void SetSwitch(const QbbSwitch* sw)
    {
        m_switch = sw;
    }

    /** \return the switch that uses the selector */
    QbbSoleSwitch& GetSoleSwitch()
    {
        return m_soleSwitch;
    }

  protected:
    /** \return the switch of SetSwitch(), whose ports Select() chooses from */
    const QbbSwitch& GetSwitch() const
    {
        return *m_switch;
    }

  private:
    const QbbSwitch* m_switch{nullptr}; //!< the switch, from SetSwitch()
    QbbSoleSwitch m_soleSwitch;         //!< the switch that uses the selector
};

} // namespace ns3

#endif /* QBB_PATH_SELECTOR_H */
