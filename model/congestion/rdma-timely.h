/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIMELY_H
#define RDMA_TIMELY_H

#include "rdma-congestion-control.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

namespace ns3
{

/**
 * \ingroup rdma
 * TIMELY: a rate that follows the gradient of the round-trip time; and patched TIMELY, which
 * follows the round-trip time itself.
 *
 * A completion event of the paper is here SegmentSize acknowledged payload bytes; the round trip is
 * that of the packet whose acknowledgement completes them, from the beginning of its transmission.
 * Alpha weighs the new difference: diff <- (1 - Alpha) diff + Alpha (new - previous). The paper's
 * formula makes the rate negative when a gradient is above 1 / Beta; one update takes at most the
 * part MaxDecrease of the rate, and MinRate is left in any case. A queue pair begins at
 * InitialRate; losses change nothing.
 *
 * TIMELY has no unique fixed point: flows that share a port may keep unequal rates for ever. The
 * patched one has: with n flows on a link of rate C, each has C / n, and round trips settle at
 * RttRef (1 + n Delta / (PatchedBeta C)).
 *
 * Sources: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1; Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
 * CoNEXT 2016, section 4.3 and algorithm 2. MaxDecrease: the code that R. Mittal published with the
 * first paper (timely-code-snippet.cc), as eRPC has it. MinRtt, 20 us: the second paper's, and that
 * of its authors' simulator and of HPCC's. MinRate, 100 Mb/s: these two simulators'; no paper has a
 * value.
 */
class RdmaTimely : public RdmaCongestionControl
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

    Time m_tLow;                 //!< attribute TLow
    Time m_tHigh;                //!< attribute THigh
    Time m_minRtt;               //!< attribute MinRtt
    Time m_rttRef;               //!< attribute RttRef
    double m_alpha{0.875};       //!< attribute Alpha
    double m_beta{0.8};          //!< attribute Beta
    double m_maxDecrease{0.5};   //!< attribute MaxDecrease
    double m_patchedBeta{0.008}; //!< attribute PatchedBeta
    DataRate m_delta;            //!< attribute Delta
    DataRate m_minRate;          //!< attribute MinRate
    DataRate m_initialRate;      //!< attribute InitialRate
    uint32_t m_segment{16384};   //!< attribute SegmentSize
    uint32_t m_hai{5};           //!< attribute HaiThreshold
    bool m_patched{false};       //!< attribute Patched
};

} // namespace ns3

#endif /* RDMA_TIMELY_H */
