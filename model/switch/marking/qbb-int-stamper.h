/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INT_STAMPER_H
#define QBB_INT_STAMPER_H

#include "qbb-marker.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes a record of in-band network telemetry (RdmaIntHop) into each departing packet that has
 * room for it. As in HPCC's switches, a record holds rate, bytes sent, queue length and time.
 *
 * Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 4.1.
 */
class QbbIntStamper final : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    uint8_t GetMoments() const override;
    void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start) override;
};

} // namespace ns3

#endif /* QBB_INT_STAMPER_H */
