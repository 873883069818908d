/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_QUEUE_LENGTH_MARKER_H
#define QBB_QUEUE_LENGTH_MARKER_H

#include "qbb-ecn-marker.h"
#include "qbb-marker.h"
#include "qbb-port.h"

#include <ns3/ptr.h>
#include <ns3/random-variable-stream.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Marks the packets of a switch according to the curves of a QbbEcnMarker, and follows changes of
 * these curves at run time. QbbSwitch creates a QbbQueueLengthMarker for its attribute EcnMarker.
 */
class QbbQueueLengthMarker final : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbQueueLengthMarker();

    /** \param settings the marking curves; null: no packet is marked */
    void SetSettings(Ptr<QbbEcnMarker> settings);

    /** Called when the settings have changed; the new curves apply from the next packet on. */
    void SettingsChanged()
    {
        m_isOld = true;
        m_leastKmin = 0;
    }

    /**
     * Marks a packet according to the length of its queue.
     *
     * \param egress egress port of the packet
     * \param frame an ECN-capable packet
     */
    void Mark(QbbPort& egress, QbbFrame& frame)
    {
        const uint64_t queueBytes = egress.GetQueues().GetBytes(frame.priority);
        if (queueBytes > m_leastKmin)
        {
            MarkByCurve(egress, frame, queueBytes);
        }
    }

    void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued) override;
    uint8_t GetMoments() const override;
    int64_t AssignStreams(int64_t stream) override;
    void FrameJoins(QbbPort& egress, QbbFrame& frame) override;
    void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start) override;
    std::optional<QbbMarkCurve> DescribeMarks(const QbbPort& egress,
                                              uint8_t priority) const override;

  private:
    void DoDispose() override;

    using Curves = std::array<QbbEcnThresholds, 8>; //!< marking curves, by class

    void MarkByCurve(QbbPort& egress, QbbFrame& frame, uint64_t queueBytes);
    void Update();

    Ptr<QbbEcnMarker> m_settings;        //!< settings from SetSettings(), or null
    Ptr<UniformRandomVariable> m_random; //!< draws marks between Kmin and Kmax
    std::vector<QbbPort*> m_ports;       //!< ports, by number
    std::vector<Curves> m_curves;        //!< marking curves, by port number
    uint64_t m_leastKmin{0};             //!< least Kmin in m_curves; 0 while they are old
    bool m_isOld{true};                  //!< m_curves must be updated
    bool m_isInputQueued{false};         //!< frames wait in virtual output queues
    bool m_countsInput{false};           //!< only the virtual output queue of a packet counts
};

} // namespace ns3

#endif /* QBB_QUEUE_LENGTH_MARKER_H */
