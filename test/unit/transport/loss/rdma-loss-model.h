/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_LOSS_MODEL_H
#define RDMA_LOSS_MODEL_H

#include "rdma-loss-arrivals.h"
#include "rdma-loss-reference.h"
#include "rdma-sender.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A random run: the posted messages, and the fate of packets and answers on the way.
 */
struct RdmaLossPattern
{
    uint64_t seed{1};           //!< seed of all random numbers of the run
    RdmaLossSettings settings;  //!< settings of the sender
    uint32_t messages{1};       //!< messages of 1 to maxPackets packets
    uint32_t maxPackets{1};     //!< longest message
    uint32_t initialPsn{0};     //!< PSN of packet 0
    RdmaPs rnrWait{2000};       //!< wait after an RNR NAK
    RdmaPs maxDelay{1000};      //!< longest delay of a packet or an answer
    RdmaPs maxPause{0};         //!< longest time for which the sender's port is held up
    uint32_t ackInterval{1};    //!< go-back-N: packets of a message for each ACK
    double loseData{0};         //!< probability that a packet is lost
    double loseAck{0};          //!< probability that an ACK is lost
    double loseNak{0};          //!< probability that a NAK is lost
    double loseRnr{0};          //!< probability that an RNR NAK is lost
    bool loseOne{false};        //!< one packet that another one follows is lost
    double duplicate{0};        //!< probability that a packet or an answer arrives twice
    bool reorder{false};        //!< packets and answers overtake each other
    bool receivesPosted{true};  //!< receive requests for all messages are there from the start
    bool needsAtEnd{false};     //!< a receive is needed by a message's last packet, not its first
    bool postedAtOnce{true};    //!< all messages are posted at the start
    bool tellDuplicates{false}; //!< IRN: a packet kept before is answered by a NACK, not by an ACK
};

/**
 * \ingroup rdma-tests
 * Events of a run, which prove that the run covered the intended cases.
 */
struct RdmaLossSeen
{
    uint64_t retransmissions{0}; //!< packets sent again
    uint64_t timeouts{0};        //!< timeouts
    uint64_t lostOnes{0};        //!< packets that loseOne has lost
    uint64_t early{0};           //!< packets kept early
    uint64_t gaps{0};            //!< NAKs
    uint64_t refused{0};         //!< packets refused
    uint64_t dropped{0};         //!< early packets thrown away for want of a receive request
    uint64_t duplicates{0};      //!< duplicates that arrived
    uint64_t restarts{0};        //!< messages begun again
    uint64_t deepest{0};         //!< most packets in flight
};

/**
 * \ingroup rdma-tests
 * Sender and receiver with a channel between them that loses, duplicates, delays and reorders,
 * with a reference for the sender (RdmaLossReference) and for the receiver (RdmaLossArrivals).
 *
 * After each step everything that both halves say is compared with the reference. An error ends the
 * run.
 */
class RdmaLossModel
{
  public:
    /**
     * \param pattern the run
     * \param [in,out] seen events, to which the run's events are added
     */
    RdmaLossModel(const RdmaLossPattern& pattern, RdmaLossSeen& seen);

    /** \return the error; empty if there is none */
    std::string Run();

  private:
    /** Kind of a packet or an answer. */
    enum class Kind
    {
        DATA,
        ACK,
        NAK,
        RNR_NAK
    };

    /** A packet or an answer on its way. */
    struct Item
    {
        Kind kind{Kind::DATA}; //!< kind
        int64_t packet{0};     //!< the packet number behind the PSN, unknown to sender and receiver
        int64_t early{-1};     //!< NAK: the packet that came early
    };

    bool Chance(double probability);
    int64_t Below(int64_t limit);
    RdmaPs Below(RdmaPs limit);
    void Transport(const Item& item, double lose);
    void Post();
    void SendOne();
    bool IsTheOneToLose(int64_t packet);
    void PacketArrives(int64_t packet);
    void Take(int64_t packet, RdmaReceiverVerdict verdict);
    void Reply(Kind kind, int64_t packet, int64_t early = -1);
    void AnswerArrives(const Item& item);
    void Follow(const RdmaSenderEvent& event);
    void Check();
    void CheckSelective();
    void Expect(bool condition, const char* what);

    RdmaLossPattern m_pattern;                //!< the run
    RdmaLossSeen& m_seen;                     //!< events of the run
    std::mt19937_64 m_random;                 //!< source of all random numbers
    std::unique_ptr<RdmaSender> m_sender;     //!< the sender under test
    std::unique_ptr<RdmaReceiver> m_receiver; //!< the receiver under test
    RdmaLossReference m_reference;            //!< reference of the sender
    RdmaLossArrivals m_arrivals;              //!< reference of the receiver
    std::string m_error;                      //!< the first error

    RdmaPs m_now{0};                    //!< the clock
    std::multimap<RdmaPs, Item> m_line; //!< packets and answers on their way
    RdmaPs m_last[2]{};                 //!< without reordering: last arrivals of packets, answers
    bool m_ready{false};                //!< the sender is in the NIC's list of ready senders
    RdmaPs m_nextSend{0};               //!< when the sender's port is free
    RdmaPs m_nextPost{0};               //!< when the next message is posted
    RdmaPs m_nextReceive{0};            //!< when the next receive request is posted
    int64_t m_receives{0};              //!< receive requests posted so far
    bool m_lostOne{false};              //!< loseOne has lost its packet
};

} // namespace ns3

#endif /* RDMA_LOSS_MODEL_H */
