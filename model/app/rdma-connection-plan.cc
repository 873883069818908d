/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-plan.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"
#include "rdma-verbs.h"

#include <ns3/enum.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaConnectionPlan);

namespace
{

/// Names of the class in program options.
const RdmaPartName g_chunksName("chunks",
                                RdmaConnectionPlan::GetTypeId(),
                                "",
                                "the chunks of a flow take all queue pairs");
const RdmaPartName g_inTurnName("in-turn",
                                RdmaConnectionPlan::GetTypeId(),
                                "Spread=InTurn",
                                "flows take the queue pairs in turn");
const RdmaPartName g_outstandingName("outstanding",
                                     RdmaConnectionPlan::GetTypeId(),
                                     "Spread=Outstanding",
                                     "a flow takes the queue pair with the fewest bytes");

} // namespace

TypeId
RdmaConnectionPlan::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaConnectionPlan")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaConnectionPlan>()
            .AddAttribute(
                "Nics",
                "Numbers of the NICs that connections use, with \"+\" between them, or "
                "all.",
                StringValue("all"),
                MakeStringAccessor(&RdmaConnectionPlan::SetNics, &RdmaConnectionPlan::GetNics),
                MakeStringChecker())
            .AddAttribute(
                "Ports",
                "Numbers of the ports of each NIC that connections use, with \"+\" "
                "between them, or all.",
                StringValue("all"),
                MakeStringAccessor(&RdmaConnectionPlan::SetPorts, &RdmaConnectionPlan::GetPorts),
                MakeStringChecker())
            .AddAttribute("QueuePairs",
                          "Queue pairs of a connection for each pair of ports.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaConnectionPlan::m_queuePairs),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute(
                "Spread",
                "How messages spread over the queue pairs. InTurn: each message takes "
                "one, in turn. Outstanding: each message takes the one with the fewest "
                "bytes outstanding. Chunks: each message is divided into chunks, and a "
                "chunk takes the one with the fewest bytes outstanding.",
                EnumValue(CHUNKS),
                RdmaMakeEnumAccessor<Spread>(&RdmaConnectionPlan::m_spread),
                MakeEnumChecker(IN_TURN, "InTurn", OUTSTANDING, "Outstanding", CHUNKS, "Chunks"))
            .AddAttribute("ChunkBytes",
                          "Longest chunk of Spread=Chunks, in bytes. Each chunk is a WRITE with "
                          "immediate data. A longer message has a multiple of as many chunks as "
                          "the connection has queue pairs. 512 KiB is a step of NCCL's buffer "
                          "(NCCL_BUFFSIZE of 4 "
                          "MiB in 8 steps).",
                          UintegerValue(512 << 10),
                          MakeUintegerAccessor(&RdmaConnectionPlan::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>(1, RDMA_MAX_MESSAGE_BYTES))
            .AddAttribute("Depth",
                          "Most chunks, or parts of longer messages, that are posted to a queue "
                          "pair and not acknowledged.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&RdmaConnectionPlan::m_depth),
                          MakeUintegerChecker<uint32_t>(1, 1 << 16))
            .AddAttribute("IdleTimeout",
                          "A queue pair that has sent and received nothing for this time is "
                          "destroyed at both ends, and made again for the next message. 0: never.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaConnectionPlan::m_idleTimeout),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaPs
RdmaConnectionPlan::GetIdleTimeout() const
{
    return RdmaToPs(m_idleTimeout);
}

std::vector<uint32_t>
RdmaConnectionPlan::Parse(const std::string& attribute, const std::string& text)
{
    std::vector<uint32_t> numbers;
    if (text == "all")
    {
        return numbers;
    }
    constexpr uint32_t MOST = 65535;
    uint64_t number = 0;
    bool hasDigit = false;
    for (std::size_t i = 0; i <= text.size(); ++i)
    {
        const char c = i < text.size() ? text[i] : '+';
        const bool isDigit = c >= '0' && c <= '9';
        RefuseRdmaIf((!isDigit && (c != '+' || !hasDigit)) || number > MOST,
                     "RdmaConnectionPlan::",
                     attribute,
                     " \"",
                     text,
                     "\"; accepted: all, or numbers from 0 to ",
                     MOST,
                     " with \"+\" between them");
        if (isDigit)
        {
            number = 10 * number + static_cast<uint64_t>(c - '0');
            hasDigit = true;
            continue;
        }
        numbers.push_back(static_cast<uint32_t>(number));
        number = 0;
        hasDigit = false;
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

bool
RdmaConnectionPlan::Has(const std::vector<uint32_t>& numbers, uint32_t number)
{
    return numbers.empty() || std::binary_search(numbers.begin(), numbers.end(), number);
}

void
RdmaConnectionPlan::SetNics(std::string nics)
{
    m_nics = Parse("Nics", nics);
    m_nicsText = nics;
}

void
RdmaConnectionPlan::SetPorts(std::string ports)
{
    m_ports = Parse("Ports", ports);
    m_portsText = ports;
}

} // namespace ns3
