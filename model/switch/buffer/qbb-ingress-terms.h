/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INGRESS_TERMS_H
#define QBB_INGRESS_TERMS_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Settings that apply to an (ingress port, class), for reports.
 */
struct QbbIngressTerms
{
    bool lossless{false};          //!< frames of the class must not be lost
    uint64_t reserveBytes{0};      //!< reserve of the (port, class)
    uint64_t limitBytes{0};        //!< constant part of the threshold for shared bytes
    double alpha{0};               //!< factor of the pool's free bytes in the threshold
    uint64_t poolBytes{0};         //!< shared bytes of the pool
    uint64_t headroomBytes{0};     //!< maximum headroom of the (port, class)
    uint64_t headroomPoolBytes{0}; //!< headroom of all groups of the pool together

    /** \param other terms \return true if everything but the sizes of memory and headroom is equal
     */
    bool HasSameThreshold(const QbbIngressTerms& other) const
    {
        return lossless == other.lossless && reserveBytes == other.reserveBytes &&
               limitBytes == other.limitBytes && alpha == other.alpha;
    }
};

} // namespace ns3

#endif /* QBB_INGRESS_TERMS_H */
