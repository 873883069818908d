/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined transport with an additional packet type, implemented entirely in this file: a
 * receiver-driven variant of RoCE. A requester sends the first packets unsolicited, and every
 * further packet when the responder requests it. Hosts send to one receiver over a lossless fabric.
 * The table shows goodput, queue length and pauses with RoCE and with the user-defined transport.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Opcode of the PULL packet, whose PSN is the first PSN that the requester may not send yet. */
const uint8_t PULL = RegisterRdmaOpcode(
    0xf1,
    [] {
        RdmaOpcodeInfo info;
        info.first = true;
        info.last = true;
        return info;
    }(),
    "PULL");

/** Receiver-driven transport with attributes for its window and its pull interval. */
class PullTransport : public RoceTransport
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PullTransport")
                                .SetParent<RoceTransport>()
                                .AddConstructor<PullTransport>()
                                .AddAttribute("Window",
                                              "Packets that may be under way.",
                                              UintegerValue(8),
                                              MakeUintegerAccessor(&PullTransport::m_window),
                                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                                .AddAttribute("Interval",
                                              "Time between two packets that a responder asks for.",
                                              TimeValue(MicroSeconds(1)),
                                              MakeTimeAccessor(&PullTransport::m_interval),
                                              MakeTimeChecker(PicoSeconds(1)));
        return tid;
    }

    const RdmaPacketFormat& GetPacketFormat() const override
    {
        // A distinct object, because this transport is not compatible with RoCE.
        static const RdmaPacketFormat format = RoceTransport::GetPacketFormat();
        return format;
    }

    std::unique_ptr<RdmaSender> MakeSender(const RdmaRetryLimits& limits) const override;
    std::unique_ptr<RdmaRequester> MakeRequester(RdmaEndpoint& endpoint) const override;
    std::unique_ptr<RdmaResponder> MakeResponder(RdmaEndpoint& endpoint) const override;

  private:
    uint32_t m_window{8}; //!< value of the attribute Window
    Time m_interval;      //!< value of the attribute Interval
};

NS_OBJECT_ENSURE_REGISTERED(PullTransport);

/** Selects the next packet by go-back-N among the packets that the responder has requested. */
class PullSender : public RdmaGoBackNSender
{
  public:
    /** \param config limits and timeouts \param window number of unsolicited packets */
    PullSender(const RdmaSenderConfig& config, uint64_t window)
        : RdmaGoBackNSender(config),
          m_end(window)
    {
    }

    bool CanSend() const override
    {
        return GetNext() < m_end && RdmaGoBackNSender::CanSend();
    }

    /** Extends the permission to send. \param end first packet that may not be sent yet */
    void Pulled(uint64_t end)
    {
        m_end = std::max(m_end, end);
    }

    /** \return the first packet that may not be sent yet */
    uint64_t GetEnd() const
    {
        return m_end;
    }

  private:
    uint64_t m_end; //!< first packet that may not be sent yet
};

/** Requester that processes PULL packets. */
class PullRequester : public RoceRequester
{
  public:
    using RoceRequester::RoceRequester;

    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override
    {
        if (frame.opcode != PULL)
        {
            RoceRequester::Receive(frame, info, now);
            return;
        }
        auto& sender = static_cast<PullSender&>(GetSender());
        const int64_t end =
            RdmaFromPsn(m_endpoint.connection.initialPsn, frame.psn, sender.GetEnd());
        sender.Pulled(static_cast<uint64_t>(std::max<int64_t>(end, 0)));
        if (CanSend())
        {
            m_endpoint.MakeReady();
        }
    }
};

/** Sends one PULL packet per interval while fewer packets than the window are in flight. */
class PullResponder : public RoceResponder
{
  public:
    /** \param endpoint queue pair \param window limit \param interval time between PULL packets */
    PullResponder(RdmaEndpoint& endpoint, uint64_t window, RdmaPs interval)
        : RoceResponder(endpoint),
          m_window(window),
          m_interval(interval),
          m_end(window)
    {
    }

    void Reset() override
    {
        RoceResponder::Reset();
        m_end = m_window;
    }

    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override
    {
        RoceResponder::Receive(frame, info, now);
        RdmaPs& deadline = m_endpoint.connection.responseDeadline;
        if (deadline == RdmaSender::NO_DEADLINE && IsBehind())
        {
            deadline = now + m_interval;
        }
    }

    void OnTimer(RdmaPs now) override
    {
        ++m_end;
        QbbFramePtr frame = m_endpoint.NewFrame();
        frame->opcode = PULL;
        frame->psn = RdmaToPsn(m_endpoint.connection.remotePsn, m_end);
        frame->ecn = 0;
        frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(PULL), 0, frame->tagged);
        m_endpoint.Send(std::move(frame));
        m_endpoint.connection.responseDeadline =
            IsBehind() ? now + m_interval : RdmaSender::NO_DEADLINE;
    }

    void End() override
    {
        RoceResponder::End();
        m_endpoint.connection.responseDeadline = RdmaSender::NO_DEADLINE;
    }

  private:
    /** \return true if the number of requested, missing packets is below the window */
    bool IsBehind() const
    {
        return m_end < m_receiver->GetExpected() + m_window;
    }

    uint64_t m_window; //!< limit of requested packets in flight
    RdmaPs m_interval; //!< time between two PULL packets
    uint64_t m_end;    //!< first packet that has not been requested
};

std::unique_ptr<RdmaSender>
PullTransport::MakeSender(const RdmaRetryLimits&) const
{
    RdmaSenderConfig config; // no retransmission timer, because the fabric is lossless
    return std::make_unique<PullSender>(config, m_window);
}

std::unique_ptr<RdmaRequester>
PullTransport::MakeRequester(RdmaEndpoint& endpoint) const
{
    return std::make_unique<PullRequester>(endpoint);
}

std::unique_ptr<RdmaResponder>
PullTransport::MakeResponder(RdmaEndpoint& endpoint) const
{
    return std::make_unique<PullResponder>(endpoint, m_window, RdmaToPs(m_interval));
}

/**
 * Runs an incast through one switch and prints a row of the table.
 *
 * \param name name of the row
 * \param helper builder of the fabric
 * \param senders number of sending hosts
 * \param bytes bytes sent by each host
 */
void
RunOne(const std::string& name, RdmaFabricHelper& helper, uint32_t senders, uint64_t bytes)
{
    auto fabric = helper.Install(MakeRdmaStar(senders + 1));
    std::vector<Ptr<RdmaQueuePair>> queuePairs;
    for (uint32_t host = 0; host < senders; ++host)
    {
        const auto sender = fabric->Connect(host, senders).first;
        RdmaSendRequest request;
        request.length = bytes;
        sender->PostSend(request);
        queuePairs.push_back(sender);
    }
    Simulator::Run();

    RdmaPs end;
    uint32_t done = 0;
    for (const auto& qp : queuePairs)
    {
        for (const RdmaWorkCompletion& completion : qp->GetSendCompletionQueue()->Poll(1))
        {
            end = std::max(end, completion.time);
            done += completion.status == RdmaWcStatus::SUCCESS;
        }
    }
    const RdmaFabricTotals totals = fabric->GetTotals();
    std::cout << std::setw(8) << std::left << name << std::right << std::setw(6) << done
              << std::setw(10) << FormatRdmaReal(static_cast<double>(end) / 1e6) << std::setw(15)
              << static_cast<double>(totals.peakQueueBytes) / 1000 << std::setw(14)
              << totals.pauseFrames << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines a receiver-driven transport and compares its queues and pauses with RoCE.");
    uint32_t senders = 8;
    uint64_t bytes = 1'000'000;
    uint32_t window = 8;
    cmd.Add("senders", "hosts that send", senders, {"1", "1000"});
    cmd.AddBytes("bytes", "bytes that each of them sends", bytes, {"1", "2147483648"});
    cmd.Add("window", "attribute Window of ns3::PullTransport", window, {"1", "1000000"});

    return cmd.Run(argc, argv, [&] {
        std::cout << "         done  end, us  peak queue, kB  pause frames\n"
                  << std::fixed << std::setprecision(1);
        RdmaFabricHelper roce;
        RunOne("RoCE", roce, senders, bytes);
        RdmaFabricHelper pull;
        pull.SetTransport("ns3::PullTransport");
        pull.SetTransportAttribute("Window", UintegerValue(window));
        // With this interval, all responders together request packets at the rate of the receiver's
        // port.
        const RdmaPs packet = 1106 * 80_ps; // transmission time of a packet at 100 Gb/s
        pull.SetTransportAttribute("Interval", TimeValue(RdmaToTime(senders * packet)));
        RunOne("pull", pull, senders, bytes);
        return 0;
    });
}
