/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-warn-once.h"

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

void
QbbWarnOnce(const std::string& kind, const std::string& text)
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
