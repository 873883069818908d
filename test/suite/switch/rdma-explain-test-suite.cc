/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-explain-report.h"
#include "rdma-test-fabric.h"

#include <ns3/string.h>
#include <ns3/test.h>

#include <functional>
#include <optional>

/**
 * \file
 * \ingroup rdma-tests
 * RdmaExplainReport compared with simulations: the smallest incast that the report forecasts to
 * pause, mark or drop does so in a simulation, and an incast with one sender less does not.
 */

using namespace ns3;

namespace
{

/** A buffer policy of a user: a frame that takes the total above PauseBytes pauses its sender. */
class ExplainOwnBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::ExplainOwnBuffer")
                .SetParent<QbbBufferManager>()
                .AddConstructor<ExplainOwnBuffer>()
                .AddAttribute("PauseBytes",
                              "Bytes of all ports above which senders are paused.",
                              UintegerValue(1),
                              MakeAttribute<UintegerValue, &ExplainOwnBuffer::m_pauseBytes>(),
                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override
    {
        return MakeOnePool(ports, 100'000'000);
    }

    QbbBufferDecision DoAdmit(const Group& group, const Queue&, uint32_t bytes) override
    {
        QbbBufferDecision decision = QbbBufferDecision::Share();
        decision.pause = GetPool(group).used + bytes > m_pauseBytes;
        return decision;
    }

    uint32_t m_pauseBytes{1}; //!< attribute PauseBytes
};

NS_OBJECT_ENSURE_REGISTERED(ExplainOwnBuffer);

/** The effect that a case forecasts and counts. */
enum class Effect
{
    PAUSE,
    MARK,
    DROP,
};

/** Forecasts for a star of 13 hosts with a configuration, and flows of several sizes. */
class ExplainForecastTestCase : public TestCase
{
  public:
    using Configure = std::function<void(RdmaFabricHelper&)>;

    /**
     * \param name name of the case
     * \param effect the effect
     * \param configure sets the attributes of the fabric
     */
    ExplainForecastTestCase(const std::string& name, Effect effect, Configure configure)
        : TestCase(name),
          m_effect(effect),
          m_configure(std::move(configure))
    {
    }

  private:
    /** Results of a run. */
    struct Shown
    {
        std::optional<uint32_t> forecast; //!< smallest number of senders with the effect
        uint64_t count{0};                //!< pauses, marks or drops of the run
        uint64_t explained{0};            //!< the number in the report
    };

    Shown Run(uint32_t senders, uint64_t bytes, uint64_t burst = 0) const
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("ReserveBytes", UintegerValue(0));
        test.SetRetries(50_us, 7);
        m_configure(test.helper);
        std::vector<RdmaFlow> flows;
        for (uint32_t host = 1; host <= senders; ++host)
        {
            flows.push_back(MakeTestFlow(host, host, 0, bytes));
        }
        test.Install(MakeRdmaStar(HOSTS, MakeTestRates(100, 100, 1000)), flows);
        auto report = CreateObject<RdmaExplainReport>();
        report->SetAttribute("Burst", UintegerValue(burst));
        report->Begin(test.fabric, test.runner);
        test.Run(2_ms);
        report->Finish();
        const RdmaIncastForecast& incast = report->GetForecasts().at(0).incasts.at(0);
        const auto& degree = m_effect == Effect::PAUSE  ? incast.smallest.pause
                             : m_effect == Effect::MARK ? incast.smallest.mark
                                                        : incast.smallest.drop;
        Shown shown;
        shown.forecast = degree ? std::optional(degree->senders) : std::nullopt;
        for (const auto& row : test.fabric->GetPortResults())
        {
            shown.count += m_effect == Effect::PAUSE  ? row.xoffSent
                           : m_effect == Effect::MARK ? row.ecnMarks
                                                      : row.drops;
        }
        for (const auto& kind : report->GetFindings().at(0).kinds)
        {
            shown.explained += m_effect == Effect::PAUSE  ? kind.xoffSent
                               : m_effect == Effect::MARK ? kind.marks
                                                          : kind.drops;
        }
        return shown;
    }

    void DoRun() override
    {
        uint32_t compared = 0;
        uint32_t larger = 0;
        for (uint64_t packets = 16; packets <= 96; packets += 4)
        {
            // The order of simultaneous frames is random in a run, but not in the forecast. Only
            // sizes count for which two packets more or less do not change the forecast.
            const uint64_t bytes = packets * PACKET;
            const auto forecast = Run(2, bytes, bytes).forecast;
            if (Run(2, bytes, bytes - 2 * PACKET).forecast != forecast ||
                Run(2, bytes, bytes + 2 * PACKET).forecast != forecast)
            {
                continue;
            }
            if (!forecast)
            {
                const uint64_t all = Run(HOSTS - 1, bytes).count;
                NS_TEST_EXPECT_MSG_EQ(all, 0U, packets << " packets, all hosts");
                continue;
            }
            ++compared;
            larger += *forecast > 2 ? 1 : 0;
            const Shown less = Run(*forecast - 1, bytes);
            const Shown enough = Run(*forecast, bytes);
            NS_TEST_EXPECT_MSG_EQ(less.count, 0U, packets << " packets, one sender less");
            NS_TEST_EXPECT_MSG_GT(enough.count, 0U, packets << " packets, " << *forecast);
            NS_TEST_EXPECT_MSG_EQ(enough.explained, enough.count, "the report counts all");
        }
        NS_TEST_EXPECT_MSG_GT(compared, 4U, "sizes with a forecast");
        NS_TEST_EXPECT_MSG_GT(larger, 1U, "sizes for which two senders do not suffice");
    }

    static constexpr uint64_t PACKET = 1024; //!< payload of a packet
    static constexpr uint32_t HOSTS = 13;    //!< hosts of the star

    Effect m_effect;       //!< the effect that is forecast
    Configure m_configure; //!< sets the attributes
};

/**
 * The forecast of the run's largest incasts: flows that share uplinks, where a port carries more
 * flows than its rate is times that of a host.
 */
class ExplainRunIncastTestCase : public TestCase
{
  public:
    ExplainRunIncastTestCase()
        : TestCase("the flows of the run share links as the forecast says")
    {
    }

  private:
    void DoRun() override
    {
        bool pauses = false;
        bool none = false;
        for (const uint64_t bytes : {10'000, 30'000, 300'000, 1'000'000})
        {
            RdmaTestFabric test;
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(8'000'000));
            std::vector<RdmaFlow> flows;
            // Hosts 0 to 15 are at leaf 0. All flows come through the two uplinks of their leaves.
            for (uint32_t host = 16; host < 48; ++host)
            {
                flows.push_back(MakeTestFlow(host, host, 0, bytes));
            }
            test.Install(MakeRdmaLeafSpine(3, 16, 2, MakeTestRates(100, 200, 1000)), flows);
            auto report = CreateObject<RdmaExplainReport>();
            report->Begin(test.fabric, test.runner);
            test.Run(20_ms);
            const RdmaClassForecast& forecast = report->GetForecasts().at(0);
            const RdmaRunIncast* atHost = nullptr;
            bool forecasts = false;
            for (const RdmaRunIncast& incast : forecast.ofRun)
            {
                forecasts = forecasts || incast.outcome.pause;
                atHost = forecast.kinds[incast.to].name == "leaf to host" ? &incast : atHost;
            }
            NS_TEST_ASSERT_MSG_EQ((atHost != nullptr), true, "an incast into a host");
            NS_TEST_EXPECT_MSG_EQ(atHost->GetNFlows(), 32U, "flows into host 0");
            NS_TEST_EXPECT_MSG_EQ(atHost->inputs.size(), 2U, "uplinks of leaf 0");
            uint64_t xoff = 0;
            for (const auto& row : test.fabric->GetPortResults())
            {
                xoff += row.xoffSent;
            }
            NS_TEST_EXPECT_MSG_EQ(forecasts, (xoff > 0), bytes << " bytes: " << xoff << " pauses");
            pauses = pauses || xoff > 0;
            none = none || xoff == 0;
        }
        NS_TEST_EXPECT_MSG_EQ((pauses && none), true, "sizes with and without pauses");
    }
};

/** A report changes nothing, and explains a fabric without a runner. */
class ExplainBystanderTestCase : public TestCase
{
  public:
    ExplainBystanderTestCase()
        : TestCase("a report changes nothing of a run")
    {
    }

  private:
    static std::string Run(bool explains)
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(700'000));
        test.helper.SetCongestionControl("dcqcn");
        test.helper.EnableEcn(true);
        std::vector<RdmaFlow> flows;
        for (uint32_t host = 1; host < 7; ++host)
        {
            flows.push_back(MakeTestFlow(host, host, 0, 300'000));
        }
        test.Install(MakeRdmaLeafSpine(2, 4, 2, MakeTestRates(100, 100, 1000)), flows);
        auto report = CreateObject<RdmaExplainReport>();
        if (explains)
        {
            report->Begin(test.fabric, nullptr);
        }
        test.Run();
        return test.GetDigest();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(true), Run(false), "digest");
    }
};

/** The suite. */
class RdmaExplainTestSuite : public TestSuite
{
  public:
    RdmaExplainTestSuite()
        : TestSuite("rdma-explain")
    {
        const auto set = [](RdmaFabricHelper& helper, const char* attribute, uint64_t value) {
            helper.SetBufferAttribute(attribute, UintegerValue(value));
        };
        const auto add = [this](const std::string& name, Effect effect, const auto& configure) {
            AddTestCase(new ExplainForecastTestCase(name, effect, configure));
        };
        add("static threshold: pauses", Effect::PAUSE, [set](RdmaFabricHelper& helper) {
            set(helper, "XoffBytes", 40'000);
        });
        add("dynamic threshold: pauses", Effect::PAUSE, [set](RdmaFabricHelper& helper) {
            set(helper, "BufferSize", 1'000'000);
        });
        add("a policy of one's own: pauses", Effect::PAUSE, [](RdmaFabricHelper& helper) {
            helper.SetBufferManager("ns3::ExplainOwnBuffer[PauseBytes=100000]");
        });
        add("step: marks", Effect::MARK, [](RdmaFabricHelper& helper) {
            helper.SetEcnAttribute("Kmin", UintegerValue(100'000));
            helper.SetEcnAttribute("Kmax", UintegerValue(100'000));
            helper.SetEcnAttribute("ScaleWithRate", BooleanValue(false));
        });
        add("lossy class: drops", Effect::DROP, [set](RdmaFabricHelper& helper) {
            helper.SetDeviceAttribute("FlowControl", StringValue("None"));
            set(helper, "EgressLimitBytes", 100'000);
        });
        AddTestCase(new ExplainRunIncastTestCase());
        AddTestCase(new ExplainBystanderTestCase());
    }
};

RdmaExplainTestSuite g_rdmaExplainTestSuite; //!< registers the suite

} // namespace
