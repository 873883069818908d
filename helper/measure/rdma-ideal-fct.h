/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_IDEAL_FCT_H
#define RDMA_IDEAL_FCT_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-ideal-fct Ideal flow completion time
 *
 * The completion time of a message without competing traffic: sent at line rate into an empty
 * store-and-forward network, measured from posting to the arrival of the last bit of the last
 * frame, exact to the picosecond.
 *
 * A frame of b bytes (Ethernet header to FCS) that starts at time t on a link of rate r and delay d
 * arrives at t + (preamble + b) / r + d. At that instant, the next node may begin to send the
 * frame. The link is occupied until t + (preamble + b + gap) / r. Times of events are whole
 * picoseconds: the end of a frame and the end of the occupancy are rounded down. The remainder
 * carries over to the next frame if that frame follows without a gap, so rounding errors do not
 * accumulate. The remainder is dropped if the port becomes idle.
 * @{
 */

/** \brief One link of a path. */
struct RdmaIdealHop
{
    RdmaBitRate rate{0}; //!< link rate, 1 bit/s to RDMA_MAX_RATE
    RdmaPs delay{0};     //!< propagation delay, 0 to RDMA_MAX_DELAY
};

/**
 * \brief The frames of a message. Frame sizes include the Ethernet header and the FCS, 1 byte to
 * 1 MiB.
 */
struct RdmaIdealFrames
{
    uint64_t count{0};      //!< number of frames, 1 or more
    uint32_t firstBytes{0}; //!< size of the first of two or more frames
    /// Size of each frame between the first and the last frame, for three or more frames.
    uint32_t middleBytes{0};
    uint32_t lastBytes{0}; //!< size of the last or only frame
};

/** \brief Overhead of a frame on the line in addition to its own bytes. */
struct RdmaLineOverhead
{
    uint32_t preambleBytes{8}; //!< preamble and start delimiter, before the frame; at most 1024
    uint32_t gapBytes{12};     //!< inter-packet gap, after the frame; at most 1024
};

/**
 * Split a message into frames. Each packet carries mtu bytes of payload; the last packet may be
 * shorter and is padded (by the IB transport, to a multiple of four bytes). Frames have at least
 * the 64 bytes that Ethernet requires.
 * \param bytes length of the message, 1 to RDMA_MAX_FLOW_BYTES
 * \param mtu payload of a full packet in bytes, 1 to 65536
 * \param headerBytes bytes of every frame in addition to the padded payload, including FCS; 62 for
 *        RoCEv2 over IPv4 without VLAN tag and extended transport headers (14 + 20 + 8 + 12 + 4 +
 *        4)
 * \param firstExtraBytes additional bytes of the first frame, for instance 16 for the RETH of a
 *        WRITE
 * \param lastExtraBytes additional bytes of the last frame, for instance 4 for immediate data; a
 *        single frame has both additions
 * \param padBytes payload is padded to a multiple of padBytes, 1 to 64; 1: no padding, as with TCP
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
 * Compute the ideal completion time. The computation takes O(hops^2) if a byte takes a whole number
 * of picoseconds on every link (all common rates: 1, 2.5, 10, 25, 40, 50, 100, 200, 400, 800 Gb/s),
 * otherwise O(hops x frames).
 * \param path links from sender to receiver, one or more
 * \param frames the frames of the message
 * \param overhead preamble and inter-packet gap
 * \return the ideal completion time
 * \throws std::invalid_argument for a number out of range, or for a time above RDMA_MAX_TIME
 */
RdmaPs GetRdmaIdealFct(const std::vector<RdmaIdealHop>& path,
                       const RdmaIdealFrames& frames,
                       const RdmaLineOverhead& overhead = RdmaLineOverhead());

/** @} */

} // namespace ns3

#endif /* RDMA_IDEAL_FCT_H */
