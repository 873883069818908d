/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SOLE_SWITCH_H
#define QBB_SOLE_SWITCH_H

#include <ns3/object.h>

namespace ns3
{

class QbbSwitch;

/**
 * \ingroup rdma
 * The switch that uses an object with state, such as a path selector: queues, random streams and
 * port numbers in the object belong to one switch.
 */
class QbbSoleSwitch
{
  public:
    /**
     * Aborts with a message if another switch uses the object.
     *
     * \param sw the switch that receives the object
     * \param part the object
     */
    void Take(const QbbSwitch* sw, const Object& part);

    /** \param sw a switch that uses the object no more; another switch changes nothing */
    void Leave(const QbbSwitch* sw)
    {
        if (m_switch == sw)
        {
            m_switch = nullptr;
        }
    }

  private:
    const QbbSwitch* m_switch{nullptr}; //!< the switch that uses the object; null: none
};

} // namespace ns3

#endif /* QBB_SOLE_SWITCH_H */
