/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi, and else rdma-ranks.cc.

#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/global-value.h>
#include <ns3/mpi-interface.h>
#include <ns3/node.h>
#include <ns3/string.h>

#include <cstdio>
#include <limits>

namespace ns3
{

namespace
{

constexpr const char* SIMULATOR_CLASS = "SimulatorImplementationType"; // ns-3's global value

/** MPI of the process, from the first RdmaRanks::Begin() to the end of the program. */
class Session
{
  public:
    Session()
    {
        int count = 0;
        char** arguments = nullptr;
        MpiInterface::Enable(&count, &arguments);
    }

    ~Session()
    {
        if (MpiInterface::IsEnabled())
        {
            MpiInterface::Disable();
        }
    }

    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

} // namespace

bool
RdmaRanks::Begin()
{
    if (MpiInterface::IsEnabled())
    {
        return AreSeveral();
    }
    StringValue before;
    GlobalValue::GetValueByName(SIMULATOR_CLASS, before);
    static const Session session;
    // MpiInterface::Enable() replaces the value by ns-3's simulator for ranks.
    GlobalValue::Bind(SIMULATOR_CLASS, before);
    if (!IsFirst())
    {
        NS_ABORT_MSG_IF(!std::freopen("/dev/null", "w", stdout),
                        "rdma: /dev/null cannot be opened for the output of rank " << GetRank());
    }
    return AreSeveral();
}

uint32_t
RdmaRanks::GetNumber()
{
    return MpiInterface::GetSize();
}

uint32_t
RdmaRanks::GetRank()
{
    return MpiInterface::GetSystemId();
}

bool
RdmaRanks::IsLocal(const Node& node)
{
    return !AreSeveral() || node.GetSystemId() == GetRank();
}

std::vector<std::string>
RdmaRanks::Exchange(const std::string& text)
{
    if (!AreSeveral())
    {
        return {text};
    }
    const MPI_Comm ranks = MpiInterface::GetCommunicator();
    const auto number = static_cast<int>(GetNumber());
    NS_ABORT_MSG_IF(text.size() > std::numeric_limits<int>::max(),
                    "rdma: a rank has " << text.size()
                                        << " bytes of results for the others; accepted: up to "
                                        << std::numeric_limits<int>::max() << " bytes");
    auto size = static_cast<int>(text.size());
    std::vector<int> sizes(number);
    MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, ranks);
    std::vector<std::string> texts;
    for (int rank = 0; rank < number; ++rank)
    {
        std::string other = static_cast<uint32_t>(rank) == GetRank() ? text : "";
        other.resize(sizes[rank]);
        MPI_Bcast(other.data(), sizes[rank], MPI_BYTE, rank, ranks);
        texts.push_back(std::move(other));
    }
    return texts;
}

} // namespace ns3
