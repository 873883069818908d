/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_INCAST_H
#define RDMA_RUN_INCAST_H

#include "rdma-flow-runner.h"
#include "rdma-incast-forecast.h"
#include "rdma-incast-trial.h"
#include "rdma-port-kinds.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * A moment of a run at which several flows share an egress port of a switch, and what happens if
 * all these flows begin together.
 */
struct RdmaRunIncast
{
    /** An ingress port of the switch. */
    struct Input
    {
        uint16_t port{0};    //!< number of the port
        std::size_t kind{0}; //!< index of the kind of the port
        uint64_t flows{0};   //!< flows that come through the port
        uint64_t frames{0};  //!< frames of these flows
    };

    std::size_t to{0};         //!< index of the kind of the egress port
    uint32_t node{0};          //!< node id of the switch
    uint16_t output{0};        //!< number of the egress port
    std::string port;          //!< name of the egress port
    std::vector<Input> inputs; //!< ingress ports, by number
    RdmaIncastOutcome outcome; //!< first events

    /** \return flows through all ingress ports */
    uint64_t GetNFlows() const;
};

/**
 * \ingroup rdma-explain
 * Finds the largest incasts of the flows of a run. A flow counts at the egress ports of its path,
 * from its start on, for as long as its bytes take at the line rate of its host. Of the ports of a
 * kind, the port has the largest incast at which most frames would wait if they came at the rates
 * of the hosts and of the ingress ports.
 *
 * \param fabric the fabric
 * \param runner the flows
 * \param kinds ports of the fabric
 * \param priority class of the flows, 0..7
 * \param senders the senders
 * \return the largest incast into a port of each kind, by kind, without kinds of which no port gets
 *         more than it can send
 */
std::vector<RdmaRunIncast> FindRdmaRunIncasts(const RdmaFabric& fabric,
                                              const RdmaFlowRunner& runner,
                                              const std::vector<RdmaPortKind>& kinds,
                                              uint8_t priority,
                                              const RdmaSenderProfile& senders);

/**
 * \ingroup rdma-explain
 * \param incasts result of FindRdmaRunIncasts()
 * \param pair kinds of ingress and egress ports
 * \return most flows that come through one ingress port of the pair's kind in the largest incast
 *         into a port of the pair's other kind; 0: none do
 */
uint64_t CountRdmaRunFlows(const std::vector<RdmaRunIncast>& incasts, const RdmaPortPair& pair);

} // namespace ns3

#endif /* RDMA_RUN_INCAST_H */
