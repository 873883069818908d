/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCTCP_H
#define RDMA_DCTCP_H

#include "rdma-congestion-control.h"

#include <ns3/data-rate.h>

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
 * Form decides what it is that grows and shrinks: a window, or a rate, which is a window for each
 * round trip of the empty path. A window that is not used up does not grow.
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

  private:
    class Controller;

    Form m_form{RATE};        //!< attribute Form
    double m_gain{0.0625};    //!< attribute Gain
    double m_increase{1};     //!< attribute AdditiveIncrease
    double m_initialAlpha{1}; //!< attribute InitialAlpha
    DataRate m_minRate;       //!< attribute MinRate
};

} // namespace ns3

#endif /* RDMA_DCTCP_H */
