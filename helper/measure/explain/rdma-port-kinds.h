/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PORT_KINDS_H
#define RDMA_PORT_KINDS_H

#include "qbb-buffer-manager.h"
#include "qbb-ecn-marker.h"
#include "rdma-bit-rate.h"
#include "rdma-fabric.h"
#include "rdma-port-result.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * Smallest and largest of several numbers.
 */
struct RdmaRange
{
    uint64_t least{UINT64_MAX}; //!< the smallest number
    uint64_t most{0};           //!< the largest number

    /** Considers a number. \param number the number */
    void Add(uint64_t number)
    {
        least = std::min(least, number);
        most = std::max(most, number);
    }

    /** \param to word between the numbers \return "LEAST", or "LEAST TO MOST" if they differ */
    std::string Format(const std::string& to = " to ") const
    {
        return std::to_string(least) + (least == most ? "" : to + std::to_string(most));
    }
};

/**
 * \ingroup rdma-explain
 * Ports of a fabric that have equal roles, rates and thresholds for one class. Their headrooms may
 * differ, as cables do, and the memory that a dynamic threshold depends on.
 */
struct RdmaPortKind
{
    std::string name;       //!< for instance "leaf to host"
    bool ofHost{false};     //!< ports of hosts
    RdmaBitRate rate{0};    //!< line rate
    bool lossless{false};   //!< the ports pause the class at their peers
    QbbIngressTerms buffer; //!< settings of the buffer manager for the first port of a switch
    std::vector<QbbMarkCurve> marks; //!< marking of the egress queues; only for switches
    RdmaRange headroom;              //!< headroom of a port
    RdmaRange neededHeadroom;        //!< result of QbbPfcHeadroom for a port; 0 for hosts
    RdmaRange headroomPool;          //!< headroom of all ports of a pool
    RdmaRange memory;                //!< shared memory of a pool
    std::size_t leastMemory{0};      //!< index of a member with the least shared memory
    std::size_t mostMemory{0};       //!< index of a member with the most shared memory
    /// The ports, by node id and port number
    std::vector<std::shared_ptr<const RdmaFabricPort>> members;
};

/**
 * \ingroup rdma-explain
 * The most ingress ports of a kind that can send to one port of another kind, by the routes.
 */
struct RdmaPortPair
{
    std::size_t from{0};          //!< index of the kind of the ingress ports
    std::size_t to{0};            //!< index of the kind of the egress port
    uint32_t node{0};             //!< node id of the switch
    std::vector<uint16_t> inputs; //!< numbers of the ingress ports
    uint16_t output{0};           //!< number of the egress port
};

/**
 * \ingroup rdma-explain
 * \param sw a switch of a fabric
 * \return a configured copy of the switch's buffer manager; null if it cannot be copied
 */
Ptr<QbbBufferManager> CopyRdmaBuffer(const QbbSwitch& sw);

/**
 * \ingroup rdma-explain
 * Finds a buffer manager whose thresholds can be read. If QbbSwitch::ConfigureBuffer() has run,
 * this is the switch's own buffer manager, with the settings of that call. Otherwise, this is the
 * result of CopyRdmaBuffer().
 *
 * \param sw a switch of a fabric
 * \return the buffer manager; null if there is none that can be read
 */
Ptr<const QbbBufferManager> GetRdmaBuffer(const QbbSwitch& sw);

/**
 * \ingroup rdma-explain
 * Groups the ports of a fabric. A kind is named after the names of its nodes without their numbers:
 * ports of "leaf-0" and "leaf-1" to "host-7" are "leaf to host".
 *
 * \param fabric the fabric
 * \param priority class of the settings, 0..7
 * \return the kinds, in the order of their first ports
 */
std::vector<RdmaPortKind> MakeRdmaPortKinds(const RdmaFabric& fabric, uint8_t priority);

/**
 * \ingroup rdma-explain
 * \param fabric the fabric
 * \param kinds its ports
 * \return the pairs of kinds between which switches forward, each with the ports of the switch and
 *         receiver that have the most ingress ports. Of the switches with equally many ports and
 *         with names that differ only in their numbers, only the first switch is examined.
 */
std::vector<RdmaPortPair> MakeRdmaPortPairs(const RdmaFabric& fabric,
                                            const std::vector<RdmaPortKind>& kinds);

} // namespace ns3

#endif /* RDMA_PORT_KINDS_H */
