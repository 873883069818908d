/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_STORM_H
#define RDMA_TEST_STORM_H

#include "qbb-pfc-watchdog.h"
#include "qbb-storm-source.h"
#include "rdma-event-order.h"
#include "rdma-test-fabric.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A switch and a host that sends pause frames without need.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Hosts 0, 1 and 2 at switch 3. Host 2 gets a long flow, and sends one to host 1.
 *
 * Times are at 100 Gb/s over 1 us, in picoseconds:
 *
 * - A pause frame that a host sends at t arrives at t + 72 x 80 + 1 000 000 = t + 1 005 760 and
 *   takes effect 100 000 later (PauseReactionDelay).
 * - A pause of 65535 quanta lasts 65535 x 512 x 10 = 335 539 200. A storm source repeats it after
 *   half of that, 167 769 600.
 */
class RdmaTestStormCase : public TestCase
{
  protected:
    /** \param name name of the test case */
    explicit RdmaTestStormCase(const std::string& name)
        : TestCase(name)
    {
    }

    /**
     * \param test not built yet
     * \param stop Stop of the storm source at host 2, which starts at 12 us
     * \param period its Period
     */
    void Build(RdmaTestFabric& test, Time stop, Time period = Seconds(0))
    {
        test.SetRetries(50_us, 1000);
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 4'000'000), MakeTestFlow(1, 2, 1, 4'000'000)});
        m_sw = test.fabric->GetSwitch(3);
        m_port = test.fabric->GetDevice(2, 3);
        m_host = test.fabric->GetNic(2)->GetPort(0);
        m_storm = CreateObject<QbbStormSource>();
        m_storm->SetAttribute("Start", TimeValue(MicroSeconds(12)));
        m_storm->SetAttribute("Stop", TimeValue(stop));
        m_storm->SetAttribute("Period", TimeValue(period));
        m_storm->Install(m_host);
    }

    /**
     * Polls every 10 us, storm after 20 us, restored after 30 us.
     *
     * \param action attribute Action
     */
    void AddWatchdog(const std::string& action)
    {
        m_log.clear();
        m_watchdog = CreateObject<QbbPfcWatchdog>();
        m_watchdog->SetAttribute("DetectionTime", TimeValue(MicroSeconds(20)));
        m_watchdog->SetAttribute("RestorationTime", TimeValue(MicroSeconds(30)));
        m_watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(10)));
        m_watchdog->SetAttribute("Action", StringValue(action));
        for (const std::string& name : {std::string("Detected"), std::string("Restored")})
        {
            m_watchdog->TraceConnectWithoutContext(
                "Storm" + name,
                Callback<void, uint32_t, uint8_t>([this, name](uint32_t port, uint8_t priority) {
                    m_log += (m_log.empty() ? "" : " ") + name + ":" + std::to_string(port) + ":" +
                             std::to_string(priority) + "@" + std::to_string(RdmaNow().Get());
                }));
        }
        m_watchdog->Watch(m_sw);
    }

    /** \param at an instant \param what action at the end of that instant */
    template <typename T>
    static void AtEndOf(RdmaPs at, T what)
    {
        Simulator::Schedule(RdmaGetDelay({at, RdmaEventOrder::Observers::At<0>()}, RdmaEventNow()),
                            std::move(what));
    }

    /** \return counters of the storming host's port at the switch */
    QbbStormCounters GetCounters() const
    {
        return m_watchdog->GetCounters(2, 3);
    }

    /** \return frames dropped at that port because of the storm */
    uint64_t GetStormDrops() const
    {
        return RdmaTestBooks::CountDrops(m_port->GetCounters(), QbbDropReason::PFC_STORM);
    }

    Ptr<QbbSwitch> m_sw;            //!< switch 3
    Ptr<QbbNetDevice> m_port;       //!< its port 2, to host 2
    Ptr<QbbNetDevice> m_host;       //!< the port of host 2
    Ptr<QbbStormSource> m_storm;    //!< at host 2
    Ptr<QbbPfcWatchdog> m_watchdog; //!< of the switch
    std::string m_log;              //!< "what:port:class@picoseconds"
};

} // namespace ns3

#endif /* RDMA_TEST_STORM_H */
