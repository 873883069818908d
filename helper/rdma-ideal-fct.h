/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_IDEAL_FCT_H
#define RDMA_IDEAL_FCT_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-ideal-fct Ideal flow completion time
 *
 * The time that a message takes along its path when it is alone: sent at line rate into an empty
 * store-and-forward network, from posting to the last bit of the last frame at the receiver, exact
 * to the picosecond.
 *
 * A frame of b bytes (Ethernet header to FCS) that starts at time t on a link of rate r and delay d
 * arrives at t + (preamble + b) / r + d, at which instant the next node may begin to send it; the
 * link is taken until t + (preamble + b + gap) / r. Times of events are whole picoseconds: the end
 * of a frame and the end of the occupancy are rounded down. The remainder carries over to the next
 * frame if that one follows without a pause, so that rounding does not accumulate, and is dropped
 * if the port falls idle.
 * @{
 */

/**
 * \brief One link of a path.
 */
struct RdmaIdealHop
{
    QbbBitRate rate{0}; //!< rate, 1 bit/s to RDMA_MAX_RATE
    QbbPs delay{0};     //!< propagation delay, 0 to RDMA_MAX_DELAY
};

/**
 * \brief The frames of a message. Sizes are from the Ethernet header to the FCS, 1 byte to 1 MiB.
 */
struct RdmaIdealFrames
{
    uint64_t count{0};      //!< number of frames, 1 or more
    uint32_t firstBytes{0}; //!< the first frame, if there are two or more
    uint32_t middleBytes{
        0}; //!< each frame between the first and the last, if there are three or more
    uint32_t lastBytes{0}; //!< the last frame, or the only one
};

/**
 * \brief What a frame takes on the line beside its own bytes.
 */
struct RdmaLineOverhead
{
    uint32_t preambleBytes{8}; //!< preamble and start delimiter, before the frame; at most 1024
    uint32_t gapBytes{12};     //!< inter-packet gap, after the frame; at most 1024
};

/**
 * Cut a message into frames: packets of mtu bytes of payload, the last one shorter and padded (by
 * the IB transport, to a multiple of four bytes), frames no shorter than Ethernet's 64 bytes.
 * \param bytes the message, 1 to RDMA_MAX_FLOW_BYTES
 * \param mtu payload of a full packet in bytes, 1 to 65536
 * \param headerBytes what every frame has beside the padded payload, FCS included; 62 for RoCEv2
 *        over IPv4 without a VLAN tag and without extended transport headers (14 + 20 + 8 + 12 + 4
 *        + 4)
 * \param firstExtraBytes what the first frame has more, for instance the 16 of the RETH of a WRITE
 * \param lastExtraBytes what the last frame has more, for instance the 4 of immediate data; an only
 *        frame has both
 * \param padBytes payload is padded to a multiple of this, 1 to 64; 1 is none, as with TCP
 * \return the frames
 * \throws std::invalid_argument for a number out of range
 */
RdmaIdealFrames MakeRdmaIdealFrames(uint64_t bytes,
                                    uint32_t mtu,
                                    uint32_t headerBytes,
                                    uint32_t firstExtraBytes = 0,
                                    uint32_t lastExtraBytes = 0,
                                    uint32_t padBytes = 4);

/**
 * The ideal completion time. Takes time O(hops^2) if a byte takes a whole number of picoseconds on
 * every link (all usual rates: 1, 2.5, 10, 25, 40, 50, 100, 200, 400, 800 Gb/s), else O(hops x
 * frames).
 * \param path the links from sender to receiver, one or more
 * \param frames the frames of the message
 * \param overhead preamble and gap
 * \return the time
 * \throws std::invalid_argument for a number out of range, or if the time is above RDMA_MAX_TIME
 */
QbbPs GetRdmaIdealFct(const std::vector<RdmaIdealHop>& path,
                      const RdmaIdealFrames& frames,
                      const RdmaLineOverhead& overhead = RdmaLineOverhead());

/** @} */

} // namespace ns3

#endif /* RDMA_IDEAL_FCT_H */
