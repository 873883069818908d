/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PINT_H
#define RDMA_PINT_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Utilisation of a link in one byte: a logarithm to the base (1 + 0.025)^2, rounded at random so
 * that the mean of what is decoded is what was encoded (Ben Basat et al., "PINT: Probabilistic
 * In-band Network Telemetry", SIGCOMM 2020: approximation, with 8 bits and epsilon 0.025).
 *
 * 0 says that the packet does not ask for it; 1 is a utilisation of 0.001 or less, 255 one of 280
 * or more. A greater byte is a greater utilisation, so that a switch takes the greater one of its
 * own and the packet's.
 */
class RdmaPintCode
{
  public:
    static constexpr uint8_t NONE = 0;      //!< not asked for
    static constexpr uint8_t LOWEST = 1;    //!< a sender that asks for it writes this
    static constexpr uint8_t HIGHEST = 255; //!< the highest utilisation there is

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
 * A switch's part in HPCC over PINT: the utilisation of one port, averaged over the base round-trip
 * time T.
 *
 * At each departure, with tau the time since the one before, w = min(tau / T, 1), and b the bytes
 * of that one: U = (1 - w) U + w (queue / (B x T) + b / (B x tau)).
 */
class RdmaPintPort
{
  public:
    /**
     * \param rate B, above 0
     * \param baseRtt T, above 0, that of the network
     */
    RdmaPintPort(QbbBitRate rate, QbbPs baseRtt);

    /**
     * A frame begins its transmission, of whatever class.
     *
     * \param bytes it has on the line
     * \param queueBytes that wait in the queue of the class that carries the byte
     * \param now the instant
     */
    void OnDeparture(uint32_t bytes, uint64_t queueBytes, QbbPs now);

    /** \return U at the last departure */
    double GetUtilisation() const
    {
        return m_utilisation;
    }

    /**
     * \param code byte of the frame that departs
     * \param random 32 random bits
     * \return its byte from here on: NONE stays, else the greater of it and this port's
     */
    uint8_t Write(uint8_t code, uint32_t random) const;

  private:
    double m_perByte;        //!< picoseconds of a byte on the line
    double m_baseRttPs;      //!< T
    double m_utilisation{0}; //!< U
    QbbPs m_last{-1};        //!< the last departure; negative: none yet
    uint32_t m_lastBytes{0}; //!< its bytes
};

} // namespace ns3

#endif /* RDMA_PINT_H */
