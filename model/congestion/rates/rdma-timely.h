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
 * TIMELY, whose rate follows the gradient of the round-trip time, and patched TIMELY, whose rate
 * follows the round-trip time itself.
 *
 * A completion event of the paper stands for SegmentSize acknowledged payload bytes. Its round-trip
 * time is that of the packet whose acknowledgement completes these bytes, from the beginning of the
 * packet's transmission. Alpha is the weight of a new difference: diff <- (1 - Alpha) diff + Alpha
 * (new - previous). The paper's formula makes the rate negative when a gradient is above 1 / Beta.
 * Here one update removes at most the fraction MaxDecrease of the rate, and the rate never falls
 * below MinRate. A queue pair begins at InitialRate. Losses do not change the rate.
 *
 * With Events = Acks each ACK and each NAK is a completion event, if the round-trip time of its
 * packet is known. A NAK of IRN acknowledges the packet that arrived behind a hole, so a queue pair
 * that recovers from losses changes its rate as well. Delta, and the cut above THigh, are then in
 * proportion to the time since the last event, up to MinRtt, and HaiThreshold counts differences
 * that are not smoothed. This is the code that R. Mittal published with the first paper, for events
 * of single packets. Its comments recommend Alpha 0.02, TLow 0 where single packets are paced,
 * THigh 1 ms and a Delta of 10 Mb/s on 10 Gb/s, which is a LineDelta of 0.001; the short name
 * timely-acks has these values.
 *
 * Where packets take several paths, the round-trip time is the mean of round trips, in which a new
 * one has the weight SpreadRttGain. Differences of single round trips would be those between paths.
 *
 * TIMELY has no unique fixed point: flows that share a port may keep unequal rates for ever.
 * Patched TIMELY has one: with n flows on a link of rate C, each flow gets C / n, and round-trip
 * times settle at RttRef (1 + n Delta / (PatchedBeta C)).
 *
 * Sources: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
 * algorithm 1; Zhu et al., "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT
 * 2016, section 4.3 and algorithm 2. MaxDecrease is from the code that R. Mittal published with the
 * first paper (timely-code-snippet.cc), which eRPC uses. MinRtt, 20 us, is from the second paper,
 * its authors' simulator and HPCC's simulator. MinRate, 100 Mb/s, is from these two simulators; no
 * paper gives a value.
 */
class RdmaTimely : public RdmaCongestionControl
{
  public:
    /** Events that change the rate. */
    enum Events
    {
        SEGMENTS, //!< one for each SegmentSize acknowledged bytes
        ACKS,     //!< one for each ACK and NAK
    };

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

    double GetSpreadRttGain() const override
    {
        return m_spreadRttGain;
    }

    RdmaPs GetAcceptedDelay(const RdmaPathProfile& profile) const override;

  private:
    class Controller;

    Events m_events{SEGMENTS};   //!< attribute Events
    Time m_tLow;                 //!< attribute TLow
    Time m_tHigh;                //!< attribute THigh
    Time m_minRtt;               //!< attribute MinRtt
    Time m_rttRef;               //!< attribute RttRef
    double m_alpha{0.875};       //!< attribute Alpha
    double m_beta{0.8};          //!< attribute Beta
    double m_maxDecrease{0.5};   //!< attribute MaxDecrease
    double m_patchedBeta{0.008}; //!< attribute PatchedBeta
    double m_lineDelta{0};       //!< attribute LineDelta
    DataRate m_delta;            //!< attribute Delta
    DataRate m_minRate;          //!< attribute MinRate
    DataRate m_initialRate;      //!< attribute InitialRate
    uint32_t m_segment{16384};   //!< attribute SegmentSize
    uint32_t m_hai{5};           //!< attribute HaiThreshold
    bool m_patched{false};       //!< attribute Patched
    double m_spreadRttGain{1};   //!< attribute SpreadRttGain
};

} // namespace ns3

#endif /* RDMA_TIMELY_H */
