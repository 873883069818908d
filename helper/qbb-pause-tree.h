/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_TREE_H
#define QBB_PAUSE_TREE_H

#include "qbb-ps.h"
#include "rdma-fabric.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A pause from its beginning to its end: the time in which one port has its peer not send a class.
 */
struct QbbPause
{
    /** Why a port asked for it. */
    enum class Cause
    {
        HOST,       //!< the port is a host's: a slow receiver, or a storm
        CONGESTION, //!< frames from this port wait for a port that may send, and share its line
        PAUSE,      //!< frames from this port wait for a port that is paused itself
    };

    static constexpr int64_t NONE = -1; //!< no pause
    static constexpr QbbPs LASTS{-1};   //!< it is not over

    int64_t parent{NONE};     //!< place of the pause that caused this one; NONE: it is a root
    uint32_t depth{0};        //!< number of pauses between this one and its root
    QbbPs start{0};           //!< its first pause frame is sent
    QbbPs end{LASTS};         //!< the resumption is sent, or the pause runs out; LASTS: neither
    uint32_t node{0};         //!< node id of the port that asks
    uint32_t port{0};         //!< its number
    uint32_t peer{0};         //!< node id of the port that may not send
    uint32_t peerPort{0};     //!< its number
    uint8_t priority{0};      //!< the class
    uint64_t frames{0};       //!< pause frames, the resumption included
    Cause cause{Cause::HOST}; //!< why
    int64_t causePort{NONE};  //!< port of the node that the frames wait for; NONE at a host
    uint64_t causeBytes{0};   //!< bytes from this port that waited for that one
};

/**
 * \ingroup rdma
 * \param cause why a port pauses its peer
 * \return "host", "congestion" or "pause"
 */
const char* GetQbbPauseCauseName(QbbPause::Cause cause);

/**
 * \ingroup rdma
 * Writes down how pauses spread through a fabric: a tree of pauses for each place where one began.
 *
 * When port Q of switch S begins to pause a class, the frames that came in at Q wait for other
 * ports of S. If some of these are paused themselves, the one with the most bytes from Q is to
 * blame, and the pause that stops it is the parent of the new one. Else the pause is a root,
 * because of congestion at the port with the most bytes from Q. A host's pause is always a root.
 *
 * It listens to the trace source PfcSent of every port and changes nothing. It must be there from
 * before the run until the last event.
 */
class QbbPauseTree
{
  public:
    /** \param fabric whose pauses are written down */
    explicit QbbPauseTree(Ptr<RdmaFabric> fabric);

    QbbPauseTree(const QbbPauseTree&) = delete;
    QbbPauseTree& operator=(const QbbPauseTree&) = delete;

    /**
     * \return all pauses by their start, as they stand now. A parent stands before its children.
     */
    std::vector<QbbPause> GetPauses() const;

    /**
     * One line for each pause: its number, those of its parent and of its root, and the members of
     * QbbPause, times in microseconds.
     *
     * \return the text of a CSV file
     */
    std::string FormatCsv() const;

  private:
    /** A port, and the pause that it asks for now. */
    struct Port
    {
        Ptr<QbbNetDevice> device;         //!< the port
        uint32_t node{0};                 //!< its node
        uint32_t peer{0};                 //!< place of the port at the other end
        std::array<int64_t, 8> present{}; //!< place in m_pauses by class, or NONE
        std::array<QbbPs, 8> until{};     //!< when its pause runs out unless it is repeated
    };

    void OnSent(uint32_t port, uint8_t priority, uint16_t quanta);
    void FindCause(const Port& port, QbbPause& pause) const;

    Ptr<RdmaFabric> m_fabric;                    //!< the fabric
    std::vector<Port> m_ports;                   //!< two for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< places in m_ports by node and port number
    std::vector<QbbPause> m_pauses;              //!< by start
};

} // namespace ns3

#endif /* QBB_PAUSE_TREE_H */
