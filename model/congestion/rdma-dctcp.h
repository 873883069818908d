/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCTCP_H
#define RDMA_DCTCP_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * \ingroup rdma
 * DCTCP for queue pairs: decreases in proportion to the part of acknowledgements that echo a mark.
 *
 * Once per window, that is when the packets that had been sent at its beginning are acknowledged,
 * alpha <- (1 - Gain) alpha + Gain F, where F is the marked part of the window's acknowledgements.
 * The first mark takes away alpha / 2, and the next one not before all that had been sent then is
 * acknowledged; a window without marks and losses adds AdditiveIncrease packets. A loss (NAK or
 * timeout) halves. There is no slow start: a queue pair begins at the line rate.
 *
 * Form says what that window is: a limit of the packets in flight; or a rate, that of a window in
 * each round trip as it was last measured, with no limit of what is in flight. Both are at least a
 * packet, which is a packet for each round trip: many flows, whose queue makes round trips long,
 * are slow without one of them being starved. What is not used up does not grow.
 *
 * Switches must mark (RdmaFabricHelper::EnableEcn()); the paper's threshold K is Kmin = Kmax = K.
 * With one acknowledgement for several packets each counts as one.
 *
 * Source: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.
 */
class RdmaDctcp : public RdmaCongestionControl
{
  public:
    /** What the algorithm sets. */
    enum Form : uint8_t
    {
        RATE,   //!< the rate at which packets go out
        WINDOW, //!< the packets in flight
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

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
};

} // namespace ns3

#endif /* RDMA_DCTCP_H */
