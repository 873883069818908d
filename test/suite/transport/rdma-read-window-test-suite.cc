/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

#include <memory>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * READs and a congestion control: requests and IRN's READ responses share a window, and the timer
 * of either side reports a timeout only if the timer has expired.
 */

using namespace ns3;

namespace
{

/** What a queue pair does to its TestControl. */
struct TestControlLog
{
    static uint32_t timeouts; //!< calls of OnTimeout() since the latest reset
};

uint32_t TestControlLog::timeouts = 0;

/** A congestion control with a constant window and the line rate. */
class TestControl : public RdmaCongestionControl
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaReadWindowTestControl")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<TestControl>()
                                .AddAttribute("Packets",
                                              "Window in full packets.",
                                              UintegerValue(1'000'000),
                                              MakeUintegerAccessor(&TestControl::m_packets),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override
    {
        return std::make_unique<Controller>(profile, m_packets);
    }

  private:
    /** Controller of one queue pair. */
    class Controller : public RdmaRateController
    {
      public:
        Controller(const RdmaPathProfile& profile, uint32_t packets)
            : m_rate(profile.lineRate),
              m_bytes(uint64_t{packets} * profile.packetBytes)
        {
        }

        RdmaBitRate GetRate(RdmaPs) override
        {
            return m_rate;
        }

        uint64_t GetWindowBytes() const override
        {
            return m_bytes;
        }

        void OnTimeout(RdmaPs) override
        {
            ++TestControlLog::timeouts;
        }

      private:
        RdmaBitRate m_rate;
        uint64_t m_bytes;
    };

    uint32_t m_packets{0}; //!< value of the attribute Packets
};

NS_OBJECT_ENSURE_REGISTERED(TestControl);

/** A request that waits for room behind READ responses. */
class WaitForRoomTestCase : public TestCase
{
  public:
    WaitForRoomTestCase()
        : TestCase("IRN: acknowledgements of READ responses release a WRITE that waits for room")
    {
    }

  private:
    void DoRun() override
    {
        // The window has ten packets. The READ request of 86 B arrives at 2 015 040. The first of
        // ten responses leaves then and reaches the requester, a frame of 1098 B, 2 176 960 later;
        // its acknowledgement, a frame of 70 B, is back after 2 012 480, at 6 204 480. The
        // responses take less than 10 x 1120 x 80 ps, so that all have left before 3 us. From then
        // to 6 204 480 the window is full, and the WRITE waits.
        constexpr RdmaPs ROOM = 6'204'480_ps;
        for (const RdmaPs at : {3500_ns, 5_us, 6_us})
        {
            RdmaTestPair pair([](RdmaTestFabric& test) {
                SetTestTransport(test, RdmaWireFormat::IRN);
                test.helper.SetCongestionControl("ns3::RdmaReadWindowTestControl");
                test.helper.SetCongestionControlAttribute("Packets", UintegerValue(10));
            });
            pair.Read(1, 10'240);
            RdmaPs began = 0_ps;
            pair.At(at, [&]() {
                RdmaSendRequest request = RdmaTestPair::MakeRequest(2, RdmaWrOpcode::RDMA_WRITE);
                request.length = 1000;
                pair.receiver->PostSend(request);
                pair.receiver->GetPort()->TraceConnectWithoutContext(
                    "PhyTxBegin",
                    Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                        began = packet->GetSize() > 500 && began == 0_ps ? RdmaNow() : began;
                    }));
            });
            pair.test.Run(1_ms);
            const auto done = pair.receiver->GetSendCompletionQueue()->Poll(10);
            NS_TEST_EXPECT_MSG_EQ(RdmaTestPair::ToText(done),
                                  "2 RDMA_WRITE 1000 IBV_WC_SUCCESS; ",
                                  "posted at " << at << ": complete");
            NS_TEST_EXPECT_MSG_EQ(began, ROOM, "posted at " << at << ": sent");
            NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), "1 RDMA_READ 10240 IBV_WC_SUCCESS; ", "READ");
        }
    }
};

/** WRITEs posted at many instants beside READ responses. */
class ManyPostsTestCase : public TestCase
{
  public:
    /** \param control type of the congestion control */
    explicit ManyPostsTestCase(const std::string& control)
        : TestCase("IRN: WRITEs posted beside READ responses at any instant complete, " + control),
          m_control(control)
    {
    }

  private:
    void DoRun() override
    {
        // The READ of 100 KB takes 13 us. A WRITE is posted each 100 ns; each pair of one READ and
        // one WRITE has its own queue pair and runs in its own part of the run.
        RdmaTestFabric test;
        SetTestTransport(test, RdmaWireFormat::IRN);
        test.helper.SetTransportAttribute("BdpCap", UintegerValue(1000));
        test.helper.SetCongestionControl("ns3::Rdma" + m_control);
        test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 1000)), {});
        constexpr uint32_t POSTS = 140;
        uint32_t done = 0;
        for (uint32_t i = 0; i < POSTS; ++i)
        {
            const auto [a, b] = test.fabric->Connect(0, 1);
            b->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
                [&done](const RdmaWorkCompletion& completion) {
                    done += completion.status == RdmaWcStatus::SUCCESS;
                }));
            const auto post = [](Ptr<RdmaQueuePair> qp, RdmaWrOpcode opcode, uint64_t length) {
                RdmaSendRequest request = RdmaTestPair::MakeRequest(0, opcode);
                request.length = length;
                qp->PostSend(request);
            };
            const RdmaPs begin = i * 50_us;
            RdmaTestPair::At(begin, [=, a = a]() { post(a, RdmaWrOpcode::RDMA_READ, 100'000); });
            RdmaTestPair::At(begin + i * 100_ns,
                             [=, b = b]() { post(b, RdmaWrOpcode::RDMA_WRITE, 1000); });
        }
        test.Run(20_ms);
        NS_TEST_EXPECT_MSG_EQ(done, POSTS, "WRITEs");
    }

    std::string m_control;
};

/** READs beside WRITEs in the other direction. */
class BothDirectionsTestCase : public TestCase
{
  public:
    /**
     * \param format packet formats
     * \param control type of the congestion control, or empty
     * \param bytes length of each READ and WRITE
     * \param gbps least goodput of both directions together
     */
    BothDirectionsTestCase(RdmaWireFormat format,
                           const std::string& control,
                           uint64_t bytes,
                           double gbps)
        : TestCase("READs do not take the window of WRITEs, " + GetTestName(format) + ", " +
                   (control.empty() ? "no congestion control" : control)),
          m_format(format),
          m_control(control),
          m_bytes(bytes),
          m_gbps(gbps)
    {
    }

  private:
    void DoRun() override
    {
        // READs and WRITEs in turn, in opposite directions over an idle 100 Gb/s link each way.
        // Both directions can carry 1024 of 1110 bytes, 184 Gb/s together.
        RdmaTestPair pair([&](RdmaTestFabric& test) {
            SetTestTransport(test, m_format);
            if (!m_control.empty())
            {
                test.helper.SetCongestionControl("ns3::Rdma" + m_control);
            }
        });
        constexpr uint32_t COUNT = 300;
        uint32_t posted = 0;
        uint32_t done = 0;
        RdmaPs end = 0_ps;
        const auto post = [&]() {
            posted % 2 ? pair.Post(posted, RdmaWrOpcode::RDMA_WRITE, m_bytes)
                       : pair.Read(posted, m_bytes);
            ++posted;
        };
        pair.sender->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion&) {
                ++done;
                end = RdmaNow();
                if (posted < COUNT)
                {
                    post();
                }
            }));
        for (int i = 0; i < 32; ++i)
        {
            post();
        }
        pair.test.Run(100_ms);
        NS_TEST_ASSERT_MSG_EQ(done, COUNT, "requests");
        const double gbps = 8e3 * static_cast<double>(COUNT * m_bytes) / static_cast<double>(end);
        NS_TEST_EXPECT_MSG_GT(gbps, m_gbps, "goodput of both directions together");
    }

    RdmaWireFormat m_format;
    std::string m_control;
    uint64_t m_bytes;
    double m_gbps;
};

/** Timeouts that a congestion control hears of. */
class TimeoutsTestCase : public TestCase
{
  public:
    TimeoutsTestCase()
        : TestCase("IRN: each timeout of WRITEs and of READ responses is reported once")
    {
    }

  private:
    void DoRun() override
    {
        // Two stages: with more than three packets in flight, the timer goes on from 100 us to
        // 320 us. A link that is down for d from 50 us on: the latest acknowledgement comes a few
        // us later and restarts the timer. Timeouts of a full window follow each 320 us. The
        // retransmission of a recovery is lost as well.
        for (const RdmaPs down : {120_us, 1000_us, 5000_us})
        {
            for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_WRITE, RdmaWrOpcode::RDMA_READ})
            {
                TestControlLog::timeouts = 0;
                RdmaTestPair pair([](RdmaTestFabric& test) {
                    test.helper.SetTransport("ns3::IrnTransport");
                    test.helper.SetTransportAttribute("BdpCap", UintegerValue(64));
                    test.helper.SetTransportAttribute("RetryCount", UintegerValue(1000));
                    // Without errors the fabric has no timer, unless the user sets one.
                    test.helper.SetTransportAttribute("RtoHigh", TimeValue(MicroSeconds(320)));
                    test.helper.SetTransportAttribute("RtoLow", TimeValue(MicroSeconds(100)));
                    test.helper.SetCongestionControl("ns3::RdmaReadWindowTestControl");
                });
                const bool read = opcode == RdmaWrOpcode::RDMA_READ;
                read ? pair.Read(1, 5'000'000) : pair.Post(1, opcode, 5'000'000);
                pair.At(50_us, [&]() { pair.test.fabric->SetLinkUp(read ? 0 : 1, false); });
                pair.At(50_us + down, [&]() { pair.test.fabric->SetLinkUp(read ? 0 : 1, true); });
                pair.test.Run(1_s);
                NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(),
                                      std::string(read ? "1 RDMA_READ" : "1 RDMA_WRITE") +
                                          " 5000000 IBV_WC_SUCCESS; ",
                                      "complete");
                const auto& data = read ? pair.receiver : pair.sender;
                const uint64_t timeouts = data->GetStats().timeouts;
                NS_TEST_EXPECT_MSG_GT(timeouts, 0U, "the link was down for long");
                NS_TEST_EXPECT_MSG_EQ(TestControlLog::timeouts,
                                      timeouts,
                                      (read ? "READ" : "WRITE") << ", " << down << " ps");
            }
        }
    }
};

/** The suite. */
class RdmaReadWindowTestSuite : public TestSuite
{
  public:
    RdmaReadWindowTestSuite()
        : TestSuite("rdma-read-window")
    {
        AddTestCase(new WaitForRoomTestCase);
        AddTestCase(new ManyPostsTestCase("Hpcc"));
        AddTestCase(new ManyPostsTestCase("Swift"));
        AddTestCase(new ManyPostsTestCase("PowerTcp"));
        for (const char* control : {"", "Hpcc", "PowerTcp", "Swift", "Aimd"})
        {
            AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::IRN, control, 65'536, 150));
        }
        AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::ROCE, "", 65'536, 180));
        AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::ROCE, "Swift", 65'536, 150));
        AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::ROCE, "Aimd", 65'536, 150));
        // RoCE's acknowledgement of a WRITE waits for the responses to READs before the WRITE. A
        // window of a round trip, as these controls have, then binds. With the responses in the
        // window the goodput is that of one direction, 90 Gb/s.
        AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::ROCE, "Hpcc", 16'384, 115));
        AddTestCase(new BothDirectionsTestCase(RdmaWireFormat::ROCE, "PowerTcp", 16'384, 115));
        AddTestCase(new TimeoutsTestCase);
    }
};

RdmaReadWindowTestSuite g_rdmaReadWindowTestSuite; //!< registers the suite

} // namespace
