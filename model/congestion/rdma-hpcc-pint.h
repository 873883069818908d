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
 * HPCC over PINT for one queue pair: the switches average U, and a packet brings the highest one of
 * its path in a byte. Acknowledgements without one change nothing. The first one with it begins a
 * round trip and is not reacted to, as in the authors' simulator: the switches' average then still
 * is that of the time before this queue pair.
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
 * Packets that ask for it carry RdmaPintCode::LOWEST, each switch on their way writes what
 * RdmaPintPort::Write() says, the receiver sends the byte back, and RdmaAckSample::utilisation is
 * RdmaPintCode::Decode() of it. What the switches compute is exact but for the byte: tables of
 * logarithms, as a switch would have them, are not simulated.
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

  private:
    uint32_t m_period{1}; //!< attribute SamplePeriod
};

} // namespace ns3

#endif /* RDMA_HPCC_PINT_H */
