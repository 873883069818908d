/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-warn-once.h"

#include <mutex>
#include <set>

namespace ns3
{

void
RdmaWarnOnce(std::ostream& os, const std::string& text)
{
    static std::mutex mutex;
    static std::set<std::string> written;
    const std::lock_guard lock(mutex);
    if (written.insert(text).second)
    {
        os << text;
    }
}

} // namespace ns3
