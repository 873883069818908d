/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REACTION_POINT_H
#define RDMA_REACTION_POINT_H

#include "qbb-frame.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair-sample.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaEndpoint;

/**
 * \ingroup rdma
 * The reaction point (RP) of a queue pair: tells a rate controller what comes back, and holds
 * packets to the rate and the window that it sets.
 *
 * Requests have numbers of their own, and so have IRN's READ responses, which are acknowledged. The
 * controller is told of one stream: how many packets of both went and arrived.
 */
class RdmaReactionPoint
{
  public:
    /**
     * \param endpoint the queue pair, which outlives the reaction point
     * \param pacer holds packets to the rate
     */
    RdmaReactionPoint(RdmaEndpoint& endpoint, std::unique_ptr<RdmaPacer> pacer);

    /** \return what holds packets to the rate */
    RdmaPacer& GetPacer()
    {
        return *m_pacer;
    }

    /** \return true if the window has room for another packet */
    bool HasRoom() const;

    /** \param frame a packet that goes out and will be acknowledged; gets room for telemetry */
    void AskForTelemetry(QbbFrame& frame);

    /**
     * A request packet begins its transmission.
     *
     * \param packet its number
     * \param again it has been sent before
     * \param frame the packet
     * \param now the instant
     */
    void RequestSent(uint64_t packet, bool again, const QbbFrame& frame, QbbPs now);

    /** A response begins that nobody acknowledges (RoCE). \param frame it \param now now */
    void ResponseSent(const QbbFrame& frame, QbbPs now);

    /**
     * A response begins that is acknowledged (IRN).
     *
     * \param response its number
     * \param again it has been sent before
     * \param frame the packet
     * \param now the instant
     */
    void ResponseSent(uint64_t response, bool again, const QbbFrame& frame, QbbPs now);

    /** What an acknowledgement was. */
    struct Acknowledgement
    {
        const QbbFrame& frame; //!< the acknowledgement
        int64_t cause{0};      //!< number of the packet that caused it
        uint64_t before{0};    //!< packets of the stream that were acknowledged before
        uint64_t after{0};     //!< packets of the stream that are acknowledged now
        bool nak{false};       //!< it tells of a gap
    };

    /** \param ack an acknowledgement of requests \param now the instant */
    void RequestsAcked(const Acknowledgement& ack, QbbPs now);

    /** \param ack an acknowledgement of responses \param now the instant */
    void ResponsesAcked(const Acknowledgement& ack, QbbPs now);

    /** A retransmission timer has run out. \param now the instant */
    void TimedOut(QbbPs now);

    /** A CNP came in. \param now the instant */
    void CnpReceived(QbbPs now);

    /** \param sample gets rate, window, round trip and the controller's state */
    void FillSample(RdmaQueuePairSample& sample) const;

  private:
    void Tell(const Acknowledgement& ack, QbbPs rtt, QbbPs now);
    void CheckPace(QbbPs now);

    RdmaEndpoint& m_endpoint;           //!< the queue pair
    std::unique_ptr<RdmaPacer> m_pacer; //!< holds packets to the rate
};

} // namespace ns3

#endif /* RDMA_REACTION_POINT_H */
