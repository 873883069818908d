/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined buffer policy, implemented entirely in this file. All queues share the whole
 * memory. When the memory is full, a frame for a short queue pushes out the last frame of the
 * longest queue. An incast to one receiver fills the memory while another host sends to a second
 * receiver. The table shows the goodput of both receivers with and without push-out, and with
 * QbbSharedBuffer.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Push-out buffer policy for lossy classes, without headroom and pauses. */
class OwnBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::OwnBuffer")
                .SetParent<QbbBufferManager>()
                .AddConstructor<OwnBuffer>()
                .AddAttribute("BufferSize",
                              "Memory of the switch, in bytes.",
                              UintegerValue(200'000),
                              MakeAttribute<UintegerValue, &OwnBuffer::m_bufferSize>(),
                              MakeUintegerChecker<uint32_t>(10'000))
                .AddAttribute("PushOut",
                              "True: a frame of a short queue replaces one of the longest queue.",
                              BooleanValue(true),
                              MakeAttribute<BooleanValue, &OwnBuffer::m_pushOut>(),
                              MakeBooleanChecker());
        return tid;
    }

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override
    {
        return MakeOnePool(ports, m_bufferSize);
    }

    QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) override
    {
        if (bytes <= GetPool(group).GetFree())
        {
            return QbbBufferDecision::Share();
        }
        const auto& queues = GetQueues();
        const auto longest =
            std::max_element(queues.begin(), queues.end(), [](const Queue& a, const Queue& b) {
                return a.bytes < b.bytes;
            });
        if (!m_pushOut || longest->bytes <= queue.bytes + bytes)
        {
            return QbbBufferDecision::Drop(QbbDropReason::BUFFER_FULL);
        }
        return QbbBufferDecision::PushOut(GetIndex(*longest));
    }

    uint32_t m_bufferSize{200'000}; //!< value of the attribute BufferSize
    bool m_pushOut{true};           //!< value of the attribute PushOut
};

NS_OBJECT_ENSURE_REGISTERED(OwnBuffer);

/**
 * Runs an incast and one other flow through one switch and prints a row of the table.
 *
 * \param name name of the row
 * \param type TypeId name of the buffer manager
 * \param pushOut value of the attribute PushOut, if the buffer manager has that attribute
 * \param bufferSize value of the attribute BufferSize
 * \param senders number of sending hosts of the incast
 * \param duration duration of the simulation
 */
void
RunOne(const std::string& name,
       const std::string& type,
       bool pushOut,
       uint64_t bufferSize,
       uint32_t senders,
       Time duration)
{
    RdmaFabricHelper helper;
    helper.SetDeviceAttribute("FlowControl", StringValue("None"));
    helper.SetTransport("ns3::IrnTransport");
    helper.SetBufferManager(type);
    helper.SetBufferAttribute("BufferSize", UintegerValue(bufferSize));
    if (type == "ns3::OwnBuffer")
    {
        helper.SetBufferAttribute("PushOut", BooleanValue(pushOut));
    }
    auto fabric = helper.Install(MakeRdmaStar(senders + 3));

    const auto send = [&](uint32_t from, uint32_t to) {
        auto [sender, receiver] = fabric->Connect(from, to);
        RdmaSendRequest request;
        request.length = 1'000'000'000; // too long to complete within the run
        sender->PostSend(request);
        return receiver;
    };
    std::vector<Ptr<RdmaQueuePair>> incast;
    for (uint32_t host = 0; host < senders; ++host)
    {
        incast.push_back(send(host, senders));
    }
    const auto other = send(senders + 1, senders + 2);
    Simulator::Stop(duration);
    Simulator::Run();

    const double packetGbits = 8 * 1000 / duration.GetSeconds() / 1e9;
    uint64_t packets = 0;
    for (const auto& receiver : incast)
    {
        packets += receiver->GetStats().packetsAccepted;
    }
    std::cout << std::setw(16) << std::left << name << std::right << std::setw(14)
              << static_cast<double>(packets) * packetGbits << std::setw(14)
              << static_cast<double>(other->GetStats().packetsAccepted) * packetGbits
              << std::setw(9) << fabric->GetTotals().drops << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "Defines a buffer policy of its own and shows whom an incast harms.");
    uint64_t bufferSize = 200'000;
    uint32_t senders = 8;
    Time duration = MilliSeconds(4);
    cmd.AddBytes("buffer", "memory of the switch", bufferSize, {"1", "4294967295"});
    cmd.Add("senders", "hosts of the incast", senders, {"1", "1000"});
    cmd.Add("duration", "simulated time", duration, {"1us"});

    return cmd.Run(argc, argv, [&] {
        std::cout << "buffer           incast, Gb/s   other, Gb/s    drops\n"
                  << std::fixed << std::setprecision(1);
        RunOne("complete sharing", "ns3::OwnBuffer", false, bufferSize, senders, duration);
        RunOne("push-out", "ns3::OwnBuffer", true, bufferSize, senders, duration);
        RunOne("shared buffer", "ns3::QbbSharedBuffer", false, bufferSize, senders, duration);
        return 0;
    });
}
