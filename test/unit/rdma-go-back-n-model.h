/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_GO_BACK_N_MODEL_H
#define RDMA_GO_BACK_N_MODEL_H

#include "rdma-go-back-n.h"

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A random run of go-back-N: what is posted, and what happens to packets and answers on the way.
 */
struct RdmaGoBackNPattern
{
    uint64_t seed{1};          //!< of everything random in the run
    uint32_t messages{1};      //!< messages of 1 to maxPackets packets
    uint32_t maxPackets{1};    //!< longest message
    uint32_t ackInterval{1};   //!< packets of a message between requests for acknowledgement
    uint32_t initialPsn{0};    //!< PSN of packet 0
    int64_t timeoutPs{0};      //!< retransmission timeout, 0 for none
    int64_t rnrWaitPs{2000};   //!< wait after an RNR NAK
    int64_t maxDelayPs{1000};  //!< most that a packet or an answer takes (in order all the same)
    int64_t maxPausePs{0};     //!< most that the sender's port is held up now and then
    double loseData{0};        //!< probability that a packet is lost
    double loseAck{0};         //!< the same for an ACK
    double loseNak{0};         //!< the same for a NAK
    double loseRnr{0};         //!< the same for an RNR NAK
    double duplicate{0};       //!< probability that a packet or an answer arrives twice
    bool receivesPosted{true}; //!< receive requests for all messages are there from the start
    bool postedAtOnce{true};   //!< the messages are, too
};

/**
 * \ingroup rdma-tests
 * Requester and responder of go-back-N with a channel between them that loses, duplicates and
 * delays but does not reorder, beside a reference that is written for plainness alone.
 *
 * After each step everything that both halves say is compared with the reference. An error ends the
 * run.
 */
class RdmaGoBackNModel
{
  public:
    /** \param pattern what to run */
    explicit RdmaGoBackNModel(const RdmaGoBackNPattern& pattern);

    /** \return empty if all is as it must be, else what is wrong */
    std::string Run();

    /** \return the requester */
    const RdmaSender& GetRequester() const
    {
        return m_requester;
    }

    /** \return packets that found no receive request */
    uint64_t GetRefused() const
    {
        return m_refused;
    }

    /** \return NAKs sent */
    uint64_t GetNaks() const
    {
        return m_naks;
    }

    /** \return packets that came in again */
    uint64_t GetDuplicates() const
    {
        return m_duplicates;
    }

  private:
    /** What an answer says. */
    enum class Kind
    {
        ACK,
        NAK,
        RNR_NAK
    };

    /** A packet or an answer on its way. */
    struct Item
    {
        int64_t atPs{0};      //!< when it arrives
        uint32_t psn{0};      //!< what it carries
        int64_t packet{0};    //!< the number behind the PSN, which nobody is told
        Kind kind{Kind::ACK}; //!< of an answer
    };

    /** A packet as it was posted. */
    struct Posted
    {
        bool ackReq{false};       //!< asks for an acknowledgement
        bool needsReceive{false}; //!< the first of a message
    };

    bool Chance(double probability);
    int64_t Below(int64_t limit);
    void Transport(std::deque<Item>& line, Item item, double lose);
    void Post();
    void SendOne();
    void PacketArrives(const Item& item);
    void Reply(Kind kind, int64_t packet, double lose);
    void AnswerArrives(const Item& item);
    void TimerFires();
    void Follow(const RdmaSenderEvent& event);
    void ReferenceAdvance(int64_t acked);
    void ReferenceRewind();
    void Check();
    void Expect(bool condition, const char* what);

    RdmaGoBackNPattern m_pattern;    //!< settings
    std::mt19937_64 m_random;        //!< everything random
    RdmaGoBackNSender m_requester;   //!< under test
    RdmaGoBackNReceiver m_responder; //!< under test
    std::string m_error;             //!< what is wrong

    int64_t m_nowPs{0};           //!< the clock
    std::deque<Item> m_data;      //!< packets on their way, in order
    std::deque<Item> m_answers;   //!< answers on their way, in order
    bool m_ready{false};          //!< the requester stands in the NIC's list of ready ones
    int64_t m_nextSendPs{0};      //!< when its port is free
    int64_t m_nextPostPs{0};      //!< when the next message is posted
    int64_t m_nextReceivePs{0};   //!< when the next receive request is
    uint32_t m_messagesLeft{0};   //!< messages to post
    uint32_t m_receivesLeft{0};   //!< receive requests to post
    uint32_t m_receives{0};       //!< receive requests that wait
    std::vector<Posted> m_posted; //!< packets posted so far

    // the reference
    std::vector<uint32_t> m_timesSent; //!< for each packet
    int64_t m_refAcked{0};             //!< packets acknowledged
    int64_t m_refNext{0};              //!< packet that goes next
    int64_t m_refHighest{0};           //!< one more than the highest packet ever sent
    bool m_refWaiting{false};          //!< for the end of an RNR wait
    int64_t m_refDeadlinePs{0};        //!< timeout or end of the wait
    uint64_t m_refTimeouts{0};         //!< timeouts
    uint64_t m_refRetransmissions{0};  //!< packets sent again
    int64_t m_refDelivered{0};         //!< packets executed
    bool m_refTold{false};             //!< of the packet that is missing
    uint64_t m_refused{0};             //!< packets refused
    uint64_t m_naks{0};                //!< NAKs sent
    uint64_t m_duplicates{0};          //!< packets that came in again
};

} // namespace ns3

#endif /* RDMA_GO_BACK_N_MODEL_H */
