/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_SIMULATOR_H
#define RDMA_TEST_SIMULATOR_H

#include <ns3/global-value.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Makes a simulator by its type name, and destroys it at the end of the scope.
 */
class TestSimulatorScope
{
  public:
    static constexpr const char* TYPE = "SimulatorImplementationType"; //!< ns-3's global value

    /** \param type type name of the simulator */
    explicit TestSimulatorScope(const std::string& type)
    {
        Simulator::Destroy();
        GlobalValue::Bind(TYPE, StringValue(type));
        Simulator::GetImplementation();
        GlobalValue::Bind(TYPE, StringValue("ns3::DefaultSimulatorImpl"));
    }

    ~TestSimulatorScope()
    {
        Simulator::Destroy();
    }

    TestSimulatorScope(const TestSimulatorScope&) = delete;
    TestSimulatorScope& operator=(const TestSimulatorScope&) = delete;
};

} // namespace ns3

#endif /* RDMA_TEST_SIMULATOR_H */
