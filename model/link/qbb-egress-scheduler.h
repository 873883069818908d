/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EGRESS_SCHEDULER_H
#define QBB_EGRESS_SCHEDULER_H

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Which class of a port sends next: strict priority, deficit weighted round robin, or a mix.
 *
 * Strict classes go first, the highest number before the others. The remaining classes share what
 * is left by surplus round robin, the form of DWRR (Shreedhar and Varghese, SIGCOMM 1995) that
 * needs no look at the next frame: a class may send while its counter is positive, pays the full
 * length afterwards, and gets weight times Quantum at each turn. Over time classes that always have
 * something to send get bytes in proportion to their weights.
 *
 * Sees numbers only.
 */
class QbbEgressScheduler
{
  public:
    static constexpr uint32_t QUANTUM_BYTES = 2048; //!< credit of the smallest share at each turn
    static constexpr uint32_t MAX_WEIGHT = 1000;    //!< largest weight

    /** All classes strict. */
    QbbEgressScheduler() = default;

    /**
     * \param text eight entries for the classes 0 to 7, separated by commas: "strict", or a weight
     *        1..1000. One entry alone ("strict" or "1") stands for all eight.
     * \return the scheduler
     *
     * Aborts with a message that names the entry if the text is not of that form.
     */
    static QbbEgressScheduler FromText(const std::string& text);

    /** \return the text that FromText() would turn into this */
    std::string ToText() const;

    /** \param priority class 0..7, from now on strict */
    void SetStrict(uint8_t priority);

    /** \param priority class 0..7 \param weight its share among the weighted classes, 1..1000 */
    void SetWeight(uint8_t priority, uint32_t weight);

    /** \param priority class 0..7 \return true if it is strict */
    bool IsStrict(uint8_t priority) const
    {
        return (m_strict >> priority) & 1;
    }

    /**
     * \param ready bit p set if class p has something to send and may; not 0
     * \param held bit p set if class p has something to send and may, but cannot at this moment for
     *        reasons that pass by themselves, such as a crossbar's input that sends elsewhere. A
     *        weighted class keeps its turn meanwhile: others are served before it on credit of
     *        their next turns, and no more than that.
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

    /** \param priority the class that Pick() gave \param bytes what it sends */
    void Charge(uint8_t priority, uint32_t bytes)
    {
        m_deficit[priority] -= bytes;
    }

  private:
    static uint8_t HighestBit(uint8_t mask)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(mask));
    }

    uint8_t PickWeighted(uint8_t ready, uint8_t held);
    uint8_t PickBefore(uint8_t ready, uint8_t held);
    void SetQuanta();

    uint8_t m_strict{0xff};             //!< bit p set if class p is strict
    uint8_t m_current{0};               //!< the weighted class whose turn it is
    std::array<uint32_t, 8> m_weight{}; //!< weights of those that are not
    std::array<int64_t, 8> m_quantum{}; //!< bytes that they get at each turn
    std::array<int64_t, 8> m_deficit{}; //!< bytes that may be sent in this turn
};

} // namespace ns3

#endif /* QBB_EGRESS_SCHEDULER_H */
