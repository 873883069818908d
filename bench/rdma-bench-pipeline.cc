/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-bench-pipeline.h"

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <ctime>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t PIPELINE_CHAINS = 512;
constexpr RdmaPs PIPELINE_SENDING = 100'000_ps;
constexpr RdmaPs PIPELINE_CROSSING = 1'000'000_ps;
constexpr RdmaPs PIPELINE_DURATION = 2'000'000'000_ps; // about 1.9 million events

/** One of the two events of a chain. */
class RdmaBenchStage final : public RdmaEvent
{
  public:
    /** \param delay time until the next event of the chain */
    explicit RdmaBenchStage(RdmaPs delay)
        : m_delay(delay)
    {
    }

    /** \param next event that follows, not owned */
    void SetNext(RdmaBenchStage* next)
    {
        m_next = next;
    }

    void Run() override
    {
        const RdmaPs now = RdmaNow();
        RdmaSchedule(0, RdmaEventTime(now + m_delay, 0), RdmaEventTime(now, 0), m_next);
    }

    void Prefetch(uint32_t) const override
    {
        __builtin_prefetch(m_next);
    }

  private:
    RdmaPs m_delay;
    RdmaBenchStage* m_next{nullptr};
};

} // namespace

double
RunRdmaBenchPipeline()
{
    RdmaSimulatorImpl::Select();
    std::vector<Ptr<RdmaBenchStage>> stages; // both stages of each chain
    const RdmaPs period = PIPELINE_SENDING + PIPELINE_CROSSING;
    for (uint32_t i = 0; i < PIPELINE_CHAINS; ++i)
    {
        const auto sending = Create<RdmaBenchStage>(PIPELINE_SENDING);
        const auto crossing = Create<RdmaBenchStage>(PIPELINE_CROSSING);
        sending->SetNext(PeekPointer(crossing));
        crossing->SetNext(PeekPointer(sending));
        const RdmaPs start(period.Get() * i / PIPELINE_CHAINS);
        RdmaSchedule(0, RdmaEventTime(start, 0), RdmaEventTime(0_ps, 0), PeekPointer(sending));
        stages.insert(stages.end(), {sending, crossing});
    }
    Simulator::Stop(RdmaToTime(PIPELINE_DURATION));
    const std::clock_t begin = std::clock();
    Simulator::Run();
    const double ns = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * 1e9;
    const double events = static_cast<double>(Simulator::GetEventCount());
    Simulator::Destroy();
    return ns / events;
}

} // namespace ns3
