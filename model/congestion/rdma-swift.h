/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SWIFT_H
#define RDMA_SWIFT_H

#include "rdma-congestion-control.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Swift: a window that grows by AdditiveIncrease packets in a round trip while the delay is below a
 * target, and shrinks in proportion to what the delay is above it, once per round trip at most.
 *
 * target = BaseTarget + switches on the way x HopDelay + flow scaling, where flow scaling gives
 * small windows, hence many flows, up to FlowScalingRange more: a / sqrt(window) + b, which is
 * FlowScalingRange at FlowScalingMinWindow and 0 at FlowScalingMaxWindow. Windows above that have
 * the same target and nothing but increase and decrease that brings them together; where nothing
 * disturbs the packets, that may end before they are equal. A window below one packet is a pace: a
 * packet every round trip / window. From one packet on the window alone limits.
 *
 * With HopDelay 0 a switch adds what a link of the path takes of its round trip when it is empty,
 * in the mean. Paths of any length and any cables then leave the same time for queues, BaseTarget
 * less one link, and their flows get equal shares of a port. The paper's HopDelay is a constant of
 * the network; one below what a switch and its cable take lets flows of short paths win.
 *
 * The delay is that of the fabric: the whole round trip of a packet, since hosts take no time in
 * this simulator. The paper's second window, of the endpoint delay, would therefore never limit and
 * is not there.
 *
 * A NAK or a timeout takes MaxDecrease away, also once per round trip; the RetxResetThreshold-th
 * timeout in a row leaves MinWindow. A queue pair begins with what fills the empty path.
 *
 * Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020, section 3, algorithm 1.
 */
class RdmaSwift : public RdmaCongestionControl
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    bool NeedsRtt() const override
    {
        return true;
    }

  private:
    class Controller;

    /** \param profile a queue pair \return the delay to aim at without flow scaling */
    QbbPs GetTarget(const RdmaPathProfile& profile) const;

    Time m_baseTarget;            //!< attribute BaseTarget
    Time m_hopDelay;              //!< attribute HopDelay
    Time m_scalingRange;          //!< attribute FlowScalingRange
    double m_scalingMin{0.1};     //!< attribute FlowScalingMinWindow
    double m_scalingMax{0};       //!< attribute FlowScalingMaxWindow
    double m_increase{1};         //!< attribute AdditiveIncrease
    double m_beta{0.8};           //!< attribute Beta
    double m_maxDecrease{0.5};    //!< attribute MaxDecrease
    double m_minWindow{0.001};    //!< attribute MinWindow
    double m_maxWindow{0};        //!< attribute MaxWindow
    uint32_t m_resetThreshold{5}; //!< attribute RetxResetThreshold
};

} // namespace ns3

#endif /* RDMA_SWIFT_H */
