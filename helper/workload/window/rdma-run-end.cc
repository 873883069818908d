/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-end.h"

#include "qbb-time.h"

#include <ns3/simulator.h>

namespace ns3
{

void
StopRdmaRunAt(QbbPs at)
{
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   QbbGetDelay(QbbEventTime(at, 0), QbbEventNow()),
                                   [] { Simulator::Stop(); });
}

} // namespace ns3
