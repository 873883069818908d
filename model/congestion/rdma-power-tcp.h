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
    double gamma{0.9};       //!< weight of a new window
    double minGradient{0.5}; //!< theta: least value of dRTT/dt + 1
    double increaseBytes{0}; //!< beta, above 0
    QbbPs baseRtt{0};        //!< tau, above 0
};

/**
 * \ingroup rdma
 * PowerTCP's window, given the power of the path (Addanki et al., "PowerTCP: Pushing the
 * Performance Limits of Datacenter Networks", NSDI 2022).
 *
 * Power is normalised: 1 at a link that is full and has no queue. It is smoothed over tau, and
 * W = gamma x (W_old / power + beta) + (1 - gamma) x W.
 */
class RdmaPowerTcpWindow : public RdmaPacedWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair
     */
    RdmaPowerTcpWindow(const RdmaPowerTcpParameters& parameters, const RdmaPathProfile& profile);

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

    /** \return smoothed power */
    double GetPower() const
    {
        return m_power;
    }

  protected:
    /** \param power normalised power \param timePs over which it was measured */
    void Smooth(double power, double timePs);

    /** \param oldWindow the window when the acknowledged packet was sent */
    void Update(double oldWindow);

    /** \return tau */
    double GetBaseRttPs() const
    {
        return m_baseRttPs;
    }

  private:
    double m_gamma;     //!< weight of a new window
    double m_increase;  //!< beta
    double m_baseRttPs; //!< tau
    double m_power{1};  //!< smoothed; the sender begins at line rate
};

/**
 * \ingroup rdma
 * PowerTCP for one queue pair, with in-band telemetry (algorithm 1): the window changes with each
 * acknowledgement.
 *
 * A port's power is (dq/dt + txRate) x (q + b x tau), over b^2 x tau; the highest of the path
 * counts. W_old is remembered once per round trip: it is the window at the beginning of the round
 * trip in which the acknowledged packet was sent.
 */
class RdmaPowerTcpController : public RdmaPowerTcpWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair
     */
    RdmaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                           const RdmaPathProfile& profile,
                           RdmaIntFormat format = RdmaIntFormat::EXACT);

    void OnAck(const RdmaAckSample& sample) override;

    /** \return W_old in bytes */
    double GetOldWindow() const
    {
        return m_oldWindow;
    }

  private:
    RdmaIntPath m_path;  //!< telemetry of the last acknowledgement
    double m_oldWindow;  //!< of the packets that are acknowledged now
    double m_nextWindow; //!< of those from m_mark on
    uint64_t m_mark{0};  //!< the next packet to be sent when m_nextWindow was remembered
};

/**
 * \ingroup rdma
 * Theta-PowerTCP for one queue pair, with round-trip times only (algorithm 2): the window changes
 * once per round trip, when the first packet is acknowledged that was sent after the last change.
 *
 * Power is (dRTT/dt + 1) x RTT / tau, with the first factor MinGradient at least. On the clock of
 * acknowledgements that factor is 2 - b / lambda, which falls to 0 as soon as packets arrive at
 * half of the port's rate b. Without a bound, W_old / power then asks for the largest window, and
 * queues of many flows go round a limit cycle. The bound is in the authors' simulator (0.5), not in
 * the paper.
 */
class RdmaThetaPowerTcpController : public RdmaPowerTcpWindow
{
  public:
    /**
     * \param parameters of PowerTCP
     * \param profile the queue pair
     */
    RdmaThetaPowerTcpController(const RdmaPowerTcpParameters& parameters,
                                const RdmaPathProfile& profile);

    void OnAck(const RdmaAckSample& sample) override;

  private:
    double m_minGradient;     //!< least value of dRTT/dt + 1
    QbbPs m_rtt{-1};          //!< of the last acknowledgement; negative: none yet
    QbbPs m_last{0};          //!< when it came
    uint64_t m_lastUpdate{0}; //!< the next packet to be sent at the last change
};

/**
 * \ingroup rdma
 * PowerTCP, and its variant that needs no telemetry.
 *
 * A queue pair starts with W = B x tau at line rate, and stays at or below that. In equilibrium a
 * link's queue is the sum of the flows' beta.
 */
class RdmaPowerTcp : public RdmaCongestionControl
{
  public:
    /** Where power comes from. */
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
     * \param profile a queue pair
     * \return its parameters
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
