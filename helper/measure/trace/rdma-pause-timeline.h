/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_TIMELINE_H
#define RDMA_PAUSE_TIMELINE_H

#include "qbb-ps.h"
#include "rdma-event-trace.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Timeline of the ports of a fabric, written as an RdmaEventTrace: pauses are spans, actions of
 * watchdogs are instants, and queues and ECN marks are counters. Nodes and ports get their names in
 * the file when they first appear.
 */
class RdmaPauseTimeline
{
  public:
    /** Sampled values of a port, by traffic class. */
    struct Values
    {
        std::array<uint64_t, 8> queueBytes{}; //!< queued bytes; at a host, in its slow receiver
        std::array<uint64_t, 8> marks{};      //!< ECN marks

        /** \param other other values \return true if all values are equal */
        bool operator==(const Values& other) const
        {
            return queueBytes == other.queueBytes && marks == other.marks;
        }
    };

    /** Report of a port or a watchdog. */
    struct Report
    {
        /** Kind of a report. */
        enum class Kind
        {
            PAUSE,     //!< a pause or its refreshment takes effect
            RESUME,    //!< the end of a pause takes effect
            LINK,      //!< the link of the port goes up or down
            DETECTED,  //!< a watchdog detects a storm, and goes on honouring pauses
            IGNORED,   //!< a watchdog detects a storm, and ignores pauses
            RESTORED,  //!< a storm has ended
            NIC_SILENT //!< a NIC's watchdog has disabled its pause frames
        };

        Kind kind{Kind::PAUSE}; //!< kind of the report
        uint32_t place{0};      //!< index of the port
        uint8_t priority{0};    //!< traffic class
        QbbPs effect{0};        //!< instant at which the report takes effect
        QbbPs until{0};         //!< PAUSE: expiry of the pause
    };

    /** \param os receives the text; outlives the timeline */
    explicit RdmaPauseTimeline(std::ostream& os);

    /**
     * Adds a port. Ports are numbered from 0 in the order of the calls.
     *
     * \param node node id of the port
     * \param nodeName name of the node
     * \param name name of the port, for instance "port 2 to host-5"
     * \param isHost true if the port belongs to a host
     */
    void AddPort(uint32_t node, const std::string& nodeName, const std::string& name, bool isHost);

    /** \param report the next report, in order of time */
    void Record(const Report& report);

    /**
     * Writes the values of a port that differ from those in the file.
     *
     * \param place index of the port
     * \param values the values
     * \param now instant of the values
     * \return true if a value differed
     */
    bool Write(uint32_t place, const Values& values, QbbPs now);

    /** \param place index of a port whose pauses end \param at instant of the end */
    void EndPauses(uint32_t place, QbbPs at);

    /** Completes the text. No call may follow. */
    void Finish()
    {
        m_trace.Finish();
    }

  private:
    /** State of a port and class. */
    struct Track
    {
        bool named{false};  //!< the track has a name in the file
        bool paused{false}; //!< a pause is in effect
        QbbPs start{0};     //!< start of the pause
        QbbPs until{0};     //!< expiry of the pause
    };

    /** A port. */
    struct Port
    {
        uint32_t node{0};               //!< node id of the port
        std::string nodeName;           //!< name of the node
        std::string name;               //!< name of the port
        bool isHost{false};             //!< the port belongs to a host
        std::array<Track, 8> classes{}; //!< state by traffic class
        Values written;                 //!< values that are in the file
    };

    void RecordPause(const Report& report);
    void ClosePause(uint32_t place, uint8_t priority, QbbPs at);
    void Name(uint32_t place, uint8_t priority);

    RdmaEventTrace m_trace;    //!< text of the file
    std::vector<Port> m_ports; //!< ports in the order of AddPort()
    std::vector<bool> m_named; //!< by node id: the process has a name in the file
};

} // namespace ns3

#endif /* RDMA_PAUSE_TIMELINE_H */
