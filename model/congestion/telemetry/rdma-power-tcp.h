/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_POWER_TCP_H
#define RDMA_POWER_TCP_H

#include "rdma-congestion-control.h"
#include "rdma-int-path.h"
#include "rdma-paced-window.h"

#include <ns3/nstime.h>

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Parameters of PowerTCP for one queue pair.
 */
struct RdmaPowerTcpParameters
{
    double gamma{0.9};       //!< weight of a newly computed window
    double minGradient{0.5}; //!< theta: lower bound of dRTT/dt + 1; 0: none
    double increaseBytes{0}; //!< additive increase beta in bytes, above 0
    QbbPs baseRtt{0};        //!< base round-trip time tau, above 0
};

/**
 * \ingroup rdma
 * PowerTCP's window, given the power of the path (Addanki et al., "PowerTCP: Pushing the
 * Performance Limits of Datacenter Networks", NSDI 2022).
 *
 * Power is normalised: a fully used link without a queue has power 1. Power is smoothed over tau,
 * and W = gamma x (W_old / power + beta) + (1 - gamma) x W.
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

  protected:
    /**
     * Adds a measurement to the smoothed power.
     *
     * \param power measured power, normalised
     * \param timePs duration of the measurement in picoseconds
     */
    void Smooth(double power, double timePs);

    /**
     * Computes the window. \param oldWindow window when the acknowledged packet was sent, in bytes
     */
    void Update(double oldWindow);

    /** \return base round-trip time tau in picoseconds */
    double GetBaseRttPs() const
    {
        return m_baseRttPs;
    }

  private:
    double m_gamma;     //!< weight of a newly computed window
    double m_increase;  //!< additive increase beta in bytes
    double m_baseRttPs; //!< base round-trip time tau in picoseconds
    double m_power{1};  //!< smoothed power; 1 because a sender begins at line rate
};

/**
 * \ingroup rdma
 * PowerTCP for one queue pair, with in-band telemetry (algorithm 1): the window changes with each
 * acknowledgement.
 *
 * The power of a port is (dq/dt + txRate) x (q + b x tau) / (b^2 x tau). The highest power of the
 * path counts. W_old is stored once per round trip: it is the window at the beginning of the round
 * trip in which the acknowledged packet was sent.
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

    /** \return window W_old in bytes */
    double GetOldWindow() const
    {
        return m_oldWindow;
    }

  private:
    RdmaIntPath m_path;  //!< telemetry of the last acknowledgement
    double m_oldWindow;  //!< W_old of the packets below m_mark, in bytes
    double m_nextWindow; //!< W_old of the packets from m_mark on, in bytes
    uint64_t m_mark{0};  //!< number of the next packet to send when m_nextWindow was stored
};

/**
 * \ingroup rdma
 * Theta-PowerTCP for one queue pair, with round-trip times only (algorithm 2): the window changes
 * once per round trip, when the first packet is acknowledged that was sent after the last change.
 *
 * Power is (dRTT/dt + 1) x RTT / tau, where the first factor is at least MinGradient. Measured
 * between acknowledgements, the first factor is 2 - b / lambda, where packets arrive at the rate
 * lambda at a port of rate b. It falls to 0 as soon as lambda is b / 2. Without a bound, W_old /
 * power then becomes the largest window, and the queues of many flows enter a limit cycle. The
 * bound is in the authors' simulator (0.5), not in the paper.
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
    double m_minGradient; //!< lower bound of dRTT/dt + 1
    QbbPs m_rtt{-1};      //!< round-trip time of the last acknowledgement; negative: none yet
    QbbPs m_last{0};      //!< arrival time of the last acknowledgement
    /// Number of the next packet to send at the last change of the window
    uint64_t m_lastUpdate{0};
};

/**
 * \ingroup rdma
 * PowerTCP, and theta-PowerTCP, its variant without telemetry.
 *
 * A queue pair starts at line rate with the window W = B x tau, and the window never exceeds B x
 * tau. In equilibrium a link's queue is the sum of beta over its flows.
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

    RdmaIntFormat GetIntFormat() const override
    {
        return m_variant == INT ? m_intFormat : RdmaIntFormat::NONE;
    }

    /**
     * Aborts with a message if tau is not known.
     *
     * \param profile the queue pair's path profile
     * \return PowerTCP's parameters for the queue pair
     */
    RdmaPowerTcpParameters GetParameters(const RdmaPathProfile& profile) const;

  private:
    Variant m_variant{INT};                          //!< attribute Variant
    RdmaIntFormat m_intFormat{RdmaIntFormat::PAPER}; //!< attribute IntFormat
    double m_gamma{0.9};                             //!< attribute Gamma
    double m_minGradient{0.5};                       //!< attribute MinGradient
    uint32_t m_flows{10};                            //!< attribute ExpectedFlows
    uint64_t m_increaseBytes{0};                     //!< attribute AdditiveIncrease
    Time m_baseRtt;                                  //!< attribute BaseRtt
};

} // namespace ns3

#endif /* RDMA_POWER_TCP_H */
