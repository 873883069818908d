/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_POWER_TCP_H
#define RDMA_POWER_TCP_H

#include "rdma-congestion-control.h"
#include "rdma-int-path.h"
#include "rdma-paced-window.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Parameters of PowerTCP for one queue pair. Power is normalised: a fully used link without a queue
 * has power 1.
 */
struct RdmaPowerTcpParameters
{
    /** Source of the rules. */
    enum Rules : uint8_t
    {
        /// The simulator with which the authors measured the figures of their paper
        AUTHORS,
        PAPER, //!< algorithms 1 and 2 of the paper
    };

    Rules rules{AUTHORS};    //!< source of the rules
    double gamma{0.9};       //!< weight of a newly computed window
    double targetPower{1};   //!< power that windows steer to, above 0
    double minCurrent{0};    //!< lower bound of the current
    double increaseBytes{0}; //!< additive increase beta in bytes, above 0
    RdmaPs baseRtt{0};       //!< base round-trip time tau, above 0
};

/**
 * \ingroup rdma
 * PowerTCP's window, given the power of the path (Addanki et al., "PowerTCP: Pushing the
 * Performance Limits of Datacenter Networks", NSDI 2022).
 *
 * Power is the product of current (rate of arrival over rate of the port) and voltage (queue and
 * bandwidth-delay product over bandwidth-delay product). Power is smoothed over tau.
 *
 * With RdmaPowerTcpParameters::AUTHORS each acknowledgement sets W = gamma x (W_ref x target /
 * power + beta) + (1 - gamma) x W_ref. W becomes the reference window W_ref once per round trip:
 * when the first packet sent after the last update of W_ref is acknowledged, as in HPCC. These are
 * the rules of RdmaHw::UpdateRatePower() in the authors' simulator
 * (github.com/inet-tub/ns3-datacenter), which sets a rate and derives the window from the rate.
 *
 * With RdmaPowerTcpParameters::PAPER W = gamma x (W_old x target / power + beta) + (1 - gamma) x W,
 * where W_old and the times of updates are those of the subclass.
 */
class RdmaPowerTcpWindow : public RdmaPacedWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair's path profile
     */
    RdmaPowerTcpWindow(const RdmaPowerTcpParameters& parameters, const RdmaPathProfile& profile);

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

    /** \return smoothed, normalised power */
    double GetPower() const
    {
        return m_power;
    }

    /** \return W_ref (AUTHORS) or W_old (PAPER), in bytes */
    double GetOldWindow() const
    {
        return m_oldWindow;
    }

  protected:
    /**
     * Adds a measurement to the smoothed power.
     *
     * \param power measured power, normalised
     * \param timePs duration of the measurement in picoseconds
     */
    void Smooth(double power, double timePs);

    /**
     * AUTHORS: computes the window from the smoothed power, and the reference window where a round
     * trip ends.
     *
     * \param sample acknowledgement that brought the power
     */
    void React(const RdmaAckSample& sample);

    /** PAPER: computes the window. \param oldWindow W_old in bytes */
    void Update(double oldWindow);

    /**
     * \param sample an acknowledgement
     * \return true if a packet is acknowledged that was sent after the last BeginRound()
     */
    bool EndsRound(const RdmaAckSample& sample) const
    {
        return sample.ackedTo > m_mark;
    }

    /** A round trip begins. \param sample acknowledgement that ended the last one */
    void BeginRound(const RdmaAckSample& sample)
    {
        m_mark = sample.sentTo;
    }

    /** \return true until the first BeginRound() */
    bool IsFirstRound() const
    {
        return m_mark == 0;
    }

    /** \param window W_old of the following updates, in bytes */
    void SetOldWindow(double window)
    {
        m_oldWindow = window;
    }

    /** \param current measured current \return current, no less than its lower bound */
    double BoundCurrent(double current) const
    {
        return current > m_minCurrent ? current : m_minCurrent;
    }

    /** \return true if the rules are those of the authors' simulator */
    bool HasAuthorsRules() const
    {
        return m_rules == RdmaPowerTcpParameters::AUTHORS;
    }

    /** \return base round-trip time tau in picoseconds */
    double GetBaseRttPs() const
    {
        return m_baseRttPs;
    }

  private:
    double Mix(double oldWindow, double rest) const;

    double m_gamma;       //!< weight of a newly computed window
    double m_targetPower; //!< power that windows steer to
    double m_minCurrent;  //!< lower bound of the current
    double m_increase;    //!< additive increase beta in bytes
    double m_baseRttPs;   //!< base round-trip time tau in picoseconds
    double m_power{1};    //!< smoothed power; 1 because a sender begins at line rate
    double m_oldWindow;   //!< W_ref or W_old in bytes
    uint64_t m_mark{0};   //!< number of the next packet to send at the last BeginRound()
    RdmaPowerTcpParameters::Rules m_rules; //!< source of the rules
};

/**
 * \ingroup rdma
 * PowerTCP for one queue pair, with in-band telemetry (algorithm 1): the window changes with each
 * acknowledgement.
 *
 * The current of a port is (dq/dt + txRate) / b and its voltage (q + b x tau) / (b x tau), where b
 * is the port's rate. The highest power of the path counts. The first telemetry of a queue pair, or
 * of a new path, is stored and sets no window. (The authors' simulator compares it with counters of
 * 0.)
 *
 * PAPER: W_old is stored once per round trip: it is the window at the beginning of the round trip
 * in which the acknowledged packet was sent.
 */
class RdmaPowerTcpController : public RdmaPowerTcpWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair's path profile
     * \param format of the telemetry records
     */
    RdmaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                           const RdmaPathProfile& profile,
                           RdmaIntFormat format = RdmaIntFormat::EXACT);

    void OnAck(const RdmaAckSample& sample) override;

  private:
    RdmaIntPath m_path;  //!< telemetry of the last acknowledgement
    double m_nextWindow; //!< PAPER: W_old of the packets sent after the last BeginRound(), in bytes
};

/**
 * \ingroup rdma
 * Theta-PowerTCP for one queue pair, with round-trip times only (algorithm 2).
 *
 * The current is dRTT/dt + 1 and the voltage RTT / tau.
 *
 * AUTHORS: the window changes with each acknowledgement. The first round-trip time has no
 * predecessor: it counts with the current 1 and for all of tau. The authors' simulator learns tau
 * as the smallest round-trip time so far; here tau is the path's, which is known.
 *
 * PAPER: the window changes once per round trip, when the first packet is acknowledged that was
 * sent after the last change.
 *
 * Measured between acknowledgements, the current is 2 - b / lambda, where packets arrive at the
 * rate lambda at a port of rate b. It falls to 0 as soon as lambda is b / 2. Without a lower bound,
 * W_old / power then becomes the largest window, and the queues of many flows enter a limit cycle.
 * The bound is in the authors' simulator (0.5), not in the paper.
 */
class RdmaThetaPowerTcpController : public RdmaPowerTcpWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair's path profile
     */
    RdmaThetaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                const RdmaPathProfile& profile);

    void OnAck(const RdmaAckSample& sample) override;

  private:
    RdmaPs m_rtt{-1}; //!< round-trip time of the last acknowledgement; negative: none yet
    RdmaPs m_last{0}; //!< arrival time of the last acknowledgement
};

/**
 * \ingroup rdma
 * PowerTCP, and theta-PowerTCP, its variant without telemetry.
 *
 * A queue pair starts at line rate with the window W = B x tau, and the window never exceeds B x
 * tau.
 *
 * The paper's figures were measured with the authors' simulator, whose rules are not those of the
 * paper's algorithms. Attribute Rules selects one of them; parameters that are not set have the
 * values of the rules:
 *
 * | parameter | authors, Int | authors, Theta | paper, Int | paper, Theta |
 * |---|---|---|---|---|
 * | gamma | 0.9 | 0.7 | 0.9 | 0.9 |
 * | target of power | 0.95 | 1.05 | 1 | 1 |
 * | current at least | 0.5 | 0.5 | 0 | 0.5 (the paper has none) |
 * | beta | 150 Mb/s x tau | 150 Mb/s x tau | B x tau / 10 | B x tau / 10 |
 * | window computed from | W_ref | W_ref | W_old | W |
 *
 * With the authors' rules, n flows through a link of rate b use 0.95 b + n x 150 Mb/s of it, up to
 * all, and leave no queue as long as that is less than b; with Theta the queue is that of a round
 * trip of (1.05 + n x 150 Mb/s / b) tau. With the paper's rules a link's queue is the sum of beta
 * over its flows (theorem 1).
 */
class RdmaPowerTcp : public RdmaCongestionControl
{
  public:
    /** Measurement that power is computed from. */
    enum Variant
    {
        INT,   //!< in-band telemetry
        THETA, //!< round-trip times
    };

    using Rules = RdmaPowerTcpParameters::Rules; //!< source of the rules

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    bool NeedsEachAck() const override
    {
        return true;
    }

    bool NeedsRtt() const override
    {
        return m_variant == THETA;
    }

    double GetSpreadRttGain() const override
    {
        return m_spreadRttGain;
    }

    bool NeedsOnePath() const override
    {
        return m_variant == INT;
    }

    RdmaIntFormat GetIntFormat() const override
    {
        return m_variant == INT ? m_intFormat : RdmaIntFormat::NONE;
    }

    /**
     * Throws std::invalid_argument if tau is not known, or if several attributes set beta.
     *
     * \param profile the queue pair's path profile
     * \return PowerTCP's parameters for the queue pair
     */
    RdmaPowerTcpParameters GetParameters(const RdmaPathProfile& profile) const;

  private:
    double GetIncreaseBytes(RdmaBitRate lineRate, RdmaPs baseRtt) const;

    Variant m_variant{INT};                         //!< attribute Variant
    Rules m_rules{RdmaPowerTcpParameters::AUTHORS}; //!< attribute Rules
    RdmaIntFormat m_intFormat{RdmaIntFormat::AUTO}; //!< attribute IntFormat
    double m_gamma{0};                              //!< attribute Gamma
    double m_targetPower{0};                        //!< attribute TargetPower
    double m_minCurrent{-1};                        //!< attribute MinCurrent
    DataRate m_increaseRate;                        //!< attribute AdditiveRate
    uint32_t m_flows{0};                            //!< attribute ExpectedFlows
    uint64_t m_increaseBytes{0};                    //!< attribute AdditiveIncrease
    Time m_baseRtt;                                 //!< attribute BaseRtt
    double m_spreadRttGain{1};                      //!< attribute SpreadRttGain
};

} // namespace ns3

#endif /* RDMA_POWER_TCP_H */
