/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-findings-table.h"

#include <string>
#include <vector>

namespace ns3
{

void
PrintRdmaFindingsTable(std::ostream& os,
                       const RdmaClassForecast& forecast,
                       const RdmaClassFindings& findings)
{
    std::vector<std::vector<std::string>> rows = {{"ports",
                                                   "longest queue",
                                                   "fullest ingress",
                                                   "XOFF above",
                                                   "most headroom",
                                                   "headroom",
                                                   "pauses",
                                                   "marks",
                                                   "drops"}};
    for (std::size_t i = 0; i < findings.kinds.size(); ++i)
    {
        const RdmaPortKind& kind = forecast.kinds[i];
        const RdmaKindFindings& found = findings.kinds[i];
        const auto& room = forecast.rooms[i];
        const bool pauses = room && room->pauses;
        rows.push_back({kind.name,
                        std::to_string(found.queue.bytes),
                        kind.ofHost ? "-" : std::to_string(found.ingress.bytes),
                        pauses ? forecast.holds[i].Format("-") : "-",
                        pauses ? std::to_string(found.headroom.bytes) : "-",
                        pauses ? kind.headroom.Format("-") : "-",
                        std::to_string(found.xoffSent),
                        std::to_string(found.marks),
                        std::to_string(found.drops)});
    }
    PrintRdmaColumns(os, rows);
}

} // namespace ns3
