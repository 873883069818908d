/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_QUEUE_LENGTH_MARKER_H
#define QBB_QUEUE_LENGTH_MARKER_H

#include "qbb-ecn-marker.h"
#include "qbb-marker.h"

#include <ns3/ptr.h>
#include <ns3/random-variable-stream.h>

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Marks packets of one switch by the curves of a QbbEcnMarker, whose settings it follows at run
 * time. Made by QbbSwitch for its attribute EcnMarker.
 */
class QbbQueueLengthMarker : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbQueueLengthMarker();

    /** \param settings the curves; null: nothing is marked */
    void SetSettings(Ptr<QbbEcnMarker> settings);

    /** The settings have changed. The next packet finds the new curves. */
    void SettingsChanged()
    {
        m_isOld = true;
    }

    void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued) override;
    uint8_t GetMoments() const override;
    int64_t AssignStreams(int64_t stream) override;
    void FrameJoins(QbbPort& egress, QbbFrame& frame) override;
    void FrameDeparts(QbbPort& egress, QbbFrame& frame, QbbPs start) override;

  protected:
    void DoDispose() override;

  private:
    using Curves = std::array<QbbEcnThresholds, 8>; //!< by class

    void Mark(QbbPort& egress, QbbFrame& frame);
    void Update();

    Ptr<QbbEcnMarker> m_settings;        //!< SetSettings()
    Ptr<UniformRandomVariable> m_random; //!< decides where a curve gives a probability
    std::vector<QbbPort*> m_ports;       //!< by port number
    std::vector<Curves> m_curves;        //!< by port number
    bool m_isOld{true};                  //!< SettingsChanged()
};

} // namespace ns3

#endif /* QBB_QUEUE_LENGTH_MARKER_H */
