/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CONGESTION_DETECTOR_H
#define QBB_CONGESTION_DETECTOR_H

#include "qbb-marker.h"
#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * State of an egress port and a class at the moment when a frame is chosen to leave through the
 * port.
 */
struct QbbArbitration
{
    uint16_t output{0};        //!< egress port number
    uint8_t priority{0};       //!< class, 0..7
    uint64_t waitingBytes{0};  //!< bytes of the class that wait for the port, including the frame
    RdmaBitRate outputRate{0}; //!< line rate of the egress port
    RdmaBitRate inputsRate{0}; //!< sum of the line rates of the inputs that compete for the port
    RdmaPs pausedTime{0};      //!< total time that the class has been paused at the port
    RdmaPs now{0};             //!< current instant
};

/**
 * \ingroup rdma
 * Decides for each frame whether its egress port is congested, instead of the curve of a
 * QbbEcnMarker. ECN-capable packets that leave a congested port are marked CE. Each switch has its
 * own detector.
 *
 * The two subclasses are the congestion detectors of Liu et al., "Implementation of PFC and RCM for
 * RoCEv2 Simulation in OMNeT++" (OMNeT++ Summit 2015), section IV. An input-queued switch queries
 * the detector whenever a port takes a frame from a virtual output queue ("each successful
 * arbitration"). An output-queued switch has no arbitration among inputs. It queries the detector
 * when a frame joins the port's queue, and sets inputsRate to twice the port's rate, since a queue
 * that is not paused grows only if more arrives than the port can send.
 */
class QbbCongestionDetector : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** Resets the state of all ports. \param nPorts number of ports of the switch */
    virtual void Prepare(uint32_t nPorts) = 0;

    /**
     * Decides whether the egress port is congested.
     *
     * \param arbitration state of the egress port
     * \return true if the packet is to be marked
     */
    virtual bool IsCongested(const QbbArbitration& arbitration) = 0;

    // Inherited from QbbMarker
    void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued) override;
    uint8_t GetMoments() const override;
    void FrameJoins(QbbPort& egress, QbbFrame& frame) override;
    void FrameChosen(QbbPort& egress, QbbFrame& frame, RdmaBitRate inputsRate) override;

  protected:
    /**
     * Tests whether an instant lies within the drain time of the waiting bytes.
     *
     * \param arbitration state of the egress port
     * \param since a past instant
     * \return true if the time since the instant is at most the time that the waiting bytes take to
     *         leave at line rate
     */
    static bool IsWithinDrain(const QbbArbitration& arbitration, RdmaPs since);

    static constexpr uint32_t PRIORITIES = 8; //!< classes of a port

  private:
    void Mark(const QbbArbitration& arbitration, QbbPort& egress, QbbFrame& frame);

    bool m_isInputQueued{false}; //!< the switch is input-queued
};

} // namespace ns3

#endif /* QBB_CONGESTION_DETECTOR_H */
