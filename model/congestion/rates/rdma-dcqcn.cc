/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dcqcn.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

namespace
{

/// Names by which programs select this congestion control.
const RdmaPartName g_dcqcnName("dcqcn",
                               RdmaDcqcn::GetTypeId(),
                               "",
                               "DCQCN with the parameters of the paper");
const RdmaPartName g_dcqcnNicName("dcqcn-nic",
                                  RdmaDcqcn::GetTypeId(),
                                  "Preset=Nic",
                                  "DCQCN with the parameters of ConnectX NICs");

RdmaDcqcnParameters
GetNicParameters()
{
    RdmaDcqcnParameters nic;
    nic.g = 1 - 1019.0 / 1024;
    nic.initialAlpha = 1023.0 / 1024;
    nic.alphaPeriod = 1_us;
    nic.alphaPeriodic = true;
    nic.timer = 300_us;
    nic.counterBytes = 32767 * 64;
    nic.threshold = 1;
    nic.aiRate = 5_mbps;
    nic.haiRate = 50_mbps;
    nic.minRate = 1_mbps;
    nic.gd = 11;
    nic.minDecreaseFactor = 0.5;
    nic.reducePeriod = 4_us;
    nic.cutAtPeriodEnd = true;
    nic.clampTarget = false;
    nic.clampAfterTimer = true;
    nic.firstRate = 0_bps;
    nic.release = true;
    return nic;
}

void
Override(bool& value, RdmaDcqcn::Choice choice)
{
    if (choice != RdmaDcqcn::DEFAULT)
    {
        value = choice == RdmaDcqcn::ON;
    }
}

void
Override(RdmaBitRate& value, DataRate rate)
{
    if (rate.GetBitRate() > 0)
    {
        value = RdmaBitRate(rate);
    }
}

void
Override(RdmaPs& value, const Time& time, bool zero, const char* name)
{
    if (time.IsStrictlyNegative())
    {
        return;
    }
    value = RdmaToPs(time);
    RefuseRdmaIf(value == 0_ps && !zero,
                 "RdmaDcqcn: ",
                 name,
                 " 0; accepted: 1 ps and more, or negative for ",
                 "the preset's");
}

} // namespace

TypeId
RdmaDcqcn::GetTypeId()
{
    const Time preset = Seconds(-1);
    // A checker for each attribute: ObjectFactory tells attributes apart by their checkers.
    const auto choices = [] { return MakeEnumChecker(DEFAULT, "Preset", OFF, "Off", ON, "On"); };
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaDcqcn")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaDcqcn>()
            .AddAttribute("Preset",
                          "Source of the parameters that are not set: Paper (SIGCOMM 2015) or Nic "
                          "(defaults of ConnectX-4 and later).",
                          EnumValue(PAPER),
                          RdmaMakeEnumAccessor<Preset>(&RdmaDcqcn::m_preset),
                          MakeEnumChecker(PAPER, "Paper", NIC, "Nic"))
            .AddAttribute("G",
                          "Weight of a new sample in alpha; 0: from Preset (Paper 1/256; Nic "
                          "5/1024, a NIC's dce_tcp_g 1019).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaDcqcn::m_g),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InitialAlpha",
                          "Alpha at the first CNP, 0 to 1; negative: from Preset (Paper 1; Nic "
                          "1023/1024, initial_alpha_value 1023).",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::m_initialAlpha),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("AlphaPeriod",
                          "Time between updates of alpha; negative: from Preset (Paper 55 us; Nic "
                          "1 us, dce_tcp_rtt).",
                          TimeValue(preset),
                          MakeTimeAccessor(&RdmaDcqcn::m_alphaPeriod),
                          MakeTimeChecker())
            .AddAttribute("AlphaPeriodic",
                          "On: alpha is updated at the end of each AlphaPeriod, upwards if a CNP "
                          "arrived in the period, else downwards. Off: each CNP increases alpha "
                          "and restarts the period. Preset: Off for Paper, On for Nic.",
                          EnumValue(DEFAULT),
                          RdmaMakeEnumAccessor<Choice>(&RdmaDcqcn::m_alphaPeriodic),
                          choices())
            .AddAttribute("IncreaseTimer",
                          "Time between rate increases after a cut; negative: from Preset (Paper "
                          "55 us; Nic 300 us, rpg_time_reset).",
                          TimeValue(preset),
                          MakeTimeAccessor(&RdmaDcqcn::m_timer),
                          MakeTimeChecker())
            .AddAttribute("ByteCounter",
                          "Bytes on the line between rate increases after a cut; 0: no byte "
                          "counter; -1: from Preset (Paper 10000000; Nic 2097088, a NIC's "
                          "rpg_byte_reset 32767 in units of 64 bytes).",
                          IntegerValue(-1),
                          MakeIntegerAccessor(&RdmaDcqcn::m_byteCounter),
                          MakeIntegerChecker<int64_t>(-1))
            .AddAttribute("Threshold",
                          "Rate increases by the timer, or by the byte counter, in fast recovery; "
                          "0: from Preset (Paper 5; Nic 1, rpg_threshold).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaDcqcn::m_threshold),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AiRate",
                          "Step of the target rate in additive increase; 0: from Preset (Paper 40 "
                          "Mb/s; Nic 5 Mb/s, rpg_ai_rate).",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_aiRate),
                          MakeDataRateChecker())
            .AddAttribute("HaiRate",
                          "Step of the target rate in hyper increase; 0: from Preset (Paper 200 "
                          "Mb/s; Nic 50 Mb/s, rpg_hai_rate).",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_haiRate),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Lower limit of the rate after a cut; 0: from Preset (1 Mb/s for both, "
                          "rpg_min_rate).",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("Gd",
                          "A cut removes the fraction alpha x 2^(10 - Gd) of the rate, 1 to 15; 0: "
                          "from Preset (11 for both, that is alpha / 2; rpg_gd).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaDcqcn::m_gd),
                          MakeUintegerChecker<uint32_t>(0, 15))
            .AddAttribute("MinDecreaseFactor",
                          "Least fraction of the rate that a cut leaves, 0 to 1; negative: from "
                          "Preset (Paper 0; Nic 0.5, rpg_min_dec_fac 50%).",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&RdmaDcqcn::m_minDecreaseFactor),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("RateReducePeriod",
                          "Least time between two cuts; negative: from Preset (Paper 0; Nic 4 us, "
                          "rate_reduce_monitor_period).",
                          TimeValue(preset),
                          MakeTimeAccessor(&RdmaDcqcn::m_reducePeriod),
                          MakeTimeChecker())
            .AddAttribute(
                "CutAtPeriodEnd",
                "On: periods of RateReducePeriod begin with the first CNP, and a period in which a "
                "CNP arrived ends with a cut. Off: a CNP cuts at once, but no earlier than "
                "RateReducePeriod after the last cut. Preset: Off for Paper, On for Nic.",
                EnumValue(DEFAULT),
                RdmaMakeEnumAccessor<Choice>(&RdmaDcqcn::m_cutAtPeriodEnd),
                choices())
            .AddAttribute("ClampTargetRate",
                          "On: each cut sets the target rate to the rate before the cut. Preset: "
                          "On for Paper, Off for Nic (clamp_tgt_rate).",
                          EnumValue(DEFAULT),
                          RdmaMakeEnumAccessor<Choice>(&RdmaDcqcn::m_clampTarget),
                          choices())
            .AddAttribute(
                "ClampTargetRateAfterTimer",
                "With ClampTargetRate Off, a cut sets the target rate only if the byte counter has "
                "increased the rate since the last cut; On: also if the timer has increased the "
                "rate. Preset: On for both (clamp_tgt_rate_after_time_inc).",
                EnumValue(DEFAULT),
                RdmaMakeEnumAccessor<Choice>(&RdmaDcqcn::m_clampAfterTimer),
                choices())
            .AddAttribute("RateOnFirstCnp",
                          "Rate and target rate that the first CNP sets; 0: the first CNP cuts as "
                          "all others do (rate_to_set_on_first_cnp).",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaDcqcn::m_firstRate),
                          MakeDataRateChecker())
            .AddAttribute("ReleaseAtLineRate",
                          "On: when an increase brings the rate back to line rate and no cut is "
                          "pending, the queue pair is no longer limited, and its next CNP counts "
                          "as the first one. Preset: Off for Paper, On for Nic (rpg_max_rate 0).",
                          EnumValue(DEFAULT),
                          RdmaMakeEnumAccessor<Choice>(&RdmaDcqcn::m_release),
                          choices());
    return tid;
}

std::optional<RdmaPs>
RdmaDcqcn::GetCnpInterval() const
{
    // Default of min_time_between_cnps in ConnectX NICs.
    return m_preset == NIC ? std::optional<RdmaPs>(4_us) : std::nullopt;
}

RdmaDcqcnParameters
RdmaDcqcn::GetParameters() const
{
    RdmaDcqcnParameters p = m_preset == NIC ? GetNicParameters() : RdmaDcqcnParameters();
    p.g = m_g > 0 ? m_g : p.g;
    p.initialAlpha = m_initialAlpha >= 0 ? m_initialAlpha : p.initialAlpha;
    Override(p.alphaPeriod, m_alphaPeriod, false, "AlphaPeriod");
    Override(p.alphaPeriodic, m_alphaPeriodic);
    Override(p.timer, m_timer, false, "IncreaseTimer");
    p.counterBytes = m_byteCounter >= 0 ? static_cast<uint64_t>(m_byteCounter) : p.counterBytes;
    p.threshold = m_threshold > 0 ? m_threshold : p.threshold;
    Override(p.aiRate, m_aiRate);
    Override(p.haiRate, m_haiRate);
    Override(p.minRate, m_minRate);
    p.gd = m_gd > 0 ? m_gd : p.gd;
    p.minDecreaseFactor = m_minDecreaseFactor >= 0 ? m_minDecreaseFactor : p.minDecreaseFactor;
    Override(p.reducePeriod, m_reducePeriod, true, "RateReducePeriod");
    Override(p.cutAtPeriodEnd, m_cutAtPeriodEnd);
    RefuseRdmaIf(p.cutAtPeriodEnd && p.reducePeriod == 0_ps,
                 "RdmaDcqcn: CutAtPeriodEnd with RateReducePeriod 0; accepted: 1 ps and "
                 "more");
    Override(p.clampTarget, m_clampTarget);
    Override(p.clampAfterTimer, m_clampAfterTimer);
    Override(p.firstRate, m_firstRate);
    Override(p.release, m_release);
    return p;
}

std::unique_ptr<RdmaRateController>
RdmaDcqcn::MakeController(const RdmaPathProfile& profile) const
{
    const RdmaDcqcnParameters parameters = GetParameters();
    RefuseRdmaIf(std::max(parameters.minRate, parameters.firstRate) > profile.lineRate,
                 "RdmaDcqcn: MinRate ",
                 parameters.minRate,
                 " bit/s, RateOnFirstCnp ",
                 parameters.firstRate,
                 " bit/s; accepted: at most the line rate, ",
                 profile.lineRate,
                 " bit/s");
    const std::lock_guard lock(m_mutex);
    if (!m_shared || !(*m_shared == parameters))
    {
        m_shared = std::make_shared<const RdmaDcqcnParameters>(parameters);
    }
    return std::make_unique<RdmaDcqcnController>(m_shared, profile.lineRate);
}

} // namespace ns3
