/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PFC_HEADROOM_H
#define QBB_PFC_HEADROOM_H

#include "qbb-port-profile.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The headroom of a lossless class, term by term.
 */
struct QbbPfcHeadroomTerms
{
    QbbPs wait{0};     //!< the pause frame waits for a largest frame of its own port
    QbbPs pause{0};    //!< the pause frame is sent, preamble to FCS
    QbbPs cable{0};    //!< there and back
    QbbPs reaction{0}; //!< of the peer
    /// W: line bytes, preambles and gaps included, that the peer can send in these times together.
    uint64_t lineBytes{0};
    uint64_t crossingBytes{0}; //!< the frame that went over the threshold
    uint64_t inFlightBytes{0}; //!< frame bytes in lineBytes
    uint64_t lastBytes{0};     //!< the frame that the peer had just begun
    uint64_t totalBytes{0};    //!< crossingBytes + inFlightBytes + lastBytes
};

/**
 * \ingroup rdma
 * Headroom that one lossless (port, priority) needs so that PFC loses nothing, in frame bytes.
 *
 * A frame crosses the threshold with its last bit (store and forward), at time 0. It may be that
 * all of it lies above the threshold, which makes the first term: the frame itself, at most
 * F = peerMaxFrameBytes. Then the peer goes on sending, back to back, until the pause takes effect
 * there, which is at most
 *
 *     T = (M + o) / r     a largest frame M of this port, of any class, had just begun
 *       + (p + 64) / r    the pause frame, 64 B behind a preamble of p = 8 B
 *       + d               the cable
 *       + reaction        of the peer
 *
 * where r is this port's rate in bytes and o = 20 B are the preamble and gap of a frame on the
 * line. What the peer begins before T arrives, also that which it had on the cable at time 0; with
 * its rate r' these are frames whose line time, the last one's excepted, fits in
 *
 *     W = (T + d) r' - g  line bytes, rounded up, g = 12 B the gap behind the crossing frame
 *
 * Line bytes are not buffer bytes: a frame of f bytes takes f + o of the line. The most buffer that
 * W can fill is with frames as large as possible: q = floor(W / (F + o)) of size F, and one (or all
 * of them a little smaller) for the rest: I = q F + max(0, W mod (F + o) - o). A frame that the
 * peer has begun is sent to its end, F bytes at most. So
 *
 *     headroom = F + I + F
 *
 * The bound is reached within a few bytes by a peer that mixes frame sizes; with frames of one size
 * only it is at most F above what can happen.
 *
 * Sources: C. Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 2 (MTU,
 * reaction time and propagation delay make the headroom); the SONiC project, "Dynamically Headroom
 * Calculation", which adds the terms port MTU, twice the cable, peer response and lossless MTU, for
 * a chip that counts in cells and that lets the crossing frame into shared memory; IEEE 802.3
 * 31B.3.7 for the response times of real ports in pause quanta (118 at 40 Gb/s, 394 at 100 Gb/s,
 * 905 at 400 Gb/s).
 */
class QbbPfcHeadroom
{
  public:
    /**
     * \param port the port and its link; its masks are not used
     * \return the bytes that each lossless class of the port needs, and how they come about. Ends
     *         the program with a message if a rate is not in 1 bit/s .. 8 Tb/s, a time not in
     *         0 .. 1 s, a largest frame not in 64 .. 65535 B, or the overhead above 64 B
     */
    static QbbPfcHeadroomTerms GetTerms(const QbbPortProfile& port);

    /**
     * \param port the port and its link
     * \return GetTerms(port).totalBytes
     */
    static uint64_t GetBytes(const QbbPortProfile& port)
    {
        return GetTerms(port).totalBytes;
    }
};

} // namespace ns3

#endif /* QBB_PFC_HEADROOM_H */
