/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_TREE_H
#define QBB_PAUSE_TREE_H

#include "rdma-event-time.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-ps.h"
#include "rdma-shared-run.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A PFC pause: the interval during which a port stops its peer from sending a traffic class.
 */
struct QbbPause
{
    /** Reason why a port pauses its peer. */
    enum class Cause
    {
        HOST,       //!< the port belongs to a host with a slow receiver or a pause storm
        CONGESTION, //!< frames received at this port wait for a congested egress port
        PAUSE,      //!< frames received at this port wait for an egress port that is paused
    };

    static constexpr int64_t NONE = -1; //!< no pause
    static constexpr RdmaPs LASTS{-1};  //!< the pause has not ended

    int64_t parent{NONE}; //!< index of the pause that caused this one; NONE for a root
    uint32_t depth{0};    //!< number of ancestors up to the root, 0 for a root
    RdmaPs start{0};      //!< transmission of the first pause frame
    /// Transmission of the resumption, or expiry of the pause; LASTS: not yet ended
    RdmaPs end{LASTS};
    uint32_t node{0};         //!< node id of the pausing port
    uint32_t port{0};         //!< number of the pausing port
    uint32_t peer{0};         //!< node id of the paused port
    uint32_t peerPort{0};     //!< number of the paused port
    uint8_t priority{0};      //!< paused traffic class
    uint64_t frames{0};       //!< number of pause frames sent, including the resumption
    Cause cause{Cause::HOST}; //!< reason of the pause
    int64_t causePort{NONE};  //!< egress port for which the received frames wait; NONE at a host
    uint64_t causeBytes{0};   //!< bytes received at this port that wait for causePort
};

/**
 * \ingroup rdma
 * \param cause reason of a pause
 * \return "host", "congestion" or "pause"
 */
const char* GetQbbPauseCauseName(QbbPause::Cause cause);

/**
 * \ingroup rdma
 * Records how pauses spread through a fabric, as one tree of pauses for each origin.
 *
 * When port Q of switch S begins to pause a class, frames received at Q wait for egress ports of S.
 * If any of these egress ports is paused, the paused port with the most bytes from Q is the cause,
 * and its pause becomes the parent of the new pause. Otherwise the new pause is a root, caused by
 * congestion at the egress port with the most bytes from Q. A pause sent by a host is always a
 * root.
 *
 * The object watches the pause frames of every port and does not change the simulation. Each port
 * reports what happens at its own node; the object links the pauses of all nodes in the order of
 * their events, while no thread runs events of a node. The object must outlive the last event. If
 * several processes share the simulation, Finish() links the pauses of all processes.
 *
 * Programs take the class as the instrument `pause-tree:FILE`, which writes FormatCsv() to a file.
 */
class QbbPauseTree : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Finish() override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

    /**
     * Begins to record the pauses of a fabric, for programs without a flow runner.
     *
     * \param fabric the fabric, before the simulation runs
     */
    void Watch(Ptr<RdmaFabric> fabric);

    /**
     * \return current state of all pauses, in order of their start and then of their nodes. Parents
     *         precede their children.
     */
    std::vector<QbbPause> GetPauses() const;

    /**
     * Formats one line for each pause: the numbers of the pause, its parent and its root, and the
     * members of QbbPause.
     *
     * \return the text of a CSV file
     */
    std::string FormatCsv() const;

  private:
    /** The current pause of a port and class. */
    struct Present
    {
        int64_t pause{QbbPause::NONE};  //!< index in m_pauses, or NONE
        int64_t before{QbbPause::NONE}; //!< index before the event of the latest change, or NONE
        RdmaEventTime changed;          //!< latest change
        RdmaPs until{0};                //!< expiry of the pause unless refreshed

        /** Sets the current pause. \param next index, or NONE \param now time of the event */
        void Set(int64_t next, RdmaEventTime now);

        /** \param at time of an event \return the pause before all events of that time, or NONE */
        int64_t GetBefore(RdmaEventTime at) const;
    };

    /** A port and its current pauses by traffic class. */
    struct Port
    {
        Ptr<QbbNetDevice> device;          //!< the port
        uint32_t node{0};                  //!< node id of the port
        uint32_t peer{0};                  //!< index in m_ports of the port at the other end
        std::array<Present, 8> presents{}; //!< current pauses by class
    };

    /** An egress port for which frames of a pausing port wait. */
    struct Waiting
    {
        uint32_t egress{0};   //!< number of the egress port
        uint64_t bytes{0};    //!< bytes that wait
        bool isPaused{false}; //!< the egress port is paused
    };

    /** A pause frame that a port has sent. */
    struct Sent
    {
        uint32_t port{0};             //!< index of the port in m_ports
        uint8_t priority{0};          //!< the class
        uint16_t quanta{0};           //!< pause time in quanta; 0: the class resumes
        std::vector<Waiting> waiting; //!< egress ports for which frames wait, if the class pauses
    };

    void OnSent(uint32_t port, uint8_t priority, uint16_t quanta);
    std::vector<Waiting> FindWaiting(const Port& port, uint8_t priority) const;
    void Record(const Sent& sent, RdmaEventTime at);
    void FindCause(QbbPause& pause, const std::vector<Waiting>& waiting, RdmaEventTime at) const;
    static std::string Pack(const Sent& sent);
    static Sent Unpack(const std::string& bytes);

    std::string m_path;                          //!< attribute File
    RdmaOutputFile m_file;                       //!< output file
    Ptr<RdmaFabric> m_fabric;                    //!< fabric whose pauses are recorded
    std::vector<Port> m_ports;                   //!< two ports for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< indices in m_ports by node id and port number
    std::vector<QbbPause> m_pauses;              //!< pauses in order of their start
    std::vector<RdmaEventTime> m_starts;         //!< event of each pause's start
    RdmaRecordLog<RdmaEventTime> m_log;          //!< frames sent, if the run is shared
};

} // namespace ns3

#endif /* QBB_PAUSE_TREE_H */
