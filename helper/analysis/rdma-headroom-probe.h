/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HEADROOM_PROBE_H
#define RDMA_HEADROOM_PROBE_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A link whose required PFC headroom is measured.
 */
struct RdmaHeadroomCase
{
    RdmaBitRate rate{100_gbps}; //!< rate of the link
    RdmaPs delay{10_ns};        //!< one-way delay of the cable
    uint32_t mtu{1024};         //!< payload of a full packet: 256, 512, 1024, 2048 or 4096 bytes
    RdmaPs reaction{100_ns};    //!< reaction time of the sender to a pause frame
};

/**
 * \ingroup rdma
 * PFC headroom that a link needs, as computed and as found by simulation.
 */
struct RdmaHeadroomFinding
{
    uint64_t formulaBytes{0}; //!< headroom computed by QbbPfcHeadroom
    /// Part of formulaBytes for data that arrives before the pause takes effect
    uint64_t inFlightBytes{0};
    uint32_t frameBytes{0};    //!< part of formulaBytes for the frame that crosses the threshold
    uint32_t smallestBytes{0}; //!< smallest headroom without loss, found by bisection
    uint32_t peakBytes{0};     //!< peak use of headroom when headroom was ample
    uint32_t runs{0};          //!< number of simulations

    /** \return smallest headroom without loss divided by the computed headroom */
    double GetRatio() const
    {
        return static_cast<double>(smallestBytes) / static_cast<double>(formulaBytes);
    }
};

/**
 * \ingroup rdma
 * \param length length of a cable in metres, 0 to 200 000 000
 * \return one-way delay of the cable at two thirds of the speed of light (5 ns/m), at least 1 ps
 */
RdmaPs GetRdmaCableDelay(double length);

/**
 * \ingroup rdma
 * Finds the smallest headroom with which a link loses no frame in the worst case, by bisection over
 * complete simulations with real pause frames: host A sends through a switch to host B, which
 * pauses the switch permanently.
 *
 * The simulation constructs the worst case. A sends full packets of a lossless class back to back;
 * the first byte of one packet crosses the XOFF threshold. One picosecond before that packet has
 * arrived, the idle port towards A begins to send a frame of the largest size, so the pause frame
 * waits for the whole frame. After the crossing packet, A sends one shorter packet and then full
 * packets, so that a full packet begins immediately before the pause takes effect. The length of
 * the shorter packet is chosen by simulations with ample headroom.
 *
 * The function uses ns-3's global simulator, which must be unused, and destroys it after each run.
 *
 * \param link the link
 * \return computed and measured headroom
 * \throws std::invalid_argument for a member of \p link that is out of range
 */
RdmaHeadroomFinding FindRdmaHeadroom(const RdmaHeadroomCase& link);

} // namespace ns3

#endif /* RDMA_HEADROOM_PROBE_H */
