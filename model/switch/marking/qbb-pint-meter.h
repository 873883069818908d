/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PINT_METER_H
#define QBB_PINT_METER_H

#include "qbb-marker.h"
#include "rdma-pint.h"

#include <ns3/ptr.h>
#include <ns3/random-variable-stream.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Switch part of HPCC over PINT: measures port utilisation (RdmaPintPort) for each port and class
 * whose packets request it, and writes it into the PINT byte of departing requests.
 *
 * The measurement of a class begins with the first packet that requests it. Acknowledgements carry
 * the PINT byte back unchanged.
 */
class QbbPintMeter : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbPintMeter();

    /**
     * \param baseRtt base round-trip time T of the network, above 0; call before the first packet
     */
    void SetBaseRtt(RdmaPs baseRtt)
    {
        m_baseRtt = baseRtt;
    }

    /** \return base round-trip time T */
    RdmaPs GetBaseRtt() const
    {
        return m_baseRtt;
    }

    /**
     * \param port port number
     * \param priority class 0..7
     * \return utilisation at the last departure; 0 if no packet of the class has requested it
     */
    double GetUtilisation(uint32_t port, uint8_t priority) const;

    // Inherited from QbbMarker
    uint8_t GetMoments() const override;
    int64_t AssignStreams(int64_t stream) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start) override;

  private:
    /// Meters by class; null: not measured.
    using Port = std::array<std::unique_ptr<RdmaPintPort>, 8>;

    RdmaPs m_baseRtt{1};                 //!< base round-trip time T
    std::vector<Port> m_ports;           //!< meters by port number, up to the highest port in use
    Ptr<UniformRandomVariable> m_random; //!< random rounding
};

} // namespace ns3

#endif /* QBB_PINT_METER_H */
