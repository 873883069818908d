/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-incast-trial.h"

#include "qbb-line-rate.h"

#include <algorithm>
#include <deque>

namespace ns3
{

namespace
{

/** An incast in progress. */
class RdmaIncastInProgress
{
  public:
    RdmaIncastInProgress(QbbBufferManager& buffer, const RdmaIncast& incast)
        : m_buffer(buffer),
          m_incast(incast),
          m_inputRate(incast.inputRate),
          m_outputRate(incast.outputRate),
          m_held(incast.inputs.size()),
          m_left(incast.framesOf)
    {
        m_left.resize(incast.inputs.size(), incast.frames);
    }

    RdmaIncastOutcome Run()
    {
        for (uint64_t wave = 0; !IsDecided(); ++wave)
        {
            const QbbPs now = m_inputRate.BytesToPs(wave * m_incast.lineBytes);
            Depart(now, false);
            if (m_outcome.slowedAt != QBB_NEVER && now > m_outcome.slowedAt + m_incast.inputDelay)
            {
                return m_outcome;
            }
            bool any = false;
            for (std::size_t i = 0; i < m_incast.inputs.size(); ++i)
            {
                any = any || m_left[i] > 0;
                if (m_left[i] > 0 && TakesPart(i, wave))
                {
                    --m_left[i];
                    Arrive(i, now);
                    Depart(now, true);
                }
            }
            if (!any)
            {
                break;
            }
        }
        Depart(QBB_NEVER, false);
        return m_outcome;
    }

  private:
    /** \return true if the rest of the incast can show nothing new */
    bool IsDecided() const
    {
        // The queue of a lossy class stops growing once frames are dropped.
        return m_outcome.drop && (!m_outcome.pause || (m_outcome.mark && m_outcome.signal));
    }

    /** \return true if a sender has a frame in a wave */
    bool TakesPart(std::size_t sender, uint64_t wave) const
    {
        const double share = m_incast.shares.empty() ? 1 : m_incast.shares[sender];
        const auto count = [share](uint64_t waves) {
            return static_cast<uint64_t>(share * static_cast<double>(waves));
        };
        return wave == 0 || count(wave) > count(wave - 1);
    }

    uint64_t GetQueueBytes() const
    {
        return uint64_t{m_incast.frameBytes} * m_queue.size();
    }

    /**
     * \return bytes that wait from the ingress port of a sender, without the frame of the sender
     *         that is just arriving or leaving
     */
    uint64_t GetInputBytes(std::size_t sender) const
    {
        uint64_t bytes = 0;
        for (std::size_t i = 0; i < m_held.size(); ++i)
        {
            bytes += m_incast.inputs[i] == m_incast.inputs[sender] ? m_held[i] : 0;
        }
        return bytes - m_incast.frameBytes;
    }

    /** Records an event unless it has occurred before. */
    void Note(std::optional<RdmaIncastEvent>& event, QbbPs now, std::size_t sender) const
    {
        if (!event)
        {
            event = RdmaIncastEvent{now, GetQueueBytes(), m_held[sender]};
        }
    }

    /** Applies the marking curves to a queue length. */
    void Mark(bool atDeparture, uint64_t queueBytes, QbbPs now, std::size_t sender)
    {
        for (const QbbMarkCurve& curve : m_incast.marks)
        {
            const uint64_t own = curve.countsPacket ? m_incast.frameBytes : 0;
            const uint64_t counted = curve.perInput ? GetInputBytes(sender) : queueBytes;
            const double chance = curve.thresholds.GetProbability(counted + own);
            if (curve.atDeparture != atDeparture || chance == 0)
            {
                continue;
            }
            Note(m_outcome.mayMark, now, sender);
            m_expectedMarks += chance;
            if (m_expectedMarks >= 1 - ROUNDING)
            {
                Note(m_outcome.mark, now, sender);
                Slow(m_incast.reactToMarks, now, atDeparture ? 0 : queueBytes);
            }
        }
    }

    /** Records when a sender slows down, if \p hears is true and no sender has slowed down yet. */
    void Slow(bool hears, QbbPs now, uint64_t queueBytes)
    {
        if (hears && m_outcome.slowedAt == QBB_NEVER && m_incast.feedback != QBB_NEVER)
        {
            m_outcome.slowedAt = now + m_outputRate.BytesToPs(queueBytes) + m_incast.feedback;
        }
    }

    /** Passes a frame of a sender to the buffer manager. */
    void Arrive(std::size_t sender, QbbPs now)
    {
        const uint16_t input = m_incast.inputs[sender];
        const auto admit = [&] {
            return m_buffer.Admit(input, m_incast.output, m_incast.priority, m_incast.frameBytes);
        };
        QbbAdmission admission = admit();
        while (admission.pushOut && !m_queue.empty())
        {
            Note(m_outcome.drop, now, m_queue.back());
            Release(m_queue.back());
            m_queue.pop_back();
            admission = admit();
        }
        if (!admission.admitted)
        {
            Note(m_outcome.drop, now, sender);
        }
        else
        {
            m_held[sender] += m_incast.frameBytes;
            Mark(false, GetQueueBytes(), now, sender);
            if (GetQueueBytes() > m_incast.signalBytes)
            {
                Note(m_outcome.signal, now, sender);
                Slow(!m_incast.reactToMarks, now, GetQueueBytes());
            }
            m_queue.push_back(sender);
        }
        if (admission.xoff)
        {
            Note(m_outcome.pause, now, sender);
            m_left[sender] = std::min(m_left[sender], m_incast.framesAfterPause);
        }
    }

    /** Sends the frames whose transmission begins before an instant, or at it if \p inclusive. */
    void Depart(QbbPs now, bool inclusive)
    {
        while (!m_queue.empty() && (m_next < now || (inclusive && m_next == now)))
        {
            const std::size_t sender = m_queue.front();
            m_queue.pop_front();
            Mark(true, GetQueueBytes(), m_next, sender);
            Release(sender);
            m_sentBytes += m_incast.lineBytes;
            m_next = m_idleSince + m_outputRate.BytesToPs(m_sentBytes);
        }
        if (m_queue.empty() && m_next < now)
        {
            m_next = m_idleSince = now;
            m_sentBytes = 0;
        }
    }

    void Release(std::size_t sender)
    {
        m_held[sender] -= m_incast.frameBytes;
        if (m_buffer.Release(m_incast.inputs[sender],
                             m_incast.output,
                             m_incast.priority,
                             m_incast.frameBytes))
        {
            while (m_buffer.TakeResumed())
            {
            }
        }
    }

    static constexpr double ROUNDING = 1e-9; //!< rounding error of a sum of probabilities

    QbbBufferManager& m_buffer;      //!< the buffer manager on trial
    const RdmaIncast& m_incast;      //!< the incast
    const QbbLineRate m_inputRate;   //!< rate of the ingress ports
    const QbbLineRate m_outputRate;  //!< rate of the egress port
    std::deque<std::size_t> m_queue; //!< senders of the frames in the egress queue
    std::vector<uint64_t> m_held;    //!< bytes that the buffer holds of each sender
    std::vector<uint64_t> m_left;    //!< frames that each sender has yet to send
    QbbPs m_next{0};                 //!< when the egress port may send its next frame
    QbbPs m_idleSince{0};            //!< start of the egress port's current train of frames
    uint64_t m_sentBytes{0};         //!< line bytes of the current train
    double m_expectedMarks{0};       //!< expected number of marks
    RdmaIncastOutcome m_outcome;     //!< first events
};

} // namespace

RdmaIncastOutcome
TryRdmaIncast(QbbBufferManager& buffer, const RdmaIncast& incast)
{
    return RdmaIncastInProgress(buffer, incast).Run();
}

RdmaIngressRoom
TryRdmaIngress(QbbBufferManager& buffer,
               uint16_t input,
               uint16_t output,
               uint8_t priority,
               uint32_t frameBytes)
{
    RdmaIngressRoom room;
    QbbAdmission admission;
    uint64_t held = 0;
    do
    {
        room.holdsBytes = held;
        admission = buffer.Admit(input, output, priority, frameBytes);
        held += admission.admitted ? frameBytes : 0;
    } while (admission.admitted && !admission.xoff);
    room.pauses = admission.xoff;
    while (room.pauses && !room.xonBytes && held > 0)
    {
        held -= frameBytes;
        if (buffer.Release(input, output, priority, frameBytes))
        {
            room.xonBytes = held;
        }
    }
    return room;
}

} // namespace ns3
