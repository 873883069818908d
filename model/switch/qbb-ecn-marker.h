/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ECN_MARKER_H
#define QBB_ECN_MARKER_H

#include "qbb-bit-rate.h"

#include <ns3/data-rate.h>
#include <ns3/object.h>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Whether a queue length leads to a mark.
 */
enum class QbbEcnDecision : uint8_t
{
    NO,   //!< do not mark
    YES,  //!< mark
    DRAW, //!< mark with a probability: ask QbbEcnThresholds::IsMarked() with a random number
};

/**
 * \ingroup rdma
 * The marking curve of one egress queue, made by QbbEcnMarker::GetThresholds() for its link rate.
 * Small, to be kept at the queue.
 */
struct QbbEcnThresholds
{
    uint64_t kminBytes{UINT64_MAX}; //!< no marks up to this queue length
    uint64_t kmaxBytes{UINT64_MAX}; //!< every packet is marked above this queue length
    double slope{0};                //!< probability per byte above kminBytes

    /**
     * Compares integers only; most packets need nothing else.
     *
     * \param queueBytes bytes in the queue now
     * \return what to do
     */
    QbbEcnDecision Decide(uint64_t queueBytes) const
    {
        if (queueBytes <= kminBytes)
        {
            return QbbEcnDecision::NO;
        }
        return queueBytes > kmaxBytes ? QbbEcnDecision::YES : QbbEcnDecision::DRAW;
    }

    /**
     * \param queueBytes bytes in the queue now
     * \return probability of a mark, 0..1
     */
    double GetProbability(uint64_t queueBytes) const
    {
        if (queueBytes <= kminBytes)
        {
            return 0;
        }
        return queueBytes > kmaxBytes ? 1 : slope * static_cast<double>(queueBytes - kminBytes);
    }

    /**
     * \param queueBytes bytes in the queue now
     * \param uniform a random number, uniform in [0, 1)
     * \return true: mark
     */
    bool IsMarked(uint64_t queueBytes, double uniform) const
    {
        return uniform < GetProbability(queueBytes);
    }
};

/**
 * \ingroup rdma
 * Where a class of traffic is marked, at the reference rate of a QbbEcnMarker.
 */
struct QbbEcnProfile
{
    uint64_t kminBytes{5000};   //!< no marks up to this queue length
    uint64_t kmaxBytes{200000}; //!< every packet is marked above this queue length
    double pmax{0.01};          //!< probability at kmaxBytes, in (0, 1]
};

/**
 * \ingroup rdma
 * RED-style ECN marking by the instantaneous length of an egress queue.
 *
 * For a queue of q bytes: never up to Kmin, with probability Pmax (q - Kmin) / (Kmax - Kmin) up to
 * Kmax, always above it. Kmin = Kmax is a step, as DCTCP has it. The curve of a link with rate r
 * has Kmin and Kmax times r / ReferenceRate (any rate, rounded to the nearest byte), so that a
 * queue stands for the same time everywhere; attribute ScaleWithRate turns that off.
 *
 * A packet is marked by the queue that it finds, as the SIGCOMM 2015 paper's congestion point does
 * (section 3.1), or, with attribute MarkAt, by the one that it leaves behind, as chips with shared
 * memory and its authors' simulator do (Zhu et al., "ECN or Delay", CoNEXT 2016, section 5): then
 * a mark is news when it gets to the receiver, however long the queue.
 *
 * Attributes and profiles may be changed while the switches run: they hold from that instant on.
 *
 * Defaults: Kmin 5 KB, Kmax 200 KB, Pmax 1% at 40 Gb/s (Zhu et al., "Congestion Control for
 * Large-Scale RDMA Deployments", SIGCOMM 2015, section 5). Which packets are ECN-capable is for the
 * switch to know; here are numbers only.
 *
 *     const QbbEcnThresholds curve = marker->GetThresholds(3, rate); // once
 *     const QbbEcnDecision d = curve.Decide(queueBytes);                // for each ECT packet
 *     mark = d == QbbEcnDecision::YES ||
 *            (d == QbbEcnDecision::DRAW && curve.IsMarked(queueBytes, random->GetValue(0, 1)));
 */
class QbbEcnMarker : public Object
{
  public:
    /** When a packet's mark is decided. */
    enum Moment
    {
        ARRIVAL,   //!< as it joins the queue: the queue that it finds
        DEPARTURE, //!< as its transmission begins: the queue that it leaves behind
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Gives a priority a curve of its own, in place of the attributes Kmin, Kmax and Pmax. Ends the
     * program with a message if kminBytes > kmaxBytes or pmax is not in (0, 1].
     *
     * \param priority class 0..7
     * \param profile its curve at the reference rate
     */
    void SetProfile(uint8_t priority, const QbbEcnProfile& profile);

    /**
     * \param priority class 0..7
     * \return its curve at the reference rate
     */
    QbbEcnProfile GetProfile(uint8_t priority) const;

    /**
     * Ends the program with a message if the rate is 0, or if the attributes have Kmin > Kmax.
     *
     * \param priority class 0..7
     * \param rate the link's rate in bit/s
     * \return the curve of that queue; one that never marks if PriorityMask leaves the class out
     */
    QbbEcnThresholds GetThresholds(uint8_t priority, QbbBitRate rate) const;

    /** \return when marks are decided */
    Moment GetMoment() const
    {
        return m_moment;
    }

    /**
     * \param user called after each change of the curves or of MarkAt, until ForgetUser()
     * \param changed what to call
     */
    void AddUser(const void* user, std::function<void()> changed);

    /** \param user of AddUser(), which is gone */
    void ForgetUser(const void* user);

  protected:
    void DoDispose() override;

  private:
    template <auto Member, typename T>
    void Set(T value)
    {
        this->*Member = value;
        Changed();
    }

    template <auto Member, typename T>
    T Get() const
    {
        return this->*Member;
    }

    void Changed();

    std::vector<std::pair<const void*, std::function<void()>>> m_users; //!< AddUser()

    uint32_t m_kmin{5000};                       //!< Kmin
    uint32_t m_kmax{200000};                     //!< Kmax
    double m_pmax{0.01};                         //!< Pmax
    DataRate m_referenceRate{40'000'000'000ULL}; //!< ReferenceRate
    bool m_scale{true};                          //!< ScaleWithRate
    uint8_t m_priorityMask{0xff};                //!< PriorityMask
    Moment m_moment{ARRIVAL};                    //!< MarkAt
    uint8_t m_ownMask{0};                        //!< bit p set: m_profiles[p] is in use
    std::array<QbbEcnProfile, 8> m_profiles{};   //!< by priority
};

} // namespace ns3

#endif /* QBB_ECN_MARKER_H */
