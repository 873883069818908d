/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INGRESS_CLASS_H
#define QBB_INGRESS_CLASS_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * An ingress port and a class of frames that arrive there.
 */
struct QbbIngressClass
{
    uint16_t port{0};    //!< ingress port number
    uint8_t priority{0}; //!< class 0..7
};

} // namespace ns3

#endif /* QBB_INGRESS_CLASS_H */
