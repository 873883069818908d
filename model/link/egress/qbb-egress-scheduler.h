/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EGRESS_SCHEDULER_H
#define QBB_EGRESS_SCHEDULER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Egress scheduler of a port: strict priority, deficit weighted round robin (DWRR), or a mix.
 *
 * Strict classes go first, in descending order of their numbers. The remaining classes share the
 * rest of the line rate by surplus round robin, the form of DWRR (Shreedhar and Varghese, SIGCOMM
 * 1995) that need not know the length of the next frame. A class may send while its counter is
 * positive, pays the full frame length afterwards, and gets a credit of QUANTUM_BYTES times its
 * weight at each turn, where weights are divided by their greatest common divisor. Classes that
 * always have frames to send get bytes in proportion to their weights over time.
 *
 * The scheduler works on class numbers and byte counts; it never sees frames.
 */
class QbbEgressScheduler
{
  public:
    static constexpr uint32_t QUANTUM_BYTES = 2048; //!< credit per turn of a class of weight 1
    static constexpr uint32_t MAX_WEIGHT = 1000;    //!< largest weight

    /** Creates a scheduler with all classes strict. */
    QbbEgressScheduler() = default;

    /**
     * \param text eight entries for the classes 0 to 7, separated by commas: "strict", or a weight
     *        1..1000. One entry alone ("strict" or "1") stands for all eight.
     * \return the scheduler
     *
     * Throws std::invalid_argument that names the wrong entry if the text has another form.
     */
    static QbbEgressScheduler FromText(const std::string& text);

    /** \return text form of the scheduler, which FromText() accepts */
    std::string ToText() const;

    /** \param priority class 0..7 to make strict */
    void SetStrict(uint8_t priority);

    /** Makes a class weighted. \param priority class 0..7 \param weight DWRR weight, 1..1000 */
    void SetWeight(uint8_t priority, uint32_t weight);

    /** \param priority class 0..7 \return true if the class is strict */
    bool IsStrict(uint8_t priority) const
    {
        return (m_strict >> priority) & 1;
    }

    /**
     * Picks the class to send next.
     *
     * \param ready bit p set if class p has a frame to send and is not paused; not 0
     * \param held bit p set if class p has a frame to send and is not paused, but is blocked for a
     *        short time, for instance because its crossbar input is sending to another port. A held
     *        weighted class keeps its turn. Other classes may send before it on the credit of their
     *        next turn, but not beyond that credit.
     * \return the class of \p ready that is to send
     */
    uint8_t Pick(uint8_t ready, uint8_t held = 0)
    {
        const auto strict = static_cast<uint8_t>(ready & m_strict);
        if (strict)
        {
            return HighestBit(strict);
        }
        return PickWeighted(ready, static_cast<uint8_t>(held & ~m_strict));
    }

    /** \param priority class returned by Pick() \param bytes bytes that the class sends */
    void Charge(uint8_t priority, uint32_t bytes)
    {
        if (!IsStrict(priority))
        {
            m_shares[priority].deficit -= bytes;
        }
    }

    /**
     * Does what Pick() and then Charge() do if no other class has a frame to send.
     *
     * \param priority class of the frame
     * \param bytes bytes that the class sends
     */
    void ChargeOnlyClass(uint8_t priority, uint32_t bytes)
    {
        if (!IsStrict(priority))
        {
            PickWeighted(static_cast<uint8_t>(1U << priority), 0);
            m_shares[priority].deficit -= bytes;
        }
    }

  private:
    /** Share of a weighted class. */
    struct Share
    {
        uint32_t weight{0}; //!< weight of the class
        int64_t quantum{0}; //!< credit in bytes per turn; 0 if the class is strict
        int64_t deficit{0}; //!< remaining credit in bytes; debt if below 0
    };

    static uint8_t HighestBit(uint8_t mask)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(mask));
    }

    uint8_t PickWeighted(uint8_t ready, uint8_t held);
    uint8_t PickBefore(uint8_t ready, uint8_t held);
    void SetQuanta();

    uint8_t m_strict{0xff};      //!< bit p set if class p is strict
    uint8_t m_current{0};        //!< weighted class whose turn it is
    std::vector<Share> m_shares; //!< shares by class; empty until a class is weighted
};

} // namespace ns3

#endif /* QBB_EGRESS_SCHEDULER_H */
