/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLUID_STAR_H
#define RDMA_FLUID_STAR_H

/**
 * \file
 * \ingroup rdma
 * The packet simulation of rdma-fluid.cc.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <string>
#include <vector>

namespace ns3
{

/** Parameters shared by the fluid model and the packet simulation. */
struct FluidSetting
{
    uint32_t flows{4};                    //!< number of senders
    uint32_t seeds{1};                    //!< number of packet simulations
    RdmaBitRate rate{40_gbps};            //!< rate of the link to the receiver
    RdmaBitRate hostRate{0};              //!< rate of the links of the senders
    RdmaPs delay{1_us};                   //!< delay of every link
    RdmaPs duration{50_ms};               //!< simulated time
    RdmaPs sample{10_us};                 //!< time between two output rows
    RdmaPs stagger{0};                    //!< time between the starts of two flows
    RdmaPs cnpInterval{50_us};            //!< shortest time between two CNPs of a flow
    std::vector<RdmaBitRate> startRates;  //!< initial rates by flow; empty: default of the model
    std::string markAt;                   //!< value of the attribute MarkAt of QbbEcnMarker
    QbbEcnProfile ecn;                    //!< marking curve at 40 Gb/s
    RdmaFluidAlgorithm model{};           //!< congestion control algorithm
    std::string output{"rdma-fluid.csv"}; //!< CSV file to write, or "none"
};

/** Results of the packet simulation. */
struct FluidPackets
{
    std::vector<RdmaFluidSample> rows; //!< samples over time in the format of the fluid model
    double marking{0};                 //!< fraction of frames marked in the second half
    double packetBytes{0};             //!< size of a full packet on the line in bytes
    uint64_t pauses{0}; //!< number of pause frames, which the fluid model does not cover
};

inline constexpr uint8_t FLUID_PRIORITY = 3; //!< traffic class of the data

/** Packet simulation of a star: senders, a switch, a receiver, and the sampling. */
class FluidStar
{
  public:
    /** \param setting parameters \param seed seed of the random numbers */
    FluidStar(const FluidSetting& setting, uint32_t seed)
        : m_setting(setting)
    {
        RngSeedManager::SetSeed(seed);
        RdmaFabricHelper helper;
        // A buffer of this size avoids pauses, which the fluid model does not cover.
        SetRdmaDefault("ns3::QbbSharedBuffer", "BufferSize", UintegerValue(512 << 20));
        helper.SetNicAttribute("CnpInterval", TimeValue(RdmaToTime(setting.cnpInterval)));
        if (setting.model == RdmaFluidAlgorithm::DCQCN)
        {
            helper.SetCongestionControl("ns3::RdmaDcqcn");
            helper.SetEcnAttribute("Kmin", UintegerValue(setting.ecn.kminBytes));
            helper.SetEcnAttribute("Kmax", UintegerValue(setting.ecn.kmaxBytes));
            helper.SetEcnAttribute("Pmax", DoubleValue(setting.ecn.pmax));
            helper.SetEcnAttribute("MarkAt", StringValue(setting.markAt));
        }
        RdmaTopology topology;
        for (uint32_t host = 0; host <= setting.flows; ++host)
        {
            topology.AddHost();
        }
        const uint32_t sw = topology.AddSwitch();
        topology.AddLink(0, sw, setting.rate, setting.delay);
        for (uint32_t host = 1; host <= setting.flows; ++host)
        {
            topology.AddLink(host, sw, setting.hostRate, setting.delay);
        }
        m_fabric = helper.Install(topology);
        m_fabric->AssignStreams(1);
        m_port = m_fabric->GetDevice(0, sw);
        for (uint32_t i = 0; i < setting.flows && setting.model != RdmaFluidAlgorithm::DCQCN; ++i)
        {
            m_fabric->GetNic(i + 1)->SetCongestionControl(MakeTimely(setting.startRates[i]));
        }
    }

    /** \return results of the packet simulation */
    FluidPackets Run()
    {
        for (uint32_t i = 0; i < m_setting.flows; ++i)
        {
            m_senders.push_back(m_fabric->Connect(i + 1, 0, FLUID_PRIORITY).first);
            Simulator::Schedule(RdmaToTime(i * m_setting.stagger), [sender = m_senders.back()] {
                RdmaSendRequest request;
                request.length = RDMA_MAX_MESSAGE_BYTES;
                sender->PostSend(request);
                sender->PostSend(request);
            });
        }
        Look(0_ps);
        Simulator::Schedule(RdmaToTime(m_setting.duration / 2),
                            [this] { m_half = m_port->GetCounters().classes[FLUID_PRIORITY]; });
        Simulator::Stop(RdmaToTime(m_setting.duration));
        Simulator::Run();
        const auto& end = m_port->GetCounters().classes[FLUID_PRIORITY];
        const auto frames = static_cast<double>(end.txFrames - m_half.txFrames);
        m_packets.marking = static_cast<double>(end.ecnMarks - m_half.ecnMarks) / frames;
        m_packets.packetBytes = static_cast<double>(end.txBytes - m_half.txBytes) / frames +
                                m_port->GetLineOverheadBytes();
        m_packets.pauses = m_fabric->GetTotals().pauseFrames;
        m_senders.clear();
        m_port = nullptr;
        m_fabric = nullptr;
        Simulator::Destroy();
        return m_packets;
    }

  private:
    Ptr<RdmaCongestionControl> MakeTimely(RdmaBitRate start) const
    {
        const RdmaFluidTimely timely;
        return CreateObjectWithAttributes<RdmaTimely>(
            "MinRtt",
            TimeValue(Seconds(timely.minRttS)),
            "SegmentSize",
            UintegerValue(static_cast<uint64_t>(timely.segmentBytes)),
            "HaiThreshold", // the fluid model has no hyper-active increase
            UintegerValue(1000),
            "InitialRate",
            DataRateValue(start.ToDataRate()),
            "Patched",
            BooleanValue(m_setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY));
    }

    void Look(RdmaPs now)
    {
        RdmaFluidSample row;
        row.timeS = 1e-12 * static_cast<double>(now);
        row.queueBytes = static_cast<double>(m_port->GetQueues().GetBytes(FLUID_PRIORITY));
        for (const auto& sender : m_senders)
        {
            row.rateBps.push_back(static_cast<double>(sender->GetRateController()->GetRate(now)));
        }
        m_packets.rows.push_back(row);
        const RdmaPs next = now + m_setting.sample;
        Simulator::Schedule(RdmaToTime(m_setting.sample), [this, next] { Look(next); });
    }

    FluidSetting m_setting;                    //!< parameters of the simulation
    Ptr<RdmaFabric> m_fabric;                  //!< fabric of the star
    Ptr<QbbNetDevice> m_port;                  //!< port of the switch towards the receiver
    std::vector<Ptr<RdmaQueuePair>> m_senders; //!< sending queue pairs by flow
    QbbPortCounters::Class m_half;             //!< counters of the port at half of the duration
    FluidPackets m_packets;                    //!< results of the simulation
};

} // namespace ns3

#endif /* RDMA_FLUID_STAR_H */
