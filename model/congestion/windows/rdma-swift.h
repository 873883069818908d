/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SWIFT_H
#define RDMA_SWIFT_H

#include "rdma-congestion-control.h"

#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Swift: a window that grows by AdditiveIncrease packets per round trip while the delay is below a
 * target. Above the target the window shrinks in proportion to the excess delay, at most once per
 * round trip.
 *
 * target = BaseTarget + switches on the path x HopDelay + flow scaling. Flow scaling raises the
 * target of small windows, hence of many flows, by a / sqrt(window) + b: FlowScalingRange at
 * FlowScalingMinWindow and 0 at FlowScalingMaxWindow. Windows above FlowScalingMaxWindow have equal
 * targets, so only increase and decrease make them converge; where nothing disturbs the packets,
 * they may stay unequal. A window below one packet sets a pace of one packet per round trip /
 * window. From one packet on, only the window limits the flow.
 *
 * With HopDelay 0 each switch adds the share of a link: the path's base round-trip time divided by
 * its number of links. Paths of equal links then leave the same time for queues, BaseTarget less
 * one link, and their flows get equal shares of a port. The paper's HopDelay is a constant of the
 * network; if it is less than the delay of a switch and its cable, flows of short paths get more
 * than their share.
 *
 * With BaseTarget 0 the base target is 25 us, or twice the share of a link if that is more (cables
 * above 6 us, or slow ports). The target is then above the round trip of an empty path by at least
 * the share of a link, whatever the path. Values of BaseTarget and HopDelay that make a target
 * below that round trip are refused, because a window could never grow.
 *
 * The delay is the whole round-trip time of a packet, which is the fabric delay because hosts take
 * no time in this simulator. The paper's second window, for the endpoint delay, would never limit
 * and is omitted.
 *
 * Where packets take several paths, each delay is that of the path of its packet, and the first
 * window is SpreadWindow times as large, because the queues of busy paths, and the packets that
 * wait for slower ones, take room (1.5 in NSCC of uet-htsim, UecSrc::initNscc()). A mean of the
 * delays would not serve: windows of less than a packet would go on shrinking for several round
 * trips.
 *
 * A NAK or a timeout removes the fraction MaxDecrease, also at most once per round trip; the
 * RetxResetThreshold-th consecutive timeout sets the window to MinWindow. A queue pair begins with
 * the window that fills the empty path.
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

    bool NeedsEachAck() const override
    {
        return true;
    }

    bool NeedsRtt() const override
    {
        return true;
    }

    RdmaPs GetAcceptedDelay(const RdmaPathProfile& profile) const override;

  private:
    class Controller;

    /** \param profile the queue pair's path profile \return target delay without flow scaling */
    RdmaPs GetTarget(const RdmaPathProfile& profile) const;

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
    double m_spreadWindow{1};     //!< attribute SpreadWindow
};

} // namespace ns3

#endif /* RDMA_SWIFT_H */
