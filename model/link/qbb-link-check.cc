/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-link-check.h"

#include "qbb-port.h"
#include "qbb-wire.h"
#include "rdma-refuse.h"

#include <ns3/data-rate.h>

namespace ns3
{

void
CheckQbbLink(const QbbPort& port)
{
    const QbbPort* peer = port.GetPeer();
    RefuseRdmaIf(!peer,
                 "port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 " has no cable, or its cable has no other end");
    const QbbBitRate rate = port.GetLineRate().GetBitRate();
    const QbbBitRate otherRate = peer->GetLineRate().GetBitRate();
    RefuseRdmaIf(rate != otherRate,
                 "the link between nodes ",
                 port.GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 " has ",
                 rate.ToDataRate(),
                 " at one end and ",
                 otherRate.ToDataRate(),
                 " at the other; both ends of a cable need one rate");
    RefuseRdmaIf(port.GetLineOverheadBytes() != peer->GetLineOverheadBytes(),
                 "the link between nodes ",
                 port.GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 ": LineOverhead is ",
                 (port.GetLineOverheadBytes() > 0 ? "true" : "false"),
                 " at port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 " and ",
                 (peer->GetLineOverheadBytes() > 0 ? "true" : "false"),
                 " at port ",
                 peer->GetDeviceIndex(),
                 " of node ",
                 peer->GetNodeId(),
                 "; set LineOverhead alike on both ends");
    const QbbFlowControl& flow = port.GetFlowControl();
    const QbbFlowControl& other = peer->GetFlowControl();
    RefuseRdmaIf(flow.GetLosslessClasses() != other.GetLosslessClasses() ||
                     flow.GetKind() != other.GetKind(),
                 "the link between nodes ",
                 port.GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 ": a class is lossless on one side only (PfcClasses ",
                 +flow.GetLosslessClasses(),
                 " and ",
                 +other.GetLosslessClasses(),
                 ", one bit a class); set FlowControl and PfcClasses alike on both "
                 "ends");
}

void
CheckQbbPauseSlack(const QbbPort& port)
{
    const QbbFlowControl& flow = port.GetFlowControl();
    const uint32_t longest = port.GetMaxFrameBytes() + port.GetLineOverheadBytes();
    RefuseRdmaIf(flow.GetLosslessClasses() &&
                     flow.GetPauseSender().GetSlack() <= port.GetLineRate().BytesToPs(longest),
                 "port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 ": a pause of ",
                 flow.GetSettings().quanta,
                 " quanta, repeated after ",
                 flow.GetSettings().refresh,
                 " of its length, runs out behind a frame of ",
                 longest,
                 " bytes on the line; accepted: PauseQuanta times (1 - "
                 "PauseRefresh) above ",
                 longest * 8.0 / QbbWire::PAUSE_QUANTUM_BITS);
}

} // namespace ns3
