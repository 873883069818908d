/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REACTION_POINT_H
#define RDMA_REACTION_POINT_H

#include "qbb-frame.h"
#include "rdma-pacer.h"
#include "rdma-queue-pair-stats.h"

#include <cstdint>

namespace ns3
{

class RdmaEndpoint;

/**
 * \ingroup rdma
 * The reaction point (RP) of a queue pair: reports feedback to a rate controller and enforces the
 * rate and the window that the controller sets.
 *
 * Requests and IRN's acknowledged READ responses are numbered separately. The rate controller sees
 * a single stream: the packets sent and acknowledged of both kinds together.
 */
class RdmaReactionPoint
{
  public:
    /**
     * \param endpoint the queue pair, which outlives the reaction point
     * \param pacer enforces the rate and the window
     */
    RdmaReactionPoint(RdmaEndpoint& endpoint, RdmaPacer&& pacer);

    /** \return the pacer, which enforces the rate and the window */
    RdmaPacer& GetPacer()
    {
        return m_pacer;
    }

    /** \return true if the window has room for another packet */
    bool HasRoom() const
    {
        return !m_pacer.HasWindow() || HasRoomInWindow();
    }

    /** \param frame an outgoing packet to be acknowledged; receives space for telemetry */
    void AddTelemetryRoom(QbbFrame& frame);

    /**
     * Records that the transmission of a request packet begins.
     *
     * \param packet packet number
     * \param again true for a retransmission
     * \param frame the packet
     * \param now current time
     */
    void RequestSent(uint64_t packet, bool again, const QbbFrame& frame, RdmaPs now);

    /** Records an unacknowledged response (RoCE). \param frame response \param now current time */
    void ResponseSent(const QbbFrame& frame, RdmaPs now);

    /**
     * Records that the transmission of an acknowledged response packet (IRN) begins.
     *
     * \param response packet number in the response stream
     * \param again true for a retransmission
     * \param frame the packet
     * \param now current time
     */
    void ResponseSent(uint64_t response, bool again, const QbbFrame& frame, RdmaPs now);

    /** An acknowledgement of requests or responses. */
    struct Acknowledgement
    {
        const QbbFrame& frame; //!< the acknowledgement's frame
        int64_t cause{0};      //!< number of the packet that triggered the acknowledgement
        uint64_t before{0};    //!< packets acknowledged before this acknowledgement, in any order
        uint64_t after{0};     //!< packets acknowledged after this acknowledgement, in any order
        bool nak{false};       //!< true for a NAK that reports a loss
    };

    /** \param ack an acknowledgement of requests \param now current time */
    void RequestsAcked(const Acknowledgement& ack, RdmaPs now);

    /**
     * \param ack an acknowledgement of responses
     * \param ackedTo all responses below this number are acknowledged
     * \param now current time
     */
    void ResponsesAcked(const Acknowledgement& ack, uint64_t ackedTo, RdmaPs now);

    /** Reports a retransmission timeout. \param now current time */
    void TimedOut(RdmaPs now);

    /** Reports a received CNP. \param now current time */
    void CnpReceived(RdmaPs now);

    /** \param sample receives rate, window, round-trip time and the controller's state */
    void FillSample(RdmaQueuePairSample& sample);

  private:
    bool HasRoomInWindow() const;
    void ReportAcknowledgement(const Acknowledgement& ack, RdmaPs rtt, RdmaPs now);
    void CheckPace(RdmaPs now);

    RdmaEndpoint& m_endpoint; //!< endpoint of the queue pair
    RdmaPacer m_pacer;        //!< enforces the rate and the window
};

} // namespace ns3

#endif /* RDMA_REACTION_POINT_H */
