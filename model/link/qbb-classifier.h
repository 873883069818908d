/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CLASSIFIER_H
#define QBB_CLASSIFIER_H

#include "qbb-frame.h"

#include <array>
#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * Which of the eight classes a frame belongs to.
 *
 * A port trusts either the DSCP of the IP header (DSCP-based PFC, which survives IP routing; Guo et
 * al., "RDMA over Commodity Ethernet at Scale", section 3) or the PCP of the 802.1Q tag
 * (VLAN-based PFC). Frames without what is trusted belong to the default class.
 */
class QbbClassifier
{
  public:
    /** What a port trusts. */
    enum Trust
    {
        TRUST_DSCP, //!< the DSCP of IPv4 packets
        TRUST_PCP   //!< the PCP of tagged frames
    };

    /** DSCP d to class d / 8, PCP p to class p, everything else to class 0. */
    QbbClassifier();

    /** \param trust what decides */
    void SetTrust(Trust trust)
    {
        m_trust = trust;
    }

    /** \return what decides */
    Trust GetTrust() const
    {
        return m_trust;
    }

    /** \param dscp 0..63 \param priority class 0..7 */
    void MapDscp(uint8_t dscp, uint8_t priority);

    /** \param pcp 0..7 \param priority class 0..7 */
    void MapPcp(uint8_t pcp, uint8_t priority);

    /** \param priority class 0..7 of frames without DSCP, or without tag */
    void SetDefault(uint8_t priority);

    /** \param dscp 0..63 \return the class that the DSCP table gives it */
    uint8_t ClassifyDscp(uint8_t dscp) const
    {
        return m_dscp[dscp & 63];
    }

    /** \param priority class 0..7 \return the lowest DSCP that the table maps to it, if any */
    std::optional<uint8_t> FindDscp(uint8_t priority) const;

    /** \param frame a frame \return its class */
    uint8_t Classify(const QbbFrameHeaders& frame) const
    {
        if (m_trust == TRUST_DSCP)
        {
            return frame.ipv4 ? m_dscp[frame.dscp] : m_default;
        }
        return frame.tagged ? m_pcp[frame.tci >> 13] : m_default;
    }

  private:
    Trust m_trust{TRUST_DSCP};        //!< what decides
    uint8_t m_default{0};             //!< class of frames without it
    std::array<uint8_t, 64> m_dscp{}; //!< class of a DSCP
    std::array<uint8_t, 8> m_pcp{};   //!< class of a PCP
};

} // namespace ns3

#endif /* QBB_CLASSIFIER_H */
