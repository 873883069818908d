/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCTCP_H
#define RDMA_DCTCP_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * \ingroup rdma
 * DCTCP for queue pairs: decreases in proportion to the fraction of acknowledgements that echo a
 * mark.
 *
 * A window ends when all packets that had been sent at its beginning are acknowledged. At its end,
 * alpha <- (1 - Gain) alpha + Gain F, where F is the fraction of marked acknowledgements in the
 * window. The first mark cuts the window by the fraction alpha / 2; no other mark cuts it until all
 * packets sent before the cut are acknowledged. A window without marks and losses adds
 * AdditiveIncrease packets. A loss (NAK or timeout) halves the window. There is no slow start: a
 * queue pair begins at line rate.
 *
 * Form decides how the window is used: as a limit of the packets in flight, or as a rate of one
 * window per latest measured round-trip time, without a limit of the packets in flight. Both forms
 * are at least one packet, or one packet per round trip: many flows that share a long queue become
 * slow, but none starves. A window or rate that a queue pair does not use up does not grow.
 *
 * Where packets take several paths, the fraction of marks is that of all paths, and a queue pair
 * begins with a window that is SpreadWindow times as large: the queues of busy paths, and the
 * packets that wait for slower ones, take room (1.5 in NSCC of uet-htsim, UecSrc::initNscc()).
 *
 * Switches must mark (RdmaFabricHelper::EnableEcn()); the paper's threshold K is Kmin = Kmax = K.
 * An acknowledgement of several packets counts as one acknowledgement.
 *
 * Source: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.
 */
class RdmaDctcp : public RdmaCongestionControl
{
  public:
    /** Quantity that the algorithm sets. */
    enum Form : uint8_t
    {
        RATE,   //!< sending rate
        WINDOW, //!< limit of packets in flight
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    RdmaMarking GetMarking() const override
    {
        return RdmaMarking::STEP;
    }

    bool NeedsEachAck() const override
    {
        return true;
    }

    bool NeedsRtt() const override
    {
        return m_form == RATE;
    }

  private:
    class Controller;

    Form m_form{RATE};        //!< attribute Form
    double m_gain{0.0625};    //!< attribute Gain
    double m_increase{1};     //!< attribute AdditiveIncrease
    double m_initialAlpha{1}; //!< attribute InitialAlpha
    double m_spreadWindow{1}; //!< attribute SpreadWindow
};

} // namespace ns3

#endif /* RDMA_DCTCP_H */
