/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_APPLICATION_H
#define RDMA_TEST_APPLICATION_H

#include "rdma-application-helper.h"
#include "rdma-client.h"
#include "rdma-server.h"
#include "rdma-test-verbs.h"

#include <ns3/string.h>

#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * An RdmaServer, its clients, and a log of their reports.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Two hosts at one switch as in RdmaTestPair, a server on host 1 and a client on host 0: a byte
 * takes 80 ps, a frame of s bytes gets from host to host in 2 x ((8 + s) x 80 + 1 us) and takes (s
 * + 20) x 80 of the line.
 */
struct ApplicationPair
{
    /** \param format of the transport \param hosts how many, the server is on host 1 */
    explicit ApplicationPair(RdmaWireFormat format = RdmaWireFormat::ROCE, uint32_t hosts = 2)
    {
        SetTestTransport(test, format);
        test.Install(MakeRdmaStar(hosts, MakeTestRates(100, 100, 1000)), {});
    }

    /** \param attributes names and values of the server's attributes, and its start */
    void AddServer(const std::vector<std::pair<std::string, std::string>>& attributes = {},
                   Time start = Time(0))
    {
        RdmaServerHelper helper;
        for (const auto& [name, value] : attributes)
        {
            helper.SetAttribute(name, StringValue(value));
        }
        auto applications = helper.Install(test.fabric->GetNode(1));
        applications.Start(start);
        server = DynamicCast<RdmaServer>(applications.Get(0));
    }

    /**
     * \param attributes names and values of the client's attributes
     * \param start its start
     * \param host its host
     */
    void AddClient(const std::vector<std::pair<std::string, std::string>>& attributes = {},
                   Time start = Time(0),
                   uint32_t host = 0)
    {
        RdmaClientHelper helper(test.fabric->GetAddress(1));
        for (const auto& [name, value] : attributes)
        {
            helper.SetAttribute(name, StringValue(value));
        }
        auto applications = helper.Install(test.fabric->GetNode(host));
        applications.Start(start);
        client = DynamicCast<RdmaClient>(applications.Get(0));
        client->TraceConnectWithoutContext(
            "Iteration",
            Callback<void, const RdmaIteration&>(
                [this](const RdmaIteration& iteration) { iterations.push_back(iteration); }));
        client->TraceConnectWithoutContext(
            "Ended",
            Callback<void, const RdmaClientResult&>(
                [this](const RdmaClientResult& result) { ended.push_back(result); }));
    }

    /** \return the client's measurements, after the run */
    RdmaClientResult Run()
    {
        test.Run();
        return client->GetResult();
    }

    RdmaTestFabric test;                   //!< the fabric
    Ptr<RdmaServer> server;                //!< on host 1
    Ptr<RdmaClient> client;                //!< the last that was added
    std::vector<RdmaIteration> iterations; //!< of all clients
    std::vector<RdmaClientResult> ended;   //!< of all clients
};

} // namespace ns3

#endif /* RDMA_TEST_APPLICATION_H */
