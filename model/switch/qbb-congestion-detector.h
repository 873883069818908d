/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CONGESTION_DETECTOR_H
#define QBB_CONGESTION_DETECTOR_H

#include "qbb-bit-rate.h"
#include "qbb-marker.h"
#include "qbb-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a switch knows of an egress port and a class when a frame is chosen to leave there.
 */
struct QbbArbitration
{
    uint16_t output{0};       //!< egress port
    uint8_t priority{0};      //!< class, 0..7
    uint64_t waitingBytes{0}; //!< bytes of the class that wait for the port, the frame included
    QbbBitRate outputRate{0}; //!< line rate of the port
    QbbBitRate inputsRate{0}; //!< sum of the line rates of the inputs that compete for it
    QbbPs pausedTime{0};      //!< how long the class has been paused at the port so far
    QbbPs now{0};             //!< the instant
};

/**
 * \ingroup rdma
 * Says whether an egress port is congested, frame by frame, in place of the curve of a
 * QbbEcnMarker. Packets that leave a congested port are marked CE if they are ECN-capable. Each
 * switch has a detector of its own.
 *
 * The two kinds are the congestion detectors of Liu et al., "Implementation of PFC and RCM for
 * RoCEv2 Simulation in OMNeT++" (OMNeT++ Summit 2015), section IV. An input-queued switch asks
 * whenever a port takes a frame from its queue ("each successful arbitration"). An output-queued
 * one has no arbitration among inputs: it asks when a frame goes into the port's queue, and counts
 * inputsRate as twice the port's rate, since a queue that is not paused grows only where more
 * comes in than the port can send.
 */
class QbbCongestionDetector : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param nPorts ports of the switch; forgets what was known of them */
    virtual void Prepare(uint32_t nPorts) = 0;

    /**
     * \param arbitration what is known
     * \return true if packets are to be marked
     */
    virtual bool IsCongested(const QbbArbitration& arbitration) = 0;

    // QbbMarker
    void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued) override;
    uint8_t GetMoments() const override;
    void FrameJoins(QbbPort& egress, QbbFrame& frame) override;
    void FrameChosen(QbbPort& egress, QbbFrame& frame, QbbBitRate inputsRate) override;

  private:
    void Mark(const QbbArbitration& arbitration, QbbPort& egress, QbbFrame& frame);

    bool m_isInputQueued{false}; //!< frames wait in virtual output queues
};

/**
 * \ingroup rdma
 * RCM-1a: InfiniBand's root and victim of congestion (IBA volume 1, annex A10.2.1), for PFC.
 *
 * More than Threshold waits. A port that has credits, and is limited by its own rate, is the root
 * of the congestion; one that waits for credits is its victim. PFC has no credits: here a port is a
 * victim if the class was paused within the time in which the waiting bytes leave at line rate,
 * which is about while the frame itself was waiting, and else a root.
 */
class QbbRootDetector : public QbbCongestionDetector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Prepare(uint32_t nPorts) override;
    bool IsCongested(const QbbArbitration& arbitration) override;

  private:
    /** An (egress port, class). */
    struct Queue
    {
        QbbPs pausedTime{0}; //!< paused so far, at the latest arbitration
        QbbPs lastPause{0};  //!< an instant not before the end of the latest pause
        bool paused{false};  //!< there was one
    };

    uint32_t m_threshold{30'000}; //!< attribute Threshold
    bool m_victims{false};        //!< attribute MarkVictims
    std::vector<Queue> m_queues;  //!< by egress port and class
};

/**
 * \ingroup rdma
 * RCM-1b: inputs compete that could together send more than the port can, and more than Threshold
 * has built up for it in their buffers. Whether the port is paused does not matter.
 *
 * Inputs compete if they have frames for the port at the same time. That they did so at some
 * arbitration within the time in which the waiting bytes leave at line rate, which is about while
 * these have built up, is enough: an input whose frames are served as they come competes, too.
 */
class QbbThresholdDetector : public QbbCongestionDetector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Prepare(uint32_t nPorts) override;
    bool IsCongested(const QbbArbitration& arbitration) override;

  private:
    /** An (egress port, class). */
    struct Queue
    {
        QbbPs lastCompeted{0}; //!< latest arbitration at which inputs competed
        bool competed{false};  //!< there was one
    };

    uint32_t m_threshold{30'000}; //!< attribute Threshold
    std::vector<Queue> m_queues;  //!< by egress port and class
};

} // namespace ns3

#endif /* QBB_CONGESTION_DETECTOR_H */
