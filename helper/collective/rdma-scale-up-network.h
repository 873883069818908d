/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCALE_UP_NETWORK_H
#define RDMA_SCALE_UP_NETWORK_H

#include "rdma-bit-rate.h"
#include "rdma-schedule-network.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A network of two levels, `scale-up`. The GPUs of each host are joined by a switch, such as an
 * NVSwitch: a scale-up domain, which is modelled by messages, without packets. An outer network
 * joins the hosts:
 *
 *     rdma-collective --gpus=8 --network='scale-up[Latency=1us|Outer=ideal[Delay=5us]]'
 *
 * Each GPU of a domain has an egress server and an ingress server of Rate times Efficiency. A
 * message occupies the egress server of its sender and the ingress server of its receiver. Messages
 * share the servers max-min fairly; their rates change when messages begin and end. A message of s
 * bytes that has the rate r all the time arrives Latency + s / r after Send(). The sender's buffer
 * is free at that instant, too: the receiver has confirmed the last byte. Messages between ranks on
 * one GPU occupy no server.
 *
 * A message to another host leaves through the NIC of its sender (RdmaSchedulePlace::nic). With
 * Pxn, the message goes first to the GPU of the sender's host whose NIC has the number of the
 * receiver's NIC, so that it need not leave its rail: PXN of NCCL 2.12. The message leaves that GPU
 * when it is there as a whole, which costs that GPU no time. The sender's buffer is free then. Of
 * several ranks with that NIC, the one with the lowest GPU number carries the message, then the one
 * with the lowest rank. Without such a rank, the sender's own NIC sends.
 *
 * ReduceInSwitch(): the switch reduces the vectors of n ranks of one host, as Klenk et al. describe
 * ("An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA
 * 2020) and NCCL's NVLS does: each rank reads the sum of its part of the vectors through the
 * switch, and writes the sum to all ranks through the switch. The part that a rank reads leaves all
 * n GPUs, and the part that it writes leaves its own GPU once. Each GPU therefore sends s (1 + 1/n)
 * bytes, and receives as many. The all-reduce begins when the vectors of all members have reached
 * the switch, and occupies both servers of all members for these bytes. Its results arrive at all
 * members at one instant. It takes Latency twice: once for the sums, once for their copies.
 *
 * GetRate() is the rate of a domain if all ranks are in one, and otherwise that of the outer
 * network.
 *
 * The servers of a domain belong to the node of the domain's first rank, the one with the lowest
 * node id; the nodes of the other ranks tell that node of messages half of Latency ahead. So ranks
 * of a domain may run on different threads. With several ranks of MPI, all ranks of a domain must
 * run in one process.
 */
class RdmaScaleUpNetwork : public RdmaScheduleNetwork, private RdmaScheduleNetworkUser
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaScaleUpNetwork();
    ~RdmaScaleUpNetwork() override;

    /** \param outer network between hosts; to be called before Install() */
    void SetOuter(Ptr<RdmaScheduleNetwork> outer);

    /** \return network between hosts: the attribute Outer, or `ideal` if that is null */
    Ptr<RdmaScheduleNetwork> GetOuter();

    /** \return rate at which a GPU sends or receives payload: Rate times Efficiency */
    RdmaBitRate GetPayloadRate() const;

    // Inherited from RdmaScheduleNetwork
    void Install(RdmaScheduleNetworkUser& user,
                 const std::vector<RdmaSchedulePlace>& places) override;
    uint32_t GetNodeId(uint32_t rank) const override;
    bool IsLocal(uint32_t rank) const override;
    RdmaBitRate GetRate(uint32_t rank) const override;
    void Send(const RdmaScheduleMessage& message, uint64_t id) override;
    void Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id) override;
    void ReduceInSwitch(const RdmaScheduleMessage& message, uint64_t id) override;
    std::string DescribeWait(uint32_t rank) const override;
    void Share() override;
    std::string DescribeDelay(const RdmaScheduleMessage& message,
                              RdmaPs from,
                              RdmaPs until) const override;
    void CheckReduction(const std::vector<uint32_t>& ranks) const override;

  protected:
    void DoDispose() override;

  private:
    class Domain;

    /** Where a rank is in its domain. */
    struct Seat
    {
        Domain* domain{nullptr}; //!< domain of the rank's host
        uint32_t place{0};       //!< place among the ranks of the domain
    };

    // RdmaScheduleNetworkUser, for the outer network
    void Sent(uint32_t rank, uint64_t id) override;
    void Arrived(const RdmaScheduleMessage& message) override;

    DataRate m_rate;                                //!< value of the attribute Rate
    double m_efficiency{1};                         //!< value of the attribute Efficiency
    Time m_latency;                                 //!< value of the attribute Latency
    bool m_usesPxn{false};                          //!< value of the attribute Pxn
    Ptr<RdmaScheduleNetwork> m_outer;               //!< value of the attribute Outer
    RdmaScheduleNetworkUser* m_user{nullptr};       //!< is told of messages
    std::vector<RdmaSchedulePlace> m_places;        //!< by rank
    std::vector<Seat> m_seats;                      //!< by rank
    std::vector<std::unique_ptr<Domain>> m_domains; //!< by the lowest rank
};

} // namespace ns3

#endif /* RDMA_SCALE_UP_NETWORK_H */
