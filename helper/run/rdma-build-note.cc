/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-build-note.h"

namespace ns3
{

std::string
GetRdmaBuildNote(bool asserts, bool logs)
{
    if (!asserts && !logs)
    {
        return "";
    }
    const std::string what = asserts && logs ? "asserts and logging"
                             : asserts       ? "asserts"
                                             : "logging";
    return "note: this ns-3 has " + what +
           " compiled in; long runs are faster without (see Speed in the manual)";
}

std::string
GetRdmaBuildNote()
{
#ifdef NS3_ASSERT_ENABLE
    constexpr bool ASSERTS = true;
#else
    constexpr bool ASSERTS = false;
#endif
#ifdef NS3_LOG_ENABLE
    constexpr bool LOGS = true;
#else
    constexpr bool LOGS = false;
#endif
    return GetRdmaBuildNote(ASSERTS, LOGS);
}

} // namespace ns3
