/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PINT_H
#define RDMA_PINT_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Utilisation of a link in one byte: a logarithm to the base (1 + 0.025)^2, rounded at random so
 * that decoded values are unbiased (Ben Basat et al., "PINT: Probabilistic
 * In-band Network Telemetry", SIGCOMM 2020: approximation, with 8 bits and epsilon 0.025).
 *
 * 0 in a packet means that the packet does not ask for the utilisation. 1 is a utilisation of 0.001
 * or less, 255 a utilisation of 280 or more. A greater byte is a greater utilisation, so a switch
 * writes the maximum of its own byte and the packet's.
 */
class RdmaPintCode
{
  public:
    static constexpr uint8_t NONE = 0;   //!< the packet does not ask for the utilisation
    static constexpr uint8_t LOWEST = 1; //!< initial byte of a packet that asks for the utilisation
    static constexpr uint8_t HIGHEST = 255; //!< byte of the highest utilisation

    /**
     * \param utilisation of a link, 0 and above
     * \param random 32 random bits
     * \return the byte, LOWEST to HIGHEST
     */
    static uint8_t Encode(double utilisation, uint32_t random);

    /** \param code the byte \return the utilisation; negative for NONE */
    static double Decode(uint8_t code);
};

/**
 * \ingroup rdma
 * Switch side of HPCC over PINT: the utilisation of one port, averaged over the base round-trip
 * time T.
 *
 * At each departure U = (1 - w) U + w (queue / (B x T) + b / (B x tau)), where tau is the time
 * since the previous departure, w = min(tau / T, 1), and b is the bytes of the previous frame.
 */
class RdmaPintPort
{
  public:
    /**
     * \param rate B of the port, above 0
     * \param baseRtt base round-trip time T of the network, above 0
     */
    RdmaPintPort(RdmaBitRate rate, RdmaPs baseRtt);

    /** \param rate B of the port from now on, above 0 */
    void SetRate(RdmaBitRate rate)
    {
        m_perByte = 8e12 / static_cast<double>(rate);
    }

    /**
     * A frame of any class begins its transmission.
     *
     * \param bytes of the frame on the line
     * \param queueBytes waiting in the queue of the class whose packets carry the PINT byte
     * \param now current time
     */
    void OnDeparture(uint32_t bytes, uint64_t queueBytes, RdmaPs now);

    /** \return utilisation U after the last departure */
    double GetUtilisation() const
    {
        return m_utilisation;
    }

    /**
     * \param code PINT byte of the departing frame
     * \param random 32 random bits
     * \return the byte to write: NONE if \p code is NONE, else the maximum of \p code and this
     *         port's byte
     */
    uint8_t Write(uint8_t code, uint32_t random) const;

  private:
    double m_perByte;        //!< picoseconds per byte on the line
    double m_baseRttPs;      //!< base round-trip time T in picoseconds
    double m_utilisation{0}; //!< averaged utilisation U
    RdmaPs m_last{-1};       //!< time of the last departure; negative: none yet
    uint32_t m_lastBytes{0}; //!< bytes of the last frame
};

} // namespace ns3

#endif /* RDMA_PINT_H */
