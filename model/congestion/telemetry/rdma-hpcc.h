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
    double eta{0.95};        //!< target utilisation
    uint32_t maxStage{5};    //!< additive increases before the window may jump up
    double increaseBytes{0}; //!< additive increase W_AI in bytes, above 0
    RdmaPs baseRtt{0};       //!< base round-trip time T, above 0
};

/**
 * \ingroup rdma
 * HPCC's window, given the utilisation of the path's busiest link (Li et al., "HPCC: High Precision
 * Congestion Control", SIGCOMM 2019, algorithm 1, ComputeWind and NewAck).
 *
 * U is the bytes in flight on a link divided by B x T. If U is eta or more, or after maxStage
 * additive increases, the window becomes Wc / (U / eta) + W_AI, else Wc + W_AI. The window changes
 * with each acknowledgement. It becomes the reference window Wc once per round trip: when the first
 * packet sent after the last update of Wc is acknowledged.
 */
class RdmaHpccWindow : public RdmaPacedWindow
{
  public:
    /**
     * \param parameters of HPCC
     * \param profile the queue pair's path profile
     */
    RdmaHpccWindow(const RdmaHpccParameters& parameters, const RdmaPathProfile& profile);

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

    RdmaCongestionState GetState() const override;

    /** \return utilisation U of the busiest link */
    double GetUtilisation() const
    {
        return m_utilisation;
    }

    /** \return reference window Wc in bytes */
    double GetReferenceWindow() const
    {
        return m_reference;
    }

    /** \return number of additive increases since the last jump of the window */
    uint32_t GetStage() const
    {
        return m_stage;
    }

  protected:
    /**
     * Computes the window.
     *
     * \param utilisation U of the busiest link
     * \param sample acknowledgement that brought U
     */
    void React(double utilisation, const RdmaAckSample& sample);

    /**
     * \param sample an acknowledgement
     * \return true for the first acknowledgement: a round trip begins, and nothing can be measured
     *         yet
     */
    bool Begin(const RdmaAckSample& sample);

  private:
    double m_eta;             //!< target utilisation
    double m_increase;        //!< additive increase W_AI in bytes
    double m_utilisation{1};  //!< utilisation U; 1 because a sender begins at line rate
    double m_reference;       //!< reference window Wc in bytes
    uint64_t m_lastUpdate{0}; //!< number of the next packet to send at the last update of Wc
    uint32_t m_maxStage;      //!< limit of additive increases
    uint32_t m_stage{0};      //!< additive increases since the last jump of the window
};

/**
 * \ingroup rdma
 * HPCC for one queue pair, with in-band telemetry (algorithm 1, MeasureInflight).
 *
 * The u of a link is min(qlen, previous qlen) / (B x T) + txRate / B. The highest u of the path
 * enters the average U with the weight tau / T, where tau is the time between the link's last two
 * records, at most T.
 */
class RdmaHpccController : public RdmaHpccWindow
{
  public:
    /**
     * \param parameters of HPCC
     * \param profile the queue pair's path profile
     * \param format of the telemetry records
     */
    RdmaHpccController(const RdmaHpccParameters& parameters,
                       const RdmaPathProfile& profile,
                       RdmaIntFormat format = RdmaIntFormat::EXACT);

    void OnAck(const RdmaAckSample& sample) override;

    /** \return telemetry of the last acknowledgement */
    const RdmaIntPath& GetPath() const
    {
        return m_path;
    }

  private:
    double m_baseRttPs; //!< base round-trip time T in picoseconds
    RdmaIntPath m_path; //!< telemetry of the last acknowledgement
};

/**
 * \ingroup rdma
 * HPCC. Packets carry telemetry of each switch, and acknowledgements bring it back.
 *
 * A queue pair starts at line rate with the window W = B x T. The window stays between W_AI and B x
 * T.
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

    bool NeedsEachAck() const override
    {
        return true;
    }

    bool NeedsOnePath() const override
    {
        return true;
    }

    RdmaIntFormat GetIntFormat() const override
    {
        return m_intFormat;
    }

    /**
     * Throws std::invalid_argument if the attributes contradict each other, or if T is not known.
     *
     * \param profile the queue pair's path profile
     * \return HPCC's parameters for the queue pair
     */
    RdmaHpccParameters GetParameters(const RdmaPathProfile& profile) const;

  private:
    double m_eta{0.95};                             //!< attribute Eta
    uint32_t m_maxStage{5};                         //!< attribute MaxStage
    uint32_t m_flows{100};                          //!< attribute ExpectedFlows
    uint64_t m_increaseBytes{0};                    //!< attribute AdditiveIncrease
    Time m_baseRtt;                                 //!< attribute BaseRtt
    RdmaIntFormat m_intFormat{RdmaIntFormat::AUTO}; //!< attribute IntFormat
};

} // namespace ns3

#endif /* RDMA_HPCC_H */
