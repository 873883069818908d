/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_AIMD_H
#define RDMA_AIMD_H

#include "rdma-congestion-control.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Additive increase, multiplicative decrease of a window, as in TCP's congestion avoidance, for
 * transports with selective loss recovery (Mittal et al., "Revisiting Network Support for RDMA",
 * SIGCOMM 2018, section 4.4: IRN with TCP's AIMD).
 *
 * The window counts packets. Each window of acknowledged packets adds Increase to it. A loss (a NAK
 * or a timeout) multiplies the window by Decrease; further losses have no effect until all packets
 * sent before the decrease are acknowledged. There is no slow start: a queue pair begins with
 * InitialWindow. Packets within the window leave at line rate.
 */
class RdmaAimd : public RdmaCongestionControl
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    bool NeedsEachAck() const override
    {
        return true;
    }

  private:
    class Controller;

    double m_initialWindow{0}; //!< attribute InitialWindow
    double m_minWindow{1};     //!< attribute MinWindow
    double m_maxWindow{65536}; //!< attribute MaxWindow
    double m_increase{1};      //!< attribute Increase
    double m_decrease{0.5};    //!< attribute Decrease
};

} // namespace ns3

#endif /* RDMA_AIMD_H */
