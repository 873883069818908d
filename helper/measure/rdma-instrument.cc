/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-instrument.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaInstrument);

TypeId
RdmaInstrument::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaInstrument").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

void
RdmaInstrument::PrintForecast(std::ostream&)
{
}

void
RdmaInstrument::Finish()
{
}

void
RdmaInstrument::Print(std::ostream&) const
{
}

} // namespace ns3
