/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HPCC_PINT_H
#define RDMA_HPCC_PINT_H

#include "rdma-hpcc.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * HPCC over PINT for one queue pair. Switches average U, and a packet collects the highest U of its
 * path in one byte. Acknowledgements without the byte change nothing. The first acknowledgement
 * with the byte only begins a round trip, as in the authors' simulator: the switches' average still
 * reflects the time before this queue pair.
 */
class RdmaHpccPintController : public RdmaHpccWindow
{
  public:
    using RdmaHpccWindow::RdmaHpccWindow;

    void OnAck(const RdmaAckSample& sample) override
    {
        if (sample.utilisation >= 0 && !Begin(sample))
        {
            React(sample.utilisation, sample);
        }
    }
};

/**
 * \ingroup rdma
 * HPCC over PINT (Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM 2020):
 * HPCC with one byte of telemetry in place of a record for each switch.
 *
 * A packet that asks for the utilisation starts with RdmaPintCode::LOWEST. Each switch on its path
 * replaces the byte by the result of RdmaPintPort::Write(), and the receiver sends the byte back.
 * RdmaAckSample::utilisation is RdmaPintCode::Decode() of the byte. Except for the encoding,
 * switches compute exactly; the logarithm tables of real switches are not simulated.
 */
class RdmaHpccPint : public RdmaHpcc
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    RdmaIntFormat GetIntFormat() const override
    {
        return RdmaIntFormat::NONE;
    }

    uint32_t GetUtilisationPeriod() const override
    {
        return m_period;
    }

    /** \return false: a byte of utilisation speaks of the path of its own packet */
    bool NeedsOnePath() const override
    {
        return false;
    }

  private:
    uint32_t m_period{1}; //!< attribute SamplePeriod
};

} // namespace ns3

#endif /* RDMA_HPCC_PINT_H */
