/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HPCC_H
#define RDMA_HPCC_H

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
 * Parameters of HPCC for one queue pair.
 */
struct RdmaHpccParameters
{
    double eta{0.95};        //!< utilisation to aim at
    uint32_t maxStage{5};    //!< additive increases before the window may jump up
    double increaseBytes{0}; //!< W_AI, above 0
    QbbPs baseRtt{0};        //!< T, above 0
};

/**
 * \ingroup rdma
 * HPCC's window, given the utilisation of the path's busiest link (Li et al., "HPCC: High Precision
 * Congestion Control", SIGCOMM 2019, algorithm 1, ComputeWind and NewAck).
 *
 * U is the part of a link's B x T that is in flight. Above eta, or after maxStage steps up, the
 * window is set to Wc / (U / eta) + W_AI, else to Wc + W_AI. That is done for each acknowledgement,
 * but its result becomes the next reference window Wc only once per round trip: when the first
 * packet is acknowledged that was sent after the last such time.
 */
class RdmaHpccWindow : public RdmaPacedWindow
{
  public:
    /**
     * \param parameters of HPCC
     * \param profile the queue pair
     */
    RdmaHpccWindow(const RdmaHpccParameters& parameters, const RdmaPathProfile& profile);

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

    RdmaCongestionState GetState() const override;

    /** \return U */
    double GetUtilisation() const
    {
        return m_utilisation;
    }

    /** \return Wc in bytes */
    double GetReferenceWindow() const
    {
        return m_reference;
    }

    /** \return additive increases since the last jump */
    uint32_t GetStage() const
    {
        return m_stage;
    }

  protected:
    /** \param utilisation U \param sample the acknowledgement that tells it */
    void React(double utilisation, const RdmaAckSample& sample);

    /**
     * \param sample an acknowledgement
     * \return true if it is the first one: a round trip begins, of which nothing is known yet
     */
    bool Begin(const RdmaAckSample& sample);

  private:
    double m_eta;             //!< utilisation to aim at
    double m_increase;        //!< W_AI
    double m_utilisation{1};  //!< U; the sender begins at line rate
    double m_reference;       //!< Wc
    uint64_t m_lastUpdate{0}; //!< the next packet to be sent when Wc was set
    uint32_t m_maxStage;      //!< limit of m_stage
    uint32_t m_stage{0};      //!< additive increases since the last jump
};

/**
 * \ingroup rdma
 * HPCC for one queue pair, with in-band telemetry (algorithm 1, MeasureInflight).
 *
 * A link's u is min(qlen, qlen before) / (B x T) + txRate / B; the highest of the path moves U with
 * the weight tau / T, where tau is the time between the two looks at that link, T at most.
 */
class RdmaHpccController : public RdmaHpccWindow
{
  public:
    /**
     * \param parameters of HPCC
     * \param profile the queue pair
     * \param format of the telemetry
     */
    RdmaHpccController(const RdmaHpccParameters& parameters,
                       const RdmaPathProfile& profile,
                       RdmaIntFormat format = RdmaIntFormat::EXACT);

    void OnAck(const RdmaAckSample& sample) override;

    /** \return the telemetry it keeps */
    const RdmaIntPath& GetPath() const
    {
        return m_path;
    }

  private:
    double m_baseRttPs; //!< T
    RdmaIntPath m_path; //!< telemetry of the last acknowledgement
};

/**
 * \ingroup rdma
 * HPCC. Packets carry telemetry of each switch, which acknowledgements bring back.
 *
 * A queue pair starts with W = B x T at line rate. Its window stays at or below that, and above
 * W_AI.
 */
class RdmaHpcc : public RdmaCongestionControl
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

    RdmaIntFormat GetIntFormat() const override
    {
        return m_intFormat;
    }

    /**
     * Aborts with a message if the attributes do not fit, or T is not known.
     *
     * \param profile a queue pair
     * \return its parameters
     */
    RdmaHpccParameters GetParameters(const RdmaPathProfile& profile) const;

  private:
    double m_eta{0.95};                              //!< attribute Eta
    uint32_t m_maxStage{5};                          //!< attribute MaxStage
    uint32_t m_flows{100};                           //!< attribute ExpectedFlows
    uint64_t m_increaseBytes{0};                     //!< attribute AdditiveIncrease
    Time m_baseRtt;                                  //!< attribute BaseRtt
    RdmaIntFormat m_intFormat{RdmaIntFormat::PAPER}; //!< attribute IntFormat
};

} // namespace ns3

#endif /* RDMA_HPCC_H */
