/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-time.h"

#include <ns3/abort.h>

namespace ns3
{

void
QbbSetTimeResolution()
{
    if (Time::GetResolution() != Time::FS)
    {
        Time::SetResolution(Time::FS);
    }
}

void
QbbCheckTimeResolution()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::FS,
                    "rdma: the module needs femtosecond resolution: create an rdma helper, or call "
                    "Time::SetResolution(Time::FS), before anything else in the program");
}

} // namespace ns3
