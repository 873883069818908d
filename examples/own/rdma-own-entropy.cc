/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined entropy, implemented entirely in this file. A queue pair keeps its UDP source
 * port, and hence its path, while acknowledgements come back without a mark. After as many marks in
 * a row as the attribute Marks says, it takes another port.
 *
 * The table compares the entropy with one port for each queue pair, and with REPS of the module,
 * which takes a port for each packet. RdmaFabricRun executes each run; the runs differ only in the
 * option entropy.
 *
 *     rdma-own-entropy --entropy='ns3::MovingEntropy[Marks=8]'
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Entropy that moves a queue pair to another port after marks in a row. */
class MovingEntropy : public RdmaEntropy
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::MovingEntropy")
                .SetParent<RdmaEntropy>()
                .AddConstructor<MovingEntropy>()
                .AddAttribute("Marks",
                              "Marked acknowledgements in a row after which the port changes.",
                              UintegerValue(4),
                              MakeUintegerAccessor(&MovingEntropy::m_marks),
                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    std::unique_ptr<RdmaEntropyChooser> MakeChooser() override
    {
        return std::make_unique<Chooser>(this);
    }

    bool NeedsPortEcho() const override
    {
        return true;
    }

    RdmaMarking GetMarking() const override
    {
        return RdmaMarking::RAMP;
    }

  private:
    /** Port of one queue pair. */
    class Chooser : public RdmaEntropyChooser
    {
      public:
        /** \param entropy attributes, and source of random entropies */
        explicit Chooser(Ptr<MovingEntropy> entropy)
            : m_entropy(entropy),
              m_present(entropy->Draw())
        {
        }

        uint16_t Choose(RdmaPs) override
        {
            return m_present;
        }

        void OnReturn(uint32_t entropy, bool marked, RdmaPs) override
        {
            if (entropy != m_present)
            {
                return; // the packet left before the port changed
            }
            m_inRow = marked ? m_inRow + 1 : 0;
            if (m_inRow >= m_entropy->m_marks)
            {
                m_present = m_entropy->Draw();
                m_inRow = 0;
            }
        }

      private:
        Ptr<MovingEntropy> m_entropy; //!< attributes, and source of random entropies
        uint16_t m_present;           //!< entropy of the packets
        uint32_t m_inRow{0};          //!< marked acknowledgements in a row
    };

    uint32_t m_marks{4}; //!< value of the attribute Marks
};

NS_OBJECT_ENSURE_REGISTERED(MovingEntropy);

/** Optional short name: `moving` stands for ns3::MovingEntropy. */
const RdmaPartName g_movingName("moving",
                                MovingEntropy::GetTypeId(),
                                "",
                                "another port after marks in a row");

/**
 * Runs the workload with one entropy and prints a row of the table.
 *
 * \param options options of the run
 * \param header printed before the row, once the run has shown that the options are right
 */
void
RunOne(const RdmaFabricOptions& options, const std::string& header)
{
    RdmaFabricRun run(options);
    run.Run();
    const RdmaFabricSummary summary = run.GetOutcome().summary;
    std::cout << header << std::setw(16) << std::left << options.entropy << std::right
              << std::setw(7) << summary.flowsCompleted << std::setw(15)
              << summary.avgSlowdown.value_or(0) << std::setw(14) << summary.p99Slowdown.value_or(0)
              << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines an entropy of its own and runs it by its name, as rdma-fabric would.");
    RdmaFabricOptions options;
    options.topology = "leaf-spine:4x8x4";
    options.uplinkRate = "100Gbps";
    options.workload = "permutation";
    options.transport = "irn";
    std::string only;
    cmd.Add("entropy", "one entropy in place of the table's three", only);
    cmd.Include(options, {"workload", "bytes"});
    return cmd.Run(argc, argv, [&] {
        std::vector<std::string> choices{"none", "moving", "reps"};
        if (!only.empty())
        {
            choices = {only};
        }
        std::string header = "entropy           flows  mean slowdown  p99 slowdown\n";
        std::cout << std::fixed << std::setprecision(2);
        for (const std::string& entropy : choices)
        {
            options.entropy = entropy;
            RunOne(options, header);
            header.clear();
        }
        return 0;
    });
}
