/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-bit-rate.h"
#include "rdma-compat.h"
#include "rdma-event-order.h"
#include "rdma-int128.h"
#include "rdma-part-name.h"
#include "rdma-ps.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-schedule-network.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A network of delays and rates, without packets, headers and queues in switches: `ideal`. Judges
 * schedules by exact numbers, and gives quick estimates. All times are whole nanoseconds; those
 * that follow from the rate are rounded down.
 *
 * Model=LogGP (Alexandrov et al., "LogGP: Incorporating Long Messages into the LogP Model", 1995;
 * as LogGOPSim counts, Hoefler et al., 2010). A message of s bytes that begins at t occupies the
 * sender's side until t + g + (s - 1) G. Its first byte reaches the receiver at t + o + L, and
 * waits until the receiver's side is free, which the message then occupies for g + (s - 1) G. The
 * message is in memory when its last byte has arrived and a further o has passed, in which the
 * receiver takes no other message from the network into memory. The sender's buffer is free at t +
 * o + (s - 1) G. L is Delay, o is SendOverhead and ReceiveOverhead, g is Gap, and G is the time of
 * a byte at Rate. Other than in LogGOPSim, receiving delays no send.
 *
 * Model=Links. Each ordered pair of ranks has a link of its own, which a message of s bytes
 * occupies for s G, after those before it. The sender's buffer is free at the end of that time, and
 * the message arrives Delay later; then ReceiveOverhead follows. SendOverhead and Gap precede and
 * follow the time on the link. With neighbours in a ring as pairs, this is the analytical network
 * of ASTRA-sim (Won et al., "ASTRA-sim2.0", 2023).
 *
 * Messages that arrive at a rank at one instant arrive in the order of the ranks that have sent
 * them, which forward messages of others, too.
 */
class RdmaIdealNetwork : public RdmaScheduleNetwork
{
  public:
    /** How times are counted. */
    enum Model
    {
        LOG_GP,
        LINKS,
    };

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaIdealNetwork")
                .SetParent<RdmaScheduleNetwork>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaIdealNetwork>()
                .AddAttribute(
                    "Model",
                    "How times are counted: LogGP, with one send and one receive at a time "
                    "at each rank, or Links, with a link for each ordered pair of ranks.",
                    EnumValue(LOG_GP),
                    RdmaMakeEnumAccessor<Model>(&RdmaIdealNetwork::m_model),
                    MakeEnumChecker(LOG_GP, "LogGP", LINKS, "Links"))
                .AddAttribute("Delay",
                              "Time from rank to rank: L. Whole nanoseconds, 1 or more.",
                              TimeValue(MicroSeconds(1)),
                              MakeTimeAccessor(&RdmaIdealNetwork::m_delay),
                              RdmaMakePositiveTimeChecker())
                .AddAttribute("SendOverhead",
                              "Time of the sender for a message: o. Whole nanoseconds.",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&RdmaIdealNetwork::m_sendOverhead),
                              MakeTimeChecker(Time(0)))
                .AddAttribute("ReceiveOverhead",
                              "Time of the receiver for a message: o. Whole nanoseconds.",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&RdmaIdealNetwork::m_receiveOverhead),
                              MakeTimeChecker(Time(0)))
                .AddAttribute("Gap",
                              "Time between two messages, in addition to that of their bytes: g. "
                              "Whole nanoseconds.",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&RdmaIdealNetwork::m_gap),
                              MakeTimeChecker(Time(0)))
                .AddAttribute("Rate",
                              "Rate of a rank's messages: 1/G.",
                              DataRateValue(DataRate("400Gbps")),
                              MakeDataRateAccessor(&RdmaIdealNetwork::m_rate),
                              MakeDataRateChecker());
        return tid;
    }

    RdmaIdealNetwork()
    {
        RdmaSetTimeResolution();
    }

    void Install(RdmaScheduleNetworkUser& user,
                 const std::vector<RdmaSchedulePlace>& places) override
    {
        RefuseRdmaIf(RdmaRanks::AreSeveral(),
                     "ns3::RdmaIdealNetwork on several ranks of MPI; accepted: one");
        RefuseRdmaIf(m_rate.GetBitRate() == 0,
                     "ns3::RdmaIdealNetwork::Rate is 0; accepted: above 0");
        m_user = &user;
        m_l = GetWhole("Delay", m_delay);
        m_oSend = GetWhole("SendOverhead", m_sendOverhead);
        m_oReceive = GetWhole("ReceiveOverhead", m_receiveOverhead);
        m_g = GetWhole("Gap", m_gap);
        // Messages pass from rank to rank without a cable, which groups of nodes would need.
        RdmaSimulatorImpl::RequireOneThread("the ideal network has no cables");
        for (uint32_t rank = 0; rank < places.size(); ++rank)
        {
            m_ends.push_back(std::make_unique<End>(*this, rank));
        }
    }

    uint32_t GetNodeId(uint32_t rank) const override
    {
        return rank; // of an event; there need not be such a node
    }

    RdmaBitRate GetRate(uint32_t /*rank*/) const override
    {
        return RdmaBitRate(m_rate);
    }

    void Send(const RdmaScheduleMessage& message, uint64_t id) override
    {
        m_ends[message.from]->Send(message, id);
    }

    void Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id) override
    {
        m_ends[carrier]->Send(message, id);
    }

  private:
    static constexpr uint64_t NO_ID = UINT64_MAX; //!< no message of the end's own
    /// Order of arrivals of first bytes among the events of one instant.
    static constexpr uint32_t ARRIVAL_ORDER = RdmaEventOrder::Programs::At<3>();
    /// Order of all other events.
    static constexpr uint32_t END_ORDER = RdmaEventOrder::Programs::At<5>();

    /** A message on its way. */
    struct Flight
    {
        RdmaScheduleMessage message; //!< the message
        RdmaPs first{0};             //!< arrival of the first byte
        uint32_t carrier{0};         //!< rank whose side has sent the message
        uint64_t number{0};          //!< number among the messages of that side
    };

    /** Where a message is at its receiver, or at its sender. */
    enum class Stage
    {
        SENT,     //!< the sender's buffer becomes free
        ARRIVING, //!< the last byte arrives
        ARRIVED,  //!< the message is in memory
    };

    /** What happens to a message at a later instant. */
    struct Due
    {
        RdmaPs at{0};                //!< the instant
        Stage stage{Stage::SENT};    //!< what happens
        uint64_t order{0};           //!< order among what happens at one instant
        uint64_t id{0};              //!< number of the message for the user
        RdmaScheduleMessage message; //!< the message

        bool operator>(const Due& other) const
        {
            return std::tie(at, order) > std::tie(other.at, other.order);
        }
    };

    class End;

    /** The first byte of a message arrives. */
    class ArrivalEvent final : public RdmaEvent
    {
      public:
        ArrivalEvent(End& end, const Flight& flight)
            : m_end(end),
              m_flight(flight)
        {
        }

        void Run() override
        {
            m_end.Gather(m_flight);
        }

        void Prefetch(uint32_t /*step*/) const override
        {
        }

      private:
        End& m_end;      //!< end that receives the message
        Flight m_flight; //!< the message
    };

    /** What the network keeps of a rank. Only events of the rank's node touch it. */
    class End
    {
      public:
        End(RdmaIdealNetwork& network, uint32_t rank)
            : m_network(network),
              m_rank(rank),
              m_timer(this)
        {
        }

        /** \return id of the node of the rank */
        uint32_t GetNodeId() const
        {
            return m_network.GetNodeId(m_rank);
        }

        /** Sends a message. \param message the message \param id its number for the user */
        void Send(const RdmaScheduleMessage& message, uint64_t id)
        {
            const RdmaIdealNetwork& net = m_network;
            const RdmaEventTime eventTime = RdmaEventNow();
            const RdmaPs now = eventTime.GetInstant();
            RdmaPs& free = net.m_model == LOG_GP ? m_sendFree : m_linkFree[message.to];
            const RdmaPs begin = std::max(now, free);
            const RdmaPs bytes = net.GetTime(message.bytes);
            free = begin + net.m_g + bytes;
            RdmaPs first = begin + net.m_oSend + net.m_l;
            if (net.m_model == LINKS)
            {
                free += net.m_oSend;
                first += bytes; // when the whole message arrives
            }
            Add({begin + net.m_oSend + bytes, Stage::SENT, m_orders++, id, message});
            const Ptr<ArrivalEvent> event(
                new ArrivalEvent(*net.m_ends[message.to], {message, first, m_rank, m_sent++}),
                false);
            RdmaSchedule(net.GetNodeId(message.to),
                         RdmaEventTime(first, ARRIVAL_ORDER),
                         eventTime,
                         PeekPointer(event));
        }

        /** The first byte of a message arrives at this instant. \param flight the message */
        void Gather(const Flight& flight)
        {
            m_gathered.push_back(flight);
            m_timer.ArmNoLater(flight.first);
        }

      private:
        void Add(const Due& due)
        {
            m_due.push_back(due);
            std::push_heap(m_due.begin(), m_due.end(), std::greater<>());
            m_timer.ArmNoLater(due.at);
        }

        void OnTimer()
        {
            const RdmaIdealNetwork& net = m_network;
            const RdmaPs now = RdmaNow();
            std::sort(m_gathered.begin(), m_gathered.end(), [](const Flight& a, const Flight& b) {
                return std::tie(a.carrier, a.number) < std::tie(b.carrier, b.number);
            });
            for (const Flight& flight : m_gathered)
            {
                RdmaPs last = now;
                if (net.m_model == LOG_GP)
                {
                    const RdmaPs bytes = net.GetTime(flight.message.bytes);
                    const RdmaPs begin = std::max(now, m_receiveFree);
                    m_receiveFree = begin + net.m_g + bytes;
                    last = begin + bytes;
                }
                m_due.push_back({last, Stage::ARRIVING, m_orders++, NO_ID, flight.message});
                std::push_heap(m_due.begin(), m_due.end(), std::greater<>());
            }
            m_gathered.clear();
            while (!m_due.empty() && m_due.front().at <= now)
            {
                std::pop_heap(m_due.begin(), m_due.end(), std::greater<>());
                const Due due = m_due.back();
                m_due.pop_back();
                if (due.stage == Stage::SENT)
                {
                    FreeLink(due.message.to, now);
                    net.m_user->Sent(m_rank, due.id);
                }
                else if (due.stage == Stage::ARRIVING && net.m_oReceive > RdmaPs(0))
                {
                    m_memoryFree = std::max(now, m_memoryFree) + net.m_oReceive;
                    Add({m_memoryFree, Stage::ARRIVED, m_orders++, NO_ID, due.message});
                }
                else
                {
                    net.m_user->Arrived(due.message);
                }
            }
            if (!m_due.empty())
            {
                m_timer.ArmNoLater(m_due.front().at);
            }
        }

        /** Forgets a link that is free. */
        void FreeLink(uint32_t to, RdmaPs now)
        {
            const auto link = m_linkFree.find(to);
            if (link != m_linkFree.end() && link->second <= now)
            {
                m_linkFree.erase(link);
            }
        }

        RdmaIdealNetwork& m_network;    //!< the network
        uint32_t m_rank;                //!< the rank
        RdmaPs m_sendFree{0};           //!< LogGP: when the sender's side is free
        RdmaPs m_receiveFree{0};        //!< LogGP: when the receiver's side is free
        RdmaPs m_memoryFree{0};         //!< when the latest ReceiveOverhead ends
        uint64_t m_sent{0};             //!< number of messages that the rank has sent
        uint64_t m_orders{0};           //!< number of entries that m_due has had
        std::vector<Flight> m_gathered; //!< messages whose first byte arrives at this instant
        std::vector<Due> m_due;         //!< heap of what happens later
        /// Links: when the link to a rank is free
        std::unordered_map<uint32_t, RdmaPs> m_linkFree;
        RdmaTimer<End, &End::OnTimer, END_ORDER> m_timer; //!< next of m_due
    };

    /** \return time of the bytes of a message */
    RdmaPs GetTime(uint64_t bytes) const
    {
        const uint64_t counted = m_model == LOG_GP ? std::max<uint64_t>(bytes, 1) - 1 : bytes;
        const RdmaUint128 ns = RdmaUint128{counted} * 8'000'000'000U / m_rate.GetBitRate();
        return RdmaPs(static_cast<int64_t>(ns) * 1000);
    }

    /** \return the value of an attribute, which must be whole nanoseconds */
    static RdmaPs GetWhole(const char* attribute, const Time& time)
    {
        const RdmaPs ps = RdmaToPs(time);
        RefuseRdmaIf(ps % RdmaPs(1000) != RdmaPs(0),
                     "ns3::RdmaIdealNetwork::",
                     attribute,
                     " is ",
                     ps,
                     " ps; accepted: whole nanoseconds");
        return ps;
    }

    Model m_model{LOG_GP};                    //!< value of the attribute Model
    Time m_delay;                             //!< value of the attribute Delay
    Time m_sendOverhead;                      //!< value of the attribute SendOverhead
    Time m_receiveOverhead;                   //!< value of the attribute ReceiveOverhead
    Time m_gap;                               //!< value of the attribute Gap
    DataRate m_rate;                          //!< value of the attribute Rate
    RdmaPs m_l{0};                            //!< time from rank to rank
    RdmaPs m_oSend{0};                        //!< time of the sender for a message
    RdmaPs m_oReceive{0};                     //!< time of the receiver for a message
    RdmaPs m_g{0};                            //!< time between two messages
    RdmaScheduleNetworkUser* m_user{nullptr}; //!< is told of messages
    std::vector<std::unique_ptr<End>> m_ends; //!< by rank
};

NS_OBJECT_ENSURE_REGISTERED(RdmaIdealNetwork);

const RdmaPartName g_idealNetworkName("ideal",
                                      RdmaIdealNetwork::GetTypeId(),
                                      "",
                                      "delays and rates in whole nanoseconds, without packets");

} // namespace ns3
