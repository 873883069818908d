/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-congestion-control.h"
#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <cstdint>
#include <numeric>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Queue pairs of one host, each with a fixed rate, share the host's port.
 */

using namespace ns3;

namespace
{

/** A controller with a fixed rate. */
class FixedRateController : public RdmaRateController
{
  public:
    /** \param rate the rate */
    explicit FixedRateController(RdmaBitRate rate)
        : m_rate(rate)
    {
    }

    RdmaBitRate GetRate(RdmaPs /* now */) override
    {
        return m_rate;
    }

    bool HasWindow() const override
    {
        return false;
    }

    bool UsesAcks() const override
    {
        return false;
    }

  private:
    RdmaBitRate m_rate; //!< the rate
};

/** Congestion control with a fixed rate. */
class FixedRateControl : public RdmaCongestionControl
{
  public:
    /** \param rate the rate */
    explicit FixedRateControl(RdmaBitRate rate)
        : m_rate(rate)
    {
    }

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& /* profile */) const override
    {
        return std::make_unique<FixedRateController>(m_rate);
    }

  private:
    RdmaBitRate m_rate; //!< the rate
};

/**
 * Queue pairs of one host send for ever, each to a host of its own.
 *
 * \param lineGbps rate of all links
 * \param gbps rates of the queue pairs
 * \param catchUp attribute PaceCatchUp of the NIC
 * \return rates on the line, in Gb/s
 */
std::vector<double>
Measure(uint64_t lineGbps, const std::vector<uint64_t>& gbps, bool catchUp)
{
    const auto flows = static_cast<uint32_t>(gbps.size());
    RdmaTestFabric test;
    test.helper.SetNicAttribute("PaceCatchUp", BooleanValue(catchUp));
    test.Install(MakeRdmaStar(flows + 1, MakeTestRates(lineGbps, lineGbps, 1000)), {});
    std::vector<Ptr<RdmaQueuePair>> senders;
    for (uint32_t i = 0; i < flows; ++i)
    {
        test.fabric->GetNic(flows)->SetCongestionControl(
            CreateObject<FixedRateControl>(gbps[i] * 1_gbps));
        senders.push_back(test.fabric->Connect(flows, i, 3).first);
        RdmaSendRequest request;
        request.length = RDMA_MAX_MESSAGE_BYTES;
        senders.back()->PostSend(request);
    }
    std::vector<double> result(flows);
    const auto count = [&](double sign) {
        for (uint32_t i = 0; i < flows; ++i)
        {
            // 1024 bytes with 62 of headers and FCS and 20 of preamble and gap, in 4 ms
            const auto packets = static_cast<double>(senders[i]->GetStats().packetsSent);
            result[i] += sign * packets * 1106 * 8 / 4e6;
        }
    };
    test.Run(1_ms);
    count(-1);
    test.Run(4_ms);
    count(1);
    return result;
}

/** Rates whose sum the port can carry. */
class SetRatesTestCase : public TestCase
{
  public:
    SetRatesTestCase()
        : TestCase("queue pairs that share a port keep their rates")
    {
    }

  private:
    void DoRun() override
    {
        const struct
        {
            uint64_t line;
            std::vector<uint64_t> rates;
        } cases[] = {
            {100, {37}},
            {100, {30, 30, 30}},
            {100, {60, 30}},
            {100, {80, 10}},
            {100, {33, 21, 17, 13, 7}},
            {1600, {700, 400, 300}},
        };

        for (const auto& [line, rates] : cases)
        {
            const auto measured = Measure(line, rates, true);
            for (std::size_t i = 0; i < rates.size(); ++i)
            {
                const auto rate = static_cast<double>(rates[i]);
                NS_TEST_EXPECT_MSG_EQ_TOL(measured[i], rate, 0.003 * rate, rates.size());
            }
        }
    }
};

/** A wait for many others. */
class LongWaitTestCase : public TestCase
{
  public:
    LongWaitTestCase()
        : TestCase("a wait for more packets than one is made up for by one packet")
    {
    }

  private:
    void DoRun() override
    {
        // Packets of the first are due every 2.2 packet times of the port. When many of the others
        // are due at once, the round robin lets it wait for longer.
        const auto measured = Measure(100, {45, 1, 2, 3, 4, 5, 6, 7, 8, 9}, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[0], 44, 1, "waits for up to nine packets");
        for (uint32_t i = 1; i < 10; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(measured[i],
                                      i,
                                      0.003 * i,
                                      "waits for its rate's time at most");
        }
    }
};

/** Rates whose sum exceeds the port. */
class TooMuchTestCase : public TestCase
{
  public:
    TooMuchTestCase()
        : TestCase("catching up gives nobody more than the rate that is set")
    {
    }

  private:
    void DoRun() override
    {
        // The round robin gives 20 Gb/s to the third. The others share the rest.
        const auto measured = Measure(100, {70, 60, 20}, true);
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[0], 40, 0.2, "more than its share is asked for");
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[1], 40, 0.2, "more than its share is asked for");
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[2], 20, 0.1, "less than its share is asked for");
    }
};

/** PaceCatchUp false. */
class LostRatesTestCase : public TestCase
{
  public:
    LostRatesTestCase()
        : TestCase("without catching up, waiting for the port lowers the rates")
    {
    }

  private:
    void DoRun() override
    {
        // A has 60 Gb/s and B 30 Gb/s. In units of a packet's time on the line, A's packets are due
        // 5/3 after the last one and B's 10/3. A sends at 0 and B at 1. A's next packet, due at
        // 5/3, waits for B's until 2, and A's packet after that leaves at 11/3. B's next packet,
        // due at 13/3, waits for A's until 14/3. So the pattern repeats after 11/3, with two
        // packets of A and one of B.
        const auto measured = Measure(100, {60, 30}, false);
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[0], 600.0 / 11, 0.1, "60 Gb/s is set");
        NS_TEST_EXPECT_MSG_EQ_TOL(measured[1], 300.0 / 11, 0.1, "30 Gb/s is set");
    }
};

/** The suite. */
class RdmaPacingTestSuite : public TestSuite
{
  public:
    RdmaPacingTestSuite()
        : TestSuite("rdma-pacing")
    {
        AddTestCase(new SetRatesTestCase);
        AddTestCase(new LongWaitTestCase);
        AddTestCase(new TooMuchTestCase);
        AddTestCase(new LostRatesTestCase);
    }
};

RdmaPacingTestSuite g_rdmaPacingTestSuite; //!< registers itself

} // namespace
