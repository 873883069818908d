/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HEADROOM_PROBE_H
#define RDMA_HEADROOM_PROBE_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A link whose PFC headroom is looked for.
 */
struct RdmaHeadroomCase
{
    QbbBitRate rate{100_gbps}; //!< rate of the link
    QbbPs delay{10_ns};        //!< its cable, one way
    uint32_t mtu{1024};        //!< payload of a full packet: 256, 512, 1024, 2048 or 4096
    QbbPs reaction{100_ns};    //!< reaction time of the sender to a pause
};

/**
 * \ingroup rdma
 * How much headroom the link needs, computed and found.
 */
struct RdmaHeadroomFinding
{
    uint64_t formulaBytes{0};  //!< QbbPfcHeadroom
    uint64_t inFlightBytes{0}; //!< of these, its term for what comes in meanwhile
    uint32_t frameBytes{0};    //!< of these, its term for the frame that crosses the threshold
    uint32_t smallestBytes{0}; //!< the smallest headroom with which nothing was lost, by bisection
    uint32_t peakBytes{0};     //!< headroom that was used where there was enough
    uint32_t runs{0};          //!< simulations that this took

    /** \return the smallest over the computed one */
    double GetRatio() const
    {
        return static_cast<double>(smallestBytes) / static_cast<double>(formulaBytes);
    }
};

/**
 * \ingroup rdma
 * \param length length of a cable in metres, 0 to 200 000 000
 * \return its one-way delay at two thirds of the speed of light (5 ns/m), at least 1 ps
 */
QbbPs GetRdmaCableDelay(double length);

/**
 * \ingroup rdma
 * Finds the smallest headroom with which a link loses nothing in the worst case, by bisection over
 * whole simulations: host A, a switch, and host B that lets nothing pass, with real pause frames.
 *
 * The worst case is made, not waited for. A sends full packets of a lossless class back to back;
 * one of them crosses the threshold with its first byte above it. One picosecond before it is
 * there, the port towards A, idle until then, begins a largest frame, so that the pause frame waits
 * for all of it. Behind the crossing packet A sends one shorter packet, and full ones again, so
 * that a full one begins just before the pause takes effect; the length of the shorter one is
 * chosen by simulation with more than enough headroom.
 *
 * Uses ns-3's global simulator, which has to be unused, and destroys it after each run.
 *
 * \param link the link
 * \return what was found
 * \throws std::invalid_argument if a number of the link makes no sense
 */
RdmaHeadroomFinding FindRdmaHeadroom(const RdmaHeadroomCase& link);

} // namespace ns3

#endif /* RDMA_HEADROOM_PROBE_H */
