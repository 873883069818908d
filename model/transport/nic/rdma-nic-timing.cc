/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic-timing.h"

#include "rdma-timed-send-pipeline.h"

#include <ns3/uinteger.h>

namespace ns3
{

TypeId
RdmaNicTiming::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("DoorbellDelay",
                      "Time from the post of a send request until the NIC notices the "
                      "request: the doorbell's way over PCIe. For queue pairs created afterwards.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNicTiming::Set<&RdmaSendTiming::doorbell>,
                                       &RdmaNicTiming::Get<&RdmaSendTiming::doorbell>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("WqeFetchDelay",
                      "Time to fetch the work queue element (WQE) of a message from host "
                      "memory: a PCIe round trip and the NIC's processing. Fetches of a queue "
                      "pair overlap up to WqePrefetch + 1. 0: the doorbell carries the WQE. For "
                      "queue pairs created afterwards.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNicTiming::Set<&RdmaSendTiming::fetch>,
                                       &RdmaNicTiming::Get<&RdmaSendTiming::fetch>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute(
            "WqePrefetch",
            "Number of WQEs that the NIC fetches or holds for a queue pair ahead of "
            "the message that is being sent. 0: a fetch begins when the message "
            "before has left the NIC. For queue pairs created afterwards.",
            UintegerValue(1),
            MakeUintegerAccessor(&RdmaNicTiming::SetPrefetch, &RdmaNicTiming::GetPrefetch),
            MakeUintegerChecker<uint32_t>())
        .AddAttribute("MessageGap",
                      "Shortest time from the end of a message's last packet on the line to "
                      "the first packet of the queue pair's next message: a limit of the "
                      "queue pair's message rate. Other queue pairs send in the gap. For queue "
                      "pairs created afterwards.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNicTiming::Set<&RdmaSendTiming::gap>,
                                       &RdmaNicTiming::Get<&RdmaSendTiming::gap>),
                      MakeTimeChecker(Time(0)))
        .AddAttribute(
            "AckTurnaround",
            "Time from the arrival of a packet until its acknowledgement or NAK, or the first "
            "packet of the response to a READ or atomic, may be sent.",
            TimeValue(Time(0)),
            MakeTimeAccessor(&RdmaNicTiming::SetReply<RdmaReplyDelays::ACK>,
                             &RdmaNicTiming::GetReply<RdmaReplyDelays::ACK>),
            MakeTimeChecker(Time(0)))
        .AddAttribute("CnpDelay",
                      "Time from the arrival of the packet that triggers a CNP until the CNP "
                      "may be sent.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNicTiming::SetReply<RdmaReplyDelays::CNP>,
                                       &RdmaNicTiming::GetReply<RdmaReplyDelays::CNP>),
                      MakeTimeChecker(Time(0)));
}

std::unique_ptr<RdmaSendPipeline>
RdmaNicTiming::MakeSendPipeline(RdmaPacketEngine& engine) const
{
    return m_sends.IsSet() ? std::make_unique<RdmaTimedSendPipeline>(m_sends, engine) : nullptr;
}

template <QbbPs RdmaSendTiming::*field>
void
RdmaNicTiming::Set(Time time)
{
    QbbSetTimeResolution();
    m_sends.*field = QbbToPs(time);
}

template <QbbPs RdmaSendTiming::*field>
Time
RdmaNicTiming::Get() const
{
    return QbbToTime(m_sends.*field);
}

void
RdmaNicTiming::SetPrefetch(uint32_t requests)
{
    m_sends.prefetch = requests;
}

uint32_t
RdmaNicTiming::GetPrefetch() const
{
    return m_sends.prefetch;
}

template <RdmaReplyDelays::Kind kind>
void
RdmaNicTiming::SetReply(Time time)
{
    QbbSetTimeResolution();
    m_replies.SetDelay(kind, QbbToPs(time));
}

template <RdmaReplyDelays::Kind kind>
Time
RdmaNicTiming::GetReply() const
{
    return QbbToTime(m_replies.GetDelay(kind));
}

} // namespace ns3
