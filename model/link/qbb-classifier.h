/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CLASSIFIER_H
#define QBB_CLASSIFIER_H

#include "qbb-frame.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * Assigns frames to the eight traffic classes of a port.
 *
 * A port trusts either the DSCP of the IP header (DSCP-based PFC, which survives IP routing; Guo et
 * al., "RDMA over Commodity Ethernet at Scale", section 3) or the PCP of the 802.1Q tag
 * (VLAN-based PFC). Frames without the trusted field belong to the default class.
 */
class QbbClassifier
{
  public:
    /** Header field that a port trusts for the class of a frame. */
    enum Trust
    {
        TRUST_DSCP, //!< DSCP of IPv4 packets
        TRUST_PCP   //!< PCP of frames with an 802.1Q tag
    };

    /** Maps DSCP d to class d / 8, PCP p to class p, and all other frames to class 0. */
    QbbClassifier();

    /** \param trust header field that determines the class */
    void SetTrust(Trust trust)
    {
        Tables tables = *m_tables;
        tables.trust = trust;
        SetTables(tables);
    }

    /** \return header field that determines the class */
    Trust GetTrust() const
    {
        return m_tables->trust;
    }

    /** Maps a DSCP to a class. \param dscp DSCP 0..63 \param priority class 0..7 */
    void MapDscp(uint8_t dscp, uint8_t priority);

    /** Maps a PCP to a class. \param pcp PCP 0..7 \param priority class 0..7 */
    void MapPcp(uint8_t pcp, uint8_t priority);

    /** \param priority class 0..7 of frames without the trusted field (DSCP or PCP) */
    void SetDefault(uint8_t priority);

    /** \param dscp DSCP 0..63 \return class of the DSCP in the DSCP table */
    uint8_t ClassifyDscp(uint8_t dscp) const
    {
        return m_tables->dscp[dscp & 63];
    }

    /** \param priority class 0..7 \return the lowest DSCP mapped to the class, if any */
    std::optional<uint8_t> FindDscp(uint8_t priority) const;

    /** \param frame headers of a frame \return class of the frame */
    uint8_t Classify(const QbbFrameHeaders& frame) const
    {
        const Tables& tables = *m_tables;
        if (tables.trust == TRUST_DSCP)
        {
            return frame.ipv4 ? tables.dscp[frame.dscp] : tables.other;
        }
        return frame.tagged ? tables.pcp[frame.tci >> 13] : tables.other;
    }

  private:
    /** Class of each value of a header field. */
    struct Tables
    {
        Trust trust{TRUST_DSCP};        //!< header field that determines the class
        uint8_t other{0};               //!< class of frames without the trusted field
        std::array<uint8_t, 64> dscp{}; //!< class of each DSCP
        std::array<uint8_t, 8> pcp{};   //!< class of each PCP
    };

    static std::shared_ptr<const Tables> GetDefaultTables();
    void SetTables(const Tables& tables);

    std::shared_ptr<const Tables> m_tables; //!< tables; classifiers with default tables share them
};

} // namespace ns3

#endif /* QBB_CLASSIFIER_H */
