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
 * State of an egress port and a class at the moment when a congestion detector decides about a
 * frame: when the frame joins the queue of the port (output-queued switch), or is chosen from its
 * virtual output queue (input-queued switch).
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
 * Decides for each ECN-capable packet whether its egress port is congested, and marks the packet CE
 * if so. A subclass makes the decision (IsCongested()); this class calls the subclass and marks.
 * QbbSwitch shows the packets to the detector of its attribute CongestionDetector. Each switch has
 * its own detector.
 *
 * A detector does not switch off the curve of a QbbEcnMarker. If the attribute EcnMarker of the
 * switch is set as well, a packet is marked if the detector or the curve says so. A detector
 * decides in place of the curve if EcnMarker is null. RdmaFabricHelper leaves EcnMarker null if a
 * detector is set, unless EnableEcn(true) or SetEcnAttribute() asks for both.
 *
 * The two subclasses are the congestion detectors of Liu et al., "Implementation of PFC and RCM for
 * RoCEv2 Simulation in OMNeT++" (OMNeT++ Summit 2015), section IV. In an input-queued switch the
 * detector sees a packet that leaves its virtual output queue ("each successful arbitration"),
 * before the packet crosses a crossbar. An output-queued switch has no arbitration among inputs:
 * the detector sees a packet that is about to enter the port's queue. This class then sets
 * inputsRate to twice the port's rate, since a queue that is not paused grows only if more arrives
 * than the port can send.
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
