/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CONWEAVE_H
#define QBB_CONWEAVE_H

#include "rdma-ps.h"

#include <array>
#include <cstdint>
#include <optional>

/**
 * \file
 * \ingroup rdma
 * The rules of ConWeave for one connection, at the leaf of its sender and at the leaf of its
 * receiver. They see numbers and times; QbbConWeavePathSelector has the frames.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Path through the fabric: the egress ports at the first two switches that have several equal-cost
 * ports for the destination. A path with one such switch has NO_PORT in second place.
 */
struct QbbConWeavePath
{
    static constexpr uint16_t NO_PORT = 0xffff; //!< there is no such switch

    std::array<uint16_t, 2> ports{NO_PORT, NO_PORT}; //!< egress ports, the leaf's first

    /** \param other a path \return true if both are equal */
    bool operator==(const QbbConWeavePath& other) const
    {
        return ports == other.ports;
    }

    /** \param other a path \return true if the paths differ */
    bool operator!=(const QbbConWeavePath& other) const
    {
        return ports != other.ports;
    }

    /** \param other a path \return true if this path comes first in an order of all paths */
    bool operator<(const QbbConWeavePath& other) const
    {
        return ports < other.ports;
    }
};

/**
 * \ingroup rdma
 * What ConWeave carries in a frame between leaves, beside the path: in the paper's words the
 * opcode, EPOCH, REROUTED, TAIL, TX_TSTAMP and TAIL_TX_TSTAMP.
 */
struct QbbConWeaveTag
{
    static constexpr uint8_t BYTES = 10; //!< bytes of a tag on the wire

    /** Meaning of a frame. */
    enum class Kind : uint8_t
    {
        DATA,        //!< a frame of the connection
        RTT_REQUEST, //!< a frame of the connection that asks for an RTT_REPLY; begins an epoch
        TAIL,        //!< the last frame on the old path; asks for a CLEAR
        RTT_REPLY,   //!< control: the RTT_REQUEST has arrived
        CLEAR,       //!< control: the TAIL has arrived
        NOTIFY,      //!< control: a frame of the path has a congestion mark
    };

    /** Times in a tag count units of 2^18 ps, 262 ns, modulo 2^16, which is 17 ms. */
    using Stamp = uint16_t;

    Kind kind{Kind::DATA}; //!< meaning of the frame
    bool rerouted{false};  //!< the frame has left the old path of its epoch
    uint8_t hop{0};        //!< switches with several equal-cost ports so far, at most 3
    uint8_t epoch{0};      //!< number of the epoch modulo 256
    QbbConWeavePath path;  //!< path of the frame; NOTIFY: the congested path
    Stamp sent{0};         //!< departure from the sender's leaf; control: DSCP of the connection
    Stamp tailSent{0};     //!< TAIL and rerouted frames: departure of the TAIL

    /** \return true for RTT_REPLY, CLEAR and NOTIFY, which end at a leaf */
    bool IsControl() const
    {
        return kind >= Kind::RTT_REPLY;
    }

    /** \param time an instant \return the instant as in a tag */
    static Stamp MakeStamp(RdmaPs time)
    {
        return static_cast<Stamp>(static_cast<uint64_t>(time.Get()) >> STAMP_SHIFT);
    }

    /**
     * \param from an instant
     * \param to another, at most 8.5 ms earlier or later
     * \return the time from the first to the second
     */
    static RdmaPs GetDifference(Stamp from, Stamp to)
    {
        return RdmaPs(int64_t{static_cast<int16_t>(static_cast<Stamp>(to - from))} *
                      (int64_t{1} << STAMP_SHIFT));
    }

    /** \return the bytes of the tag on the wire */
    std::array<uint8_t, BYTES> Write() const;

    /**
     * \param bytes the first of BYTES bytes
     * \return the tag; nothing if the bytes are none
     */
    static std::optional<QbbConWeaveTag> Read(const uint8_t* bytes);

  private:
    static constexpr uint32_t STAMP_SHIFT = 18; //!< a unit of time in a tag is 2^STAMP_SHIFT ps
};

/**
 * \ingroup rdma
 * Parameters of ConWeave.
 */
struct QbbConWeaveTimes
{
    RdmaPs replyExtra;    //!< waiting for an RTT_REPLY beyond the round trip of the empty network
    RdmaPs inactive;      //!< idle time after which a connection begins a new epoch
    RdmaPs resumeExtra;   //!< waiting for a TAIL beyond its estimated arrival
    RdmaPs resumeDefault; //!< waiting for a TAIL if nothing is known about the old path
};

/**
 * \ingroup rdma
 * A connection at the leaf of its sender.
 *
 * An epoch begins with an RTT_REQUEST. If the RTT_REPLY is there in time, the next frame begins the
 * next epoch on the same path. If not, the next frame is the TAIL, and the frames behind it take
 * another path if a free one was found. They are the rerouted frames. The CLEAR says that the TAIL
 * has arrived, and the next frame begins the next epoch. Only then may the connection be rerouted
 * again, so that its frames are never on more than two paths. Both answers may be lost: a
 * connection also begins an epoch when it has been idle for a time, and then on any free path.
 */
class QbbConWeaveSender
{
  public:
    /** A path drawn at random. */
    struct Candidate
    {
        QbbConWeavePath path; //!< the path
        bool free{true};      //!< no recent NOTIFY names the path
    };

    /**
     * \param now current time
     * \param times parameters
     * \return true if Send() would use its candidate
     */
    bool NeedsPath(RdmaPs now, const QbbConWeaveTimes& times) const
    {
        return IsIdle(now, times) || (!m_stable && m_deadline < now);
    }

    /**
     * Called for each frame of the connection.
     *
     * \param now current time
     * \param roundTrip round trip between the leaves in the empty network
     * \param times parameters
     * \param candidate a path, if NeedsPath() is true
     * \return tag of the frame
     */
    QbbConWeaveTag Send(RdmaPs now,
                        RdmaPs roundTrip,
                        const QbbConWeaveTimes& times,
                        const Candidate& candidate);

    /**
     * Called for an RTT_REPLY or a CLEAR of the connection.
     *
     * \param tag tag of the control frame
     * \param now current time
     * \return true if the answer ends the epoch; false if it is late or of an earlier epoch
     */
    bool Answer(const QbbConWeaveTag& tag, RdmaPs now);

    /** The path of the connection has ceased to exist: the next frame begins an epoch. */
    void LosePath()
    {
        m_lastFrame = -RDMA_NEVER;
        m_lostPath = true;
    }

    /** \return path of the next frame, unless Send() changes it */
    const QbbConWeavePath& GetPath() const
    {
        return m_path;
    }

    /** \return time of the latest frame */
    RdmaPs GetLastFrame() const
    {
        return m_lastFrame;
    }

  private:
    bool IsIdle(RdmaPs now, const QbbConWeaveTimes& times) const
    {
        return m_lastFrame < now - times.inactive;
    }

    RdmaPs m_lastFrame{-RDMA_NEVER};     //!< time of the latest frame
    RdmaPs m_deadline{RDMA_NEVER};       //!< the RTT_REPLY is late from then on
    QbbConWeavePath m_path;              //!< current path
    QbbConWeaveTag::Stamp m_tailSent{0}; //!< departure of the epoch's TAIL, if m_rerouted
    uint8_t m_epoch{0};                  //!< number of the epoch modulo 256
    bool m_stable{false};                //!< the next frame begins an epoch on the same path
    bool m_rerouted{false};              //!< the TAIL of the epoch has been sent
    bool m_lostPath{true};               //!< m_path does not exist
};

/**
 * \ingroup rdma
 * A connection at the leaf of its receiver.
 *
 * A rerouted frame that comes before its epoch's TAIL waits in a queue of the connection, and so do
 * the rerouted frames behind it. The TAIL releases them. If the TAIL is lost, a deadline does: the
 * estimated arrival of the TAIL, plus a margin. The estimate is the arrival of the latest frame of
 * the old path plus the time between this frame and the TAIL at the sender's leaf. Each further
 * frame of the old path corrects it.
 */
class QbbConWeaveReceiver
{
  public:
    /** What happens to a frame. */
    struct Fate
    {
        bool hold{false};         //!< the frame joins the queue
        bool releaseFirst{false}; //!< the queue is released before the frame
        bool releaseAfter{false}; //!< the queue is released behind the frame
        bool answer{false};       //!< RTT_REQUEST and TAIL of the current epoch: send an answer
        bool notify{false};       //!< a congestion mark of the frame is worth a NOTIFY
    };

    /** What became of the TAIL of an epoch whose queue the deadline has released. */
    struct Missed
    {
        uint64_t early{0}; //!< the TAIL came later: frames were out of order
        uint64_t lost{0};  //!< the TAIL never came
    };

    /**
     * Called for each frame of the connection with a tag.
     *
     * \param tag tag of the frame
     * \param now current time
     * \param times parameters
     * \param [in,out] missed counts
     * \return what happens to the frame; after hold or a release, see GetDeadline() and IsHolding()
     */
    Fate Receive(const QbbConWeaveTag& tag,
                 RdmaPs now,
                 const QbbConWeaveTimes& times,
                 Missed& missed);

    /** The deadline has passed, or the queue has got lost, or there is no queue: no frame of the
     * epoch waits any more. */
    void GiveUp();

    /** \return true if rerouted frames wait */
    bool IsHolding() const
    {
        return m_holding;
    }

    /** \return instant at which the queue is released without a TAIL, if IsHolding() */
    RdmaPs GetDeadline() const
    {
        return m_deadline;
    }

    /** \return time of the latest frame */
    RdmaPs GetLastFrame() const
    {
        return m_lastFrame;
    }

    /** Idle time after which the connection is forgotten, so that any epoch is a new one. */
    static constexpr RdmaPs FORGET{2'000'000'000};

  private:
    RdmaPs GetWait(const QbbConWeaveTimes& times) const;

    RdmaPs m_lastFrame{-RDMA_NEVER};        //!< time of the latest frame
    RdmaPs m_oldPathReceived{0};            //!< arrival of the latest frame that was not rerouted
    RdmaPs m_deadline{RDMA_NEVER};          //!< release without a TAIL, if m_holding
    QbbConWeaveTag::Stamp m_oldPathSent{0}; //!< departure of that frame
    QbbConWeaveTag::Stamp m_tailSent{0}; //!< departure of the TAIL, by the latest frame that tells
    uint8_t m_epoch{0};                  //!< latest epoch, modulo 256
    bool m_knowsOldPath{false};          //!< m_oldPathReceived is of this epoch
    bool m_passes{false};                //!< rerouted frames of this epoch need not wait
    bool m_holding{false};               //!< rerouted frames wait
    bool m_missesTail{false};            //!< the deadline has released frames of this epoch
};

} // namespace ns3

#endif /* QBB_CONWEAVE_H */
