/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_LOSS_SETUP_H
#define RDMA_TEST_LOSS_SETUP_H

#include "rdma-test-fabric.h"
#include "rdma-test-loss.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <sstream>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics that lose and reorder packets, with both transports.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * How a run is set up.
 */
struct RdmaTestLossSetup
{
    bool irn{true};         //!< IRN, else RoCE
    bool roceWrites{false}; //!< IRN with RoCE's headers in WRITEs
    bool bdpFc{true};       //!< IRN with BDP-FC
    bool outOfOrder{false}; //!< RoCE with OutOfOrder
    std::string recovery;   //!< attribute LossRecovery, if not the default
    double loss{0};         //!< probability that a frame is lost, see LoseFramesAtRandom()
    std::string spray;      //!< order of packet spraying, if any
};

/**
 * \ingroup rdma-tests
 * \param test a fabric that is not installed yet \param setup how it runs
 */
inline void
ConfigureTestLoss(RdmaTestFabric& test, const RdmaTestLossSetup& setup)
{
    test.helper.SetTransport(setup.irn ? "ns3::IrnTransport" : "ns3::RoceTransport");
    if (setup.irn)
    {
        test.helper.SetTransportAttribute("RtoHigh", TimeValue(MicroSeconds(320)));
        test.helper.SetTransportAttribute("BdpFc", BooleanValue(setup.bdpFc));
        test.helper.SetTransportAttribute("WriteHeaders",
                                          StringValue(setup.roceWrites ? "Roce" : "Irn"));
    }
    else
    {
        test.helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(320)));
        test.helper.SetTransportAttribute("OutOfOrder", BooleanValue(setup.outOfOrder));
    }
    if (!setup.recovery.empty())
    {
        test.helper.SetTransportAttribute("LossRecovery", StringValue(setup.recovery));
    }
    test.helper.SetTransportAttribute("RetryCount", UintegerValue(UINT32_MAX));
    test.helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    if (!setup.spray.empty())
    {
        test.helper.SetPathSelector("ns3::QbbSprayPathSelector");
        test.helper.SetPathSelectorAttribute("Order", StringValue(setup.spray));
    }
}

/**
 * \ingroup rdma-tests
 * \param setup a run \return its name
 */
inline std::string
GetTestName(const RdmaTestLossSetup& setup)
{
    std::ostringstream name;
    name << (setup.irn ? "IRN" : "RoCE") << (setup.roceWrites ? " with RoCE's headers" : "")
         << (setup.bdpFc || !setup.irn ? "" : " without BDP-FC")
         << (setup.outOfOrder ? " with OutOfOrder" : "")
         << (setup.recovery.empty() ? "" : " " + setup.recovery) << ", loss " << setup.loss;
    if (!setup.spray.empty())
    {
        name << ", spraying " << setup.spray;
    }
    return name.str();
}

} // namespace ns3

#endif /* RDMA_TEST_LOSS_SETUP_H */
