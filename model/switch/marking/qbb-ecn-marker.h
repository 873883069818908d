/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ECN_MARKER_H
#define QBB_ECN_MARKER_H

#include "rdma-bit-rate.h"

#include <ns3/data-rate.h>
#include <ns3/object.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Marking decision for a queue length.
 */
enum class QbbEcnDecision : uint8_t
{
    NO,   //!< do not mark the packet
    YES,  //!< mark the packet
    DRAW, //!< mark with a probability: call QbbEcnThresholds::IsMarked() with a random number
};

/**
 * \ingroup rdma
 * Marking curve of an egress queue, made by QbbEcnMarker::GetThresholds() for the queue's link
 * rate. The object is small, so that each queue can keep a copy.
 */
struct QbbEcnThresholds
{
    uint64_t kminBytes{UINT64_MAX}; //!< no marks up to this queue length
    uint64_t kmaxBytes{UINT64_MAX}; //!< every packet is marked above this queue length
    double slope{0};                //!< probability per byte above kminBytes

    /**
     * Decides by integer comparison alone, which suffices for most packets.
     *
     * \param queueBytes bytes in the queue now
     * \return the decision
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
     * \return true if the packet is to be marked
     */
    bool IsMarked(uint64_t queueBytes, double uniform) const
    {
        return uniform < GetProbability(queueBytes);
    }
};

/**
 * \ingroup rdma
 * Description of how a marker marks the packets of one queue by the queue's length, for reports.
 */
struct QbbMarkCurve
{
    QbbEcnThresholds thresholds; //!< marking probability by queue length
    bool atDeparture{false};     //!< the queue length that a packet leaves behind decides
    bool countsPacket{false};    //!< the packet itself counts as part of the queue
    bool perInput{false}; //!< input-queued: only packets of the packet's own ingress port count
};

/**
 * \ingroup rdma
 * Marking thresholds of a traffic class, at the reference rate of a QbbEcnMarker.
 */
struct QbbEcnProfile
{
    uint64_t kminBytes{5000};   //!< no marks up to this queue length
    uint64_t kmaxBytes{200000}; //!< every packet is marked above this queue length
    double pmax{0.01};          //!< marking probability at kmaxBytes, in (0, 1]
};

/**
 * \ingroup rdma
 * RED-style ECN marking by the instantaneous length of an egress queue.
 *
 * A queue of q bytes marks no packet up to Kmin, marks with probability Pmax (q - Kmin) / (Kmax -
 * Kmin) up to Kmax, and marks every packet above Kmax. Kmin = Kmax makes a step, as in DCTCP. On a
 * link with rate r, Kmin and Kmax are multiplied by r / ReferenceRate (any rate, rounded to the
 * nearest byte), so that the thresholds stand for the same queueing delay on all links. Attribute
 * ScaleWithRate disables the scaling.
 *
 * **Who decides, who marks.** This class holds the settings and sees no packet. It makes the curves
 * (GetThresholds()), and a curve decides by a queue length alone (QbbEcnThresholds). QbbSwitch
 * makes a QbbQueueLengthMarker for its attribute EcnMarker. That marker measures the queue, asks
 * the curve, and marks ECN-capable packets. Several switches may share one QbbEcnMarker. A
 * QbbCongestionDetector of the switch does not turn the curve off.
 *
 * By default, a packet is marked on entering its queue, in output-queued and input-queued switches,
 * according to the queue length that it finds, as at the congestion point of the SIGCOMM 2015 paper
 * (section 3.1). With attribute MarkAt, a packet is marked when its transmission begins, according
 * to the queue length that it leaves behind, as in shared-memory chips and the simulator of the
 * paper's authors (Zhu et al., "ECN or Delay", CoNEXT 2016, section 5). A mark set at departure
 * reaches the receiver without queueing delay, however long the queue.
 *
 * An input-queued switch has a virtual output queue for each ingress port at each egress port. By
 * default their sum is the queue length, which makes a port mark as in an output-queued switch.
 * With MarkBy=Queue, the virtual output queue of the packet alone is the queue length.
 *
 * Attributes and profiles may be changed while the switches run; changes take effect immediately.
 *
 * Defaults: Kmin 5 KB, Kmax 200 KB, Pmax 1% at 40 Gb/s (Zhu et al., "Congestion Control for
 * Large-Scale RDMA Deployments", SIGCOMM 2015, section 5).
 *
 *     const QbbEcnThresholds curve = marker->GetThresholds(3, rate); // once
 *     const QbbEcnDecision d = curve.Decide(queueBytes);                // for each ECT packet
 *     mark = d == QbbEcnDecision::YES ||
 *            (d == QbbEcnDecision::DRAW && curve.IsMarked(queueBytes, random->GetValue(0, 1)));
 */
class QbbEcnMarker : public Object
{
  public:
    /** Moment at which the marking of a packet is decided. */
    enum Moment
    {
        ARRIVAL,   //!< when the packet joins the queue, by the queue length that it finds
        DEPARTURE, //!< when its transmission begins, by the queue length left behind
    };

    /** Packets whose bytes are the queue length. */
    enum Scope
    {
        PORT,  //!< all packets of the class that wait for the egress port
        QUEUE, //!< in an input-queued switch, those of the packet's virtual output queue
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Gives a priority its own curve, instead of the attributes Kmin, Kmax and Pmax. Throws
     * std::invalid_argument if kminBytes > kmaxBytes or pmax is not in (0, 1].
     *
     * \param priority class 0..7
     * \param profile marking curve at the reference rate
     */
    void SetProfile(uint8_t priority, const QbbEcnProfile& profile);

    /**
     * Gives a queue of one egress port its own curve, instead of that of the priority. Throws
     * std::invalid_argument if the profile is invalid, as SetProfile() does.
     *
     * \param port number of the egress port
     * \param priority class 0..7
     * \param profile marking curve at the reference rate; no value: the queue marks no packet
     */
    void SetPortProfile(uint16_t port,
                        uint8_t priority,
                        const std::optional<QbbEcnProfile>& profile);

    /** \return true if a queue of an egress port may have a curve of its own */
    bool HasPortProfiles() const
    {
        return !m_portProfiles.empty();
    }

    /**
     * \param priority class 0..7
     * \return marking curve of the priority at the reference rate
     */
    QbbEcnProfile GetProfile(uint8_t priority) const;

    /**
     * Computes a marking curve. Throws std::invalid_argument if Kmin > Kmax, or if ScaleWithRate is
     * set and a rate is 0.
     *
     * \param priority class 0..7
     * \param rate the link's rate in bit/s
     * \param port number of the egress port, for a curve from SetPortProfile(); no value: the curve
     *        of the priority
     * \return the marking curve of the queue; a curve that never marks if PriorityMask excludes the
     *         class
     */
    QbbEcnThresholds GetThresholds(uint8_t priority,
                                   RdmaBitRate rate,
                                   std::optional<uint16_t> port = std::nullopt) const;

    /** \return moment at which marks are decided */
    Moment GetMoment() const
    {
        return m_moment;
    }

    /** \return packets whose bytes are the queue length */
    Scope GetScope() const
    {
        return m_scope;
    }

    /**
     * Registers a callback for changes of the curves, of MarkAt or of MarkBy.
     *
     * \param user key of the callback, for ForgetUser()
     * \param changed function called after each change
     */
    void AddUser(const void* user, std::function<void()> changed);

    /** Removes a callback. \param user key given to AddUser() */
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

    /// Callbacks from AddUser().
    std::vector<std::pair<const void*, std::function<void()>>> m_users;

    uint32_t m_kmin{5000};                       //!< attribute Kmin
    uint32_t m_kmax{200000};                     //!< attribute Kmax
    double m_pmax{0.01};                         //!< attribute Pmax
    DataRate m_referenceRate{40'000'000'000ULL}; //!< attribute ReferenceRate
    bool m_scale{true};                          //!< attribute ScaleWithRate
    uint8_t m_priorityMask{0xff};                //!< attribute PriorityMask
    Moment m_moment{ARRIVAL};                    //!< attribute MarkAt
    Scope m_scope{PORT};                         //!< attribute MarkBy
    uint8_t m_ownMask{0};                      //!< bit p set: m_profiles[p] was set by SetProfile()
    std::array<QbbEcnProfile, 8> m_profiles{}; //!< curves from SetProfile(), by priority
    /// Curves from SetPortProfile(), by port and priority.
    std::map<std::pair<uint16_t, uint8_t>, std::optional<QbbEcnProfile>> m_portProfiles;
};

} // namespace ns3

#endif /* QBB_ECN_MARKER_H */
