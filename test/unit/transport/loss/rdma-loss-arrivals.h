/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOSS_ARRIVALS_H
#define RDMA_LOSS_ARRIVALS_H

#include "rdma-loss-settings.h"
#include "rdma-transport.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Reference of all receivers, written for plainness alone: a record of each packet that was ever
 * posted.
 */
class RdmaLossArrivals
{
  public:
    /** \param mode how a lost packet is recovered */
    explicit RdmaLossArrivals(RdmaLossMode mode)
        : m_mode(mode)
    {
    }

    /** State of a packet at the receiver. */
    struct Packet
    {
        int64_t message{0};   //!< its message
        bool first{false};    //!< first packet of its message
        bool last{false};     //!< last packet of its message
        bool asksAck{false};  //!< asks for an ACK
        bool here{false};     //!< has arrived, and counts
        uint32_t executed{0}; //!< times executed or placed
    };

    /**
     * Adds the packets of a message.
     *
     * \param count number of packets
     * \param ackInterval packets for each ACK; the last packet asks for an ACK in any case
     */
    void Post(int64_t count, int64_t ackInterval)
    {
        const int64_t message = packets.empty() ? 0 : packets.back().message + 1;
        for (int64_t i = 0; i < count; ++i)
        {
            Packet packet;
            packet.message = message;
            packet.first = i == 0;
            packet.last = i + 1 == count;
            packet.asksAck = packet.last || (i + 1) % ackInterval == 0;
            packets.push_back(packet);
        }
    }

    /** \param packet packet that arrives \return verdict of a correct receiver */
    RdmaReceiverVerdict Judge(int64_t packet) const
    {
        const bool selective = m_mode == RdmaLossMode::SACK || m_mode == RdmaLossMode::WITHOUT_SACK;
        if (selective)
        {
            return packets[packet].here ? RdmaReceiverVerdict::DUPLICATE
                   : packet == expected ? RdmaReceiverVerdict::ACCEPT
                                        : RdmaReceiverVerdict::EARLY;
        }
        const bool whole = m_mode == RdmaLossMode::GO_BACK_0;
        if (whole && packet == first)
        {
            return packets[packet].here ? RdmaReceiverVerdict::RESTART
                                        : RdmaReceiverVerdict::ACCEPT;
        }
        if (packet < (whole ? first : expected))
        {
            return RdmaReceiverVerdict::DUPLICATE;
        }
        if (told && (whole || packet > expected))
        {
            return RdmaReceiverVerdict::IGNORE;
        }
        return packet == expected  ? RdmaReceiverVerdict::ACCEPT
               : packet < expected ? RdmaReceiverVerdict::DUPLICATE
                                   : RdmaReceiverVerdict::GAP;
    }

    /**
     * Records a packet that is accepted.
     *
     * \param packet packet that arrives
     * \param verdict ACCEPT, EARLY or RESTART
     * \return first rule that the packet violates, or nullptr
     */
    const char* Take(int64_t packet, RdmaReceiverVerdict verdict)
    {
        const char* wrong = nullptr;
        const auto expect = [&wrong](bool condition, const char* what) {
            wrong = condition || wrong ? wrong : what;
        };
        if (verdict == RdmaReceiverVerdict::RESTART)
        {
            for (int64_t p = packet; p < static_cast<int64_t>(packets.size()); ++p)
            {
                expect(!packets[p].here || packets[p].message == completed,
                       "a restart of more than a message");
                packets[p].here = false;
                packets[p].executed = 0;
            }
        }
        Packet& arrival = packets[packet];
        arrival.here = true;
        expect(++arrival.executed == 1, "a packet was delivered twice");
        told = false;
        expected = verdict == RdmaReceiverVerdict::RESTART ? packet : expected;
        while (expected < static_cast<int64_t>(packets.size()) && packets[expected].here)
        {
            if (packets[expected].last)
            {
                expect(packets[expected].message == completed, "messages out of order");
                ++completed;
                first = expected + 1;
            }
            ++expected;
        }
        return wrong;
    }

    std::vector<Packet> packets; //!< all packets posted
    int64_t expected{0};         //!< next packet in order
    int64_t first{0};            //!< go-back-0: first packet of the current message
    int64_t completed{0};        //!< messages completed
    bool told{false};            //!< go-back: a NAK has reported the gap

  private:
    RdmaLossMode m_mode; //!< how a lost packet is recovered
};

} // namespace ns3

#endif /* RDMA_LOSS_ARRIVALS_H */
