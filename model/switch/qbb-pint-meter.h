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
 * A switch's part in HPCC over PINT: for each port and class whose packets ask for it, the
 * utilisation of the port (RdmaPintPort), of which departing requests get the byte.
 *
 * A class begins to be measured with the first packet that asks. Acknowledgements carry the byte
 * back and keep it as it is.
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

    /** \param baseRtt the network's base round-trip time T, above 0; before the first packet */
    void SetBaseRtt(QbbPs baseRtt)
    {
        m_baseRtt = baseRtt;
    }

    /** \return T */
    QbbPs GetBaseRtt() const
    {
        return m_baseRtt;
    }

    /**
     * \param port port number
     * \param priority class 0..7
     * \return its utilisation at the last departure; 0 if none of its packets has asked
     */
    double GetUtilisation(uint32_t port, uint8_t priority) const;

    // QbbMarker
    uint8_t GetMoments() const override;
    int64_t AssignStreams(int64_t stream) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;

  private:
    using Port = std::array<std::unique_ptr<RdmaPintPort>, 8>; //!< by class; null: not measured

    QbbPs m_baseRtt{1};                  //!< T
    std::vector<Port> m_ports;           //!< by port number, as far as they are in use
    Ptr<UniformRandomVariable> m_random; //!< rounding
};

} // namespace ns3

#endif /* QBB_PINT_METER_H */
