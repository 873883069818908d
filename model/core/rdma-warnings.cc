/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-warnings.h"

#include "rdma-ranks.h"

#include <ns3/object.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>

#include <iostream>
#include <mutex>
#include <set>

namespace ns3
{

namespace
{

/** Kinds of the warnings that a simulation has printed. Lives as long as the simulator. */
class PrintedWarnings : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::QbbPrintedWarnings").SetParent<Object>().SetGroupName("Rdma");
        return tid;
    }

    std::set<std::string> kinds; //!< kinds of the warnings
};

} // namespace

std::ostream&
GetRdmaWarnings()
{
    static std::ostream nowhere(nullptr);
    return RdmaRanks::IsFirst() ? std::cerr : nowhere;
}

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

void
RdmaWarnOncePerSimulation(const std::string& kind, const std::string& text)
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    auto printed = simulator->GetObject<PrintedWarnings>();
    if (!printed)
    {
        printed = CreateObject<PrintedWarnings>();
        simulator->AggregateObject(printed);
    }
    if (printed->kinds.insert(kind).second)
    {
        std::cerr << "rdma: warning: " << text << "\n";
    }
}

} // namespace ns3
